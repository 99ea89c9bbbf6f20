"""GAP files: a pronoun and two names in a paragraph of Wikipedia (Webster et al., TACL 2018).

Each item asks two questions: does the pronoun refer to name A, and to name B?
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from corelax.io.tsv import read_items

GENDERS = {
    **dict.fromkeys(("he", "him", "his"), "masculine"),
    **dict.fromkeys(("she", "her", "hers"), "feminine"),
}
COLUMNS = "ID Text Pronoun Pronoun-offset A A-offset A-coref B B-offset B-coref".split()
LABELS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class GapItem:
    """A text, a pronoun, two names, and the right answers. Spans are half-open and count characters."""

    id: str
    text: str
    pronoun: tuple[int, int]
    a: tuple[int, int]
    b: tuple[int, int]
    a_coref: bool
    b_coref: bool

    @property
    def gender(self) -> str:
        """The gender of the pronoun, `masculine` or `feminine`."""
        return GENDERS[self.text[slice(*self.pronoun)].lower()]

    @property
    def clusters(self) -> list[list[tuple[int, int]]]:
        """The annotated entity, as a resolver would give it; none if the pronoun refers to neither name."""
        names = [name for name, yes in ((self.a, self.a_coref), (self.b, self.b_coref)) if yes]
        return [[*names, self.pronoun]] if names else []


def read_gap(path: str | os.PathLike[str]) -> list[GapItem]:
    """The items of a GAP file (`gap-development.tsv`, gzipped or not).

    >>> from pathlib import Path; from tempfile import TemporaryDirectory
    >>> cells = ["x-1", "Ann saw Bea when she left.", "she", "17", "Ann", "0", "TRUE", "Bea", "8", "FALSE"]
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "gap.tsv").write_text("\\n".join("\\t".join(row) for row in (COLUMNS, cells)))
    ...     [item] = read_gap(Path(folder, "gap.tsv"))
    >>> item.gender, item.clusters
    ('feminine', [[(0, 3), (17, 20)]])
    """
    return read_items(path, COLUMNS, _item, "ID")


def _item(cells: Mapping[str, str]) -> GapItem:
    """An item, or a ValueError that says what is wrong with the row."""
    text = cells["Text"]
    spans = {}
    for column, field in (("Pronoun", "pronoun"), ("A", "a"), ("B", "b")):
        words, offset = cells[column], cells[f"{column}-offset"]
        if not (offset.isascii() and offset.isdigit()):
            raise ValueError(f"{column}-offset must be a number from 0 on, not {offset!r}")
        start, end = int(offset), int(offset) + len(words)
        if not words or text[start:end] != words:
            raise ValueError(
                f"{column} is {words!r}, but character {start} of the text starts {text[start:end]!r}"
            )
        spans[field] = (start, end)
    if cells["Pronoun"].lower() not in GENDERS:
        raise ValueError(
            f"the pronoun must be one of {', '.join(GENDERS)}, not {cells['Pronoun']!r}"
        )
    for column in ("A-coref", "B-coref"):
        if cells[column].lower() not in LABELS:
            raise ValueError(f"{column} must be TRUE or FALSE, not {cells[column]!r}")
    return GapItem(
        id=cells["ID"],
        text=text,
        a_coref=LABELS[cells["A-coref"].lower()],
        b_coref=LABELS[cells["B-coref"].lower()],
        **spans,
    )
