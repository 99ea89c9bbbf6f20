"""Which spans of parsed documents are mentions, and in which order."""

from __future__ import annotations

import pytest

from corelax import CorelaxError, Document, Span
from corelax.document import EmptyId
from corelax.rankers.sparse.mentions.analysis import Mention, in_order, one_per_head
from corelax.rankers.sparse.mentions.detect import analyse, detected, given
from corelax.text import document_of
from tests.rankers.sparse.mentions.mention_documents import mentions_in, parsed

# Candidates


def test_noun_phrases_and_pronouns_are_mentions() -> None:
    doc = parsed("He/PRP/(TOP(S(NP*) saw/VBD/(VP* her/PRP$/(NP* dogs/NNS/*))))")
    assert mentions_in(doc) == ["He", "her", "her dogs"]


def test_pronouns_are_mentions_outside_noun_phrases_too() -> None:
    doc = parsed("they/PRP/(TOP(X* ran/VBD/*))")
    assert mentions_in(doc) == ["they"]


def test_there_and_bare_demonstratives_are_mentions_and_questions_are_none() -> None:
    doc = parsed("There/EX/(TOP(S(NP*) is/VBZ/(VP* that/DT/(NP*))))", "who/WP/(TOP(WHNP*))")
    assert mentions_in(doc) == ["There", "that"]


@pytest.mark.parametrize("label", ["NX", "NML", "QP", "WHNP", "NP-SBJ"])
def test_other_labels_are_no_mentions(label: str) -> None:
    assert mentions_in(parsed(f"dogs/NNS/(TOP({label}*) bark/VBP/(VP*))")) == []


@pytest.mark.parametrize("type", ["CARDINAL", "QUANTITY", "PERCENT"])
def test_an_amount_is_no_mention_but_its_noun_phrase_is(type: str) -> None:
    doc = parsed("two/CD/(TOP(S(NP* dogs/NNS/*) bark/VBP/(VP*)))", names=f"({type}) * *")
    assert mentions_in(doc) == ["two dogs"]


def test_noun_phrases_and_pronouns_inside_a_name_are_dropped() -> None:
    doc = parsed(
        "My/PRP$/(TOP(S(NP(NP* Life/NNP/*) in/IN/(PP* Art/NNP/(NP*))) sold/VBD/(VP*)))",
        names="(WORK_OF_ART* * * *) *",
    )
    assert mentions_in(doc) == ["My Life in Art"]


def test_a_name_need_not_be_a_phrase() -> None:
    doc = parsed("the/DT/(TOP(S(NP* Oslo/NNP/* fire/NN/*) ended/VBD/(VP*)))", names="* (GPE) * *")
    assert mentions_in(doc) == ["Oslo", "the Oslo fire"]


# Possessives


def test_a_name_takes_its_possessive_mark() -> None:
    doc = parsed("Tom/NNP/(TOP(NP(NP* 's/POS/*) car/NN/*))", names="(PERSON) * *")
    assert mentions_in(doc) == ["Tom 's", "Tom 's car"]


def test_a_curly_possessive_mark_is_not_taken() -> None:
    doc = parsed("Tom/NNP/(TOP(NP(NP* ’s/POS/*) car/NN/*))", names="(PERSON) * *")
    # The noun phrase around it is larger than the name, so it is kept instead.
    assert mentions_in(doc) == ["Tom ’s", "Tom ’s car"]
    doc = parsed("Tom/NNP/(TOP(NP(X* ’s/POS/*) car/NN/*))", names="(PERSON) * *")
    assert "Tom ’s" not in mentions_in(doc)


def test_the_type_of_a_name_does_not_reach_over_its_possessive_mark() -> None:
    doc = parsed("Tom/NNP/(TOP(NP* 's/POS/*))", names="(PERSON) *")
    assert analyse(doc).names == ("PERSON", "O")


# One for a head


def test_of_one_head_the_largest_is_kept() -> None:
    doc = parsed("the/DT/(TOP(S(NP(NP* man/NN/*) from/IN/(PP* Oslo/NNP/(NP*))) left/VBD/(VP*)))")
    assert mentions_in(doc) == ["the man from Oslo", "Oslo"]


def test_what_an_apposition_explains_is_kept_too() -> None:
    doc = parsed("Tom/NNP/(TOP(S(NP(NP*) ,/,/* a/DT/(NP* cook/NN/*)) left/VBD/(VP*)))")
    assert mentions_in(doc) == ["Tom", "Tom , a cook", "a cook"]


def test_the_first_of_a_coordination_is_kept_too() -> None:
    doc = parsed("Tom/NNP/(TOP(S(NP(NP*) and/CC/* Ann/NNP/(NP*)) left/VBD/(VP*)))")
    assert mentions_in(doc) == ["Tom", "Tom and Ann", "Ann"]


def test_the_end_of_a_sentence_is_not_followed_by_the_next_one() -> None:
    """A conjunction that begins the next sentence rescues nothing."""
    doc = parsed(
        "President/NN/(TOP(NP* Tom/NNP/* Reed/NNP/*))",
        "And/CC/(TOP(S* he/PRP/(NP*) left/VBD/(VP*)))",
        names="* (PERSON* *) * * *",
    )
    assert mentions_in(doc) == ["President Tom Reed", "he"]


