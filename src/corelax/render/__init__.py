"""Everything that is shown, from plain data: tables, figures, pages, passages, resolved texts.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corelax.core.lazy import lazy_names

if TYPE_CHECKING:
    from corelax.render.figures import Figure, Level, Panel, Series
    from corelax.render.marked_text import ShownMention
    from corelax.render.pages import Page, Section, page_html, page_markdown, write_report
    from corelax.render.passages import Passage, Passages, Version
    from corelax.render.resolution_page import notebook_html, page_data, resolutions_html
    from corelax.render.tables import (
        Cell,
        Row,
        Table,
        table_csv,
        table_json,
        table_latex,
        table_markdown,
        table_text,
    )
    from corelax.render.terminal import print_passages, print_resolution


__all__ = [
    "Cell",
    "Figure",
    "Level",
    "Page",
    "Panel",
    "Passage",
    "Passages",
    "Row",
    "Section",
    "Series",
    "ShownMention",
    "Table",
    "Version",
    "notebook_html",
    "page_data",
    "page_html",
    "page_markdown",
    "print_passages",
    "print_resolution",
    "resolutions_html",
    "table_csv",
    "table_json",
    "table_latex",
    "table_markdown",
    "table_text",
    "write_report",
]


__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "figures": "Figure Level Panel Series",
        "marked_text": "ShownMention",
        "pages": "Page Section page_html page_markdown write_report",
        "passages": "Passage Passages Version",
        "resolution_page": "notebook_html page_data resolutions_html",
        "tables": "Cell Row Table table_csv table_json table_latex table_markdown table_text",
        "terminal": "print_passages print_resolution",
    },
)
