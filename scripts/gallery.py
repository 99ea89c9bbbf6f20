"""Makes docs/gallery: the pages of `make demo` as they look, pictures of them; and the figure of the method.

`python scripts/gallery.py` (`make gallery`) takes two minutes and needs Chromium; `--keep-report` leaves out
the study behind the report. tests/test_gallery.py keeps everything current.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, FileSystemLoader

import corelax
from corelax import Resolver
from corelax.render.resolution_page import page_data, resolutions_html
from corelax.resolve.links import candidate_links
from corelax.serve.application import page_templates

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # for benchmarks.chromium
GALLERY = ROOT / "docs" / "gallery"
FIGURE = ROOT / "docs" / "figures" / "method.html"
TEXT = ROOT / "examples" / "data" / "curie.txt"
DATA = re.compile(r'<script type="application/json" id="\w+">(.*?)</script>', re.S)
PLAIN = re.compile(r"<noscript>.*?</noscript>", re.S)
LAST = "[...document.querySelectorAll('.mention')].at(-1)"
EXPLORER = "document.getElementById('explorer')"
SCORES = "[...document.querySelectorAll('h2')].find(h => h.textContent.includes('Scores'))"
# picture: page, size of the window, whether it is dark, what the mouse points at (it is brought into sight)
PICTURES: dict[str, tuple[str, tuple[int, int], bool, str]] = {
    "page-light.png": ("page.html", (1120, 730), False, LAST),
    "page-dark.png": ("page.html", (1120, 730), True, LAST),
    "explorer.png": ("explorer.html", (1120, 1060), False, EXPLORER),
    "report.png": ("report.html", (1120, 900), False, SCORES),
}


def resolved_page() -> str:
    """What `corelax resolve examples/data/curie.txt --html` writes."""
    with contextlib.chdir(TEXT.parent):
        return resolutions_html(list(corelax.resolve_files([TEXT.name])))


def explorer_page(answer: dict[str, Any] | None = None) -> str:
    """The page of `corelax serve` after a text was resolved, without the server.

    Args:
        answer: What the server said, else what it says now.
    """
    if answer is None:
        resolver = Resolver.from_pretrained()
        resolution = resolver.resolve(TEXT.read_text(encoding="utf-8"))
        links = candidate_links(resolver, resolution, scheme=None)
        answer = {**page_data(resolution), "id": TEXT.name, "links": links}
    return from_template("explorer.html", title=TEXT.name, answer=answer)


def method_figure() -> str:
    """The figure of docs/relaxation.md. It computes with the same script as the explorer."""
    return from_template("method.html")


def from_template(name: str, **values: Any) -> str:
    """A page from `scripts/templates`, which may include what the page of the server consists of."""
    templates = page_templates()
    loaders = [FileSystemLoader(Path(__file__).parent / "templates"), templates.loader]
    environment = templates.overlay(loader=ChoiceLoader([each for each in loaders if each]))
    return environment.get_template(name).render(**values)


def report_page(folder: Path) -> str:
    """The report of `corelax reproduce --quick`."""
    corelax.reproduce(folder, quick=True, command="corelax reproduce --quick")
    return (folder / "report" / "report.html").read_text(encoding="utf-8")


def data_of(page: str) -> Any:
    """What a page shows, without the page around it."""
    found = DATA.search(page)
    return json.loads(found[1]) if found else None


def around_data(page: str) -> str:
    """A page without what it shows."""
    return PLAIN.sub("", DATA.sub("", page))


def digest_of(page: Path) -> str:
    """Which version of a page a picture was taken of."""
    return hashlib.sha256(page.read_bytes()).hexdigest()


def take_pictures(folder: Path) -> None:
    """Pictures of the pages in a folder, each with the digest of its page."""
    from benchmarks.chromium import Chromium
    from PIL import Image, PngImagePlugin

    for name, (page, size, is_dark, target) in PICTURES.items():
        with Chromium(size, dark=is_dark) as tab:
            tab.open(folder / page)
            if target != LAST:
                tab.js(f"{target}.scrollIntoView()")
            box = tab.js(f"(b => [b.left + 5, b.top + 5])({target}.getClientRects()[0])")
            tab.point(*box)
            tab.settle()
            tab.screenshot(folder / name)
        note = PngImagePlugin.PngInfo()
        note.add_text("page", digest_of(folder / page))
        picture = Image.open(folder / name).convert("RGB").quantize(128, dither=Image.Dither.NONE)
        picture.save(folder / name, optimize=True, pnginfo=note)


def main(arguments: Sequence[str] | None = None) -> None:
    """Makes the folder."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--keep-report", action="store_true", help="leave report.html as it is")
    keep_report = parser.parse_args(arguments).keep_report
    GALLERY.mkdir(exist_ok=True)
    pages = {"page.html": resolved_page(), "explorer.html": explorer_page()}
    if not keep_report:
        with tempfile.TemporaryDirectory() as folder:
            pages["report.html"] = report_page(Path(folder) / "study")
    for name, page in pages.items():
        (GALLERY / name).write_text(page, encoding="utf-8")
    FIGURE.write_text(method_figure(), encoding="utf-8")
    take_pictures(GALLERY)


if __name__ == "__main__":
    main()
