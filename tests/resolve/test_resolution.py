from __future__ import annotations

import json
import pickle
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corelax.core.errors import CorelaxError
from corelax.decode import Decided, Decision
from corelax.document import Document, EmptyId, Span
from corelax.document.clustering import Clustering
from corelax.resolve import Resolution, resolution_of
from corelax.text import document_of

TEXT = "Her dog barked.\nAnn\nLee fed it; she laughed."
OFFSETS = ((0, 3), (4, 7), (8, 14), (14, 15), (16, 19), (20, 23), (24, 27), (28, 30), (30, 31),
           (32, 35), (36, 43), (43, 44))  # fmt: skip
DOC = Document(
    id="d",
    words=tuple(TEXT[start:end] for start, end in OFFSETS),
    layers={"offsets": OFFSETS},
    clusters=Clustering([[Span(2, 3)]]),
)
# In no order: two entities, numbered 40 and 7; positions of antecedents are those of this list.
DECISIONS = [
    Decision(Span(9, 10), 7, 3, 0.98, 0.6, 0.5),
    Decision(Span(0, 2), 40, None, 0.9, 0.8, 1.0),
    Decision(Span(7, 8), 40, 1, 0.7, 0.66666666, 0.2),
    Decision(Span(4, 6), 7, 4, 1.0, 0.3, 0.6),
    Decision(Span(0, 1), 7, None, 0.99, 0.95, 1.0),
]


@pytest.fixture
def found() -> Resolution:
    return resolution_of(DOC, DECISIONS, TEXT)


def test_mentions_are_in_the_order_of_the_text_with_outer_ones_first(found: Resolution) -> None:
    assert [m.text for m in found.mentions] == ["Her dog", "Her", "Ann\nLee", "it", "she"]
    assert [(m.start, m.end) for m in found.mentions] == [
        (0, 7), (0, 3), (16, 23), (28, 30), (32, 35),
    ]  # fmt: skip


def test_entities_are_numbered_by_their_first_mention(found: Resolution) -> None:
    assert [m.entity for m in found.mentions] == [0, 1, 1, 0, 1]
    assert [[m.text for m in e.mentions] for e in found.entities] == [
        ["Her dog", "it"], ["Her", "Ann\nLee", "she"],
    ]  # fmt: skip
    assert found.clusters == [[(0, 7), (28, 30)], [(0, 3), (16, 23), (32, 35)]]


def test_the_probability_of_an_entity_is_the_mean_of_its_mentions(found: Resolution) -> None:
    assert [e.probability for e in found.entities] == pytest.approx([0.6, 0.7])


def test_printed_it_is_one_line_for_each_entity(found: Resolution) -> None:
    assert str(found).splitlines() == [
        "Her dog: Her dog [0:7], it [28:30]",
        "Ann Lee: Her [0:3], Ann Lee [16:23], she [32:35]",
    ]


def test_without_a_text_words_are_joined_by_blanks() -> None:
    plain = resolution_of(DOC, DECISIONS)
    assert plain.text == "Her dog barked . Ann Lee fed it ; she laughed ."
    assert [m.text for m in plain.mentions] == ["Her dog", "Her", "Ann Lee", "it", "she"]
    offsets = plain.document.layers["offsets"]
    assert [plain.text[start:end] for start, end in offsets] == list(DOC.words)


def test_json_has_characters_words_and_rounded_probabilities(found: Resolution) -> None:
    result = json.loads(json.dumps(found.as_dict()))
    assert (result["id"], result["text"]) == ("d", TEXT)
    assert result["tokens"][4] == {"text": "Ann", "start": 16, "end": 19}
    dog, ann = result["entities"]
    assert (ann["representative"], ann["probability"]) == ("Ann\nLee", 0.7)
    assert dog["mentions"][1] == {
        "id": 3,
        "text": "it",
        "start": 28,
        "end": 30,
        "start_token": 7,
        "end_token": 8,
        "antecedent": 0,
        "antecedents": [],
        "probability": 0.7,
        "link_probability": 0.6667,
        "entity_probability": 0.2,
    }


