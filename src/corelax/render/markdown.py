"""A report as Markdown, with its figures as pictures beside it."""

from __future__ import annotations

from collections.abc import Iterator

from corelax.analysis.passages import passages_markdown
from corelax.render.figure_data import figure_tables
from corelax.render.markup import escaped_markdown, line_markdown, marked_markdown
from corelax.render.plots import INSTALL, can_draw
from corelax.render.report import Figure, Item, Page, Table
from corelax.render.tables import table_markdown


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


def titled_table(table: Table) -> str:
    """A table with its title and caption.

    >>> from corelax.render.report import Row
    >>> print(titled_table(Table("t", "Scores", ["loss", "F1"], [Row(["LEA", "62.03"])])))
    ### Scores
    <BLANKLINE>
    | loss |    F1 |
    | :--- | ----: |
    | LEA  | 62.03 |
    """
    caption = [line_markdown(table.caption)] if table.caption else []
    title = [f"### {escaped_markdown(table.title)}"] if table.title else []
    return "\n\n".join([*title, *caption, table_markdown(table)])


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
