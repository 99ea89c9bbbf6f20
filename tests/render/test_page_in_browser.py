"""Reading the page of a resolution in a real Chromium. Skipped where it is not installed."""

from __future__ import annotations

import json
import random
import re
from itertools import pairwise

from corelax.decode import Decision
from corelax.document import Document, Span
from corelax.io import read
from corelax.render.resolution_page import page_data, resolutions_html
from corelax.resolve import resolution_of
from tests.render.page_reader import DESKTOP, Reader, in_browser, story
from tests.render.shown_texts import resolved

pytestmark = in_browser


def test_entities_are_listed_by_size_and_those_of_one_mention_are_folded(reader: Reader) -> None:
    reader.open(resolved("a b c d e f", [(0, 1), (5, 6)], [(1, 2)], [(2, 3), (3, 4), (4, 5)]))
    names = "[...document.querySelectorAll('#entities button span')].map(e => e.textContent)"
    assert reader.js(names) == ["c", "a"]
    reader.unfold()
    assert reader.js(names) == ["c", "a", "b"]


def test_those_of_two_mentions_are_folded_if_there_are_many(reader: Reader) -> None:
    pairs = [[(2 * i, 2 * i + 1), (2 * i + 1, 2 * i + 2)] for i in range(20)]
    reader.open(resolved("w " * 43, *pairs, [(40, 41), (41, 42), (42, 43)]))
    assert reader.js("document.querySelectorAll('#entities > ul > li').length") == 1
    assert reader.js("document.querySelector('#twice summary').textContent").endswith("20")


def test_the_filter_finds_names_and_mentions(reader: Reader) -> None:
    reader.open(story())
    reader.tab.press("/")
    reader.tab.type("LAUGH")
    assert reader.js("document.querySelectorAll('#entities button').length") == 0
    reader.js("filter.select()")
    reader.tab.type("She")
    names = "[...document.querySelectorAll('#entities button span')].map(e => e.textContent)"
    assert reader.js(names) == ["Ann"]


def test_pointing_lights_an_entity_and_shows_how_sure_it_is(reader: Reader) -> None:
    reader.open(story())
    reader.tab.point(*reader.at(".mention"))
    assert reader.mentions("lit") == ["Ann", "her", "She"]
    assert reader.js("card.hidden") is False
    card = " ".join(reader.js("card.innerText").split())
    assert card.startswith("Ann 3 mentions · the first of its entity none: a new entity 90%")
    reader.tab.point(2, 2)
    assert reader.js("card.hidden") is True
    assert reader.mentions("lit") == []


def test_the_card_has_the_three_best_antecedents(reader: Reader) -> None:
    data = page_data(story())
    she = data["entities"][0]["mentions"][2]
    she["antecedents"] = [
        {"id": 2, "text": "her", "start": 8, "end": 11, "probability": 0.7},
        {"id": None, "probability": 0.2},
        {"text": "dogs", "start": 8, "end": 11, "probability": 0.06},
    ]
    reader.open(story()).js(f"corelax.render({json.dumps(data)})")
    reader.focus(5)
    rows = reader.js("document.querySelector('#card dl').innerText").split("\n")
    assert [row for row in rows if row.strip()] == [
        "“her”", "70%", "none: a new entity", "20%", "“dogs”", "6%", "any other", "4%",
    ]  # fmt: skip


def test_a_link_is_not_doubtful_if_its_rivals_are_of_the_same_entity(reader: Reader) -> None:
    data = page_data(story(0.5))
    her, she = data["entities"][0]["mentions"][1:]
    her["antecedents"] = [{"id": 0, "probability": 0.5}, {"id": 1, "probability": 0.4}]  # her dog
    she["antecedents"] = [{"id": 2, "probability": 0.5}, {"id": 0, "probability": 0.4}]
    reader.open(story()).js(f"corelax.render({json.dumps(data)})")
    assert reader.mentions("doubt") == ["Ann", "her dog", "her", "it", "Bo"]


