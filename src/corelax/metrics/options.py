"""The options of scoring, each once: for Python, for the command, and for what compares systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from corelax.core.checks import check_beta
from corelax.core.options import FormatName, Option, check_options
from corelax.metrics.registry import METRICS, SUPPLEMENTS, check_metrics

AVERAGE = "conll"  # a score like the metrics, but without counts of its own
CrossDocument = Annotated[
    str | None,
    Option(
        metavar="RULE",
        help="Score a topic as one document. RULE is what ends the topic in a document's name (_ for ECB+), "
        "a file with a document, a tab and its topic on each line, or 'all'.",
    ),
]


def _check_names(names: Sequence[str]) -> tuple[str, ...]:
    return check_metrics(names, supplements=True)


def _check_names_and_average(names: Sequence[str]) -> tuple[str, ...]:
    return check_metrics(names, supplements=True, average=True)


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What is scored, and when mentions count as the same. What is None is as the profile has it.

    The profile "corefud" has match "head", zeros "dependent" and singletons "drop", its own BLANC, and takes
    the last entity of a mention in two; "reference" is for files only.
    """

    match: Annotated[
        Literal["exact", "partial", "head", "min-span"] | None,
        Option(
            help="Which mentions count as the same: same words (the default); inside the gold mention, with "
            "its head; same head; same minimum span by the parse tree."
        ),
    ] = None
    zeros: Annotated[
        Literal["linear", "dependent"] | None,
        Option(
            help="Whether zeros are compared by their place (the default) or by what they depend on."
        ),
    ] = None
    singletons: Annotated[
        Literal["keep", "drop"] | None,
        Option(
            help="Whether entities of one mention count; they do, but not with --profile corefud."
        ),
    ] = None
    only: Annotated[
        Literal["np"] | None,
        Option(help="'np' leaves out mentions that are verb phrases by the parse tree."),
    ] = None
    nested: Annotated[
        Literal["keep", "drop"],
        Option(help="Whether mentions inside another one of their entity count."),
    ] = "keep"
    profile: Annotated[
        Literal["normal", "reference", "corefud"],
        Option(
            help="'reference' does as the reference scorer v8.01, 'corefud' as the scorer of the CRAC shared "
            "tasks, to the digit."
        ),
    ] = "normal"

    def __post_init__(self) -> None:
        check_options(self)


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(Rules):
    """What `score` takes beside documents."""

    metrics: Annotated[
        tuple[str, ...] | None,
        Option(
            "--metric",
            metavar="NAME",
            check=_check_names,
            help=f"Only this one of {', '.join((*METRICS, *SUPPLEMENTS))}; may be repeated.",
        ),
    ] = None
    beta: Annotated[
        float,
        Option(
            check=check_beta,
            help="β of the F-measure: above 1 favours recall; only 1 has a CoNLL score.",
        ),
    ] = 1.0
    check_text: Annotated[bool, Option(help="Whether both sides must have the same words.")] = True
    per_document: Annotated[bool, Option(help="Also show each document.")] = False
    differences: Annotated[bool, Option(help="Also show where the two differ, with the words.")] = (
        False
    )


@dataclass(frozen=True, kw_only=True)
class ScoreFilesOptions(ScoreOptions):
    """What `score_files` takes beside files."""

    gold_format: Annotated[FormatName | None, Option(help="Format of GOLD.")] = None
    system_format: Annotated[FormatName | None, Option(help="Format of SYSTEM.")] = None
    cross_document: CrossDocument = None


@dataclass(frozen=True, kw_only=True)
class CompareOptions(Rules):
    """What `corelax.analysis.compare` and `compare_outputs` take beside documents."""

    profile: Annotated[
        Literal["normal", "corefud"],
        Option(help="'corefud' does as the scorer of the CRAC shared tasks."),
    ] = "normal"
    metrics: Annotated[
        tuple[str, ...] | None,
        Option(
            "--metric",
            metavar="NAME",
            check=_check_names_and_average,
            help=f"Only this one of {', '.join((*METRICS, *SUPPLEMENTS, AVERAGE))}; may be repeated.",
        ),
    ] = None
    resamples: Annotated[
        int, Option(min=1, max=10_000_000, metavar="N", help="Of an interval and a p value.")
    ] = 10_000
    confidence: Annotated[float, Option(help="Of the intervals, between 0 and 1.")] = 0.95
    seed: Annotated[int, Option(min=0, help="Of the resamples.")] = 0
    passages: Annotated[
        int,
        Option(min=0, max=100_000, metavar="N", help="Passages to show where systems differ."),
    ] = 6
