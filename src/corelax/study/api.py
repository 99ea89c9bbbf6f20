"""A study and a sweep in one call each: `corelax.reproduce` and `corelax.sweep`.

Both can be interrupted at any moment. The same call continues the run; what is finished is not done again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corelax.core.device import choose_device
from corelax.core.errors import CorelaxError
from corelax.core.overwriting import check_not_input
from corelax.render.report import Table
from corelax.render.write import write_report
from corelax.study.executors import Executor, default_workers, make_executor
from corelax.study.files import Files, one_or_several, study_files, synthetic_files
from corelax.study.folder import RESULTS, RUNS, STUDY, check_out, seed_folder
from corelax.study.merging import results_folder
from corelax.study.plan import Study, check_settings, full_study, quick_study
from corelax.study.report.page import study_page
from corelax.study.report.tables import summary_text
from corelax.study.reproduction import Reproduction
from corelax.study.results import Results
from corelax.study.runner import Progress, Runner
from corelax.study.sweep_grid import sweep_units
from corelax.study.sweep_runs import NAME as SWEEP
from corelax.study.sweep_runs import Sweep, SweepRow
from corelax.train.files import Paths, document_files

SEEDS, QUICK_SEEDS = 5, 2
DATA, REPORT = "data", "report"
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
        results: The results: rows, scores, differences.
        page: The report, an HTML page.
        failed: The error of each run that failed, by (seed, stage).
    """

    results: Results
    page: Path
    failed: Mapping[tuple[int, str], BaseException]

    @property
    def is_done(self) -> bool:
        """Whether all runs are done (else time was up, or runs failed)."""
        return self.results.is_done

    def summary(self) -> str:
        """The rows with their CoNLL scores, as plain text."""
        return summary_text(self.results)

    def check(self) -> None:
        """Raises the error of the first run that failed, if any did."""
        self.results.reproduction.runner.check()


