"""Where gains come from: by genre, by length of document, by type of mention."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from corelax.analysis.decisions import CORRECT_LINK, ERRORS, TYPES
from corelax.analysis.significance import Difference
from corelax.analysis.written import interval
from corelax.document import Document
from corelax.rankers.sparse.features.mention import genre_of
from corelax.render.report import Cell, Row, Table
from corelax.study.plan import BEST_OF_PAPER
from corelax.study.report.tables import SHORT, row_title
from corelax.study.results import Outcome, Results

LEAST = 3  # documents of a genre that has a row


def shown_systems(results: Results) -> list[Outcome]:
    """The paper's best losses, and the row with the largest gain if it is another one."""
    shown = [outcome for name in BEST_OF_PAPER if (outcome := results.outcome(name))]
    others = [outcome for outcome in results.outcomes if outcome is not results.baseline]
    if others:
        best = max(others, key=lambda outcome: results.difference(outcome).mean)
        if best.system not in [outcome.system for outcome in shown]:
            shown.append(best)
    return shown


def document_groups(gold: Sequence[Document]) -> dict[str, dict[str, tuple[int, ...]]]:
    """Numbers of documents by genre and by length, each kind under its heading.

    >>> docs = [Document.from_sentences(f"bc/{n}", [["word"] * n]) for n in (1, 2, 3, 4)]
    >>> document_groups(docs)
    {'By length': {'short (up to 2 words)': (0, 1), 'long (more)': (2, 3)}}
    """
    genres: dict[str, list[int]] = {}
    for number, doc in enumerate(gold):
        genres.setdefault(genre_of(doc.id, "word"), []).append(number)
    groups: dict[str, dict[str, tuple[int, ...]]] = {}
    by_genre = {name: tuple(n) for name, n in sorted(genres.items()) if len(n) >= LEAST}
    if len(genres) > 1 and by_genre:
        groups["By genre"] = by_genre
    middle = median(len(doc.words) for doc in gold)
    short = tuple(n for n, doc in enumerate(gold) if len(doc.words) <= middle)
    long = tuple(n for n, doc in enumerate(gold) if len(doc.words) > middle)
    if short and long:
        groups["By length"] = {f"short (up to {middle:,.0f} words)": short, "long (more)": long}
    return groups


def gains_table(results: Results, gold: Sequence[Document]) -> Table | None:
    """The gain over the baseline on documents of each genre and length."""
    systems = shown_systems(results)
    groups = document_groups(gold)
    if not systems or not groups:
        return None
    # Documents as the predictions have them; gold is in the order of files.
    first = next(iter(results.baseline.predicted[results.part].values()))
    places = {name: n for n, name in enumerate(first.documents)}
    rows: list[Row] = []
    for heading, members in groups.items():
        rows.append(Row([heading], heading=True))
        for name, numbers in members.items():
            documents = tuple(sorted(places[gold[number].key] for number in numbers))
            gains = [results.difference(system, documents=documents) for system in systems]
            size = Cell(str(len(documents)), {"value": len(documents)})
            rows.append(Row([name, size, *map(_gain_cell, gains)]))
    caption = (
        f"CoNLL on {results.part} less that of the baseline, with 95 % bootstrap intervals over documents "
        "and seeds. Bold: the interval excludes 0, without a correction for the number of groups. Genres of "
        f"fewer than {LEAST} documents have no row."
    )
    columns = ["documents", "number", *map(row_title, systems)]
    return Table("gains", "Gains by genre and length", columns, rows, caption)


def error_changes_table(results: Results, gold: Sequence[Document]) -> Table | None:
    """How the number of errors of each kind changes, by type of mention, with intervals."""
    systems = shown_systems(results)
    if not systems:
        return None
    kinds = (*ERRORS, CORRECT_LINK)
    rows: list[Row] = []
    for system in systems:
        rows.append(Row([row_title(system)], heading=True))
        for type in (None, *TYPES):
            changes = [results.error_change(system, gold, kind, type) for kind in kinds]
            rows.append(Row([type or "all", *map(_change_cell, changes)]))
    caption = (
        f"Mentions on {results.part}: the mean over seeds less that of the baseline, with 95 % bootstrap "
        "intervals over documents and seeds. Kinds as in table 2. Bold: the interval excludes 0."
    )
    columns = ["type of mention", *(SHORT.get(kind, "correct") for kind in kinds)]
    return Table("error_changes", "Changes of errors by type of mention", columns, rows, caption)


def change_text(change: Difference) -> str:
    """A change of a number of mentions, with its interval.

    >>> change_text(Difference(-12.4, -20.0, -5.2, 0.01, 10, 2, 100, False))
    '−12 [−20, −5]'
    """
    text = f"{change.mean:+.0f} [{change.low:+.0f}, {change.high:+.0f}]"
    return text.replace("-", "−")


def _gain_cell(gain: Difference) -> Cell:
    values = {name: 100 * getattr(gain, name) for name in ("mean", "low", "high")}
    return Cell(interval(gain), values, best=gain.low > 0 or gain.high < 0)


def _change_cell(change: Difference) -> Cell:
    values = {"mean": change.mean, "low": change.low, "high": change.high}
    return Cell(change_text(change), values, best=change.low > 0 or change.high < 0)
