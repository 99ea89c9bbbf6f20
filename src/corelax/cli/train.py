"""`corelax train`: from annotated files to a trained resolver."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from corelax.cli.options import MOST_WORKERS, AsJson, InputFormat, note, print_json
from corelax.cli.parameters import BadParameter, Option
from corelax.cli.shards import Ray
from corelax.core.device import Device

if TYPE_CHECKING:
    from corelax.train import Trained


def train(
    out: Annotated[Path, Option(help="Folder; each stage becomes a model folder in it.")],
    train: Annotated[
        list[str] | None,
        Option(
            help="Training documents: a file or a folder of files; repeat it for more.",
            show_default=False,
        ),
    ] = None,
    dev: Annotated[
        list[str] | None,
        Option(help="Dev documents, in the same way: the best epoch on them is kept."),
    ] = None,
    config: Annotated[
        str | None,
        Option(
            help="A preset of the paper's ranker (baseline, entity_ce, b3, lea, annealed, conll, "
            "pairwise_b3, pairwise_lea, margin2015, cm_heuristic, cm_reinforce, cm_rescale; anaphoricity, "
            "antecedent; margin2015_g2, global2016, deep_lea and more with other networks); own, an encoder "
            "ranker on your documents; tune, a trained one that goes on with them; small, base, "
            "models of ours; or a TOML file. Else lea, or tune with --start."
        ),
    ] = None,
    recipe: Annotated[str | None, Option(help="Older name of --config.")] = None,
    data: Annotated[
        Path | None, Option(help="Folder of the files that a configuration names.")
    ] = None,
    encoder: Annotated[
        str | None, Option(help="Pretrained encoder of an encoder ranker: folder or name.")
    ] = None,
    start: Annotated[
        str | None,
        Option(help="Trained encoder ranker to go on with: folder, or installed model (small)."),
    ] = None,
    vectors: Annotated[
        str | None,
        Option(help="Word vectors that a deep ranker starts from: folder, or text file."),
    ] = None,
    stages: Annotated[
        list[str] | None,
        Option("--stage", help="Only this stage, and what it needs; repeat it for more."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        Option("--set", metavar="KEY=VALUE", help="Change a setting; repeat it for more."),
    ] = None,
    seed: Annotated[int | None, Option(help="Short for --set seed=N.")] = None,
    device: Device = "auto",
    format: InputFormat = None,
    resume: Annotated[
        bool, Option("--resume", help="Continue a run that was interrupted.")
    ] = False,
    int8: Annotated[
        bool,
        Option(
            "--int8", help="Also write an encoder ranker in one byte a weight, to OUT/STAGE.int8."
        ),
    ] = False,
    logs: Annotated[
        list[Literal["csv", "tensorboard", "wandb"]] | None,
        Option(
            "--log",
            help="Also log epochs: to OUT/STAGE/log.csv, to OUT/tensorboard, or to Weights & Biases; repeat "
            "it for more.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        Option(
            min=1,
            max=MOST_WORKERS,
            help="Processes that train an encoder ranker together: on this machine, or on Ray with --ray.",
        ),
    ] = None,
    ray: Ray = None,
    as_json: AsJson = False,
) -> None:
    """Train a resolver, with the stages that it starts from.

    Stages that OUT has already are taken from there, so several objectives can share a baseline. A run that
    was interrupted continues with --resume and produces identical weights. Processes that torchrun starts
    (torchrun --nproc-per-node 4 -m corelax train …) train together.
    """
    from corelax.cli.progress import TrainingProgress
    from corelax.core.settings import parse_settings
    from corelax.train.api import DEFAULT, FINE_TUNING, ArgumentError
    from corelax.train.api import train as train_model
    from corelax.train.team import FollowerEnded, is_follower

    if is_follower():  # ends at once, wherever it waits; the first worker cleans up
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if recipe is not None and config is not None:
        raise BadParameter("--config does not go with --recipe")
    if recipe is not None:
        note(f"--recipe is the old name of --config; write --config {recipe}")
    name = recipe or config or (DEFAULT if start is None else FINE_TUNING)
    changes: dict[str, Any] = dict(parse_settings(settings or []))
    try:
        with TrainingProgress() as progress:
            trained = train_model(
                name,
                out=out,
                train=train or None,
                dev=dev or None,
                data=data,
                encoder=encoder,
                start=start,
                vectors=vectors,
                stages=stages or (),
                settings=changes,
                seed=seed,
                device=device,
                format=format,
                resume=resume,
                int8=int8,
                log=logs or [],
                workers=workers,
                ray=ray,
                progress=progress,
                note=note,
            )
    except ArgumentError as error:
        mode = "--recipe" if recipe else f"--config {name}"
        option = f"--{error.argument}"
        raise BadParameter(
            f"{mode} needs {option}" if error.needed else f"{option} does not go with {mode}"
        ) from None
    except FollowerEnded:
        sys.exit(1)  # the first worker tells why
    except KeyboardInterrupt:
        if is_follower():
            sys.exit(130)
        note("interrupted; finished epochs are kept: the same command with --resume continues")
        sys.exit(130)
    if not is_follower():
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
