"""Comparisons, with gold entities and without, as tables, passages and a page for the browser."""

from __future__ import annotations

from collections.abc import Sequence

from corelax.analysis.agreement import Agreement
from corelax.analysis.comparison import LEVEL, Comparison
from corelax.analysis.decisions import CORRECT_LINK, ERRORS, OF_ANAPHORIC, TYPES
from corelax.analysis.errors import ErrorCounts, figure, title_of_kind
from corelax.analysis.significance import interval, p_text
from corelax.core.version import VERSION
from corelax.metrics import rounded_percent
from corelax.metrics.options import AVERAGE
from corelax.metrics.registry import title_of
from corelax.render.pages import Page, Section
from corelax.render.passages import Passages
from corelax.render.tables import Cell, Row, Table

NOTHING = Cell("–")
ABOUT_TESTS = (
    "Differences to {baseline} in points, with {confidence:.0%} intervals of a paired bootstrap over "
    "documents; p of a paired permutation test over documents; Holm: corrected for all p values of this "
    "table. Bold: below {level} after the correction."
)
ABOUT_RUNS = " Scores are means over {runs} runs, which are drawn as well."
ABOUT_ERRORS = (
    "False anaphor: linked, but first in its gold entity or in none. False new: has an earlier gold mention, "
    "but starts an entity or is left out. Wrong link: linked to another entity. Percentages are of the "
    "anaphoric gold mentions of a type."
)
ABOUT_PASSAGES = "Chosen for the largest difference in errors, in favour of each side in turn."
ABOUT_AGREEMENT = (
    "Mentions and entities of each system, and its agreement with {first}: F1 with the entities of {first} "
    "in place of gold ones, which is the same the other way round."
)
ABOUT_DIFFERENCES = "Those with most mentions that the systems treat differently."
MARKED = "what another system treats differently"


def metric_title(metric: str) -> str:
    """The name of a metric in tables.

    >>> metric_title("conll"), metric_title("b_cubed")
    ('CoNLL', 'B³')
    """
    return "CoNLL" if metric == AVERAGE else title_of(metric)


def comparison_table(comparison: Comparison, *, grouped: bool = True) -> Table:
    """Scores and differences to the first system: a row for each metric and system.

    Args:
        comparison: The systems.
        grouped: Whether metrics are headings; else they are the first column, as programs like it.
    """
    confidence = f"{comparison.confidence:.0%}".replace("%", " %")
    difference = f"difference [{confidence}]" if grouped else "difference"
    shown = ["F1"] if tuple(comparison.metrics) == (AVERAGE,) else ["recall", "precision", "F1"]
    columns = ["", *shown, difference, "p", "p (Holm)"]
    rows = []
    for metric in comparison.metrics:
        if grouped:
            rows.append(Row([metric_title(metric)], heading=True))
        for system in comparison.counts:
            cells = [Cell(system), *_score_cells(comparison, system, metric)[-len(shown) :]]
            cells += _difference_cells(comparison, system, metric)
            rows.append(Row(cells if grouped else [Cell(metric), *cells]))
    if not grouped:
        columns = ["metric", "system", *columns[1:]]
    baseline, runs = comparison.baseline, comparison.counts[comparison.baseline].seeds
    caption = ABOUT_TESTS.format(
        baseline=baseline, confidence=comparison.confidence, level=LEVEL
    ).replace("%", " %")
    caption += ABOUT_RUNS.format(runs=runs) if runs > 1 else ""
    return Table("scores", "Scores", columns, rows, caption)


def system_errors_table(comparison: Comparison) -> Table:
    """Errors by kind and type of mention: a row for each kind and system."""
    columns = ["", *TYPES, "total"]
    rows = []
    for kind in (*ERRORS, CORRECT_LINK):
        rows.append(Row([title_of_kind(kind)], heading=True))
        for system, counts in comparison.errors.items():
            cells = [_error_cell(counts, kind, type) for type in (*TYPES, None)]
            rows.append(Row([Cell(system), *cells]))
    return Table("errors", "Errors by type of mention", columns, rows, ABOUT_ERRORS)


