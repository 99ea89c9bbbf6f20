"""Winogender: one template with a male, a female and a neutral pronoun (Rudinger et al., NAACL 2018).

Each sentence has an occupation, another participant and a pronoun that refers to one of them. An item is
correct if the pronoun is linked with the right one and not with the other.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corelax.challenges.links import CharClusters, CharSpan, answered, linked_names
from corelax.core.text_table import format_table
from corelax.io.tsv import read_items
from corelax.metrics.counts import ratio

PRONOUNS = {
    "male": ("he", "him", "his"),
    "female": ("she", "her", "hers"),
    "neutral": ("they", "them", "their"),
}
COLUMNS = ("sentid", "sentence")


@dataclass(frozen=True, slots=True, kw_only=True)
class WinogenderItem:
    """A sentence, its pronoun, whom it refers to, and whom not. Spans are half-open and count characters.

    `referent` and `other` are the last words of the two noun phrases: `technician` of `The technician`.
    """

    id: str
    text: str
    gender: str
    pronoun: CharSpan
    referent: CharSpan
    other: CharSpan


@dataclass(frozen=True, slots=True)
class WinogenderReport:
    """(correct, all) items for each gender of the pronoun.

    >>> WinogenderReport({"male": (3, 4), "female": (2, 4), "neutral": (1, 4)}).overall
    0.5
    """

    counts: dict[str, tuple[int, int]]

    @property
    def accuracy(self) -> dict[str, float]:
        """The share of correct items for each gender."""
        return {name: float(ratio(*pair)) for name, pair in self.counts.items()}

    @property
    def overall(self) -> float:
        """The share of correct items."""
        return float(ratio(*(sum(column) for column in zip(*self.counts.values(), strict=True))))

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON."""
        return {"overall": self.overall, **self.accuracy}

    def __str__(self) -> str:
        shares = {"overall": self.overall, **self.accuracy}
        rows = [[name.title(), f"{100 * share:.2f}"] for name, share in shares.items()]
        return format_table(["Winogender", "correct"], rows)


def read_winogender(path: str | os.PathLike[str]) -> list[WinogenderItem]:
    """The items of `all_sentences.tsv`, gzipped or not.

    Names of sentences say what is in them: occupation, participant, 0 or 1 for the one that the pronoun
    refers to, and gender.

    >>> from pathlib import Path; from tempfile import TemporaryDirectory
    >>> row = "guard.cook.1.male.txt\\tThe guard told the cook that he may go."
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "all.tsv").write_text(f"sentid\\tsentence\\n{row}\\n")
    ...     [item] = read_winogender(Path(folder, "all.tsv"))
    >>> [item.text[slice(*span)] for span in (item.pronoun, item.referent, item.other)]
    ['he', 'cook', 'guard']
    """
    return read_items(path, COLUMNS, _item, "sentence")


def winogender_report(
    items: Sequence[WinogenderItem], predicted: Iterable[CharClusters], *, match: str = "head"
) -> WinogenderReport:
    """Scores the entities of each item's text, given in the same order as for `gap_report`.

    >>> spans = {"pronoun": (29, 31), "referent": (19, 23), "other": (4, 9)}
    >>> text = "The guard told the cook that he may go."
    >>> item = WinogenderItem(id="x", text=text, gender="male", **spans)
    >>> winogender_report([item], [[[(15, 23), (29, 31)]]]).accuracy["male"]
    1.0
    """
    counts = dict.fromkeys(PRONOUNS, (0, 0))
    for item, clusters in answered(items, predicted):
        names = (item.referent, item.other)
        right, wrong = linked_names(item, clusters, names=names, match=match)
        correct, number = counts[item.gender]
        counts[item.gender] = (correct + (right and not wrong), number + 1)
    return WinogenderReport(counts)


def _item(cells: Mapping[str, str]) -> WinogenderItem:
    """An item, or a ValueError that says what is wrong with the row."""
    id, text = cells["sentid"], cells["sentence"]
    parts = id.removesuffix(".txt").split(".")
    if len(parts) != 4 or parts[2] not in ("0", "1") or parts[3] not in PRONOUNS:
        raise ValueError(
            f"sentid must be occupation.participant.0 or 1.male, female or neutral, not {id!r}"
        )
    occupation, participant, answer, gender = parts
    both = [_single_place(text, [occupation]), _single_place(text, [participant])]
    return WinogenderItem(
        id=id,
        text=text,
        gender=gender,
        pronoun=_single_place(text, PRONOUNS[gender]),
        referent=both[int(answer)],
        other=both[1 - int(answer)],
    )


def _single_place(text: str, words: Iterable[str]) -> CharSpan:
    """The only place in the text where one of the words stands."""
    words = list(words)
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, words))})\b", re.IGNORECASE)
    places = [match.span() for match in pattern.finditer(text)]
    if len(places) != 1:
        raise ValueError(
            f"{' or '.join(map(repr, words))} must come once in the sentence, not {len(places)} times"
        )
    return places[0]
