"""`corelax reproduce`: the paper's experiments on any corpus, in one report."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corelax.cli.options import Device, InputFormat, Workers, note
from corelax.core.errors import CorelaxError
from corelax.core.text_table import format_table

if TYPE_CHECKING:
    from corelax.study.results import Results
    from corelax.study.work import Files

SEEDS = 5
TITLE = "Training on the metric: a reproduction"


def reproduce(
    train: Annotated[
        str | None, typer.Option(help="Training documents.", show_default=False)
    ] = None,
    dev: Annotated[
        str | None, typer.Option(help="Dev documents, by which all is chosen.", show_default=False)
    ] = None,
    test: Annotated[
        str | None,
        typer.Option(help="Test documents, predicted once when all is chosen.", show_default=False),
    ] = None,
    hold_out: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Instead of --dev: N training documents, evenly spread, are dev.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for models, results and the report; else study, or study-quick with --quick.",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="The paper's four resolvers on synthetic documents: minutes."),
    ] = False,
    paper_only: Annotated[
        bool, typer.Option("--paper-only", help="Leave out what goes beyond the paper.")
    ] = False,
    tune: Annotated[bool, typer.Option(help="Tune learning rates on dev.")] = True,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, help="Runs of each: seeds 1 to N; else 5, or 2 with --quick."),
    ] = None,
    only_seed: Annotated[
        list[int] | None,
        typer.Option(metavar="SEED", help="Run only this seed, the others elsewhere; repeat it."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a setting in all runs: mentions=gold, singletons=keep, antecedent.epochs=5, ...",
        ),
    ] = None,
    merge: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER", help="Take over results that another OUT has; repeat it for more."
        ),
    ] = None,
    workers: Workers = None,
    device: Device = "auto",
    minutes: Annotated[
        float | None,
        typer.Option(min=0, help="Begin no run after so long; 0 only writes the report."),
    ] = None,
    examples: Annotated[int, typer.Option(min=0, help="Passages that the report shows.")] = 6,
    title: Annotated[
        str | None, typer.Option(help="Title of the report.", show_default=False)
    ] = None,
    format: InputFormat = None,
) -> None:
    """Run the paper's experiments, those it is compared with and ours, and write a report.

    With five seeds these are 257 runs, for a GPU; --paper-only, --no-tune and --seeds make them fewer.
    Everything is chosen on dev; test documents are predicted once, by what was chosen. What is finished is
    not done again: the same command goes on after an interruption, and results made elsewhere are taken with
    --merge. OUT/report has the page (report.html), every table and every figure.
    """
    out = out or Path("study-quick" if quick else "study")
    if out.exists() and not out.is_dir():
        raise CorelaxError(f"{out}: is a file; name a folder")
    from corelax.cli.progress import UnitsProgress
    from corelax.core.device import choose_device
    from corelax.core.settings import parse_settings
    from corelax.render.write import write_report
    from corelax.study import quick as quickly
    from corelax.study.merging import results_folder
    from corelax.study.processes import default_workers
    from corelax.study.report.page import study_page
    from corelax.study.reproduce import Reproduction
    from corelax.study.results import Results
    from corelax.study.runner import Runner
    from corelax.study.study import check_settings, full_study, quick_study

    common = {**(quickly.SETTINGS if quick else {}), **parse_settings(settings or [])}
    where = choose_device(device)
    like_original = common.get("singletons") != "keep"  # the authors' filter knows no singletons
    study = quick_study() if quick else full_study(
        like_original=like_original, ours=not paper_only, tune=tune
    )  # fmt: skip
    numbers = range(1, (seeds or (quickly.SEEDS if quick else SEEDS)) + 1)
    # What is wrong is found before anything is written.
    if quick and (paper_only or not tune):
        raise CorelaxError("--quick has the paper's four resolvers as they are; leave out the rest")
    for seed in only_seed or []:
        if seed not in numbers:
            raise CorelaxError(
                f"--only-seed {seed}: the seeds are 1 to {len(numbers)}; see --seeds"
            )
    check_settings(study, common)
    for folder in merge or []:
        results_folder(folder)
    files = _files(train, dev, test, hold_out, out, quick, format)
    try:
        with UnitsProgress() as progress:
            runner = Runner(
                out, files, common, device=where, workers=workers or default_workers(where),
                note=note, progress=progress, minutes=minutes,
            )  # fmt: skip
            reproduction = Reproduction(study, runner, numbers, only_seed)
            reproduction.prepare()
            for folder in merge or []:
                note(f"{folder}: {reproduction.merge(folder):,} files taken over")
            done = reproduction.run()
    except KeyboardInterrupt:
        note("interrupted; what is finished is kept: the same command goes on")
        sys.exit(130)
    if not done:
        note("not all runs are done; the same command goes on. The report is of those that are")
    results = Results(reproduction, is_done=done)
    page = study_page(
        results, title=title or (quickly.TITLE if quick else TITLE), command=_command(),
        examples=examples, remark=quickly.REMARK if quick else "",
    )  # fmt: skip
    paths = write_report(page, out / "report")
    print(_summary(results))
    note(f"{paths[0]}")
    runner.check()


def _files(
    train: str | None, dev: str | None, test: str | None, hold_out: int | None, out: Path,
    quick: bool, format: str | None,
) -> Files:  # fmt: skip
    """The documents that were asked for, held out or made where need be."""
    from corelax.core.files import file_digest
    from corelax.study.holdout import hold_out as held_out
    from corelax.study.quick import synthetic_files
    from corelax.study.work import Files

    if quick:
        if train or dev or test or hold_out:
            raise CorelaxError("--quick makes its own documents; leave out the files")
        return synthetic_files(out / "data")
    if train is None:
        raise CorelaxError("name files with --train and --dev, or try --quick")
    if dev is not None and hold_out is not None:
        raise CorelaxError("--hold-out makes dev documents from --train; leave out --dev")
    if dev is None and hold_out is None:
        raise CorelaxError("name dev documents with --dev, or take some from --train: --hold-out N")
    if test is not None:
        _check_test(test, format)  # better now than after all the training
    if dev is None and hold_out is not None:
        train, dev = held_out(train, hold_out, out / "data", format)
    digests = [file_digest(file) for file in (train, dev, test) if file]
    if len(set(digests)) < len(digests):
        note("two of the files are the same: their scores are not those of unseen documents")
    return Files(train, str(dev), test, format)


def _check_test(file: str, format: str | None) -> None:
    """An error if test documents could not be scored."""
    from corelax.core.files import check_file
    from corelax.io import stream

    check_file(file)
    keys, has_entities = set(), False
    for doc in stream(file, format, layers=False):
        if doc.key in keys:
            raise CorelaxError(f"{file}: two documents have the name {doc.key}")
        keys.add(doc.key)
        has_entities = has_entities or bool(doc.clusters)
    if not has_entities:
        raise CorelaxError(f"{file}: no document has entities to score against")


def _command() -> str:
    """What was typed, with the word lists if they are not those of a folder."""
    lists = os.environ.get("CORELAX_LEXICONS", "")
    before = f"CORELAX_LEXICONS={lists} " if lists.isidentifier() else ""
    return before + shlex.join(["corelax", *sys.argv[1:]])


def _summary(results: Results) -> str:
    """The rows with their CoNLL scores, for people."""
    from corelax.study.report.tables import scores_table

    table = scores_table(results, results.part, "scores", "", "")
    keep = ["", "CoNLL", "to baseline [95 %]", "p"]
    columns = [list(table.columns).index(name) for name in keep]
    rows = [
        [cells[number].text for number in columns] for group in table.groups for cells in group.rows
    ]
    return format_table([results.part.capitalize(), *keep[1:]], rows)