def test_choosing_dims_the_rest_and_lists_the_mentions_in_their_lines(reader: Reader) -> None:
    reader.open(story())
    colour = "getComputedStyle(document.querySelectorAll('.mention')[1]).backgroundColor"
    before = reader.js(colour)
    reader.tab.click(*reader.at(".mention"))
    assert reader.mentions("chosen") == ["Ann", "her", "She"]
    assert reader.js(colour) == "rgba(0, 0, 0, 0)"
    lines = reader.js("[...document.querySelectorAll('.lines button')].map(e => e.textContent)")
    assert lines[1].startswith("Ann fed her dog")
    assert reader.js("document.querySelectorAll('.strip path').length") == 1
    reader.tab.press("Escape", "Escape")
    assert reader.js(colour) == before
    assert reader.js("detail.hidden") is True


def test_a_line_of_the_list_goes_to_its_mention(reader: Reader) -> None:
    reader.open(resolved("w " * 3000, [(0, 1), (2999, 3000)]))
    reader.tab.click(*reader.at(".mention"))
    reader.js("document.querySelectorAll('.lines button')[1].click()")
    box = reader.js("(b => [b.top, b.bottom])(document.activeElement.getBoundingClientRect())")
    assert 0 < box[0] < box[1] < DESKTOP[1]
    assert reader.js("document.activeElement === [...document.querySelectorAll('.mention')].at(-1)")


def test_doubtful_links_are_marked_and_a_key_leads_from_one_to_the_next(reader: Reader) -> None:
    doc = Document(id="d", words=tuple("abcdef"))
    links = [0.9, 0.59, 0.6, 0.3, 0.99, 0.1]
    reader.open(
        resolution_of(
            doc, [Decision(Span(i, i + 1), 0, i - 1 if i else None, 1, p, 1) for i, p in enumerate(links)]
        )
    )  # fmt: skip
    assert reader.mentions("doubt") == ["b", "d", "f"]
    style = "getComputedStyle(document.querySelectorAll('.mention')[{}]).borderBottomStyle"
    assert (reader.js(style.format(1)), reader.js(style.format(2))) == ("dotted", "solid")
    visited = []
    for key in "ddddD":
        reader.tab.press("Shift+D" if key == "D" else key)
        visited.append(reader.mentions("here")[0])
    assert visited == ["b", "d", "f", "b", "f"]


def test_arrows_go_along_the_entity_and_along_the_text(reader: Reader) -> None:
    reader.open(story())
    reader.focus(0)
    visited = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowUp", "End", "Home"):
        reader.tab.press(key)
        visited.append(reader.mentions("here")[0])
    assert visited == ["her", "She", "her", "her dog", "it", "her dog"]


def test_the_nine_largest_entities_have_colours_of_their_own(reader: Reader) -> None:
    chance = random.Random(1)
    sizes = [20 - i for i in range(9)] + [2] * 30
    order = [entity for entity, size in enumerate(sizes) for _ in range(size)]
    chance.shuffle(order)
    spans: list[list[tuple[int, int]]] = [[] for _ in sizes]
    for place, entity in enumerate(order):
        spans[entity].append((place, place + 1))
    reader.open(resolved("w " * len(order), *spans))
    colours = reader.js("[...document.querySelectorAll('#entities button')].map(e => e.className)")
    assert len(set(colours[:9])) == 9
    near = reader.js(
        "[...document.querySelectorAll('.mention')].map(m => [m.className.match(/entity-./)[0], m.dataset.e])"
    )
    pairs = list(pairwise(near))
    clashes = sum(a[0] == b[0] and a[1] != b[1] for a, b in pairs)
    assert clashes < len(pairs) / 50  # by chance it would be one in nine


