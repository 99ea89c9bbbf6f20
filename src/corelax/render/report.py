"""What a report holds, as plain data: a page of sections with tables, figures and passages.

All text is plain text and is escaped when it is written; only paragraphs may mark **bold** and `code`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from corelax.core.errors import CorelaxError
from corelax.render.passages import Passages

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table.

    Attributes:
        text: What is shown.
        values: The numbers behind it, unrounded: `{"mean": 61.1498, "sd": 0.1912}`. A number with the
            name "value" goes by the name of its column alone.
        best: Shown in bold.
        title: A note that shows up under the pointer.
    """

    text: str
    values: Mapping[str, float] = field(default_factory=dict)
    best: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table. A heading has one cell and starts a group of rows."""

    cells: Sequence[Cell | str]
    heading: bool = False


class Group(NamedTuple):
    """Rows of a table under one heading, or those before the first one (heading None)."""

    heading: Cell | None
    rows: list[list[Cell]]


@dataclass(frozen=True, slots=True)
class Table:
    """A table. Its key names its files.

    >>> rows = [Row(["Baselines"], heading=True), Row(["ranking", Cell("61.15", {"value": 61.1498})])]
    >>> table = Table("scores", "Scores", ["model", "CoNLL"], rows)
    >>> [(group.heading.text, len(group.rows)) for group in table.groups]
    [('Baselines', 1)]
    """

    key: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Row]
    caption: str = ""

    def __post_init__(self) -> None:
        _check_key(self.key)
        for row in self.rows:
            expected = 1 if row.heading else len(self.columns)
            if len(row.cells) != expected:
                raise CorelaxError(
                    f"table {self.key}: a row has {len(row.cells)} cells, not {expected}"
                )

    @property
    def groups(self) -> list[Group]:
        """The rows by the headings that they stand under."""
        groups: list[Group] = []
        for row in self.rows:
            cells = [cell if isinstance(cell, Cell) else Cell(cell) for cell in row.cells]
            if row.heading:
                groups.append(Group(cells[0], []))
                continue
            if not groups:
                groups.append(Group(None, []))
            groups[-1].rows.append(cells)
        return groups


@dataclass(frozen=True, slots=True)
class Series:
    """Points joined by a line; `spread` draws a band of y ± spread."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    spread: Sequence[float] = ()

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y) or len(self.spread) not in (0, len(self.x)):
            raise CorelaxError(f"series {self.label}: x, y and spread differ in length")


@dataclass(frozen=True, slots=True)
class Level:
    """A horizontal line to compare with, such as the baseline."""

    label: str
    y: float


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes. A label has the same colour in every panel of its figure."""

    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    levels: Sequence[Level] = ()
    log_x: bool = False
    x_ticks: Sequence[float] = ()

    def __post_init__(self) -> None:
        if self.log_x and any(x <= 0 for series in self.series for x in series.x):
            raise CorelaxError(f"panel {self.title}: a logarithmic axis needs x above 0")


@dataclass(frozen=True, slots=True)
class Figure:
    """Panels side by side. Its key names its files."""

    key: str
    title: str
    panels: Sequence[Panel]
    caption: str = ""

    def __post_init__(self) -> None:
        _check_key(self.key)
        if not self.panels:
            raise CorelaxError(f"figure {self.key} has no panels")


Item = Table | Figure | Passages


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, paragraphs (with **bold** and `code`), and what they speak of."""

    title: str
    paragraphs: Sequence[str] = ()
    items: Sequence[Item] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A report.

    Attributes:
        title: Its title.
        lead: Paragraphs that say what was found, with **bold** and `code`.
        facts: Names and values: how the numbers came about.
        sections: Its parts, in order.
        command: What to type to get the report again; "" leaves it out.
    """

    title: str
    lead: Sequence[str] = ()
    facts: Sequence[tuple[str, str]] = ()
    sections: Sequence[Section] = ()
    command: str = ""

    def __post_init__(self) -> None:
        keys = [item.key.lower() for section in self.sections for item in section.items]
        for key in keys:
            _check_key(key)
            if keys.count(key) > 1:  # lower case: some file systems know no difference
                raise CorelaxError(f"the key {key} is used twice in one report")

    @property
    def tables(self) -> list[Table]:
        """Its tables, in order."""
        return [x for section in self.sections for x in section.items if isinstance(x, Table)]

    @property
    def figures(self) -> list[Figure]:
        """Its figures, in order."""
        return [x for section in self.sections for x in section.items if isinstance(x, Figure)]


def _check_key(key: str) -> None:
    if not _KEY.fullmatch(key):
        raise CorelaxError(f"{key!r} cannot name a file; use letters, digits, - and _")
