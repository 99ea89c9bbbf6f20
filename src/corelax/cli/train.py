"""`corelax train`: from annotated files to a trained resolver."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from corelax.cli.options import AsJson, InputFormat, note, print_json
from corelax.cli.parameters import BadParameter
from corelax.train.options import ArgumentError, TrainOptions

if TYPE_CHECKING:
    from corelax.train import Trained


def train(options: TrainOptions, format: InputFormat = None, as_json: AsJson = False) -> None:
    """Train a resolver, with the stages that it starts from.

    Stages that OUT has already are taken from there, so several objectives can share a baseline. A run that
    was interrupted continues with --resume and produces identical weights. Processes that torchrun starts
    (torchrun --nproc-per-node 4 -m corelax train …) train together.
    """
    from corelax.cli.progress import TrainingProgress
    from corelax.train.api import train_with
    from corelax.train.workers import RESUMED, rank_and_size

    follows = rank_and_size()[0] > 0
    if follows:  # ends at once, wherever it waits; the first worker cleans up
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        with TrainingProgress() as progress:
            trained = train_with(replace(options, format=format), progress=progress, note=note)
    except ArgumentError as error:
        mode, option = f"--config {error.config}", f"--{error.argument}"
        raise BadParameter(
            f"{mode} needs {option}" if error.needed else f"{option} does not go with {mode}"
        ) from None
    except KeyboardInterrupt:
        if not follows:
            note(f"interrupted; {RESUMED}")
        sys.exit(130)
    if not follows:
        _print_result(trained, as_json=as_json)


def _print_result(trained: Trained, *, as_json: bool) -> None:
    """The scores on dev, for people or for programs."""
    if as_json:
        print_json({"model": str(trained.folder), **trained.training})
    elif not trained.scores:
        print(f"dev {trained.criterion} {100 * trained.training['dev']:.2f}")
    for corpus, scores in trained.scores.items() if not as_json else ():
        if len(trained.scores) > 1:
            print(corpus)
        _print_scores(scores)
    note(f"{trained.folder}")


def _print_scores(scores: Mapping[str, Any]) -> None:
    from corelax.metrics import scores_table

    rows = {name: list(score.values()) for name, score in scores.items() if name != "conll"}
    print(scores_table(rows, scores["conll"]))
