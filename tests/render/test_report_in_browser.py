"""A report in a real browser: light, dark, and on a phone. Skipped where Chromium is not installed."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from corelax.render.figures import Figure, Level, Panel, Series
from corelax.render.marked_text import ShownMention
from corelax.render.pages import Page, Section, page_html
from corelax.render.passages import Passage, Passages, Version
from corelax.render.tables import Cell, Row, Table

Image = pytest.importorskip("PIL.Image")
NAMES = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next((path for name in NAMES if (path := shutil.which(name))), None)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="Chromium is not installed"),
]
FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars
--disable-background-networking --disable-component-update --disable-sync""".split()
DARK, LIGHT = 0, 1  # as the engine numbers them
LONG = "a_very_long_name_without_any_place_to_break_it_" * 3

# Puts the page into frames of several widths and reports what a reader of each could scroll.
HARNESS = """<!DOCTYPE html><meta charset="utf-8"><title></title><body style="margin: 0">
%s<script>
onload = () => {
  document.title = JSON.stringify([...document.querySelectorAll("iframe")].map(frame => {
    const doc = frame.contentDocument, box = doc.querySelector("#scores .scroll");
    box.scrollLeft = 1e6;
    const name = box.querySelector("tbody tr:last-child th");
    return {
      width: frame.clientWidth, page: doc.documentElement.scrollWidth,
      table: box.scrollWidth, box: box.clientWidth, scrolled: box.scrollLeft,
      name: name.getBoundingClientRect().left - box.getBoundingClientRect().left,
      panels: [...doc.querySelectorAll(".panel")].map(panel => panel.getBoundingClientRect().top),
    };
  }));
};
</script>"""


def report() -> str:
    """A page with a wide table, a figure of two panels, passages and a long word everywhere."""
    score = Cell("61.15 ± 0.19", {"mean": 61.15, "sd": 0.19}, best=True)
    names = [f"metric {number}" for number in range(12)]
    rows = [Row([LONG], heading=True), *(Row([f"loss {n}", *[score] * 12]) for n in range(9))]
    table = Table("scores", "Scores", ["loss", *names], rows, LONG)
    lines = [Series(LONG, [1, 2, 3], [1, 3, 2], [0.5] * 3), Series("b", [1, 2, 3], [2, 2, 3])]
    panels = [Panel(name, "x", "y", lines, [Level("c", 2)]) for name in ("left", "right")]
    gold = Version("gold", [ShownMention(0, 1, 0)])
    texts = Passages("texts", "Passages", LONG, [Passage(LONG, "", [LONG, "b"], [gold])])
    items = [table, Figure("lines", LONG, panels, LONG), texts]
    section = Section(LONG, [f"{LONG} and `{LONG}`"], items)
    return page_html(Page(LONG, [LONG], [("fact", LONG)], [section], f"corelax {LONG}"))


def browse(folder: Path, content: str, *flags: str) -> str:
    """What Chromium prints when it opens a page."""
    assert BROWSER
    page = folder / "page.html"
    page.write_text(content, encoding="utf-8")
    profile = f"--user-data-dir={folder / 'profile'}"
    command = [BROWSER, *FLAGS, profile, *flags, page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


def frames(*widths: int) -> str:
    source = html.escape(report())
    style = "border: 0; display: block; height: 2000px"
    return HARNESS % "".join(
        f'<iframe srcdoc="{source}" style="{style}; width: {width}px"></iframe>' for width in widths
    )


def brightness(folder: Path, content: str, scheme: int, size: tuple[int, int]) -> list[int]:
    """The grey values of a screenshot, sorted."""
    target = folder / "shot.png"
    window = f"--window-size={max(size[0], 500)},{size[1]}"  # windows are never narrower than 500
    scheme_flag = f"--blink-settings=preferredColorScheme={scheme}"
    browse(folder, content, f"--screenshot={target}", window, scheme_flag)
    with Image.open(target) as picture:
        return sorted(picture.convert("L").crop((0, 0, *size)).tobytes())


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_dark_is_dark_and_light_is_light(tmp_path: Path, phone: bool) -> None:
    content, size = (frames(390), (390, 2000)) if phone else (report(), (1280, 2000))
    light = brightness(tmp_path, content, LIGHT, size)
    dark = brightness(tmp_path, content, DARK, size)
    middle = len(light) // 2
    assert light[middle] > 240
    assert dark[middle] < 40
    # One pixel in 200 at least is text, of the opposite brightness.
    some = len(light) // 200
    assert light[some] < 100
    assert dark[-some] > 160


def test_only_tables_scroll_sideways_and_their_names_stay(tmp_path: Path) -> None:
    printed = browse(tmp_path, frames(320, 390, 768, 1280), "--dump-dom", "--window-size=1400,900")
    title = re.search(r"<title>(.*?)</title>", printed)
    assert title
    measured = json.loads(html.unescape(title[1]))
    assert [frame["width"] for frame in measured] == [320, 390, 768, 1280]
    for frame in measured:
        assert frame["page"] <= frame["width"]
        assert frame["table"] > frame["box"]  # wider than its box, which is why it scrolls
        assert frame["scrolled"] > 0
        assert abs(frame["name"]) < 1  # the first column has stayed where it was


def test_panels_stand_side_by_side_or_on_a_phone_one_below_the_other(tmp_path: Path) -> None:
    printed = browse(tmp_path, frames(390, 1280), "--dump-dom", "--window-size=1400,900")
    title = re.search(r"<title>(.*?)</title>", printed)
    assert title
    phone, desktop = (frame["panels"] for frame in json.loads(html.unescape(title[1])))
    assert phone[1] > phone[0] + 100
    assert desktop[0] == desktop[1]
