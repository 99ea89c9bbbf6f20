"""`corelax reproduce`: the paper's experiments on any corpus, in one report."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated

from corelax.cli.options import (
    MOST_SEEDS,
    InputFormat,
    Workers,
    exit_when_interrupted,
    note,
)
from corelax.cli.parameters import Option
from corelax.core.device import Device


def reproduce(
    train: Annotated[
        list[str] | None,
        Option(
            help="Training documents: a file or a folder of files; repeat it for more.",
            show_default=False,
        ),
    ] = None,
    dev: Annotated[
        list[str] | None,
        Option(
            help="Dev documents, in the same way; everything is chosen on them.", show_default=False
        ),
    ] = None,
    test: Annotated[
        str | None,
        Option(
            help="Test documents, predicted once when everything is chosen.", show_default=False
        ),
    ] = None,
    hold_out: Annotated[
        int | None,
        Option(
            metavar="N",
            min=1,
            help="Instead of --dev: N training documents, evenly spread, are dev.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        Option(
            help="Folder for models, results and the report; else study, or study-quick with --quick.",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[
        bool,
        Option("--quick", help="The paper's four resolvers on synthetic documents: minutes."),
    ] = False,
    paper_only: Annotated[
        bool, Option("--paper-only", help="Leave out what goes beyond the paper.")
    ] = False,
    row: Annotated[
        list[str] | None,
        Option(
            metavar="ROW",
            help="Only this row of the tables beside the baseline (lea_beta, global2016, ...); repeat it.",
        ),
    ] = None,
    tune: Annotated[bool, Option(help="Tune learning rates on dev.")] = True,
    choose_once: Annotated[
        bool,
        Option(
            "--choose-once",
            help="Choose β and T with the first seed; the others train only what was chosen.",
        ),
    ] = False,
    seeds: Annotated[
        int | None,
        Option(
            min=1, max=MOST_SEEDS, help="Runs of each: seeds 1 to N; else 5, or 2 with --quick."
        ),
    ] = None,
    only_seed: Annotated[
        list[int] | None,
        Option(metavar="SEED", help="Run only this seed, the others elsewhere; repeat it."),
    ] = None,
    folds: Annotated[
        int | None,
        Option(
            metavar="K",
            min=2,
            help="Cross-validation: documents of --train and --dev in K folds, each document tested once.",
        ),
    ] = None,
    only_fold: Annotated[
        list[int] | None,
        Option(
            metavar="FOLD", help="Run only this fold (from 1), the others elsewhere; repeat it."
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a setting in all runs: mentions=gold, singletons=keep, antecedent.epochs=5, ...",
        ),
    ] = None,
    vectors: Annotated[
        Path | None,
        Option(
            metavar="FOLDER",
            help="Word vectors, for the systems that need them; else these are left out.",
            show_default=False,
        ),
    ] = None,
    merge: Annotated[
        list[Path] | None,
        Option(metavar="FOLDER", help="Copy the results of another OUT; repeat it for more."),
    ] = None,
    workers: Workers = None,
    device: Device = "auto",
    minutes: Annotated[
        float | None,
        Option(min=0, help="Train nothing after M minutes; 0 only writes the report."),
    ] = None,
    no_report: Annotated[
        bool, Option("--no-report", help="Only the runs: results to merge elsewhere.")
    ] = False,
    examples: Annotated[int, Option(min=0, max=1000, help="Passages that the report shows.")] = 6,
    title: Annotated[str | None, Option(help="Title of the report.", show_default=False)] = None,
    format: InputFormat = None,
) -> None:
    """Run the paper's experiments, those it is compared with and ours, and write a report.

    With five seeds these are 330 runs (355 with --vectors), for a GPU; --paper-only, --no-tune, --choose-once
    and --seeds make them fewer.
    Everything is chosen on dev; test documents are predicted once, by the chosen resolvers. The same command
    continues an interrupted run; --merge copies results that were made elsewhere. OUT/report has the page
    (report.html), every table and every figure.

    --folds K does all of it K times: a fold tests its documents, tunes on those of the next one and trains
    on the rest. The report pools the folds: its tests are over all documents. --only-fold and --only-seed do
    a piece, so that pieces can run on different machines.
    """
    from corelax.cli.progress import UnitsProgress
    from corelax.core.settings import parse_settings
    from corelax.study import reproduce as run_study

    with exit_when_interrupted(), UnitsProgress() as progress:
        study = run_study(
            out or Path("study-quick" if quick else "study"),
            train=train or None,
            dev=dev or None,
            test=test,
            hold_out=hold_out,
            quick=quick,
            paper_only=paper_only,
            rows=row or (),
            tune=tune,
            choose_once=choose_once,
            seeds=seeds,
            only_seeds=only_seed or (),
            folds=folds,
            only_folds=only_fold or (),
            settings=parse_settings(settings or []),
            vectors=vectors,
            merge=merge or (),
            workers=workers,
            device=device,
            minutes=minutes,
            report=not no_report,
            examples=examples,
            title=title,
            command=_command(),
            format=format,
            note=note,
            progress=progress,
        )
    if study.page is not None:
        print(study.summary())
        note(f"{study.page}")
    elif not no_report:
        note("no fold is done yet, so there is nothing to report")
    study.check()


def _command() -> str:
    """The command that repeats a study, with the variable that chooses word lists unless it names a folder.

    Without `--minutes`: a report may be written long after its runs.
    """
    lists = os.environ.get("CORELAX_LEXICONS", "")
    before = f"CORELAX_LEXICONS={lists} " if lists.isidentifier() else ""
    words = [word for word in sys.argv[1:] if not word.startswith("--minutes=")]
    if "--minutes" in words:
        at = words.index("--minutes")
        del words[at : at + 2]
    return before + shlex.join(["corelax", *words])
