"""A report written to a folder: the page, and every table and figure as files of their own."""

from __future__ import annotations

from pathlib import Path

from corelax.core.errors import CorelaxError
from corelax.core.files import explain, write_bytes
from corelax.render.html import page_html
from corelax.render.markdown import page_markdown, titled_table
from corelax.render.plots import can_draw, figure_png, figure_svg
from corelax.render.report import Page
from corelax.render.tables import table_csv, table_json


def write_report(page: Page, folder: Path) -> list[Path]:
    """Writes `report.html`, `report.md`, `tables/KEY.{md,csv,json}` and `figures/KEY.{png,svg}`.

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
        contents[f"tables/{table.key}.md"] = titled_table(table) + "\n"
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
