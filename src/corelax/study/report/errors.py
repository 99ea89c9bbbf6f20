"""What systems get wrong, and where gains come from: by kind of error, type of mention, genre and length."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from corelax.analysis.decisions import CORRECT_LINK, ERRORS, TYPES
from corelax.analysis.significance import Difference, interval
from corelax.document import Document
from corelax.rankers.sparse.features.mention import genre_of
from corelax.render.tables import Cell, Row, Table
from corelax.study.plan import BEST_OF_PAPER
from corelax.study.report.scores import grouped, in_points, row_title, spread_cell, title_cell
from corelax.study.results import Outcome, Results, Spread

SHORT = {"false_anaphor": "FA", "false_new": "FN", "wrong_link": "WL"}
LEAST = 3  # documents of a genre that has a row


def errors_table(results: Results) -> Table:
    """Errors by kind and type of mention, means over seeds, and the change of the totals."""
    types = (None, *TYPES)  # all of them first
    first = results.errors(results.baseline).totals()
    rows = []
    for outcome in results.outcomes:
        counts = results.errors(outcome).totals()
        cells = []
        for type in types:
            for kind in ERRORS:
                here = Spread.of(c.number(kind, type) for c in counts)
                base = Spread.of(c.number(kind, type) for c in first).mean
                is_changed = type is None and outcome is not results.baseline
                change = f" ({_change(here.mean, base)})" if is_changed else ""
                values = {"mean": here.mean, "sd": here.sd}
                cells.append(Cell(f"{here.mean:.0f}{change}", values))
        right = Spread.of(c.number(CORRECT_LINK) for c in counts)
        cells.insert(len(ERRORS), spread_cell(right, ".0f"))
        rows.append([title_cell(outcome), *cells])
    anaphoric = ", ".join(f"{first[0].anaphoric(type):,} {type}" for type in TYPES)
    caption = (
        f"Means over seeds, of {first[0].anaphoric():,} anaphoric gold mentions ({anaphoric}); in brackets "
        "the change against the baseline. FA, false anaphor: linked, but first in its entity or in none. FN, "
        "false new: has an antecedent, but starts an entity or is left out. WL, wrong link: linked to "
        "another entity."
    )
    columns = [f"{SHORT[k]} {t or 'all'}" for t in types for k in ERRORS]
    columns = ["", *columns[: len(ERRORS)], "correct", *columns[len(ERRORS) :]]
    table_rows = grouped(results.outcomes, rows)
    return Table("errors", "Table 2: errors by type of mention", columns, table_rows, caption)


def error_changes_table(results: Results) -> Table | None:
    """How the number of errors of each kind changes, by type of mention, with intervals."""
    systems = _shown_systems(results)
    if not systems:
        return None
    kinds = (*ERRORS, CORRECT_LINK)
    rows: list[Row] = []
    for system in systems:
        rows.append(Row([row_title(system)], heading=True))
        for type in (None, *TYPES):
            cells: list[Cell | str] = [type or "all"]
            for kind in kinds:
                change = results.error_change(system, kind, type)
                values = {"mean": change.mean, "low": change.low, "high": change.high}
                cells.append(Cell(change_text(change), values, best=_excludes_0(change)))
            rows.append(Row(cells))
    caption = (
        f"Mentions on {results.part}: the mean over seeds less that of the baseline, with 95 % bootstrap "
        "intervals over documents and seeds. Kinds as in table 2. Bold: the interval excludes 0."
    )
    columns = ["type of mention", *(SHORT.get(kind, "correct") for kind in kinds)]
    return Table("error_changes", "Changes of errors by type of mention", columns, rows, caption)


def gains_table(results: Results) -> Table | None:
    """The gain over the baseline on documents of each genre and length."""
    systems = _shown_systems(results)
    groups = document_groups(results.gold)
    if not systems or not groups:
        return None
    # Documents as the predictions have them; gold is in the order of files.
    first = next(iter(results.baseline.predicted[results.part].values()))
    places = {name: n for n, name in enumerate(first.documents)}
    rows: list[Row] = []
    for heading, members in groups.items():
        rows.append(Row([heading], heading=True))
        for name, numbers in members.items():
            documents = tuple(sorted(places[results.gold[number].key] for number in numbers))
            cells: list[Cell | str] = [
                name,
                Cell(str(len(documents)), {"value": len(documents)}),
            ]
            for system in systems:
                gain = results.difference(system, documents=documents)
                cells.append(Cell(interval(gain), in_points(gain), best=_excludes_0(gain)))
            rows.append(Row(cells))
    caption = (
        f"CoNLL on {results.part} less that of the baseline, with 95 % bootstrap intervals over documents "
        "and seeds. Bold: the interval excludes 0, without a correction for the number of groups. Genres of "
        f"fewer than {LEAST} documents have no row."
    )
    columns = ["documents", "number", *map(row_title, systems)]
    return Table("gains", "Gains by genre and length", columns, rows, caption)


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


def change_text(change: Difference) -> str:
    """A change of a number of mentions, with its interval.

    >>> change_text(Difference(-12.4, -20.0, -5.2, 0.01, 10, 2, 100, False))
    '−12 [−20, −5]'
    """
    text = f"{change.mean:+.0f} [{change.low:+.0f}, {change.high:+.0f}]"
    return text.replace("-", "−")


def _shown_systems(results: Results) -> list[Outcome]:
    """The paper's best losses, and the row with the largest gain if it is another one."""
    shown = results.named(BEST_OF_PAPER)
    if results.others:
        best = max(results.others, key=lambda outcome: results.difference(outcome).mean)
        if best.units not in [outcome.units for outcome in shown]:
            shown.append(best)
    return shown


def _excludes_0(difference: Difference) -> bool:
    return difference.low > 0 or difference.high < 0


def _change(now: float, before: float) -> str:
    return f"{100 * (now - before) / before:+.0f} %".replace("-", "−") if before else "–"
