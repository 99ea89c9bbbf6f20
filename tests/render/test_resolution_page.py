from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from corelax.render.page import resolutions_html
from tests.render.shown_texts import resolved

BROWSER = next(
    (p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n))), None
)
FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars
--disable-background-networking --disable-component-update --disable-sync
--virtual-time-budget=2000""".split()
HOSTILE = "</script><img/src=x:onerror=alert(1)>&quot;\"'<!--"
DOG = resolved("Ann fed\nher dog ; it ate a bone", [(0, 1), (2, 3)], [(2, 4), (5, 6)], [(7, 9)])


class Reader(HTMLParser):
    """Keeps the texts, the mentions with their attributes and numbers, and the ids and links of a page."""

    VOID = ("meta", "link", "img", "br")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.mentions: list[dict[str, str | None]] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.names: list[str] = []
        self.scripts: list[str] = []
        self.addresses: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        assert len(values) == len(attrs)
        if tag not in self.VOID:
            self.open.append((tag, values))
        self.ids += [id for id in [values.get("id")] if id]
        self.addresses += [a for a in (values.get("src"), values.get("href")) if a]
        classes = (values.get("class") or "").split()
        if tag == "div" and "text" in classes:
            self.texts.append("")
        if "mention" in classes:
            self.mentions.append(values)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        tags = [tag for tag, _ in self.open]
        if tags and tags[-1] == "script":
            self.scripts[-1] += data
        if any(values.get("class") == "text" for _, values in self.open) and "sup" not in tags:
            self.texts[-1] += data
        if tags[-1:] == ["a"]:
            self.names.append(data)


def test_a_page_has_every_text_as_it_is_and_every_mention_once() -> None:
    second = resolved("a\n\n b", [(0, 1), (1, 2)], id="e")
    reader = Reader(resolutions_html([DOG, second]))
    assert reader.texts == [DOG.text, second.text]
    assert [m["data-m"] for m in reader.mentions] == [
        "0.0", "0.1", "0.2", "0.3", "0.4", "1.0", "1.1",
    ]  # fmt: skip
    assert [m["data-e"] for m in reader.mentions[:5]] == ["0.0", "0.1", "0.0", "0.1", "0.2"]
    assert len(set(reader.ids)) == len(reader.ids)


def test_entities_are_listed_and_lead_to_their_first_mention() -> None:
    reader = Reader(DOG.to_html())
    assert reader.names == ["Ann", "her dog", "a bone"]
    assert [a for a in reader.addresses if a.startswith("#")] == ["#m0.0", "#m0.1", "#m0.4"]
    assert {"m0.0", "m0.1", "m0.4"} <= set(reader.ids)


def test_mentions_share_a_colour_with_their_entity_only_and_singletons_have_none() -> None:
    classes = [str(m["class"]).split()[1] for m in Reader(DOG.to_html()).mentions]
    ann, dog, her, it, bone = classes
    assert ann == her != dog == it
    assert bone == "single"


def test_cards_have_the_numbers_of_each_mention() -> None:
    cards = json.loads(Reader(resolutions_html([DOG])).scripts[0])
    assert cards[0]["entities"] == [["Ann", 2], ["her dog", 2], ["a bone", 1]]
    assert cards[0]["mentions"][3] == ["it", 1, 0.5, 0.5, 0.5]


def test_nothing_in_a_text_is_taken_for_markup_or_script() -> None:
    found = resolved(f"{HOSTILE} {HOSTILE}", [(0, 1), (1, 2)], id=HOSTILE)
    for page in (resolutions_html([found]), resolutions_html([found, found])):
        reader = Reader(page)
        assert set(reader.texts) == {found.text}
        assert len(reader.scripts) == 2
        assert json.loads(reader.scripts[0])[0]["entities"] == [[HOSTILE, 2]]
        assert "<img" not in page


def test_a_page_needs_nothing_from_elsewhere() -> None:
    page = resolutions_html([DOG])
    reader = Reader(page)
    assert all(a.startswith("#") or a == "data:," for a in reader.addresses)
    assert not re.search(r"@import|url\(|https?:", page)


def test_a_notebook_gets_the_page_in_a_frame() -> None:
    frame = DOG._repr_html_()
    source = re.fullmatch(r'<iframe .*?srcdoc="([^"]*)".*></iframe>', frame, re.DOTALL)
    assert source
    assert html.unescape(source[1]) == DOG.to_html()


def test_a_page_of_thousands_of_mentions_stays_small() -> None:
    number = 5000
    found = resolved("w " * number, [(i, i + 1) for i in range(number)])
    page = resolutions_html([found])
    assert len(Reader(page).mentions) == number
    assert len(page) < 300 * number


# In a browser


def browse(folder: Path, page: str, *flags: str) -> str:
    assert BROWSER
    target = folder / "page.html"
    target.write_text(page, encoding="utf-8")
    command = [BROWSER, *FLAGS, f"--user-data-dir={folder / 'profile'}", *flags, target.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def seen_after(folder: Path, page: str, script: str) -> dict[str, object]:
    """What a reader sees after some script: the card, and which mentions are lit."""
    report = """
    const list = name => [...document.querySelectorAll(".mention." + name)].map(m => m.dataset.m);
    document.title = JSON.stringify({
      hidden: card.hidden, card: card.innerText, lit: list("lit"), here: list("here"), before: list("before"),
      focus: document.activeElement.dataset.m || null,
      inside: card.getBoundingClientRect().left >= 0 && card.getBoundingClientRect().right <= innerWidth
        && card.getBoundingClientRect().bottom <= innerHeight,
      wide: document.documentElement.scrollWidth > innerWidth,
    });"""
    page = page.replace(
        "</body>", f"<script>addEventListener('load', () => {{{script};{report}}});</script></body>"
    )
    title = re.search(r"<title>(.*?)</title>", browse(folder, page, "--dump-dom"), re.DOTALL)
    assert title
    found: dict[str, object] = json.loads(html.unescape(title[1]))
    return found


OVER = "document.getElementById('{}').dispatchEvent(new PointerEvent('pointerover', {{bubbles: true}}))"
KEY = "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {{key: '{}', bubbles: true}}))"


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="Chromium is not installed")
class TestInABrowser:
    def test_no_card_is_there_before_a_mention_is_pointed_at(self, tmp_path: Path) -> None:
        seen = seen_after(tmp_path, DOG.to_html(), "")
        assert (seen["hidden"], seen["lit"]) == (True, [])

    @pytest.mark.parametrize(
        "script", [OVER.format("m0.3"), "document.getElementById('m0.3').focus()",
                   "document.getElementById('m0.3').click()"],
        ids=["pointer", "keyboard", "tap"],
    )  # fmt: skip
    def test_a_mention_lights_up_its_entity_and_shows_its_card(
        self, tmp_path: Path, script: str
    ) -> None:
        seen = seen_after(tmp_path, DOG.to_html(), script)
        assert (seen["lit"], seen["here"], seen["before"]) == (["0.1", "0.3"], ["0.3"], ["0.1"])
        assert (seen["hidden"], seen["inside"]) == (False, True)
        words = str(seen["card"]).split()
        assert words[:4] == ["her", "dog", "2", "mentions"]
        assert "“her dog”" in " ".join(words)
        assert words.count("50%") == 3

    def test_arrows_go_along_the_entity_and_escape_leaves_it(self, tmp_path: Path) -> None:
        focus = "document.getElementById('m0.1').focus();"
        assert (
            seen_after(tmp_path, DOG.to_html(), focus + KEY.format("ArrowRight"))["focus"] == "0.3"
        )
        seen = seen_after(tmp_path, DOG.to_html(), focus + KEY.format("Escape"))
        assert (seen["hidden"], seen["lit"], seen["focus"]) == (True, [], None)

    def test_hostile_words_are_words_on_the_card_too(self, tmp_path: Path) -> None:
        found = resolved(f"{HOSTILE} b", [(0, 1), (1, 2)])
        seen = seen_after(tmp_path, found.to_html(), "document.getElementById('m0.1').focus()")
        assert HOSTILE in str(seen["card"])

    def test_a_long_word_makes_no_phone_scroll_sideways(self, tmp_path: Path) -> None:
        found = resolved(f"{'long_' * 90} b", [(0, 1), (1, 2)], id="name_" * 50)
        inner = html.escape(found.to_html())
        frame = f'<iframe srcdoc="{inner}" style="border: 0; height: 700px; width: 360px"></iframe>'
        script = """
        const inside = document.querySelector("iframe").contentDocument;
        inside.getElementById("m0.1").focus();
        const box = inside.getElementById("card").getBoundingClientRect();
        const width = inside.documentElement.scrollWidth;
        document.title = [width, box.left >= 0, box.right <= 360, box.height > 0];
        """
        page = f"<!DOCTYPE html><title></title><body>{frame}<script>onload = () => {{{script}}}</script>"
        printed = browse(tmp_path, page, "--dump-dom")
        assert "<title>360,true,true,true</title>" in printed
