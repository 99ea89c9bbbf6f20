"""A study in one call: `corelax.reproduce`.

It can be interrupted at any moment. The same call continues the run; what is finished is not done again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corelax.core.device import choose_device
from corelax.core.errors import CorelaxError
from corelax.core.files import check_not_input
from corelax.render.write import write_report
from corelax.study.cross_validation import (
    CrossValidation,
    FoldProgress,
    check_folds,
    cross_validation,
    merged_folds,
)
from corelax.study.executors import Executor, default_workers, make_executor
from corelax.study.files import Files, study_files, synthetic_files
from corelax.study.folder import DATA, REPORT, check_inputs, check_out, named_files
from corelax.study.folds import fold_name
from corelax.study.merging import results_folder
from corelax.study.plan import Study, check_settings, full_study, quick_study
from corelax.study.report.page import study_page
from corelax.study.report.tables import summary_text
from corelax.study.reproduction import Reproduction
from corelax.study.results import Results
from corelax.study.runner import Progress, Runner, check_failed
from corelax.study.systems import SYSTEMS, left_out
from corelax.train.files import Paths

SEEDS, QUICK_SEEDS = 5, 2
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
        page: The report, an HTML page; None if none was written.
        is_done: Whether all runs are done (else time was up, or runs failed).
        failed: The error of each run that failed, by (seed, stage).
        pooled: The results, if there was something to report.
    """

    page: Path | None
    is_done: bool
    failed: Mapping[tuple[int, str], BaseException]
    pooled: Results | None

    @property
    def results(self) -> Results:
        """The results: rows, scores, differences. An error if no report was asked for, or no fold is done."""
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
    *,
    train: Paths | None = None,
    dev: Paths | None = None,
    test: str | None = None,
    hold_out: int | None = None,
    quick: bool = False,
    paper_only: bool = False,
    rows: Collection[str] = (),
    tune: bool = True,
    choose_once: bool = False,
    seeds: int | None = None,
    only_seeds: Collection[int] = (),
    folds: int | None = None,
    only_folds: Collection[int] = (),
    settings: Mapping[str, Any] | None = None,
    vectors: str | Path | None = None,
    merge: Sequence[str | Path] = (),
    workers: int | None = None,
    executor: Executor | None = None,
    device: str = "auto",
    minutes: float | None = None,
    report: bool = True,
    examples: int = 6,
    title: str | None = None,
    command: str = "",
    format: str | None = None,
    note: Callable[[str], None] = lambda _: None,
    progress: Progress | None = None,
) -> Reproduced:
    """Runs the paper's experiments, those it is compared with and ours, and writes a report.

    Everything is chosen on dev; test documents are predicted once, by the chosen resolvers.

    Args:
        out: The folder for models, results and the report.
        train: Training documents: a file, a folder, or several of them.
        dev: Dev documents, in the same way.
        test: Test documents; without them the report is about dev.
        hold_out: Instead of `dev`, how many training documents to hold out for dev, evenly spread.
        quick: Only the paper's four resolvers, on synthetic documents: takes minutes, needs no files.
        paper_only: Whether to leave out experiments that go beyond the paper.
        rows: Only these rows of the tables, and the baseline; a later call takes over what the folder has.
        tune: Whether to tune learning rates on dev.
        choose_once: Whether β and T are chosen with the first seed, as learning rates are; the others then
            train only what was chosen, which takes far fewer runs.
        seeds: How many runs of each resolver, with the seeds 1 to N; else 5, or 2 with `quick`.
        only_seeds: Run only these seeds, for example because others are run elsewhere.
        folds: Cross-validation: all documents (`train` and `dev` together) are dealt into this many folds;
            each is tested once, by resolvers that were trained and tuned on the others.
        only_folds: Run only these folds (from 1), for example because others are run elsewhere.
        settings: Settings of all runs.
        vectors: A folder of word vectors, for the systems that need them; without it they are left out.
        merge: Folders of other studies whose results are copied into this one first.
        workers: How many runs at a time; else one for each core, or 4 on a GPU. One run at a time
            runs in this process, several in processes of their own.
        executor: Where runs are executed, instead of `workers`.
        device: "auto", "cpu" or "cuda".
        minutes: Nothing is trained after this time, but models that are there predict test documents; 0
            only writes the report.
        report: Whether to write a report.
        examples: How many passages the report shows.
        title: The title of the report.
        command: The command that the report names as its origin.
        format: The format of the files; else by suffix or content.
        note: Called with a line for each event that a user should know of.
        progress: Called after each change.

    Returns:
        The results and the path of the report. Failed runs do not raise an error; see `Reproduced.check`.

    >>> study = reproduce("study-quick", quick=True)  # doctest: +SKIP
    >>> print(study.summary())  # doctest: +SKIP
    >>> study.results.outcome("lea_beta").scores("test", "conll")[0].f1  # doctest: +SKIP
    """
    out = Path(out)
    check_out(out)
    common = {**(QUICK_SETTINGS if quick else {}), **(settings or {})}
    where = choose_device(device)
    whole = _study(
        common, quick=quick, paper_only=paper_only, tune=tune, vectors=vectors is not None
    )
    for system in SYSTEMS:
        if system.vectors and system.name in rows and vectors is None and not quick:
            raise CorelaxError(f"--row {system.name} needs word vectors: give --vectors FOLDER")
    study = whole.only(rows) if rows else whole
    numbers = range(1, (seeds or (QUICK_SEEDS if quick else SEEDS)) + 1)
    # Everything is checked before anything is written.
    for seed in only_seeds:
        if seed not in numbers:
            raise CorelaxError(
                f"--only-seed {seed}: the seeds are 1 to {len(numbers)}; see --seeds"
            )
    check_folds(only_folds, folds)
    check_settings(whole, common)
    for folder in merge:
        if folds is None:
            results_folder(Path(folder))
        else:
            merged_folds(Path(folder), folds)
    if vectors is not None and not Path(vectors).exists():
        raise CorelaxError(f"{vectors}: no such file or folder of word vectors")
    check_inputs(out, train, dev, test)
    if hold_out is not None or folds is not None:
        check_not_input(out / DATA, [*named_files(train), *named_files(dev)])
    if quick and (train or dev or test or hold_out):
        raise CorelaxError("--quick makes its own documents; leave out the files")
    if folds is not None and (test or hold_out):
        raise CorelaxError("--folds tests every document once; leave out --test and --hold-out")
    if folds is not None and not quick and train is None:
        raise CorelaxError("name documents with --train (and --dev), or try --quick")
    ran_on = executor or make_executor(workers or default_workers(where))

    def study_in(
        folder: Path, files: Files, limit: float | None, told: Progress | None
    ) -> Reproduction:
        files = files._replace(vectors=None if vectors is None else str(vectors))
        runner = Runner(
            folder, files, common, device=where, executor=ran_on, note=note, progress=told,
            minutes=limit,
        )  # fmt: skip
        return Reproduction(
            study, runner, numbers, only_seeds or None, choose_once=choose_once, whole=whole
        )

    def fold_study(number: int, files: Files) -> Reproduction:
        is_here = not only_folds or number in only_folds
        told = FoldProgress(number, progress or Progress())
        return study_in(out / fold_name(number), files, minutes if is_here else 0, told)

    work: Reproduction | CrossValidation
    if folds is not None:
        documents = [*named_files(train), *named_files(dev)]
        if quick:
            documents = [str(file) for file in synthetic_files(out / DATA)[:3]]
        work = cross_validation(
            out,
            documents,
            folds,
            only_folds,
            merge,
            make_study=fold_study,
            format=format,
            note=note,
        )
    elif quick:
        work = study_in(out, synthetic_files(out / DATA), minutes, progress)
    else:
        files = study_files(
            out / DATA, train=train, dev=dev, test=test, hold_out=hold_out, format=format, note=note
        )
        work = study_in(out, files, minutes, progress)
    work.prepare()
    if not quick and (missing := left_out(row.name for row in study.rows)):
        note(f"left out, since they need --vectors: {', '.join(missing)}")
    for folder in merge:
        note(f"{folder}: {work.merge(Path(folder)):,} files taken over")
    is_done = work.run()
    if not is_done:
        about = ". The report is of those that are" if report else ""
        again = "the same command without --minutes" if minutes == 0 else "the same command"
        note(f"not all runs are done; {again} continues{about}")
    results = _results(work, is_done=is_done) if report else None
    if results is None:
        return Reproduced(None, is_done, work.failed, None)
    page = study_page(
        results,
        title=title or (QUICK_TITLE if quick else TITLE),
        command=command,
        examples=examples,
        remark=QUICK_REMARK if quick else "",
    )
    paths = write_report(page, out / REPORT)
    return Reproduced(paths[0], is_done, work.failed, results)


def _study(
    common: Mapping[str, Any],
    *,
    quick: bool,
    paper_only: bool,
    tune: bool,
    vectors: bool,
) -> Study:
    if not quick:
        like_original = common.get("singletons") != "keep"  # the authors' filter drops singletons
        return full_study(
            like_original=like_original, ours=not paper_only, tune=tune, vectors=vectors
        )
    if paper_only or not tune or vectors:
        raise CorelaxError(
            "--quick has the paper's four resolvers, with its learning rates; leave out --paper-only, "
            "--no-tune and --vectors"
        )
    return quick_study()


def _results(work: Reproduction | CrossValidation, *, is_done: bool) -> Results | None:
    """The results of a study, or of the folds that are done; None if there is none."""
    if isinstance(work, Reproduction):
        return Results(work, is_done=is_done)
    return Results(work.done, wanted=work.number) if work.done else None
