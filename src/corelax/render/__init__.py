"""Everything that is shown, from plain data: tables, figures, reports, passages, resolved texts.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corelax.core.lazy import lazy_names

if TYPE_CHECKING:
    from corelax.render.figures import figure_png, figure_svg
    from corelax.render.latex import table_latex
    from corelax.render.marked_text import ShownMention
    from corelax.render.page import notebook_html, page_data, resolutions_html
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
    from corelax.render.tables import (
        table_csv,
        table_json,
        table_markdown,
        table_text,
        titled_table,
    )
    from corelax.render.terminal import print_resolution
    from corelax.render.terminal_passages import print_passages
    from corelax.render.views import ResolutionView
    from corelax.render.write import page_html, page_markdown, write_report


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
    "page_data",
    "page_html",
    "page_markdown",
    "passages_html",
    "passages_markdown",
    "print_passages",
    "print_resolution",
    "resolutions_html",
    "table_csv",
    "table_json",
    "table_latex",
    "table_markdown",
    "table_text",
    "titled_table",
    "write_report",
]


__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "figures": "figure_png figure_svg",
        "latex": "table_latex",
        "marked_text": "ShownMention",
        "page": "notebook_html page_data resolutions_html",
        "passages": "Passage Passages passages_html passages_markdown Version",
        "report": "Cell Figure Level Page Panel Row Section Series Table",
        "tables": "table_csv table_json table_markdown table_text titled_table",
        "terminal": "print_resolution",
        "terminal_passages": "print_passages",
        "views": "ResolutionView",
        "write": "page_html page_markdown write_report",
    },
)
