"""The page of a resolution as a file; tests/render/test_page_in_browser.py works with it."""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser
from typing import Any

from corelax.document import Document
from corelax.render.resolution_page import page_data, resolutions_html
from corelax.resolve import resolution_of
from tests.render.shown_texts import resolved

HOSTILE = "</script><img/src=x:onerror=alert(1)>&quot;\"'<!--"
DOG = resolved("Ann fed\nher dog ; it ate a bone", [(0, 1), (2, 3)], [(2, 4), (5, 6)], [(7, 9)])


class Reader(HTMLParser):
    """Keeps the texts, lists, scripts, ids and addresses of a page."""

    VOID = ("meta", "link", "img", "br", "input")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.items: list[str] = []
        self.ids: list[str] = []
        self.scripts: list[str] = []
        self.addresses: list[str] = []
        self.tags: set[str] = set()
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        assert len(values) == len(attrs)
        self.tags.add(tag)
        if tag not in self.VOID:
            self.open.append((tag, values))
        self.ids += [id for id in [values.get("id")] if id]
        self.addresses += [a for a in (values.get("src"), values.get("href")) if a]
        for name, kept in (("script", self.scripts), ("li", self.items)):
            if tag == name:
                kept.append("")
        if values.get("class") == "text" and "noscript" in [name for name, _ in self.open]:
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        tag, values = self.open[-1] if self.open else ("", {})
        if tag == "script":
            self.scripts[-1] += data
        if tag == "li":
            self.items[-1] += data
        if values.get("class") == "text":
            self.texts[-1] += data

    @property
    def data(self) -> Any:
        """What the page builds itself of."""
        return json.loads(self.scripts[0])


def test_a_page_has_every_text_as_it_is_and_every_mention_once() -> None:
    second = resolved("a\n\n b", [(0, 1), (1, 2)], id="e")
    reader = Reader(resolutions_html([DOG, second]))
    assert reader.texts == [DOG.text, second.text]
    assert [text["text"] for text in reader.data] == [DOG.text, second.text]
    ids = [m["id"] for entity in reader.data[0]["entities"] for m in entity["mentions"]]
    assert sorted(ids) == list(range(len(DOG.mentions)))
    assert len(set(reader.ids)) == len(reader.ids)


def test_without_script_entities_are_listed_by_size() -> None:
    found = resolved("a b c d e", [(0, 1)], [(1, 2), (2, 3), (3, 4)], [(4, 5)])
    assert Reader(found.to_html()).items == ["b: 3 mentions", "a: 1 mention", "e: 1 mention"]


def test_the_page_is_made_of_what_as_dict_says() -> None:
    [data] = Reader(DOG.to_html()).data
    record = json.loads(json.dumps(DOG.as_dict()))
    assert data["entities"] == record["entities"]
    assert [DOG.text[start:end] for start, end in data["tokens"]] == list(DOG.document.words)


def test_words_that_are_not_those_of_the_text_are_kept() -> None:
    doc = Document(id="d", words=("``", "Hi"), layers={"offsets": ((0, 1), (1, 3))})
    assert page_data(resolution_of(doc, [], "“Hi"))["tokens"] == [[0, 1, "``"], [1, 3]]


def test_layers_that_json_cannot_hold_are_left_out() -> None:
    doc = Document(id="d", words=("a",), layers={"own": (object(),), "pos": ("NN",)})
    assert page_data(resolution_of(doc, []))["layers"] == {"pos": ("NN",)}


def test_nothing_in_a_text_is_taken_for_markup_or_script() -> None:
    found = resolved(f"{HOSTILE} {HOSTILE}", [(0, 1), (1, 2)], id=HOSTILE)
    for page in (resolutions_html([found]), resolutions_html([found, found])):
        reader = Reader(page)
        assert set(reader.texts) == {found.text}
        assert len(reader.scripts) == 2
        assert reader.data[0]["entities"][0]["representative"] == HOSTILE
        assert "img" not in reader.tags
        assert "<img" not in page


def test_characters_that_drive_a_terminal_or_turn_text_are_not_in_the_page() -> None:
    page = resolutions_html([resolved("a\x1b[31m \u202eb\ud800", [(0, 1), (1, 2)])])
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", page)


def test_a_page_needs_nothing_from_elsewhere() -> None:
    page = resolutions_html([DOG])
    reader = Reader(page)
    assert all(a.startswith("#") or a == "data:," for a in reader.addresses)
    without_names = page.replace("http://www.w3.org/2000/svg", "")  # which is never opened
    assert not re.search(r"@import|url\(|https?:", without_names)


def test_a_notebook_gets_the_page_in_a_frame() -> None:
    frame = DOG._repr_html_()
    source = re.fullmatch(r'<iframe .*?srcdoc="([^"]*)".*></iframe>', frame, re.DOTALL)
    assert source
    assert html.unescape(source[1]) == DOG.to_html()


def test_a_page_of_thousands_of_mentions_stays_small() -> None:
    number = 5000
    found = resolved("w " * number, [(i, i + 1) for i in range(number)])
    page = resolutions_html([found])
    assert len(page) < 300 * number
