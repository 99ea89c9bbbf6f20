"""`corelax reproduce`: the paper's experiments on any corpus, in one report."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from corelax.cli.options import InputFormat, exit_when_interrupted, note
from corelax.core.options import Option
from corelax.core.settings import parse_settings
from corelax.study.options import StudyOptions


def reproduce(
    options: StudyOptions,
    out: Annotated[
        Path | None,
        Option(
            help="Folder for models, results and the report; else study, or study-quick with --quick."
        ),
    ] = None,
    settings: Annotated[
        tuple[str, ...],
        Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a setting in all runs: mentions=gold, singletons=keep, antecedent.epochs=5, ...",
        ),
    ] = (),
    format: InputFormat = None,
) -> None:
    """Run the paper's experiments and those it is compared with, and write a report.

    With five seeds these are 177 runs (192 with --vectors), for a GPU; --no-tune, --row and --seeds make
    them fewer.
    Everything is chosen on dev; test documents are predicted once, by the chosen resolvers. The same command
    continues an interrupted run. OUT/report has the page (report.html), every table and every figure.

    --folds K does all of it K times: a fold tests its documents, tunes on those of the next one and trains
    on the rest. The report pools the folds: its tests are over all documents.
    """
    from corelax.cli.progress import UnitsProgress
    from corelax.study import reproduce as run_study

    options = replace(options, settings=parse_settings(settings), format=format, command=_command())
    with exit_when_interrupted(), UnitsProgress() as progress:
        study = run_study(
            out or Path("study-quick" if options.quick else "study"),
            options,
            note=note,
            update=progress.update,
        )
    if study.page is not None:
        print(study.summary())
        note(f"{study.page}")
    else:
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