def test_printed_it_cannot_drive_the_terminal() -> None:
    text = "\x1b]0;title\x07 it"
    doc = Document(id="d", words=(text[:-3], "it"), layers={"offsets": ((0, 10), (11, 13))})
    decisions = [Decision(Span(0, 1), 0, None, 1, 1, 1), Decision(Span(1, 2), 0, 0, 1, 1, 1)]
    found = resolution_of(doc, decisions, text)
    assert str(found) == "]0;title: ]0;title [0:10], it [11:13]"


def test_a_text_without_words_has_no_entities() -> None:
    empty = resolution_of(
        Document(id="d", words=(), sentence_starts=(), layers={"offsets": ()}), [], "\n"
    )
    assert (str(empty), empty.clusters, empty.as_dict()["entities"]) == ("", [], [])


def test_a_mention_of_no_word_is_before_its_next_word_or_at_the_end() -> None:
    zeros = [
        Decision(Span(n, n, empty=(EmptyId(0, n, 1),)), 0, None, 1.0, 1.0, 1.0) for n in (6, 12)
    ]
    found = resolution_of(DOC, zeros, TEXT)
    assert found.clusters == [[(24, 24), (44, 44)]]


@pytest.mark.parametrize(
    ("decisions", "message"),
    [
        ([DECISIONS[1], DECISIONS[1]], r"mention \(0, 2\) is decided twice"),
        ([Decision(Span(9, 13), 0, None, 1, 1, 1)], "outside the 12 words"),
        ([replace(DECISIONS[1], antecedent=5)], "there is no decision 5"),
        ([replace(DECISIONS[1], antecedent=0)], "another of the same entity"),
        ([DECISIONS[1], replace(DECISIONS[4], antecedent=0)], "another of the same entity"),
    ],
)
def test_decisions_that_cannot_be_are_errors(decisions: list[Decision], message: str) -> None:
    with pytest.raises(CorelaxError, match=message):
        resolution_of(DOC, decisions, TEXT)


def test_a_text_needs_offsets_that_fit() -> None:
    with pytest.raises(CorelaxError, match="needs the layer offsets"):
        resolution_of(replace(DOC, layers={}), DECISIONS, TEXT)
    with pytest.raises(CorelaxError, match="do not fit"):
        resolution_of(DOC, DECISIONS, TEXT[:-1])


