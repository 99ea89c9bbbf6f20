"""Pair codes against plain Python for each pair, and packing against unpacking."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax import Document
from corelax.rankers.sparse.features import pair as module
from corelax.rankers.sparse.features.extract import Described, fit, table
from corelax.rankers.sparse.features.pair import PairCodes, code_values
from corelax.rankers.sparse.features.rows import feature_names
from corelax.rankers.sparse.features.settings import FEATURE_SETS, FeatureSettings
from corelax.rankers.sparse.mentions.lexicons import EMPTY
from tests.rankers.sparse.features.feature_documents import describe_gold, flat_document

several = settings(deadline=None, max_examples=60)
LT17 = FEATURE_SETS["lt17"]
VARIANTS = [
    replace(LT17, containment=containment, empty_speakers=empty)
    for containment, empty in product(("characters", "tokens"), (True, False))
]

words = st.sampled_from(["he", "He", "the", "The", "a", "ann", "Ann", "boblee", "lee", "ship", "-"])
speakers = st.sampled_from(["-", "Ann", "Bob_Lee", "ann", "B.", "X-1"])


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """A few sentences with random spans as mentions."""
    sentences = draw(st.lists(st.lists(words, min_size=1, max_size=5), min_size=1, max_size=14))
    spans, first = set(), 0
    for sentence in sentences:
        places = [
            (first + a, first + b)
            for a in range(len(sentence))
            for b in range(a + 1, len(sentence) + 1)
        ]
        spans |= set(draw(st.lists(st.sampled_from(places), max_size=3)))
        first += len(sentence)
    said_by = draw(st.lists(speakers, min_size=first, max_size=first))
    return flat_document("bc/x", sentences, sorted(spans) or [(0, 1)], said_by)


# Section 9 of the specification, one pair at a time, from nothing but the document.


def plain(name: str) -> str:
    return name.replace("-", "").replace("_", "").replace(".", "").lower()


def is_in(part: list[str], whole: list[str], settings: FeatureSettings) -> bool:
    if settings.containment == "characters":
        return " ".join(part) in " ".join(whole)
    return any(whole[k : k + len(part)] == part for k in range(len(whole) - len(part) + 1))


def slow(doc: Document, described: Described, i: int, j: int, settings: FeatureSettings) -> dict:
    (s_i, a_i, b_i, h_i, _), (s_j, a_j, b_j, h_j, _) = (
        described.mentions[k].mention for k in (i, j)
    )
    words, speaker = list(doc.words), doc.layers["speaker"]
    text_i, text_j, head_i, head_j = words[a_i:b_i], words[a_j:b_j], words[h_i], words[h_j]
    others = {plain(name) for name in speaker}
    if not settings.empty_speakers:
        others -= {""}
    others -= {plain(speaker[h_i])}
    inside = (a_i <= a_j and b_j <= b_i) or (a_j <= a_i and b_i <= b_j)
    truths = {
        "iwi": s_i == s_j and inside,
        "samespk": speaker[h_i] == speaker[h_j],
        "exact": " ".join(text_i).lower() == " ".join(text_j).lower(),
        "i_in_j": is_in(text_i, text_j, settings),
        "j_in_i": is_in(text_j, text_i, settings),
        "headmatch": head_i.lower() == head_j.lower(),
        "ihead_in_j": is_in([head_i], text_j, settings),
        "jhead_in_i": is_in([head_j], text_i, settings),
        "jhead_in_otherspk": any(head_j.lower() in name for name in others),
        "otherspk_in_jhead": any(name in head_j.lower() for name in others),
    }
    return {
        "dist": str(min(i - j, 10)),
        "sdist": str(min(s_i - s_j, 10)),
        **{name: "true" if truth else "false" for name, truth in truths.items()},
    }


def codes_of(described: Described, settings: FeatureSettings) -> PairCodes:
    return PairCodes(described.mentions, described.context.speakers, settings)


@given(doc=documents(), settings=st.sampled_from(VARIANTS))
@several
def test_codes_say_what_each_pair_is_like(doc: Document, settings: FeatureSettings) -> None:
    described = describe_gold(doc, settings)
    codes = codes_of(described, settings)
    rows = codes.rows(0, codes.size)
    assert rows.shape == (codes.size, codes.size)
    for i in range(codes.size):
        for j in range(i):
            assert code_values(int(rows[i, j])) == slow(doc, described, i, j, settings), (i, j)


@given(doc=documents(), at_once=st.sampled_from([1, 7, 40, 1 << 20]))
@several
def test_distinct_codes_and_their_numbers_give_back_every_pair(doc: Document, at_once: int) -> None:
    codes = codes_of(describe_gold(doc, LT17), LT17)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PAIRS_AT_ONCE", at_once)
        distinct, code_of_pair = codes.distinct()
    whole = codes.rows(0, codes.size)
    lower = [whole[i, j] for i in range(codes.size) for j in range(i)]
    assert distinct[code_of_pair].tolist() == lower
    assert len(set(distinct.tolist())) == len(distinct)
    assert set(lower) == set(distinct.tolist())


# Single cases


def pair(
    *texts: str, speakers: list[str] | None = None, settings: FeatureSettings = LT17
) -> dict[str, str]:
    """Two mentions that are sentences of their own, the second one being the current mention."""
    sentences = [text.split() for text in texts]
    spans, first = [], 0
    for sentence in sentences:
        spans.append((first, first + len(sentence)))
        first += len(sentence)
    names = None
    if speakers:
        names = [name for name, s in zip(speakers, sentences, strict=True) for _ in s]
    doc = flat_document("bc/x", sentences, spans, names)
    codes = codes_of(describe_gold(doc, settings), settings)
    return code_values(int(codes.rows(0, 2)[1, 0]))


def test_he_is_in_the_ship_by_characters_but_not_by_tokens() -> None:
    by_tokens = replace(LT17, containment="tokens")
    assert pair("the ship", "he")["i_in_j"] == "true"
    assert pair("the ship", "he")["ihead_in_j"] == "true"
    assert pair("the ship", "he", settings=by_tokens)["i_in_j"] == "false"
    assert pair("the ship", "he", settings=by_tokens)["ihead_in_j"] == "false"


def test_containment_minds_capital_letters_but_equality_does_not() -> None:
    assert pair("the ship", "He")["i_in_j"] == "false"
    found = pair("The Ship", "the ship")
    assert (found["exact"], found["headmatch"]) == ("true", "true")
    assert (found["i_in_j"], found["j_in_i"]) == ("false", "false")


def test_a_head_in_the_name_of_another_speaker() -> None:
    assert pair("Lee", "x", speakers=["Bob_Lee", "Ann"])["jhead_in_otherspk"] == "true"
    # Not if it is the name of i's own speaker:
    assert pair("Lee", "x", speakers=["Ann", "Bob_Lee"])["jhead_in_otherspk"] == "false"


def test_the_name_of_another_speaker_in_a_head() -> None:
    assert pair("xboblee", "x", speakers=["Bob_Lee", "Ann"])["otherspk_in_jhead"] == "true"
    assert pair("xboblee", "x", speakers=["Ann", "Bob_Lee"])["otherspk_in_jhead"] == "false"


def test_no_speaker_is_in_every_head_unless_empty_speakers_are_ignored() -> None:
    found = pair("ship", "x", speakers=["-", "Ann"])
    assert found["otherspk_in_jhead"] == "true"
    assert pair("ship", "x", speakers=["-", "-"])["otherspk_in_jhead"] == "false"
    ignoring = replace(LT17, empty_speakers=False)
    found = pair("ship", "x", speakers=["-", "Ann"], settings=ignoring)
    assert found["otherspk_in_jhead"] == "false"


def test_a_document_without_mentions_has_no_pairs() -> None:
    doc = flat_document("bc/x", [["it", "rained"]], [])
    codes, code_of_pair = codes_of(describe_gold(doc, LT17), LT17).distinct()
    assert (len(codes), len(code_of_pair)) == (0, 0)


def test_a_document_without_mentions_has_a_table_without_rows() -> None:
    full = flat_document("bc/x", [["ship", "ship"]], [(0, 1), (1, 2)])
    vocabulary, _ = fit([describe_gold(full, LT17)], LT17, EMPTY)
    found = table(describe_gold(flat_document("bc/y", [["so"]], []), LT17), vocabulary)
    assert found.size == 0
    assert found.features.shape == (0, 23)
    assert found.is_anaphoric.dtype == bool
    assert feature_names(found, vocabulary, pairs=True) == {
        "mentions": [],
        "phi_a": [],
        "pairs": {},
    }