def comparison_page(comparison: Comparison, *, title: str, command: str = "") -> Page:
    """Scores, errors and passages as a page."""
    sections = [
        Section("Scores", comparison.notes, [comparison_table(comparison)]),
        Section("Errors", [], [system_errors_table(comparison)]),
        Section(
            "Where the systems differ",
            []
            if comparison.passages
            else ["Nowhere: no system makes fewer errors in any passage."],
            [comparison_passages(comparison)] if comparison.passages else [],
        ),
    ]
    facts = [
        ("documents", f"{comparison.documents:,}"),
        ("systems", ", ".join(comparison.counts)),
        ("resamples", _resamples(comparison)),
        ("program", f"corelax {VERSION}"),
    ]
    return Page(title, _lead(comparison), facts, sections, command)


def comparison_passages(comparison: Comparison) -> Passages:
    """The passages, with what they are."""
    return Passages("passages", "Passages", ABOUT_PASSAGES, comparison.passages)


def agreement_table(agreement: Agreement) -> Table:
    """A row for each system."""
    rows = []
    for name, size in agreement.sizes.items():
        sizes = [Cell(f"{n:,}", {"value": n}) for n in (size.mentions, size.entities)]
        scores = [
            _percent(agreement.score(name, metric)) if name in agreement.reports else Cell("–")
            for metric in agreement.metrics
        ]
        rows.append(Row([Cell(name), *sizes, *scores]))
    columns = ["", "mentions", "entities", *map(metric_title, agreement.metrics)]
    return Table(
        "agreement", "Agreement", columns, rows, ABOUT_AGREEMENT.format(first=agreement.first)
    )


def agreement_page(agreement: Agreement, *, title: str, command: str = "") -> Page:
    """Agreement and passages as a page."""
    size = agreement.sizes[agreement.first]
    passages = agreement_passages(agreement)
    sections = [
        Section(
            "Where the systems differ",
            agreement.notes if agreement.passages else ["Nowhere: all links are the same."],
            [passages] if agreement.passages else [],
        ),
        Section("Agreement", [], [agreement_table(agreement)]),
    ]
    facts = [
        ("documents", f"{size.documents:,}"),
        ("words", f"{size.tokens:,}"),
        ("program", f"corelax {VERSION}"),
    ]
    return Page(title, (), facts, sections, command)


def agreement_passages(agreement: Agreement) -> Passages:
    """The passages, with what the marks in them mean."""
    return Passages("passages", "Passages", ABOUT_DIFFERENCES, agreement.passages, MARKED)


def _lead(comparison: Comparison) -> list[str]:
    """The differences of one score in a sentence: CoNLL, or the first metric."""
    metric = AVERAGE if AVERAGE in comparison.metrics else comparison.metrics[0]
    if not comparison.is_tested:
        return []
    parts = [
        f"**{name}** {interval(by_metric[metric])}, p {p_text(by_metric[metric].p_value)}"
        for name, by_metric in comparison.differences.items()
    ]
    return [f"{metric_title(metric)} against **{comparison.baseline}**: {'; '.join(parts)}."]


def _resamples(comparison: Comparison) -> str:
    first = next(iter(next(iter(comparison.differences.values())).values()))
    return f"{first.resamples:,}, seed {comparison.seed}"


def _error_cell(counts: ErrorCounts, kind: str, type: str | None) -> Cell:
    number = counts.number(kind, type)
    if kind not in OF_ANAPHORIC:
        return Cell(figure(number), {"number": number})
    share = counts.share(kind, type)
    return Cell(f"{figure(number)} ({share:.1%})", {"number": number, "share": share})


def _score_cells(comparison: Comparison, system: str, metric: str) -> list[Cell]:
    score = comparison.score(system, metric)
    if metric == AVERAGE:  # a mean of F1; nobody reports means of recall and precision
        return [NOTHING, NOTHING, _percent(score.f1)]
    return [_percent(share) for share in score]


def _percent(share: float) -> Cell:
    return Cell(rounded_percent(share), {"value": 100 * share})


def _difference_cells(comparison: Comparison, system: str, metric: str) -> Sequence[Cell]:
    if system == comparison.baseline:
        return [NOTHING, NOTHING, NOTHING]
    difference = comparison.differences[system][metric]
    points = {"mean": 100 * difference.mean}
    if not comparison.is_tested:
        return [Cell(interval(difference).split(" [")[0], points), NOTHING, NOTHING]
    adjusted = comparison.adjusted[system][metric]
    points |= {"low": 100 * difference.low, "high": 100 * difference.high}
    return [
        Cell(interval(difference), points, best=adjusted < LEVEL),
        Cell(p_text(difference.p_value), {"value": difference.p_value}),
        Cell(p_text(adjusted), {"value": adjusted}),
    ]