@pytest.mark.parametrize(
    ("words", "mentions", "chosen"),
    [
        ("She met Ann Lee . Ann left .", [(0, 1), (2, 4), (5, 6)], "Ann Lee"),  # the longer name
        (
            "The old king slept . Ned snored .",
            [(0, 3), (5, 6)],
            "Ned",
        ),  # a name before a longer noun
        ("The dog saw the big dog .", [(0, 2), (3, 6)], "the big dog"),  # "The" makes no name
        ("Dogs bark at dogs that bite .", [(0, 1), (3, 6)], "dogs that bite"),  # a sentence begins
        ("I like me and myself .", [(0, 1), (2, 3), (4, 5)], "I"),  # nothing but pronouns
        ("It saw this and the cat .", [(0, 1), (2, 3), (4, 6)], "the cat"),
        ("the country : US , it", [(0, 2), (3, 4), (5, 6)], "US"),  # no pronoun
        ("the city of The Hague", [(0, 5), (3, 5)], "The Hague"),
        ("a rocket named Apollo 11", [(0, 5), (3, 5)], "Apollo 11"),
        ("Ann 's dog and Rex", [(0, 3), (4, 5)], "Rex"),  # a name inside does not make one
        ("一 只 狗 和 它", [(4, 5), (0, 3)], "一 只 狗"),  # no capitals: the longest
    ],
)
def test_an_entity_is_called_by_a_name_then_a_noun_then_a_pronoun(
    words: str, mentions: list[tuple[int, int]], chosen: str
) -> None:
    doc = Document(id="d", words=tuple(words.split()))
    decisions = [Decision(Span(*span), 0, None, 1.0, 1.0, 1.0) for span in mentions]
    [entity] = resolution_of(doc, decisions).entities
    assert entity.representative.text == chosen


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[ Pierre Curie , who taught at a school in the city ] , knew that [ he ] was late", "Pierre Curie"),
        ("[ Pierre Curie , who taught ] , and [ Pierre ] 's wife", "Pierre Curie"),
        ("[ Dr. Amara Okafor , a surgeon ] , and [ Okafor ] and [ Dr. Okafor ]", "Dr. Amara Okafor"),
        ("[ Ann Lee 's ] dog saw [ Ann ] and [ her ]", "Ann Lee"),
        ("[ President Barack Obama ] is [ Barack Obama ] is [ Obama ]", "Barack Obama"),
        ("[ Mr. Macron ] is [ Macron ]", "Mr. Macron"),
        ("[ Jane Fairfax Weston ] , [ Jane Fairfax ] , [ Jane Fairfax ]", "Jane Fairfax"),
        ("[ The bridge , which was built in 1890 ] , is old . [ It ] fell .", "The bridge"),
        ("[ The bridge , which was built in 1890 ] , is [ the old bridge ]", "the old bridge"),
        ("[ The king , 74 ] , smiled . [ He ] sat .", "The king"),
        ("[ Washington , D.C. ] is far . [ It ] is big .", "Washington , D.C."),
        ("[ the old , tired man ] saw [ himself ]", "the old , tired man"),
        ("They [ were ] late . [ That ] was bad , and [ it ] hurt .", "That"),
        ("We [ grounded ] him . [ It ] helped .", "It"),
        ("[ water ] is wet . [ It ] flows .", "water"),
        ("[ The United Nations ] and [ the UN 's ] vote", "The United Nations"),
        ("[ Acme 's ] boss left [ the company ]", "Acme"),
    ],
)  # fmt: skip
def test_the_name_of_an_entity_is_short(text: str, name: str) -> None:
    words: list[str] = []
    decisions: list[Decision] = []
    for token in text.split():
        if token == "[":
            start = len(words)
        elif token == "]":
            decisions.append(Decision(Span(start, len(words)), 0, None, 1.0, 1.0, 1.0))
        else:
            words.append(token)
    resolution = resolution_of(Document(id="d", words=tuple(words)), decisions)
    assert resolution.entities[0].name == name
    assert resolution.as_dict()["entities"][0]["representative"] == name


probabilities = st.floats(0, 1)


@st.composite
def decided(draw: st.DrawFn) -> tuple[Document, str, list[Decision]]:
    """A text of words and gaps with some mentions, each linked to an earlier one of its entity or to none."""
    words = draw(st.lists(st.text("aAé狗<&", min_size=1, max_size=4), min_size=1, max_size=9))
    text, offsets = "", []
    for word in words:
        text += draw(st.sampled_from(["", " ", "\n", "\r\n\t"]))
        offsets.append((len(text), len(text) + len(word)))
        text += word
    doc = Document(id="d", words=tuple(words), layers={"offsets": tuple(offsets)})
    spans = st.tuples(st.integers(0, len(words) - 1), st.integers(1, 4)).map(
        lambda pair: Span(pair[0], min(pair[0] + pair[1], len(words)))
    )
    decisions: list[Decision] = []
    for span in draw(st.lists(spans, unique=True, max_size=8)):
        entity = draw(st.integers(0, 3))
        same = [i for i, decision in enumerate(decisions) if decision.entity == entity]
        antecedent = draw(st.sampled_from([None, *same]))
        three = draw(st.tuples(probabilities, probabilities, probabilities))
        decisions.append(Decision(span, entity, antecedent, *three))
    return doc, text, decisions


