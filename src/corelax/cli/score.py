"""`corelax score GOLD SYSTEM`: all metrics in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from corelax.cli.options import (
    AsCsv,
    AsJson,
    AsLatex,
    CrossDocument,
    FormatName,
    Match,
    Nested,
    Only,
    Singletons,
    Zeros,
    check_one_output,
    metric_names,
    note,
    print_json,
    print_table,
)
from corelax.cli.parameters import Argument, Option
from corelax.core.errors import CorelaxError
from corelax.core.printable import MAX_NAME, shortened
from corelax.metrics.registry import METRICS, SUPPLEMENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from corelax.metrics import Report
    from corelax.render import Table


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
    json: AsJson = False,
    csv: AsCsv = False,
    latex: AsLatex = False,
    per_document: Annotated[
        bool, Option("--per-document", help="Also show each document.")
    ] = False,
    differences: Annotated[
        bool, Option("--differences", help="Also show where the two differ, with the words.")
    ] = False,
    match: Match = None,
    zeros: Zeros = None,
    singletons: Singletons = None,
    only: Only = None,
    nested: Nested = "keep",
    metric: Annotated[
        list[str] | None,
        Option(
            metavar="NAME",
            check=metric_names,
            help=f"Only this one of {', '.join((*METRICS, *SUPPLEMENTS))}; may be repeated.",
        ),
    ] = None,
    beta: Annotated[
        float,
        Option(help="β of the F-measure: above 1 favours recall; only 1 has a CoNLL score."),
    ] = 1.0,
    profile: Annotated[
        Literal["normal", "reference", "corefud"],
        Option(
            help="'reference' does as the reference scorer v8.01, 'corefud' as the scorer of the CRAC "
            "shared tasks, to the digit."
        ),
    ] = "normal",
    check_text: Annotated[bool, Option(help="Whether both sides must have the same words.")] = True,
    cross_document: CrossDocument = None,
    format: Annotated[FormatName | None, Option(help="Format of both files.")] = None,
    gold_format: Annotated[FormatName | None, Option(help="Format of GOLD.")] = None,
    system_format: Annotated[FormatName | None, Option(help="Format of SYSTEM.")] = None,
) -> None:
    """Score a system's coreference against the gold standard.

    Formats are told by suffix or content and may differ. The figures of a corpus come from sums over
    its documents, never from an average of documents. Of several files the plain mean is shown as well.
    """
    from corelax.metrics.file_scores import score_file_sets
    from corelax.metrics.printed import printed_percent, printed_totals
    from corelax.metrics.report import rounded_percent

    check_one_output(json=json, csv=csv, latex=latex)
    if differences and (csv or latex):
        raise CorelaxError("--differences are lines of text; leave out --csv and --latex")
    gold_files, system_files = _sides(gold, *system)
    report = score_file_sets(
        gold=gold_files,
        system=system_files,
        gold_format=gold_format or format,
        system_format=system_format or format,
        profile=profile,
        metrics=metric,
        beta=beta,
        singletons=singletons,
        match=match,
        zeros=zeros,
        only=only,
        nested=nested,
        check_text=check_text,
        per_document=per_document,
        differences=differences,
        cross_document=cross_document,
    )
    reference = profile == "reference"
    percent = printed_percent if reference else rounded_percent
    if json:
        printed = {"printed": printed_totals(report)} if reference else {}
        print_json(report.as_dict() | printed)
    elif csv or latex:
        print_table(_table(report, percent, per_document=per_document), latex=latex)
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


def _table(report: Report, percent: Callable[[float], str], *, per_document: bool) -> Table:
    """The table that CSV and LaTeX show: documents, files or metrics."""
    from corelax.cli.score_tables import documents_of, files_of, scores_of
    from corelax.metrics import FilesReport

    if per_document:
        return documents_of(report, percent)
    if isinstance(report, FilesReport):
        return files_of(report, percent)
    return scores_of(report, percent)


def _print_report(report: Report, percent: Callable[[float], str]) -> None:
    from corelax.metrics import FilesReport

    print(report.table(percent))
    if isinstance(report, FilesReport):
        from corelax.cli.score_tables import files_of
        from corelax.render import table_text

        print(f"\n{table_text(files_of(report, percent))}")
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
