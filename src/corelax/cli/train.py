"""`corelax train`: from annotated files to a trained resolver."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from corelax.cli.options import AsJson, Device, InputFormat, note, print_json
from corelax.errors import CorelaxError


def train(
    train: Annotated[str, typer.Option(help="Training documents.", show_default=False)],
    dev: Annotated[str, typer.Option(help="Dev documents: the best epoch on them is kept.")],
    out: Annotated[Path, typer.Option(help="Folder; each stage becomes a model folder in it.")],
    config: Annotated[
        str,
        typer.Option(
            help="A preset (baseline, entity_ce, b3, lea, annealed, conll, pairwise_b3, pairwise_lea, "
            "margin2015, cm_heuristic, cm_reinforce, cm_rescale; anaphoricity, antecedent) or a TOML file."
        ),
    ] = "lea",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting; repeat it for more."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Short for --set seed=N.")] = None,
    device: Device = "auto",
    format: InputFormat = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where it stopped.")] = False,
    as_json: AsJson = False,
) -> None:
    """Train a resolver, with the stages that it starts from.

    Stages that OUT has already are taken from there, so several objectives can share a baseline. A run that
    was interrupted goes on with --resume and ends as if it had not been.
    """
    if out.exists() and not out.is_dir():
        raise CorelaxError(f"{out}: is a file; name a folder")
    from corelax.cli.progress import TrainingProgress
    from corelax.metrics.report import scores_table
    from corelax.train.presets import parse_settings, stage_chain
    from corelax.train.stages import choose_device, load_data, train_chain

    given = parse_settings(settings or [])
    if seed is not None:
        given["seed"] = str(seed)
    chain = stage_chain(config, given)
    where = choose_device(device)
    data = load_data(chain[-1], train, dev, note, format)
    try:
        with TrainingProgress() as progress:
            model = train_chain(
                chain, out, data, device=where, resume=resume, watcher=progress, note=note
            )
    except KeyboardInterrupt:
        note("interrupted; finished epochs are kept: the same command with --resume goes on")
        sys.exit(130)
    training = model.training
    folder = out / chain[-1].stage
    if as_json:
        print_json({"model": str(folder), **training})
    elif "scores" in training:
        scores = dict(training["scores"])
        conll = scores.pop("conll")
        print(scores_table({name: list(score.values()) for name, score in scores.items()}, conll))
    else:
        print(f"dev {100 * training['dev']:.2f}")
    note(f"{folder}")
