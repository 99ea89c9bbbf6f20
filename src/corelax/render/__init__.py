"""Everything that is shown, from plain data: tables, figures, pages, passages, resolved texts.

Names are imported when they are first used.
"""

from __future__ import annotations

from corelax.core.lazy import lazy_imports

with lazy_imports(__name__):
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