@given(decided(), st.randoms())
def test_neither_order_nor_numbering_of_decisions_matters(
    case: tuple[Document, str, list[Decision]], random: Random
) -> None:
    doc, text, decisions = case
    order = list(range(len(decisions)))
    random.shuffle(order)
    place = {old: new for new, old in enumerate(order)}
    shuffled = [
        replace(
            d,
            entity=99 - d.entity,
            antecedent=None if d.antecedent is None else place[d.antecedent],
        )
        for d in (decisions[old] for old in order)
    ]
    assert resolution_of(doc, shuffled, text) == resolution_of(doc, decisions, text)


@given(decided())
def test_a_resolution_says_what_was_decided(case: tuple[Document, str, list[Decision]]) -> None:
    doc, text, decisions = case
    found = resolution_of(doc, decisions, text)
    assert resolution_of(found.document, found.mentions, text) == found
    by_span = {d.span: d for d in decisions}
    for mention in found.mentions:
        decision = by_span.pop(mention.span)
        assert text[mention.start : mention.end] == mention.text
        # Characters and words agree once all that is between words is gone.
        assert "".join(mention.text.split()) == "".join(doc.words[slice(*mention.span[:2])])
        linked = None if mention.antecedent is None else found.mentions[mention.antecedent].span
        wanted = None if decision.antecedent is None else decisions[decision.antecedent].span
        assert linked == wanted
        assert mention in found.entities[mention.entity].mentions
    assert not by_span
    assert found.document.clusters == Clustering(
        [[d.span for d in decisions if d.entity == entity] for entity in range(4)]
    )
    assert all(e.representative in e.mentions for e in found.entities)


# What is made when it is asked for.


def decided_of(decisions):
    """Decisions as arrays, without likely antecedents."""
    columns = [
        [d.span.start for d in decisions],
        [d.span.end for d in decisions],
        [d.entity for d in decisions],
        [-1 if d.antecedent is None else d.antecedent for d in decisions],
        [d.probability for d in decisions],
        [d.link_probability for d in decisions],
        [d.entity_probability for d in decisions],
        [d.span.start for d in decisions],
    ]
    likely = np.zeros((len(decisions), 0, 2), np.int64), np.zeros((len(decisions), 0))
    return Decided(*map(np.array, columns), *likely)


def resolved_later():
    text = "Ann said she left.  Bo saw her."
    spans = [(0, 1), (2, 3), (5, 6), (7, 8)]
    decisions = [
        Decision(Span(*span), entity, antecedent, 0.9, 0.8, 0.7, head=span[0])
        for span, entity, antecedent in zip(spans, (4, 4, 9, 4), (None, 0, None, 1), strict=True)
    ]
    now = resolution_of(document_of(text), decisions)
    return resolution_of(document_of(text), decided_of(decisions)), now


def test_a_resolution_that_is_made_later_is_the_same():
    later, now = resolved_later()
    assert pickle.loads(pickle.dumps(later)) == now
    assert (later.text, later.clusters) == (now.text, now.clusters)
    assert later == now
    assert (later.as_dict(), str(later), repr(later)) == (now.as_dict(), str(now), repr(now))
    assert later.document == now.document
    assert hash(later) == hash(now)


def test_probabilities_that_are_computed_later_are_sent_as_numbers():
    decided = decided_of([Decision(Span(0, 1), 0, None, 0.9, 0.8, 0.7)])
    decided = decided._replace(entity_probability=lambda: np.array([0.4]))
    later = resolution_of(document_of("Ann left."), decided)
    sent = pickle.loads(pickle.dumps(later))
    assert sent.mentions[0].entity_probability == 0.4
    assert sent == later


def test_a_resolution_cannot_be_changed():
    for resolution in resolved_later():
        for name in ("text", "mentions", "colour"):
            with pytest.raises(AttributeError):
                setattr(resolution, name, None)
        with pytest.raises(AttributeError):
            del resolution.mentions


def test_offsets_that_do_not_fit_are_told_at_once():
    doc = Document(id="d", words=("Hi",), layers={"offsets": ((0, 9),)}, raw_text="Hi")
    with pytest.raises(CorelaxError, match="offsets do not fit"):
        resolution_of(doc, decided_of([]))
