"""How the page of a resolution looks: light, dark, on a phone and on paper; names and contrasts."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.render.page_reader import DESKTOP, PHONE, Reader, in_browser, story
from tests.render.shown_texts import resolved

pytestmark = in_browser
HOSTILE = "</script><img/src=x:onerror=document.title=1>&quot;\"'<!--"
# Controls that a screen reader could not name.
UNNAMED = """[...document.querySelectorAll("button, input, select, summary, [role=img]")]
  .filter(e => e.checkVisibility() && !(e.textContent.trim() || e.getAttribute("aria-label")
    || e.labels?.[0]?.textContent.trim()))
  .map(e => e.outerHTML)"""
# Text whose contrast with what is behind it is below 4.5 : 1 (WCAG 2 AA).
FAINT = """(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const paint = colour => { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); };
  const seen = () => [...canvas.getImageData(0, 0, 1, 1).data];
  const behind = element => {
    const chain = [];
    for (let e = element; e; e = e.parentElement) chain.unshift(getComputedStyle(e).backgroundColor);
    paint(matchMedia("(prefers-color-scheme: dark)").matches ? "black" : "white");
    chain.forEach(paint);
    return seen();
  };
  const bright = rgb => rgb.slice(0, 3).map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility() || element.closest(
      "script, style, option, :disabled, noscript, .skip")) continue;
    const back = behind(element);
    paint(getComputedStyle(element).color);
    const [a, b] = [bright(seen()), bright(back)].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) faint.push([element.outerHTML.slice(0, 120), (a + 0.05) / (b + 0.05)]);
  }
  return faint;
})()"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_everything_has_a_name_and_can_be_read(
    reader: Reader, size: tuple[int, int], dark: bool
) -> None:
    reader.tab.look(size, dark=dark)
    for act in ("", "focus", "choose", "save"):
        reader.open(story(0.5))
        if act in ("focus", "choose"):
            reader.focus(2)
        if act == "choose":
            reader.tab.press("Enter")
        if act == "save":
            reader.js("document.querySelectorAll('.menu').forEach(m => { m.open = true; })")
        assert reader.js(UNNAMED) == []
        assert reader.js(FAINT) == []
        assert reader.js("document.documentElement.scrollWidth") <= size[0]
        if axe := os.environ.get("CORELAX_AXE"):  # the file axe.min.js of axe-core
            reader.js(Path(axe).read_text(encoding="utf-8") + ";0")
            found = reader.js("axe.run().then(r => r.violations.map(v => [v.id, v.nodes[0].html]))")
            assert found == []


def test_long_words_make_no_phone_scroll_sideways_and_the_card_is_inside(reader: Reader) -> None:
    reader.tab.look(PHONE)
    reader.open(resolved(f"{'long_' * 90} b", [(0, 1), (1, 2)], id="name_" * 50))
    reader.focus(1)
    reader.tab.press("Enter")
    assert reader.js("document.documentElement.scrollWidth") <= PHONE[0]
    box = reader.js("(b => [b.left, b.right, b.bottom, b.height])(card.getBoundingClientRect())")
    assert box[0] >= 0
    assert box[1] <= PHONE[0]
    assert box[2] <= PHONE[1]
    assert box[3] > 0


def test_paper_has_the_text_and_the_entities_only(reader: Reader) -> None:
    reader.open(story())
    reader.focus(0)
    reader.tab.look(DESKTOP, media="print")
    shown = reader.js("document.body.innerText")
    assert "laughed" in shown
    assert "3 mentions" in shown
    assert not re.search("Undo|Save|Remove|Point at", shown)


def test_hostile_words_are_words_everywhere(reader: Reader) -> None:
    reader.open(resolved(f"{HOSTILE} b {HOSTILE} c", [(0, 1), (1, 2)], [(2, 3)], id=HOSTILE))
    reader.focus(0)
    reader.tab.press("Enter", "t", "a", "Enter", "m")
    reader.tab.press("Escape")
    reader.unfold()
    assert reader.js("document.querySelectorAll('img').length") == 0
    assert reader.js("document.title") == HOSTILE
    assert HOSTILE in reader.js("text.textContent")
    assert HOSTILE in reader.js("entities.textContent")
