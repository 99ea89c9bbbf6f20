"""Somebody in front of the page of a resolution, in a real Chromium."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from benchmarks.chromium import BROWSER, Chromium

from corelax.io import read
from corelax.render.resolution_page import resolutions_html
from corelax.resolve import Resolution
from tests.render.shown_texts import resolved

in_browser = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="Chromium is not installed"),
]
PHONE, DESKTOP = (375, 700), (1280, 900)
#        0   1    2  3   4    5   6 7   8      9  10 11  12
STORY = "Ann fed her dog . Then it ate . Bo\n\nsaw them . She laughed ."
ANN, DOG, BO = [(0, 1), (2, 3), (13, 14)], [(2, 4), (6, 7)], [(9, 10)]
CLUSTERS = [{(0, 1), (2, 3), (13, 14)}, {(2, 4), (6, 7)}, {(9, 10)}]


def story(probability: float = 0.9) -> Resolution:
    """Ann, her dog, and Bo, who is alone."""
    return resolved(STORY, ANN, DOG, BO, id="story", probability=probability)


class Reader:
    """Somebody in front of a page."""

    def __init__(self, tab: Chromium, folder: Path) -> None:
        self.tab = tab
        self.folder = folder
        tab.errors.clear()
        tab.look(DESKTOP)

    def open(self, *resolutions: Resolution) -> Reader:
        """Opens a page that nobody has worked with."""
        page = self.folder / "page.html"
        page.write_text(resolutions_html(resolutions), encoding="utf-8")
        self.tab.open(page)
        if self.tab.js("localStorage.length"):
            self.tab.js("localStorage.clear()")
            self.tab.reload()
        return self

    def js(self, expression: str) -> Any:
        """The value of an expression."""
        return self.tab.js(expression)

    def focus(self, number: int) -> None:
        """Goes to a mention by the keys."""
        self.js("document.activeElement.blur()")
        for _ in range(60):
            self.tab.press("Tab")
            if self.js("document.activeElement.classList.contains('mention')"):
                break
        at = "[...document.querySelectorAll('.mention')].indexOf(document.activeElement)"
        for _ in range(50):
            if (here := self.js(at)) == number:
                return
            self.tab.press("ArrowDown" if here < number else "ArrowUp")
        raise AssertionError(f"mention {number} cannot be reached")

    def at(self, selector: str) -> tuple[float, float]:
        """A place in an element, for the mouse."""
        box = self.js(
            f"(b => [b.left, b.top, b.height])(document.querySelector({selector!r}).getClientRects()[0])"
        )
        return box[0] + 3, box[1] + box[2] / 2

    def save(self, kind: str) -> Path:
        """The file that a button saves."""
        for old in self.tab.downloads.iterdir():
            old.unlink()
        self.js(f"document.querySelector('[data-save={kind}]').click()")
        for _ in range(200):
            files = [path for path in self.tab.downloads.iterdir() if path.suffix != ".crdownload"]
            if files and files[0].stat().st_size:
                return files[0]
            time.sleep(0.02)
        raise AssertionError(f"nothing was saved; {self.status}")

    @property
    def status(self) -> str:
        """What the page says of the last thing that was done."""
        return str(self.js("document.getElementById('status').textContent"))

    def unfold(self) -> None:
        """Opens the folded lists of entities."""
        self.js("document.querySelectorAll('#entities details').forEach(d => { d.open = true; })")
        self.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def clusters(self) -> list[set[tuple[int, int]]]:
        """The entities that a reader of the saved file gets."""
        [document] = read(self.save("jsonlines"))
        return [{span.bounds for span in cluster} for cluster in document.clusters]

    def mentions(self, name: str) -> list[str]:
        """The texts of the mentions of a class."""
        return list(
            self.js(
                f"[...document.querySelectorAll('.mention.{name}')].map(m => {{ const c = m.cloneNode(true); "
                "c.querySelectorAll('sup').forEach(s => s.remove()); return c.textContent; })"
            )
        )