def test_of_crossing_spans_the_first_stays() -> None:
    candidates = [Mention(0, 1, 4, 2, 2), Mention(0, 0, 3, 2, 2)]
    assert one_per_head(candidates, ["X"] * 5, [0] * 5) == (Mention(0, 0, 3, 2, 2),)


def test_a_span_that_contains_the_one_so_far_takes_its_place() -> None:
    spans = [(0, 2), (0, 4), (1, 5)]
    candidates = [Mention(0, a, b, 1, 1) for a, b in spans]
    for order in (candidates, candidates[::-1]):
        assert one_per_head(order, ["X"] * 6, [0] * 6) == (Mention(0, 0, 4, 1, 1),)


def test_a_crossing_span_before_a_comma_is_rescued() -> None:
    candidates = [Mention(0, 0, 3, 2, 2), Mention(0, 1, 4, 2, 2)]
    tags = ["X", "X", "X", "X", ","]
    assert [m[1:3] for m in one_per_head(candidates, tags, [0] * len(tags))] == [(0, 3), (1, 4)]


def test_the_same_span_from_two_sources_counts_once() -> None:
    doc = parsed("He/PRP/(TOP(NP(NP*)))")
    assert mentions_in(doc) == ["He"]


def test_mentions_are_sorted_by_sentence_head_end_and_start() -> None:
    order = [
        Mention(0, 2, 3, 2, 2),
        Mention(0, 1, 5, 2, 2),
        Mention(0, 2, 5, 2, 2),
        Mention(0, 0, 4, 3, 3),
        Mention(1, 6, 7, 6, 6),
    ]
    assert in_order(order[::-1]) == tuple(order)


# Given mentions


def test_annotated_spans_get_heads_and_order() -> None:
    doc = parsed("the/DT/(TOP(S(NP(NP* man/NN/*) from/IN/(PP* Oslo/NNP/(NP*))) left/VBD/(VP*)))")
    spans = [Span(3, 4), Span(0, 4), Span(0, 2), Span(0, 4)]
    expected = (Mention(0, 0, 2, 1, 1), Mention(0, 0, 4, 1, 1), Mention(0, 3, 4, 3, 3))
    assert given(analyse(doc), spans) == expected


def test_spans_over_the_end_of_a_sentence_are_left_out() -> None:
    doc = parsed("dogs/NNS/(TOP(NP*))", "cats/NNS/(TOP(NP*))")
    assert given(analyse(doc), [Span(0, 2), Span(1, 2)]) == (Mention(1, 1, 2, 1, 1),)


def test_discontinuous_spans_and_empty_nodes_are_left_out() -> None:
    doc = parsed("old/JJ/(TOP(NP* dogs/NNS/* here/RB/*))")
    spans = [Span(0, 3, parts=((0, 1), (2, 3))), Span(1, 1, empty=(EmptyId(0, 1, 1),)), Span(0, 1)]
    assert [m[1:3] for m in given(analyse(doc), spans)] == [(0, 1)]


def test_a_document_of_words_alone_cannot_be_searched_for_mentions() -> None:
    doc = Document(id="lit/x", words=("Ann", "slept"), part=2)
    with pytest.raises(CorelaxError, match=r"document lit/x_2: .*mentions=gold"):
        detected(analyse(doc))
    assert given(analyse(doc), [Span(0, 1)]) == (Mention(0, 0, 1, 0, 0),)


def test_a_document_without_words_has_no_mentions() -> None:
    assert detected(analyse(Document(id="d", words=(), sentence_starts=()))) == ()


def test_trees_win_over_dependencies_and_both_over_tags() -> None:
    layers = {"pos": ("PRP", "VBD"), "head": (1, -1), "relation": ("nsubj", "root")}
    doc = Document(id="d", words=("he", "ran"), layers=layers)
    assert analyse(doc).governors == (1, -1)
    with_tree = Document(id="d", words=("he", "ran"), layers={**layers, "parse": ("(X*)", "(Y*)")})
    assert analyse(with_tree).governors == (1, -1)
    turned = {**layers, "parse": ("(TOP(VP*)", "(NP*))")}
    assert analyse(Document(id="d", words=("he", "ran"), layers=turned)).governors == (-1, 0)


def test_speakers_are_those_of_the_tokens() -> None:
    doc = parsed("he/PRP/(TOP(NP*) ran/VBD/*)", speakers="Ann -")
    assert analyse(doc).speakers == ("Ann", "-")


def test_a_speaker_of_several_words_is_one_word_as_for_other_documents() -> None:
    layers = {"pos": ("PRP",), "parse": ("(TOP(NP*))",), "speaker": ("Bob Lee",)}
    assert analyse(Document(id="d", words=("he",), layers=layers)).speakers == ("Bob_Lee",)


def test_raw_text_is_told_from_an_annotated_file_without_trees() -> None:
    with pytest.raises(
        CorelaxError, match="for raw text take a model that reads it, such as small"
    ):
        detected(analyse(document_of("Ann left.", "a.txt")))