def reproduce(
    out: str | Path,
    *,
    train: Paths | None = None,
    dev: Paths | None = None,
    test: str | None = None,
    hold_out: int | None = None,
    quick: bool = False,
    paper_only: bool = False,
    tune: bool = True,
    seeds: int | None = None,
    only_seeds: Collection[int] = (),
    settings: Mapping[str, Any] | None = None,
    merge: Sequence[str | Path] = (),
    workers: int | None = None,
    executor: Executor | None = None,
    device: str = "auto",
    minutes: float | None = None,
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
        tune: Whether to tune learning rates on dev.
        seeds: How many runs of each resolver, with the seeds 1 to N; else 5, or 2 with `quick`.
        only_seeds: Run only these seeds, for example because others are run elsewhere.
        settings: Settings of all runs.
        merge: Folders of other studies whose results are copied into this one first.
        workers: How many runs at a time; else one for each core, or 4 on a GPU. One run at a time
            runs in this process, several in processes of their own.
        executor: Where runs are executed, instead of `workers`.
        device: "auto", "cpu" or "cuda".
        minutes: No run is started after this time; 0 only writes the report.
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
    study = _study(common, quick=quick, paper_only=paper_only, tune=tune)
    numbers = range(1, (seeds or (QUICK_SEEDS if quick else SEEDS)) + 1)
    # Everything is checked before anything is written.
    for seed in only_seeds:
        if seed not in numbers:
            raise CorelaxError(
                f"--only-seed {seed}: the seeds are 1 to {len(numbers)}; see --seeds"
            )
    check_settings(study, common)
    for folder in merge:
        results_folder(Path(folder))
    _check_inputs(out, train, dev, test)
    if hold_out is not None:
        check_not_input(out / DATA, _named(train))
    if not quick:
        files = study_files(
            out / DATA, train=train, dev=dev, test=test, hold_out=hold_out, format=format, note=note
        )  # fmt: skip
    elif train or dev or test or hold_out:
        raise CorelaxError("--quick makes its own documents; leave out the files")
    else:
        files = synthetic_files(out / DATA)
    runner = Runner(
        out,
        files,
        common,
        device=where,
        executor=executor or make_executor(workers or default_workers(where)),
        note=note,
        progress=progress,
        minutes=minutes,
    )
    reproduction = Reproduction(study, runner, numbers, only_seeds or None)
    reproduction.prepare()
    for folder in merge:
        note(f"{folder}: {reproduction.merge(Path(folder)):,} files taken over")
    is_done = reproduction.run()
    if not is_done:
        note("not all runs are done; the same command continues. The report is of those that are")
    results = Results(reproduction, is_done=is_done)
    page = study_page(
        results,
        title=title or (QUICK_TITLE if quick else TITLE),
        command=command,
        examples=examples,
        remark=QUICK_REMARK if quick else "",
    )
    paths = write_report(page, out / REPORT)
    return Reproduced(results, paths[0], runner.failed)


@dataclass(frozen=True, slots=True)
class Swept:
    """A sweep that was run, in full or in part.

    Attributes:
        out: Its folder, which has the table as `sweep.md`, `sweep.csv` and `sweep.json`.
        rows: The results of each combination, the best on dev first.
        table: The rows as a table.
        wanted: The number of all runs.
        is_done: Whether all of them are done (else time was up).
    """

    out: Path
    rows: Sequence[SweepRow]
    table: Table
    wanted: int
    is_done: bool

    @property
    def done(self) -> int:
        """The number of runs that are done."""
        return sum(len(row.seeds) for row in self.rows)

    @property
    def best(self) -> Path:
        """The model folder of the best combination, trained with the first seed."""
        return seed_folder(self.out, 1) / self.rows[0].unit

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as `corelax sweep --json` prints them."""
        return {
            "out": str(self.out),
            "runs": {"done": self.done, "wanted": self.wanted},
            "rows": [row.as_dict() for row in self.rows],
        }


def sweep(
    out: str | Path,
    *,
    train: Paths,
    dev: Paths,
    grid: Mapping[str, Sequence[Any]],
    config: str = "lea",
    seeds: int = 1,
    settings: Mapping[str, Any] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    device: str = "auto",
    minutes: float | None = None,
    format: str | None = None,
    note: Callable[[str], None] = lambda _: None,
    progress: Progress | None = None,
) -> Swept:
    """Trains every combination of the values of a grid, and lists them by their score on dev.

    Runs share the stages that are the same for them. A larger grid or more seeds in the same folder add
    to what it has.

    Args:
        out: The folder for models and tables.
        train: Training documents: a file, a folder, or several of them.
        dev: Dev documents, in the same way; settings are compared on them.
        grid: The values of each setting: `{"beta_squared": [1, 1.4]}`.
        config: A preset, or a TOML file.
        seeds: How many runs of each combination, with the seeds 1 to N.
        settings: Settings of all runs that differ from the preset.
        workers: How many runs at a time; else one for each core, or 4 on a GPU. One run at a time
            runs in this process, several in processes of their own.
        executor: Where runs are executed, instead of `workers`.
        device: "auto", "cpu" or "cuda".
        minutes: No run is started after this time.
        format: The format of the files; else by suffix or content.
        note: Called with a line for each event that a user should know of.
        progress: Called after each change.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as name:
    ...     swept = sweep(name, train="examples/data/gold.conll", dev="examples/data/gold.conll",
    ...         grid={"beta_squared": [1, 4]}, settings={"mentions": "gold"}, minutes=0)
    >>> swept.done, swept.wanted, [row.settings for row in swept.rows]
    (0, 2, [{'beta_squared': 1.0}, {'beta_squared': 4.0}])
    """
    out = Path(out)
    check_out(out)
    _check_inputs(out, train, dev)
    units = sweep_units(config, grid, settings)
    where = choose_device(device)
    runner = Runner(
        out,
        Files(
            one_or_several(document_files(train)),
            one_or_several(document_files(dev)),
            format=format,
        ),
        {},
        device=where,
        executor=executor or make_executor(workers or default_workers(where)),
        note=note,
        progress=progress,
        minutes=minutes,
    )
    work = Sweep(units, list(grid), runner, range(1, seeds + 1))
    is_done = work.run()
    return Swept(out, work.rows(), work.table(), work.wanted, is_done)


def _check_inputs(out: Path, *inputs: Paths | None) -> None:
    """An error if a file that is read lies where results are written."""
    files = [file for paths in inputs for file in _named(paths)]
    tables = (out / f"{SWEEP}.{suffix}" for suffix in ("md", "csv", "json"))
    for target in (out / RUNS, out / RESULTS, out / REPORT, out / STUDY, *tables):
        check_not_input(target, files)


def _named(paths: Paths | None) -> Sequence[str]:
    """What was named, folders as their files."""
    return [] if not paths else document_files(paths)


def _study(common: Mapping[str, Any], *, quick: bool, paper_only: bool, tune: bool) -> Study:
    if not quick:
        like_original = common.get("singletons") != "keep"  # the authors' filter drops singletons
        return full_study(like_original=like_original, ours=not paper_only, tune=tune)
    if paper_only or not tune:
        raise CorelaxError("--quick has the paper's four resolvers as they are; leave out the rest")
    return quick_study()
