"""The documentation as a site: complete, without broken links, and without a network."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest
from benchmarks.chromium import Chromium
from scripts import site_hooks
from scripts.api_page import PACKAGES

from tests.render.page_reader import DESKTOP, PHONE, in_browser

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("page", "link", "there"),
    [
        ("docs/scoring.md", "formats.md#jsonlines", "formats.md#jsonlines"),
        (
            "docs/scoring.md",
            "../src/corelax/metrics/muc.py",
            "source/src/corelax/metrics/muc.py.md",
        ),
        ("docs/coming-from/coval.md", "../../README.md#results", "../source/README.md#results"),
        ("docs/results/README.md", "ontogum/report.md", "ontogum/report.html"),
        ("docs/index.md", "https://example.org/a.md", "https://example.org/a.md"),
    ],
)
def test_links_hold_on_the_site(page: str, link: str, there: str) -> None:
    origin = ROOT / page
    changed = site_hooks.with_site_links(f"[a]({link})", origin, site_hooks.site_uri(origin))
    assert changed == f"[a]({there})"


def test_pages_outside_of_docs_link_into_the_site() -> None:
    page = site_hooks.source_page(ROOT / "README.md")
    assert "](../resolving.md)" in page
    assert 'src="../gallery/page-light.png"' in page


def test_the_reference_has_every_public_package() -> None:
    pages = site_hooks.reference_pages()
    assert len(pages) == len(PACKAGES)
    assert '"metric_loss"' in pages["reference/corelax.losses.md"]


def test_every_page_is_in_the_navigation_and_on_the_first_page() -> None:
    docs = ROOT / "docs"
    pages = {page.relative_to(docs).as_posix() for page in docs.rglob("*.md")}
    pages = {page for page in pages if page.count("/") < 2}  # not the parts of reports
    navigation = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
    assert set(re.findall(r"(\S+\.md)$", navigation, re.M)) == pages
    linked = set(re.findall(r"\]\(([\w/-]+\.md)\)", (docs / "index.md").read_text()))
    assert pages - {"index.md", "coming-from/index.md", "extending/index.md"} <= linked


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make docs` builds it; a warning ends the build."""
    pytest.importorskip("material", reason="the extra docs is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-P",
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--quiet",
        "-d",
        str(folder),
    ]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def html(site: Path) -> list[Path]:
    """The pages of the site. Reports and the pages of the gallery have tests of their own."""
    own = {site / "404.html", *site.glob("gallery/[!i]*"), *site.glob("results/*/report.html")}
    return [page for page in sorted(site.rglob("*.html")) if page not in own]


@pytest.mark.slow
def test_no_link_is_broken(site: Path) -> None:
    ids: dict[Path, set[str]] = {}
    broken = []
    for page in html(site):
        for link in re.findall(r'(?:href|src)="([^"]*)"', page.read_text("utf-8")):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = unquote(unescape(link)).partition("#")
            target = (page.parent / path).resolve() if path else page
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                broken.append(f"{page.relative_to(site)}: {link}")
            elif anchor and target.suffix == ".html":
                if target not in ids:
                    ids[target] = set(
                        re.findall(r'(?:id|name)="([^"]*)"', target.read_text("utf-8"))
                    )
                if unescape(anchor) not in ids[target]:
                    broken.append(f"{page.relative_to(site)}: {link}")
    assert len(ids) > 20
    assert broken == []


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    loaded = r'<(?:script|link|img|iframe|source)[^>]*(?:src|href|srcset)="?(https?:)?//'
    for page in html(site):
        assert not re.search(loaded, page.read_text("utf-8")), page
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()[^;]*https?:", sheet.read_text("utf-8")), sheet


@pytest.mark.slow
def test_everything_is_found_by_the_search(site: Path) -> None:
    index = (site / "search" / "search_index.js").read_text("utf-8")
    places = {entry["location"] for entry in json.loads(index.partition("=")[2])["docs"]}
    for page in ("tutorial.html", "relaxation.html#decoding", "extending/format.html", "faq.html"):
        assert page in places
    assert "reference/corelax.losses.html#corelax.losses.metric_loss" in places


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
@pytest.mark.parametrize("dark", [False, True])
class TestInBrowser:
    pytestmark = in_browser

    def test_the_search_works_from_files(
        self, site: Path, size: tuple[int, int], dark: bool
    ) -> None:
        with Chromium(size, dark=dark) as tab:
            tab.open(site / "index.html")
            assert tab.js("document.documentElement.scrollWidth") <= size[0]
            background = tab.js("getComputedStyle(document.body).backgroundColor")
            assert (sum(map(int, re.findall(r"\d+", background)[:3])) < 300) == dark
            tab.js("document.querySelector('.md-search__input').focus()")
            tab.type("temperature")
            end = time.monotonic() + 30
            results = "[...document.querySelectorAll('.md-search-result__item h1')].map(e => e.textContent)"
            while not (titles := tab.js(results)) and time.monotonic() < end:
                time.sleep(0.05)
            assert "From the paper's equations to functions" in titles
            assert tab.errors == []
