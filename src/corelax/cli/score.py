"""`corelax score GOLD SYSTEM`: all metrics in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corelax.cli.options import AsJson, FormatName, note, print_json
from corelax.core.errors import CorelaxError
from corelax.core.printable import MAX_NAME, shortened
from corelax.metrics.registry import METRICS, SUPPLEMENTS, check_metrics

if TYPE_CHECKING:
    from collections.abc import Callable

    from corelax.metrics import Report


ODDITIES_SHOWN = 3


def _metric_names(names: list[str] | None) -> list[str] | None:
    """What `--metric` takes, or an error of usage. None stands for what the profile reports."""
    try:
        return list(check_metrics(names, supplements=True)) if names else None
    except CorelaxError as error:
        raise typer.BadParameter(str(error)) from None


def score(
    gold: Annotated[
        str, typer.Argument(metavar="GOLD", help="The right answers; - is standard input.")
    ],
    system: Annotated[
        str, typer.Argument(metavar="SYSTEM", help="The answers to score; - is standard input.")
    ],
    json: AsJson = False,
    per_document: Annotated[
        bool, typer.Option("--per-document", help="Also show each document.")
    ] = False,
    differences: Annotated[
        bool, typer.Option("--differences", help="Also show where the two differ, with the words.")
    ] = False,
    match: Annotated[
        Literal["exact", "partial", "head", "min-span"] | None,
        typer.Option(
            help="Which mentions count as the same: same words (the default); inside the gold mention, "
            "with its head; same head; same minimum span by the parse tree."
        ),
    ] = None,
    zeros: Annotated[
        Literal["linear", "dependent"] | None,
        typer.Option(
            help="Whether zeros are compared by their place (the default) or by what they depend on."
        ),
    ] = None,
    singletons: Annotated[
        Literal["keep", "drop"] | None,
        typer.Option(
            help="Whether entities of one mention count; they do, but not with --profile corefud."
        ),
    ] = None,
    only: Annotated[
        Literal["np"] | None,
        typer.Option(help="'np' leaves out mentions that are verb phrases by the parse tree."),
    ] = None,
    nested: Annotated[
        Literal["keep", "drop"],
        typer.Option(help="Whether mentions inside another one of their entity count."),
    ] = "keep",
    metric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            callback=_metric_names,
            help=f"Only this one of {', '.join((*METRICS, *SUPPLEMENTS))}; may be repeated.",
        ),
    ] = None,
    beta: Annotated[
        float,
        typer.Option(help="β of the F-measure: above 1 favours recall; only 1 has a CoNLL score."),
    ] = 1.0,
    profile: Annotated[
        Literal["normal", "reference", "corefud"],
        typer.Option(
            help="'reference' does as the reference scorer v8.01, 'corefud' as the scorer of the CRAC "
            "shared tasks, to the digit."
        ),
    ] = "normal",
    check_text: Annotated[
        bool, typer.Option(help="Whether both sides must have the same words.")
    ] = True,
    cross_document: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            help="Score a topic as one document. RULE is what ends the topic in a document's name (_ for "
            "ECB+), a file with a document, a tab and its topic on each line, or 'all'.",
        ),
    ] = None,
    format: Annotated[FormatName | None, typer.Option(help="Format of both files.")] = None,
    gold_format: Annotated[FormatName | None, typer.Option(help="Format of GOLD.")] = None,
    system_format: Annotated[FormatName | None, typer.Option(help="Format of SYSTEM.")] = None,
) -> None:
    """Score a system's coreference against the gold standard.

    Formats are told by suffix or content and may differ. The figures of a corpus come from sums over
    its documents, never from an average of documents.
    """
    from corelax.metrics.reference.printed import printed_percent, printed_totals
    from corelax.metrics.report import rounded_percent
    from corelax.metrics.scoring import score_files

    if gold == system == "-":
        raise CorelaxError("GOLD and SYSTEM cannot both be standard input")
    report = score_files(
        gold=gold,
        system=system,
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
    if json:
        printed = {"printed": printed_totals(report)} if reference else {}
        print_json(report.as_dict() | printed)
    else:
        _print_report(report, printed_percent if reference else rounded_percent)
    _note_oddities(report, gold, system)


def _print_report(report: Report, percent: Callable[[float], str]) -> None:
    print(report.table(percent))
    if report.documents:
        print(f"\n{report.documents_table(percent)}")
    for name, lines in report.differences.items():
        print(f"\n{shortened(name, MAX_NAME)}")
        for line in lines:
            print(f"  {line}")


def _note_oddities(report: Report, *paths: str) -> None:
    for line in report.oddities[:ODDITIES_SHOWN]:
        note(f"odd: {line}")
    hidden = len(report.oddities) - ODDITIES_SHOWN
    if hidden > 0:
        names = " ".join(path for path in paths if path != "-")
        note(f"odd: {hidden} more; see corelax validate {names}")