def test_paragraphs_are_blocks_and_indents_stay(reader: Reader) -> None:
    text = "One line\r\nand another.\r\n\r\n    Verse is\n      indented.\n\n\n\nFar away 😀 now."
    reader.open(resolved(text, [(0, 1), (4, 5)], [(8, 9), (10, 11)]))
    blocks = reader.js("[...document.querySelectorAll('.text p')].map(p => p.innerText)")
    without_numbers = [
        re.sub(r"(?<=[a-z😀.])\d", "", block.replace("\u200b", "")) for block in blocks
    ]
    assert without_numbers == [
        "One line\nand another.", "    Verse is\n      indented.", "Far away 😀 now.",
    ]  # fmt: skip
    assert reader.js("[...document.querySelectorAll('.text p')].map(p => p.className)") == [
        "", "", "far",
    ]  # fmt: skip


def test_any_mentions_are_drawn_whole_and_leave_the_text_as_it_is(reader: Reader) -> None:
    chance = random.Random(0)
    reader.open(story())
    for _ in range(40):
        size = chance.randint(1, 14)
        spans = {
            (start, chance.randint(start + 1, size))
            for start in chance.choices(range(size), k=chance.randint(1, 8))
        }
        words = " ".join(chance.choice(["a", "bc", "d\n\ne", "😀"]) for _ in range(size))
        found = resolved(
            words, *([span] for span in sorted(spans) if span[1] <= len(words.split()))
        )
        drawn = reader.js(
            f"""corelax.render({json.dumps(page_data(found))}), [...document.querySelectorAll("sup")]
              .forEach(s => s.remove()), [text.textContent, Object.entries(Object.groupBy(
              document.querySelectorAll(".mention"), m => m.dataset.e))
              .map(([e, pieces]) => [Number(e), pieces.map(m => m.textContent).join("")])]"""
        )
        without = re.compile(r"\s+")
        assert without.sub("", drawn[0]) == without.sub("", found.text)
        assert {e: without.sub("", text) for e, text in drawn[1]} == {
            m.entity: without.sub("", m.text) for m in found.mentions
        }


def test_mentions_without_words_stand_where_they_are(reader: Reader) -> None:
    zeros = [Decision(Span(n, n, empty=(1,)), 0, None, 1, 1, 1) for n in (0, 1, 2)]
    reader.open(resolution_of(Document(id="d", words=("a", "b")), zeros))
    assert reader.js("text.innerText") == "∅1 a ∅1 b ∅1"


def test_several_texts_are_shown_one_at_a_time(reader: Reader) -> None:
    reader.open(story(), resolved("x y", [(0, 1), (1, 2)], id="second"))
    assert reader.js("[...which.options].map(o => o.text)") == ["story", "second"]
    reader.js("which.value = 1; which.dispatchEvent(new Event('change'))")
    assert reader.mentions("entity-0") == ["x", "y"]
    documents = read(reader.save("jsonlines"))
    assert [document.key for document in documents] == ["story", "second"]


def test_what_as_dict_gives_is_enough_to_be_shown(reader: Reader) -> None:
    second = resolved("x y", [(0, 1), (1, 2)])
    reader.open(story()).js(f"corelax.render({json.dumps(second.as_dict())})")
    assert reader.mentions("entity-0") == ["x", "y"]
    [document] = read(reader.save("jsonlines"))
    assert document.words == ("x", "y")


def test_empty_text_says_so(reader: Reader) -> None:
    reader.open(resolved(" \n "))
    assert "no words" in reader.js("text.textContent")


def test_without_script_the_text_can_be_read(reader: Reader) -> None:
    reader.tab.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        (reader.folder / "page.html").write_text(resolutions_html([story()]))
        reader.tab.open(reader.folder / "page.html")
    finally:
        reader.tab.call("Emulation.setScriptExecutionDisabled", value=False)
    shown = " ".join(reader.js("document.body.innerText").split())
    assert "Ann fed her dog . Then it ate . Bo saw them . She laughed ." in shown
    assert "Ann: 3 mentions" in shown
