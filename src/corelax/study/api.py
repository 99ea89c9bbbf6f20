"""A study in one call: `corelax.reproduce`.

It can be interrupted at any moment. The same call continues the run; what is finished is not done again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.core.files import check_not_input, read_json
from corelax.core.locks import check_claim
from corelax.render.pages import write_report
from corelax.study.files import Files, fold_files, fold_name, study_files, synthetic_files
from corelax.study.folder import (
    DATA,
    REPORT,
    STUDY,
    StudyFolder,
    check_inputs,
    check_out,
    named_files,
)
from corelax.study.options import StudyOptions
from corelax.study.plan import Study, check_settings, full_study, quick_study
from corelax.study.report import study_page, summary_text
from corelax.study.reproduction import CrossValidation, Reproduction
from corelax.study.results import Results
from corelax.study.runner import Runner, Update, check_failed
from corelax.study.systems import SYSTEMS, left_out
from corelax.train.stage import Note, ignore

TITLE = "Training on the metric: a reproduction"
QUICK_TITLE = "Training on the metric: synthetic documents"
QUICK_REMARK = (
    "**Invented documents, small layers, few epochs**: these numbers say nothing about real text."
)
QUICK_SETTINGS = {
    "features.lexical_cutoff": "5",
    "hidden_pair": "200",
    "antecedent.epochs": "5",
    "epochs": "5",
}


@dataclass(frozen=True, slots=True)
class Reproduced:
    """A study that was run, in full or in part, and its report.

    Attributes:
        page: The report, an HTML page; None if no fold is done yet.
        is_done: Whether all runs are done (else time was up, or runs failed).
        failed: The error of each run that failed, by (seed, stage).
        pooled: The results, if there was something to report.
    """

    page: Path | None
    is_done: bool
    failed: Mapping[tuple[int, str], Exception]
    pooled: Results | None

    @property
    def results(self) -> Results:
        """The results: rows, scores, differences. An error if no fold is done."""
        if self.pooled is None:
            raise CorelaxError("there are no results to report yet")
        return self.pooled

    def summary(self) -> str:
        """The rows with their CoNLL scores, as plain text; empty without results."""
        return summary_text(self.pooled) if self.pooled else ""

    def check(self) -> None:
        """Raises the error of the first run that failed, if any did."""
        check_failed(self.failed)


def reproduce(
    out: str | Path,
    options: StudyOptions | None = None,
    *,
    note: Note = ignore,
    update: Update = lambda *_: None,
    **more: Any,
) -> Reproduced:
    """Runs the paper's experiments and those it is compared with, and writes a report.

    Everything is chosen on dev; test documents are predicted once, by the chosen resolvers.

    Args:
        out: The folder for models, results and the report.
        options: The options; else they are given one by one.
        note: Called with a line for each event that a user should know of.
        update: Called after each change, with how many runs are done and wanted, and the names of those at
            work.
        **more: The fields of `StudyOptions`.

    Returns:
        The results and the path of the report. Failed runs do not raise an error; see `Reproduced.check`.

    >>> study = reproduce("study-quick", quick=True)  # doctest: +SKIP
    >>> print(study.summary())  # doctest: +SKIP
    >>> study.results.outcome("lea_beta").scores("test", "conll")[0].f1  # doctest: +SKIP
    """
    out, options = Path(out), options or StudyOptions(**more)
    # Everything is checked before anything is written.
    check_out(out)
    settings = {**(QUICK_SETTINGS if options.quick else {}), **options.settings}
    whole = _whole_study(options, settings)
    study = whole.only(options.rows) if options.rows else whole
    check_settings(whole, settings)
    check_inputs(out, options.train, options.dev, options.test)
    documents = [*named_files(options.train), *named_files(options.dev)]
    if options.hold_out is not None or options.folds is not None:
        check_not_input(out / DATA, documents)

    def study_in(folder: Path, files: Files, name: str = "") -> Reproduction:
        files = files._replace(vectors=None if options.vectors is None else str(options.vectors))
        runner = Runner(
            StudyFolder(folder, files, settings),
            device=options.device,
            workers=options.workers,
            minutes=options.minutes,
            note=note,
            update=lambda done, wanted, names: update(done, wanted, [name + n for n in names]),
        )
        return Reproduction(study, runner, options.seed_numbers, whole, note)

    work: Reproduction | CrossValidation
    if options.folds is None:
        work = study_in(out, _files(out, options, note))
    else:
        if (out / STUDY).exists():
            present = read_json(out / STUDY)
            wanted = {"folds": options.folds}
            check_claim(out, present if isinstance(present, dict) else {}, wanted, "a study")
        if options.quick:
            documents = [str(file) for file in synthetic_files(out / DATA)[:3]]
        files = fold_files(out / DATA, documents, options.folds, options.format)
        folds = [
            study_in(out / fold_name(number), of_fold, f"fold {number}: ")
            for number, of_fold in enumerate(files, 1)
        ]
        work = CrossValidation(out, folds, note)
    work.prepare()
    if not options.quick and (missing := left_out(row.name for row in study.rows)):
        note(f"left out, since they need --vectors: {', '.join(missing)}")
    is_done = work.run()
    if not is_done:
        again = "the same command"
        again += " without --minutes" if options.minutes == 0 else ""
        note(f"not all runs are done; {again} continues. The report is of those that are")
    results = _results(work, is_done=is_done)
    page = _write_report(results, out, options) if results else None
    return Reproduced(page, is_done, work.failed, results)


def _whole_study(options: StudyOptions, settings: Mapping[str, Any]) -> Study:
    if options.quick:
        return quick_study()
    for system in SYSTEMS:
        if system.vectors and system.name in options.rows and options.vectors is None:
            raise CorelaxError(f"--row {system.name} needs word vectors: give --vectors FOLDER")
    return full_study(
        like_original=settings.get("singletons") != "keep",  # the authors' filter drops singletons
        tune=options.tune,
        vectors=options.vectors is not None,
    )


def _files(out: Path, options: StudyOptions, note: Note) -> Files:
    if options.quick:
        return synthetic_files(out / DATA)
    return study_files(
        out / DATA,
        train=options.train,
        dev=options.dev,
        test=options.test,
        hold_out=options.hold_out,
        format=options.format,
        note=note,
    )


def _results(work: Reproduction | CrossValidation, *, is_done: bool) -> Results | None:
    """The results of a study, or of the folds that are done; None if there is none."""
    if isinstance(work, Reproduction):
        return Results([work], is_done=is_done)
    return Results(work.done, wanted=len(work.folds)) if work.done else None


def _write_report(results: Results, out: Path, options: StudyOptions) -> Path:
    page = study_page(
        results,
        title=options.title or (QUICK_TITLE if options.quick else TITLE),
        command=options.command,
        examples=options.examples,
        remark=QUICK_REMARK if options.quick else "",
    )
    return write_report(page, out / REPORT)[0]
