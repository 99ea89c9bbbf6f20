"""What the ranker sees, in words: the names of all features of a document."""

from __future__ import annotations

from typing import Any

from corelax.rankers.sparse.features.settings import PAIR_TEMPLATES
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.features.vocabulary import NO_FEATURE, Vocabulary


def feature_names(table: DocumentTable, vocabulary: Vocabulary, *, pairs: bool) -> dict[str, Any]:
    """Mentions, φ_a of each, and φ_pair of each pair "i,j" (i the later mention) if wanted."""
    result: dict[str, Any] = {
        "mentions": table.spans.tolist(),
        "phi_a": [_names(rows, vocabulary.mention) for rows in table.features.tolist()],
    }
    if pairs:
        result["pairs"] = _pair_names(table, vocabulary)
    return result


def _names(rows: list[int], names: tuple[str, ...]) -> list[str]:
    return [names[row] for row in rows if row != NO_FEATURE]


def _pair_names(table: DocumentTable, vocabulary: Vocabulary) -> dict[str, list[str]]:
    names = vocabulary.pair
    of_code = [_names(rows, names) for rows in vocabulary.code_rows(table.codes.tolist()).tolist()]
    of_current = [_names(rows, names) for rows in table.current.tolist()]
    of_previous = [_names(rows, names) for rows in table.previous.tolist()]
    order = {template: number for number, template in enumerate(PAIR_TEMPLATES)}
    last = len(order)  # where the one unknown feature of all templates goes
    # Few combinations occur: each is put in order once.
    sorted_names: dict[tuple[int, str, str], list[str]] = {}
    result, pair = {}, 0
    code_of_pair = table.code_of_pair.tolist()
    for i, current in enumerate(of_current):
        for j in range(i):
            code, previous = code_of_pair[pair], of_previous[j]
            pair += 1
            key = (code, "|".join(current), "|".join(previous))
            if key not in sorted_names:
                together = [*of_code[code], *current, *previous]
                sorted_names[key] = sorted(
                    together, key=lambda name: order.get(name.split("=", 1)[0], last)
                )
            result[f"{i},{j}"] = sorted_names[key]
    return result
