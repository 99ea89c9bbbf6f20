"""`corelax score GOLD SYSTEM`: all metrics in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from corelax.cli.options import (
    AsCsv,
    AsJson,
    AsLatex,
    check_one_output,
    note,
    print_json,
    print_table,
)
from corelax.core.errors import CorelaxError
from corelax.core.options import Argument, FormatName, Option
from corelax.core.printable import MAX_NAME, shortened
from corelax.metrics.options import ScoreFilesOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from corelax.metrics import Report


ODDITIES_SHOWN = 3


def score(
    gold: Annotated[str, Argument(metavar="GOLD", help="The right answers; - is standard input.")],
    system: Annotated[
        list[str],
        Argument(
            metavar="SYSTEM",
            help="The answers to score; - is standard input. Folders on both sides are matched by the names "
            "of their files, and so are several files: all of GOLD, then all of SYSTEM.",
        ),
    ],
    options: ScoreFilesOptions,
    format: Annotated[FormatName | None, Option(help="Format of both files.")] = None,
    json: AsJson = False,
    csv: AsCsv = False,
    latex: AsLatex = False,
) -> None:
    """Score a system's coreference against the gold standard.

    Formats are told by suffix or content and may differ. The figures of a corpus come from sums over
    its documents, never from an average of documents. Of several files the plain mean is shown as well.
    """
    from corelax.metrics import rounded_percent, score_file_sets
    from corelax.metrics.printed import printed_percent, printed_totals

    check_one_output(json=json, csv=csv, latex=latex)
    if options.differences and (csv or latex):
        raise CorelaxError("--differences are lines of text; leave out --csv and --latex")
    gold_files, system_files = _sides(gold, *system)
    report = score_file_sets(
        gold=gold_files,
        system=system_files,
        options=options,
        gold_format=options.gold_format or format,
        system_format=options.system_format or format,
    )
    reference = options.profile == "reference"
    percent = printed_percent if reference else rounded_percent
    if json:
        printed = {"printed": printed_totals(report)} if reference else {}
        print_json(report.as_dict() | printed)
    elif csv or latex:
        from corelax.cli.score_tables import score_table

        print_table(score_table(report, percent), latex=latex)
    else:
        _print_report(report, percent)
    _note_oddities(report, gold, *system)


def _sides(*files: str) -> tuple[Sequence[str], Sequence[str]]:
    """Gold files and system files: the first half and the second."""
    if files.count("-") > 1:
        raise CorelaxError("GOLD and SYSTEM cannot both be standard input")
    if len(files) % 2:
        raise CorelaxError(
            f"{len(files)} files cannot be scored in pairs: name as many of GOLD as of SYSTEM, or two folders"
        )
    return files[: len(files) // 2], files[len(files) // 2 :]


def _print_report(report: Report, percent: Callable[[float], str]) -> None:
    from corelax.metrics import FilesReport

    print(report.table(percent))
    if isinstance(report, FilesReport):
        from corelax.cli.score_tables import files_table
        from corelax.render import table_text

        print(f"\n{table_text(files_table(report, percent))}")
    if report.documents:
        print(f"\n{report.documents_table(percent)}")
    for name, lines in report.differences.items():
        print(f"\n{shortened(name, MAX_NAME)}")
        for line in lines:
            print(f"  {line}")


def _note_oddities(report: Report, *paths: str) -> None:
    lines = list(dict.fromkeys(report.oddities))  # one file may be on both sides
    for line in lines[:ODDITIES_SHOWN]:
        note(f"odd: {line}")
    hidden = len(lines) - ODDITIES_SHOWN
    if hidden > 0:
        names = " ".join(path for path in paths if path != "-")
        note(f"odd: {hidden} more; see corelax validate {names}")
