"""A report as one HTML page that needs nothing else: styles and drawings are inside, no script is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined

from corelax.render.figure_data import figure_tables
from corelax.render.markup import marked_html
from corelax.render.plots import INSTALL, Parts, can_draw, figure_parts
from corelax.render.report import Figure, Page, Section, Table
from corelax.render.tables import right_aligned


def page_html(page: Page) -> str:
    """The page, light or dark as the reader's system is; figures as tables without matplotlib.

    >>> html = page_html(Page("Losses & scores", lead=["LEA is **better**."]))
    >>> "<h1>Losses &amp; scores</h1>" in html, "LEA is <strong>better</strong>." in html
    (True, True)
    """
    environment = Environment(
        loader=PackageLoader("corelax.render"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["marked"] = marked_html
    environment.tests["table"] = lambda item: isinstance(item, Table)
    environment.tests["figure"] = lambda item: isinstance(item, Figure)
    return environment.get_template("report.html").render(
        page=page,
        sections=_with_ids(page.sections),
        right_aligned=right_aligned,
        figure_tables=figure_tables,
        drawn=_drawn,
        install=INSTALL,
    )


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
