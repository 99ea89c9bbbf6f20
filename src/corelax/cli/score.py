"""`corelax score GOLD SYSTEM`: all metrics in one table."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from corelax.cli.options import AsJson, FormatName, note, print_json, print_table
from corelax.errors import CorelaxError

if TYPE_CHECKING:
    from corelax.metrics import Report


class Metric(StrEnum):
    """What `--metric` takes: the keys of `corelax.metrics.METRICS`."""

    muc = "muc"
    b_cubed = "b_cubed"
    ceaf_m = "ceaf_m"
    ceaf_e = "ceaf_e"
    blanc = "blanc"
    lea = "lea"
    mentions = "mentions"


TITLES = {
    Metric.muc: "MUC",
    Metric.b_cubed: "B³",
    Metric.ceaf_m: "CEAF-m",
    Metric.ceaf_e: "CEAF-e",
    Metric.blanc: "BLANC",
    Metric.lea: "LEA",
    Metric.mentions: "Mentions",
}
ODDITIES_SHOWN = 3


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
    singletons: Annotated[
        Literal["keep", "drop"],
        typer.Option(help="Whether entities of one mention count; applies to both sides."),
    ] = "keep",
    metric: Annotated[
        list[Metric] | None,
        typer.Option(
            metavar="NAME", help=f"Only this one of {', '.join(Metric)}; may be repeated."
        ),
    ] = None,
    beta: Annotated[float, typer.Option(help="β of the F-measure: above 1 favours recall.")] = 1.0,
    profile: Annotated[
        Literal["normal", "reference"],
        typer.Option(help="'reference' does as the reference scorer v8.01, to the digit."),
    ] = "normal",
    check_text: Annotated[
        bool, typer.Option(help="Whether both sides must have the same words.")
    ] = True,
    format: Annotated[FormatName | None, typer.Option(help="Format of both files.")] = None,
    gold_format: Annotated[FormatName | None, typer.Option(help="Format of GOLD.")] = None,
    system_format: Annotated[FormatName | None, typer.Option(help="Format of SYSTEM.")] = None,
) -> None:
    """Score a system's coreference against the gold standard.

    Formats are told by suffix or content and may differ. The figures of a corpus come from sums over
    its documents, never from an average of documents.
    """
    from corelax.metrics.printed import printed_totals
    from corelax.metrics.report import METRICS
    from corelax.scoring import score_files

    if gold == system == "-":
        raise CorelaxError("GOLD and SYSTEM cannot both be standard input")
    formats = gold_format or format, system_format or format
    report = score_files(
        gold=gold,
        system=system,
        gold_format=formats[0],
        system_format=formats[1],
        profile=profile,
        metrics=map(str, metric or METRICS),
        beta=beta,
        singletons=singletons,
        check_text=check_text,
        per_document=per_document,
    )
    if json:
        result = report.as_dict()
        if profile == "reference":
            result["printed"] = printed_totals(report)
        print_json(result)
    else:
        _print_report(report, reference=profile == "reference")
    if differences:
        _print_differences(gold, system, formats)
    _note_oddities(report, gold, system)


def _print_report(report: Report, *, reference: bool) -> None:
    f_name = "F1" if report.beta == 1 else f"F{report.beta:g}"
    rows = [
        [TITLES[Metric(name)], *_percentages(scores, reference)] for name, scores in report.items()
    ]
    rules: tuple[int, ...] = ()
    if (conll := report.as_dict().get("conll")) is not None:
        rules = (len(rows),)
        rows.append(["CoNLL", "", "", _percent(conll, reference)])
    print_table(["", "Recall", "Precision", f_name], rows, rules=rules)
    if report.documents:
        names = list(report)
        rows = [
            [key, *(_percent(doc[name].f1, reference) for name in names)]
            for key, doc in report.documents.items()
        ]
        print()
        print_table([f"Document ({f_name})", *(TITLES[Metric(name)] for name in names)], rows)


def _percentages(scores: Any, reference: bool) -> list[str]:
    return [_percent(value, reference) for value in scores]


def _percent(share: float, reference: bool) -> str:
    """Two decimals, rounded; the reference scorer cuts and leaves zeros at the end away."""
    from corelax.metrics.printed import cut_percent, number

    return number(cut_percent(share)) if reference else f"{100 * share:.2f}"


def _print_differences(
    gold: str, system: str, formats: tuple[FormatName | None, FormatName | None]
) -> None:
    from corelax.differences import describe_differences
    from corelax.io import stream
    from corelax.pairing import common_name, pair_documents

    if "-" in (gold, system):
        raise CorelaxError("--differences reads the files twice, so none can be standard input")
    sides = [
        stream(path, format, layers=False)
        for path, format in zip((gold, system), formats, strict=True)
    ]
    for ours, theirs in pair_documents(gold=sides[0], system=sides[1], key=common_name):
        if ours is None or theirs is None:
            continue
        for number, line in enumerate(describe_differences(gold=ours, system=theirs)):
            if number == 0:
                print(f"\n{common_name(ours)}")
            print(f"  {line}")


def _note_oddities(report: Report, *paths: str) -> None:
    found = report.oddities
    for line in found[:ODDITIES_SHOWN]:
        note(f"odd: {line}")
    if len(found) > ODDITIES_SHOWN:
        names = " ".join(path for path in paths if path != "-")
        note(f"odd: {len(found) - ODDITIES_SHOWN} more; see corelax validate {names}")
