"""Everything that is shown, from plain data: tables, figures, reports, passages, resolved texts.

Names are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corelax.render.figures import figure_png, figure_svg
    from corelax.render.marked_text import ShownMention
    from corelax.render.page import notebook_html, resolutions_html
    from corelax.render.passages import (
        Passage,
        Passages,
        Version,
        passages_html,
        passages_markdown,
    )
    from corelax.render.report import (
        Cell,
        Figure,
        Level,
        Page,
        Panel,
        Row,
        Section,
        Series,
        Table,
    )
    from corelax.render.tables import table_csv, table_json, table_markdown, titled_table
    from corelax.render.terminal import print_resolution
    from corelax.render.views import ResolutionView
    from corelax.render.write import page_html, page_markdown, write_report

_HOME = {
    "Cell": "report",
    "Figure": "report",
    "Level": "report",
    "Page": "report",
    "Panel": "report",
    "Passage": "passages",
    "Passages": "passages",
    "ResolutionView": "views",
    "Row": "report",
    "Section": "report",
    "Series": "report",
    "ShownMention": "marked_text",
    "Table": "report",
    "Version": "passages",
    "figure_png": "figures",
    "figure_svg": "figures",
    "notebook_html": "page",
    "page_html": "write",
    "page_markdown": "write",
    "passages_html": "passages",
    "passages_markdown": "passages",
    "print_resolution": "terminal",
    "resolutions_html": "page",
    "table_csv": "tables",
    "table_json": "tables",
    "table_markdown": "tables",
    "titled_table": "tables",
    "write_report": "write",
}

__all__ = [
    "Cell",
    "Figure",
    "Level",
    "Page",
    "Panel",
    "Passage",
    "Passages",
    "ResolutionView",
    "Row",
    "Section",
    "Series",
    "ShownMention",
    "Table",
    "Version",
    "figure_png",
    "figure_svg",
    "notebook_html",
    "page_html",
    "page_markdown",
    "passages_html",
    "passages_markdown",
    "print_resolution",
    "resolutions_html",
    "table_csv",
    "table_json",
    "table_markdown",
    "titled_table",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"corelax.render.{_HOME[name]}"), name)
    raise AttributeError(f"module 'corelax.render' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
