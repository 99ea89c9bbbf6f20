"""Correcting and saving what the page of a resolution shows, by keys and mouse."""

from __future__ import annotations

import json
import random

from corelax.decode import Decision
from corelax.document import Document, Span
from corelax.io import read
from corelax.resolve import Resolution, resolution_of
from corelax.resolve.constraints import read_constraints
from tests.render.page_reader import ANN, BO, CLUSTERS, DOG, STORY, Reader, in_browser, story
from tests.render.shown_texts import resolved

pytestmark = in_browser


def test_merging_by_keys_only_and_undoing_it(reader: Reader) -> None:
    reader.open(story())
    reader.focus(1)  # her dog
    reader.tab.press("m")
    reader.tab.type("Bo")
    reader.tab.press("Enter")
    assert "Merged" in reader.status
    assert reader.clusters() == [CLUSTERS[0], CLUSTERS[1] | CLUSTERS[2]]
    reader.tab.press("Control+z")
    assert reader.clusters() == CLUSTERS
    reader.tab.press("Control+y")
    assert reader.clusters() == [CLUSTERS[0], CLUSTERS[1] | CLUSTERS[2]]


def test_merging_by_clicking_at_the_other(reader: Reader) -> None:
    reader.open(story())
    reader.tab.click(*reader.at(".mention[data-e='2']"))
    reader.js("[...document.querySelectorAll('#actions button')].at(-1).click()")
    reader.tab.click(*reader.at(".mention[data-e='1'][data-e]:not(:has(.mention))"))
    assert reader.clusters() == [CLUSTERS[0], CLUSTERS[1] | CLUSTERS[2]]


def test_a_mention_is_taken_out_of_its_entity(reader: Reader) -> None:
    reader.open(story())
    reader.focus(2)  # her
    reader.tab.press("t")
    assert reader.clusters() == [{(0, 1), (13, 14)}, CLUSTERS[1], {(2, 3)}, CLUSTERS[2]]


def test_an_entity_is_split_from_a_mention_on(reader: Reader) -> None:
    reader.open(story())
    reader.focus(2)
    reader.tab.press("s")
    assert reader.clusters() == [{(0, 1)}, CLUSTERS[1], {(2, 3), (13, 14)}, CLUSTERS[2]]


def test_a_mention_moves_to_another_entity(reader: Reader) -> None:
    reader.open(story())
    reader.focus(5)  # She
    reader.tab.press("l")
    reader.tab.type("Bo")
    reader.tab.press("Enter")
    assert reader.clusters() == [{(0, 1), (2, 3)}, CLUSTERS[1], {(9, 10), (13, 14)}]


def test_a_mention_is_removed_and_comes_back(reader: Reader) -> None:
    reader.open(story())
    reader.focus(3)  # it
    reader.tab.press("Delete")
    assert reader.clusters() == [CLUSTERS[0], {(2, 4)}, CLUSTERS[2]]
    reader.js("undo.click()")
    assert reader.clusters() == CLUSTERS


def test_words_are_added_by_keys_only(reader: Reader) -> None:
    reader.open(story())
    reader.focus(4)  # Bo
    reader.tab.press("Enter", "a", "ArrowRight", "Enter")
    assert reader.clusters() == [*CLUSTERS[:2], {(9, 10), (11, 12)}]
    reader.tab.press("Escape", "Escape")
    reader.focus(0)
    reader.tab.press("a", "ArrowRight", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "n")
    assert {(4, 6)} in reader.clusters()


def test_words_are_added_by_selecting_them(reader: Reader) -> None:
    reader.open(story())
    reader.tab.settle()
    boxes = reader.js(
        """(() => { const node = document.querySelectorAll(".text p")[1].firstChild;
        const range = document.createRange(); range.setStart(node, 4); range.setEnd(node, 8);
        const b = range.getBoundingClientRect(); return [b.left, b.right, b.top + b.height / 2]; })()"""
    )
    left, right, y = boxes
    mouse = {"button": "left", "clickCount": 1}
    reader.tab.call("Input.dispatchMouseEvent", type="mousePressed", x=left + 1, y=y, **mouse)
    reader.tab.call(
        "Input.dispatchMouseEvent", type="mouseMoved", x=right - 1, y=y, buttons=1, **mouse
    )
    reader.tab.call("Input.dispatchMouseEvent", type="mouseReleased", x=right - 1, y=y, **mouse)
    assert reader.tab.text_of("#card .name") == "“them”"
    reader.js("document.querySelector('#actions button').click()")
    assert reader.clusters() == [*CLUSTERS, {(11, 12)}]


