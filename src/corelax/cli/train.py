"""`corelax train`: from annotated files to a trained resolver."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corelax.cli.options import AsJson, Device, InputFormat, note, print_json
from corelax.core.errors import CorelaxError

if TYPE_CHECKING:
    from corelax.train.encoder import Recipe
    from corelax.train.loop import Progress

ENCODER, DEFAULT = "encoder", "lea"


def train(
    out: Annotated[Path, typer.Option(help="Folder; each stage becomes a model folder in it.")],
    train: Annotated[
        str | None, typer.Option(help="Training documents.", show_default=False)
    ] = None,
    dev: Annotated[
        str | None, typer.Option(help="Dev documents: the best epoch on them is kept.")
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(
            help="A preset (baseline, entity_ce, b3, lea, annealed, conll, pairwise_b3, pairwise_lea, "
            "margin2015, cm_heuristic, cm_reinforce, cm_rescale; anaphoricity, antecedent), a TOML file, "
            "or encoder, which resolves raw text; else lea."
        ),
    ] = None,
    recipe: Annotated[
        str | None,
        typer.Option(help="Instead: several corpora and stages; small, or a TOML file."),
    ] = None,
    data: Annotated[Path | None, typer.Option(help="Folder of the corpora of a recipe.")] = None,
    encoder: Annotated[
        str | None,
        typer.Option(help="Pretrained encoder, for --config encoder and recipes: folder or name."),
    ] = None,
    stages: Annotated[
        list[str] | None,
        typer.Option("--stage", help="Of a recipe: only this, and what it needs; repeat it."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting; repeat it for more."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Short for --set seed=N.")] = None,
    device: Device = "auto",
    format: InputFormat = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where it stopped.")] = False,
    int8: Annotated[
        bool,
        typer.Option(
            "--int8", help="Also write an encoder ranker in one byte a weight, to OUT/STAGE.int8."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Train a resolver, with the stages that it starts from.

    Stages that OUT has already are taken from there, so several objectives can share a baseline. A run that
    was interrupted goes on with --resume and ends as if it had not been.
    """
    files = {"--train": train, "--dev": dev}
    if recipe is not None:
        _check_usage(
            "--recipe",
            needed={"--data": data, "--encoder": encoder},
            useless={**files, "--config": config, "--format": format},
        )
    elif config == ENCODER:
        _check_usage(
            "--config encoder",
            needed={**files, "--encoder": encoder},
            useless={"--data": data, "--stage": stages},
        )
    else:
        _check_usage(
            f"--config {config or DEFAULT}",
            needed=files,
            useless={"--encoder": encoder, "--data": data, "--stage": stages, "--int8": int8},
        )
    if out.exists() and not out.is_dir():
        raise CorelaxError(f"{out}: is a file; name a folder")
    from corelax.core.device import choose_device
    from corelax.core.settings import parse_settings

    given = parse_settings(settings or [])
    if seed is not None:
        given["seed"] = str(seed)
    where = choose_device(device)
    if train is None or dev is None or config == ENCODER:
        changed = _recipe(recipe, stages, given, train, dev, format)
        run = _encoder_run(
            changed, out, encoder or "", data or Path(), stages, given, resume, where, int8
        )
    else:
        run = _preset_run(config or DEFAULT, out, train, dev, given, format, resume, where)
    _report(run, as_json=as_json)


# Trains, and gives the folder of the last stage and what is known of its training.
Run = Callable[["Progress"], tuple[Path, Mapping[str, Any]]]


def _check_usage(mode: str, *, needed: Mapping[str, Any], useless: Mapping[str, Any]) -> None:
    for name, value in needed.items():
        if value is None:
            raise typer.BadParameter(f"{mode} needs {name}")
    for name, value in useless.items():
        if value:
            raise typer.BadParameter(f"{name} does not go with {mode}")


def _preset_run(
    config: str,
    out: Path,
    train: str,
    dev: str,
    settings: Mapping[str, str],
    format: str | None,
    resume: bool,
    device: str,
) -> Run:
    """Training the sparse ranker on two files."""
    from corelax.train.sparse.data import load_data
    from corelax.train.sparse.presets import PRESETS, stage_chain
    from corelax.train.sparse.stage import train_chain

    if config not in PRESETS and difflib.get_close_matches(config, [*PRESETS, ENCODER], n=1) == [
        ENCODER
    ]:
        raise CorelaxError(f"unknown preset {config!r}; did you mean {ENCODER!r}?")
    chain = stage_chain(config, settings)
    data = load_data(chain[-1], train, dev, note, format)

    def run(progress: Progress) -> tuple[Path, Mapping[str, Any]]:
        model = train_chain(
            chain, out, data, device=device, resume=resume, progress=progress, note=note
        )
        return out / chain[-1].stage, model.training

    return run


def _recipe(
    recipe: str | None,
    stages: Sequence[str] | None,
    settings: dict[str, str],
    train: str | None,
    dev: str | None,
    format: str | None,
) -> Recipe:
    """The recipe with its settings changed; the seed is taken out of them."""
    from corelax.train.encoder import own_recipe, read_recipe
    from corelax.train.encoder.changes import changed_recipe

    changes = {key: value for key, value in settings.items() if key != "seed"}
    if train is not None and dev is not None:
        return own_recipe(train, dev, changes, format=format)
    found = read_recipe(recipe or "")
    last = found.order(stages or [])[-1]
    return changed_recipe(found, changes, stage=last)


def _encoder_run(
    recipe: Recipe,
    out: Path,
    encoder: str,
    data: Path,
    stages: Sequence[str] | None,
    settings: Mapping[str, str],
    resume: bool,
    device: str,
    int8: bool,
) -> Run:
    """Training an encoder ranker."""
    from corelax.core.files import write_text
    from corelax.core.settings import read_value
    from corelax.rankers.encoder.folder import save_ranker
    from corelax.train.card import CARD
    from corelax.train.encoder import run_recipe

    seed = read_value("seed", settings.get("seed", "1"), int)

    def run(progress: Progress) -> tuple[Path, Mapping[str, Any]]:
        model = run_recipe(
            recipe,
            out,
            encoder=encoder,
            data=data,
            stages=stages or (),
            seed=seed,
            device=device,
            resume=resume,
            progress=progress,
            note=note,
        )
        folder = out / recipe.order(stages or [])[-1]
        if int8:
            packed = folder.with_name(f"{folder.name}.int8")
            save_ranker(packed, model, precision="int8")
            write_text(packed / CARD, (folder / CARD).read_text(encoding="utf-8"))
            note(f"{packed}")
        return folder, model.training

    return run


def _report(run: Run, *, as_json: bool) -> None:
    """Runs, and prints the scores."""
    from corelax.cli.progress import TrainingProgress

    try:
        with TrainingProgress() as progress:
            folder, training = run(progress)
    except KeyboardInterrupt:
        note("interrupted; finished epochs are kept: the same command with --resume goes on")
        sys.exit(130)
    if as_json:
        print_json({"model": str(folder), **training})
    elif "scores" not in training:
        print(f"dev {100 * training['dev']:.2f}")
    elif isinstance(training["scores"].get("conll"), float):
        _print_scores(training["scores"])
    else:  # of each corpus
        for corpus, scores in training["scores"].items():
            if len(training["scores"]) > 1:
                print(corpus)
            _print_scores(scores)
    note(f"{folder}")


def _print_scores(scores: Mapping[str, Any]) -> None:
    from corelax.metrics import scores_table

    rows = {name: list(score.values()) for name, score in scores.items() if name != "conll"}
    print(scores_table(rows, scores["conll"]))
