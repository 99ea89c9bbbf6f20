"""A report page as HTML, as Markdown, and as a folder with every table and figure in files of their own.

The HTML page needs nothing else: styles and drawings are inside, no script is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from corelax.core.errors import CorelaxError
from corelax.core.files import explain, write_bytes
from corelax.render.figures import INSTALL, Parts, can_draw, figure_parts, figure_png, figure_svg
from corelax.render.markup import escaped_markdown, line_markdown, marked_markdown
from corelax.render.passages import passages_markdown
from corelax.render.report import Cell, Figure, Item, Page, Panel, Row, Section, Table
from corelax.render.tables import (
    right_aligned,
    table_csv,
    table_json,
    table_markdown,
    titled_table,
)
from corelax.render.templates import template


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
        drawn=_drawn,
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
    """A table for each panel: a row for each x, a column for each series.

    >>> from corelax.render.report import Level, Series
    >>> series = Series("LEA loss", [0.5, 1], [61.5, 62.25], spread=[0.25, 0.5])
    >>> panel = Panel("", "temperature", "CoNLL", [series], levels=[Level("ranking", 61.15)])
    >>> [table] = figure_tables(Figure("heat", "Temperature", [panel]))
    >>> [cell.text for cell in table.groups[0].rows[1]], table.caption
    (['1', '62.25 ± 0.50'], 'CoNLL; ranking: 61.15')
    """
    return [
        _panel_table(f"{figure.key}-{number}", panel)
        for number, panel in enumerate(figure.panels, start=1)
    ]


def _drawn(figure: Figure) -> Parts | None:
    return figure_parts(figure) if can_draw() else None


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


def _item(item: Item) -> Iterator[str]:
    if isinstance(item, Table):
        yield titled_table(item)
    elif isinstance(item, Figure):
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
    else:
        yield passages_markdown(item)


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
