"""Pages of sections with tables, figures and passages: as HTML, as Markdown, and as a folder of files.

The HTML page needs nothing else: styles and drawings are inside, no script is. All text is plain text and is
escaped when it is written; only paragraphs may mark **bold** and `code`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from corelax.core.errors import CorelaxError
from corelax.core.files import explain, write_bytes
from corelax.render.figures import (
    INSTALL,
    Figure,
    Panel,
    can_draw,
    figure_parts,
    figure_png,
    figure_svg,
)
from corelax.render.markup import (
    check_key,
    escaped_markdown,
    line_markdown,
    marked_markdown,
    template,
)
from corelax.render.passages import Passages, passages_markdown
from corelax.render.tables import (
    Cell,
    Row,
    Table,
    right_aligned,
    table_csv,
    table_json,
    table_markdown,
    titled_table,
)

PageItem = Table | Figure | Passages


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, paragraphs (with **bold** and `code`), and what they speak of."""

    title: str
    paragraphs: Sequence[str] = ()
    items: Sequence[PageItem] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A page.

    Attributes:
        title: Its title.
        lead: Paragraphs that say what was found, with **bold** and `code`.
        facts: Names and values: how the numbers came about.
        sections: Its parts, in order.
        command: What to type to get the page again; "" leaves it out.
    """

    title: str
    lead: Sequence[str] = ()
    facts: Sequence[tuple[str, str]] = ()
    sections: Sequence[Section] = ()
    command: str = ""

    def __post_init__(self) -> None:
        keys = [item.key.lower() for section in self.sections for item in section.items]
        for key in keys:
            check_key(key)
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


def write_report(page: Page, folder: Path) -> list[Path]:
    """Writes `report.html`, `report.md`, `tables/KEY.{csv,json}` and `figures/KEY.{png,svg}`.

    The same page gives the same bytes. Files of other names are left alone; figures are drawn if
    matplotlib is installed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in write_report(Page("Losses"), Path(folder))]
    ['report.html', 'report.md']
    """
    # All is made before the first file is written: an error leaves the earlier report whole.
    contents: dict[str, str | bytes] = {
        "report.html": page_html(page),
        "report.md": page_markdown(page),
    }
    for table in page.tables:
        contents[f"tables/{table.key}.csv"] = table_csv(table)
        contents[f"tables/{table.key}.json"] = table_json(table)
    for figure in page.figures if can_draw() else []:
        contents[f"figures/{figure.key}.png"] = figure_png(figure)
        contents[f"figures/{figure.key}.svg"] = figure_svg(figure)
    paths = []
    for name, content in contents.items():
        path = Path(folder) / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CorelaxError(f"{path.parent}: {explain(error)}") from None
        write_bytes(path, content if isinstance(content, bytes) else content.encode())
        paths.append(path)
    return paths


def page_html(page: Page) -> str:
    """The page, light or dark as the reader's system is; figures as tables without matplotlib.

    >>> html = page_html(Page("Losses & scores", lead=["LEA is **better**."]))
    >>> "<h1>Losses &amp; scores</h1>" in html, "LEA is <strong>better</strong>." in html
    (True, True)
    """
    return template("report.html").render(
        page=page,
        is_table=lambda item: isinstance(item, Table),
        is_figure=lambda item: isinstance(item, Figure),
        sections=_with_ids(page.sections),
        right_aligned=right_aligned,
        figure_tables=figure_tables,
        drawn=lambda figure: figure_parts(figure) if can_draw() else None,
        install=INSTALL,
    )


def page_markdown(page: Page) -> str:
    """The page; its figures are `figures/KEY.png`, or tables where matplotlib is not installed.

    >>> print(page_markdown(Page("Losses", lead=["LEA is **better**."], facts=[("seeds", "5")])))
    # Losses
    <BLANKLINE>
    LEA is **better**.
    <BLANKLINE>
    - seeds: 5
    <BLANKLINE>
    """
    return "\n\n".join(block.strip("\n") for block in _blocks(page)) + "\n"


def figure_tables(figure: Figure) -> list[Table]:
    """A table for each panel: a row for each x, a column for each series."""
    return [
        _panel_table(f"{figure.key}-{number}", panel)
        for number, panel in enumerate(figure.panels, start=1)
    ]


def _with_ids(sections: Sequence[Section]) -> list[tuple[str, Section]]:
    """Sections with ids made of their titles, so that links to them outlive a new section.

    The dot keeps them apart from the keys of tables and figures, which are ids as they are.
    """
    ids: list[str] = []
    for section in sections:
        words = re.sub(r"\W+", "-", section.title.lower()).strip("-")
        same = sum(1 for id in ids if id.split(".")[1] == words)
        ids.append(f"section.{words}.{same + 1}" if same else f"section.{words}")
    return list(zip(ids, sections, strict=True))


def _blocks(page: Page) -> Iterator[str]:
    yield f"# {escaped_markdown(page.title)}"
    yield from map(marked_markdown, page.lead)
    if page.facts:
        facts = ((escaped_markdown(name), escaped_markdown(value)) for name, value in page.facts)
        yield "\n".join(f"- {name}: {value}" for name, value in facts)
    for section in page.sections:
        yield f"## {escaped_markdown(section.title)}"
        yield from map(marked_markdown, section.paragraphs)
        for item in section.items:
            yield from _item(item)
    if page.command:
        yield "## How this report was made"
        yield "\n".join(f"    {line}" for line in page.command.splitlines())


def _item(item: PageItem) -> Iterator[str]:
    if isinstance(item, Table):
        yield titled_table(item)
    elif isinstance(item, Passages):
        yield passages_markdown(item)
    else:
        yield f"### {escaped_markdown(item.title)}"
        if can_draw():
            yield f"![{escaped_markdown(item.title)}](figures/{item.key}.png)"
        if item.caption:
            yield line_markdown(item.caption)
        if not can_draw():
            yield f"Install matplotlib to see this figure: `{INSTALL}`"
            for table in figure_tables(item):
                if table.title:
                    yield f"**{escaped_markdown(table.title)}**"
                yield line_markdown(table.caption)
                yield table_markdown(table)


def _panel_table(key: str, panel: Panel) -> Table:
    digits = _digits(
        [*(y for series in panel.series for y in series.y), *(level.y for level in panel.levels)]
    )
    columns: list[dict[float, Cell]] = []
    for series in panel.series:
        points = zip_longest(series.x, series.y, series.spread)  # there may be no spread
        columns.append({x: _cell(y, around, digits) for x, y, around in points})
    every_x = sorted({x for column in columns for x in column})
    rows = [Row([f"{x:g}", *(column.get(x, "") for column in columns)]) for x in every_x]
    levels = [f"{level.label}: {level.y:.{digits}f}" for level in panel.levels]
    names = [panel.x_label, *(series.label for series in panel.series)]
    return Table(key, panel.title, names, rows, caption="; ".join([panel.y_label, *levels]))


def _cell(y: float, spread: float | None, digits: int) -> Cell:
    if math.isnan(y):
        return Cell("")
    if spread is None:
        return Cell(f"{y:.{digits}f}", {"y": y})
    return Cell(f"{y:.{digits}f} ± {spread:.{digits}f}", {"y": y, "spread": spread})


def _digits(numbers: Iterable[float]) -> int:
    """As many decimals as give the largest number four digits."""
    largest = max((abs(number) for number in numbers if math.isfinite(number)), default=0.0)
    return max(0, 3 - math.floor(math.log10(largest))) if largest else 2