def test_corrections_outlive_a_reload_and_can_be_undone_then(reader: Reader) -> None:
    reader.open(story())
    reader.focus(3)
    reader.tab.press("Delete")
    reader.tab.reload()
    assert reader.clusters() == [CLUSTERS[0], {(2, 4)}, CLUSTERS[2]]
    reader.tab.press("Control+z")
    assert reader.clusters() == CLUSTERS
    reader.tab.reload()
    assert reader.js("undo.disabled") is True


def test_any_edits_are_undone_to_what_was_there(reader: Reader) -> None:
    reader.open(story())
    before = reader.js("text.innerHTML.replace(/ tabindex=.[-0-9]+./g, '')")
    chance = random.Random(3)
    for _ in range(12):
        number = reader.js("document.querySelectorAll('.mention').length")
        reader.focus(chance.randrange(number))
        reader.tab.press(chance.choice(["t", "s", "Delete"]))
    for _ in range(12):
        if not reader.js("undo.disabled"):
            reader.js("undo.click()")
    reader.js("document.activeElement.blur()")
    after = "text.innerHTML.replace(/ tabindex=.[-0-9]+./g, '').replace(/ (here|lit|before|chosen)\\b/g, '')"
    assert reader.js(after) == before
    assert reader.clusters() == CLUSTERS


def test_letters_can_be_switched_off(reader: Reader) -> None:
    reader.open(story())
    reader.js("letters.checked = false")
    reader.focus(2)
    reader.tab.press("t", "s")
    assert reader.clusters() == CLUSTERS


def odd() -> Resolution:
    """A text with emoji, speakers, sentences, tags, nested and crossing mentions."""
    words = ("😀", "Ann", "’s", "big", "dog", "(", "he", ")", ".")
    doc = Document.from_sentences(
        "odd/name",
        [words[:5], words[5:]],
        part=2,
        layers={"speaker": ["Bo"] * 5 + [None] * 4, "pos": ["NN"] * 9, "own": [1, None, 2, 3, 4, 5, 6, 7, 8]},
    )  # fmt: skip
    spans = [[(1, 5), (6, 7)], [(1, 2), (3, 6)], [(4, 7)], [(0, 1)]]
    decisions: list[Decision] = []
    for entity, group in enumerate(spans):
        for at, span in enumerate(group):
            before = len(decisions) - 1 if at else None
            decisions.append(Decision(Span(*span), entity, before, 0.9, 0.9, 0.9))
    return resolution_of(doc, decisions)


def test_jsonlines_is_the_document(reader: Reader) -> None:
    found = odd()
    [document] = read(reader.open(found).save("jsonlines"))
    assert document == found.document


def test_conll_is_the_document_without_what_it_cannot_hold(reader: Reader) -> None:
    found = odd()
    [document] = read(reader.open(found).save("conll"))
    assert (document.id, document.part, document.words) == ("odd/name", 2, found.document.words)
    assert document.sentence_starts == found.document.sentence_starts
    assert document.layers == {name: found.document.layers[name] for name in ("speaker", "pos")}
    assert {frozenset(c) for c in document.clusters} == {
        frozenset(c) for c in found.document.clusters
    }


def test_constraints_hold_what_was_corrected_and_nothing_else(reader: Reader) -> None:
    text = "😀 " + STORY  # characters outside are code points
    shifted = [[(a + 1, b + 1) for a, b in spans] for spans in (ANN, DOG, BO)]
    reader.open(resolved(text, *shifted, id="story"))
    reader.focus(5)  # She moves to Bo
    reader.tab.press("l")
    reader.tab.type("Bo")
    reader.tab.press("Enter")
    reader.focus(3)
    reader.tab.press("Delete")  # it
    [constraints] = read_constraints(reader.save("constraints")).values()
    texts = [text[m.start : m.end] for m in constraints.mentions]
    assert texts == [m.text for m in constraints.mentions]
    together = {frozenset((texts[a], texts[b])) for a, b in constraints.must_link}
    apart = {frozenset((texts[a], texts[b])) for a, b in constraints.cannot_link}
    assert together == {frozenset(("Ann", "her")), frozenset(("Bo", "She"))}
    assert apart == {frozenset(("Ann", "Bo"))}
    assert [text[m.start : m.end] for m in constraints.removed] == ["it"]


def test_an_entity_is_copied_as_json_and_csv(reader: Reader) -> None:
    reader.open(resolved('a,b "c" a,b', [(0, 1), (2, 3)], [(1, 2)]))
    reader.js("window.copied = []; navigator.clipboard.writeText = async t => { copied.push(t); }")
    reader.tab.click(*reader.at(".mention"))
    reader.js("document.querySelectorAll('#detail .buttons button')[1].click()")
    reader.js("document.querySelectorAll('#detail .buttons button')[2].click()")
    record, table = reader.js("copied")
    assert [m["start"] for m in json.loads(record)["mentions"]] == [0, 8]
    assert table.splitlines()[1].startswith('"a,b","a,b",0,3,0,1,0.5')
