"""Entities that do not contradict themselves: laws of decoding under claims, and what words claim."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax.decode.antecedents import best_antecedents, entities_of_links
from corelax.document import Document
from corelax.english.claims import Claims, claims_of

enough = settings(deadline=None, max_examples=100)
INF = torch.inf


@st.composite
def claimed(draw, size=None):
    """Claims of mentions with four bits; nobody refuses what he claims."""
    size = draw(st.integers(0, 9)) if size is None else size
    bits = st.lists(st.integers(0, 15), min_size=size, max_size=size)
    made = draw(bits)
    return Claims(made, [r & ~m for m, r in zip(made, draw(bits), strict=True)])


@st.composite
def documents(draw):
    """[mention, mention] scores with ties, and claims."""
    claims = draw(claimed())
    size = len(claims.made)
    flat = draw(st.lists(st.integers(-2, 3), min_size=size**2, max_size=size**2))
    return torch.tensor(flat, dtype=torch.float32).view(size, size), claims


def as_candidates(scores):
    """The same scores as a ranker gives them: all earlier mentions in reversed order, "new" first."""
    size = len(scores)
    table = torch.full((size, 1 + size), -INF)
    antecedents = torch.zeros(size, size, dtype=torch.long)
    for i in range(size):
        table[i, 0] = scores[i, i]
        for at, j in enumerate(reversed(range(i))):
            table[i, 1 + at], antecedents[i, at] = scores[i, j], j
    return table, antecedents


@given(case=documents())
@enough
def test_no_entity_clashes(case):
    scores, claims = case
    links = best_antecedents(scores, claims=claims)
    assert all(j <= i for i, j in enumerate(links))
    entities = entities_of_links(links)
    for i, a in enumerate(entities):
        for j, b in enumerate(entities):
            assert a != b or not claims.made[i] & claims.refused[j]


@given(case=documents())
@enough
def test_links_that_make_no_clash_are_those_without_claims(case):
    scores, claims = case
    plain = best_antecedents(scores)
    nothing = Claims([0] * len(scores), claims.refused)
    assert best_antecedents(scores, claims=nothing) == plain
    if not claims.clashing(entities_of_links(plain)):
        assert best_antecedents(scores, claims=claims) == plain


@given(case=documents())
@enough
def test_candidates_and_the_table_of_all_pairs_give_the_same_links(case):
    scores, claims = case
    assert best_antecedents(*as_candidates(scores), claims=claims) == best_antecedents(
        scores, claims=claims
    )


@given(case=documents(), data=st.data())
@enough
def test_what_must_be_linked_is_linked_whatever_is_claimed(case, data):
    scores, claims = case
    number = st.integers(0, max(0, len(scores) - 1))
    pairs = data.draw(st.lists(st.tuples(number, number), max_size=4)) if len(scores) else []
    entities = entities_of_links(best_antecedents(scores, must_link=pairs, claims=claims))
    assert all(entities[a] == entities[b] for a, b in pairs)
    free = [i for i in range(len(scores)) if all(i not in pair for pair in pairs)]
    for i in free:
        for j in free:
            assert entities[i] != entities[j] or not claims.made[i] & claims.refused[j]


def test_the_weak_link_breaks_wherever_it_is():
    # he <- Sam <- she: Sam is surely "she", and only perhaps "he".
    scores = torch.tensor([[0.0, 0, 0], [0.5, 0, 0], [0, 5.0, 0]])
    he_sam_she = Claims([1, 0, 2], [2, 0, 1])
    assert best_antecedents(scores, claims=he_sam_she) == [0, 1, 1]


def test_one_who_contradicts_many_gives_way():
    # she <- she <- he: that "he" is the second "she" is surer than that both "she" are one.
    scores = torch.tensor([[0.0, 0, 0], [1, 0, 0], [0, 5.0, 0]])
    she_she_he = Claims([2, 2, 1], [1, 1, 2])
    assert best_antecedents(scores, claims=she_she_he) == [0, 0, 2]


def test_a_speaker_is_joined_to_the_name():
    # Ann : I came . Bo : I did .
    words = "Ann : I came . Bo : I did .".split()
    speakers = ["-", "-", *["Ann"] * 3, "-", "-", *["Bo"] * 3]
    doc = Document(id="d", words=tuple(words), layers={"speaker": tuple(speakers)})
    claims = claims_of(doc, [(0, 1), (2, 3), (5, 6), (7, 8)])
    # Bo's "I" prefers Ann's, which cannot be; Ann's "I" would be new.
    scores = torch.tensor([[0.0, 0, 0, 0], [-9, 0, 0, 0], [-9, -9, 0, 0], [-9, 3, -9, 0]])
    assert best_antecedents(scores, claims=claims) == [0, 0, 2, 2]


# What words claim.


def spans_of(text):
    """Mentions in brackets: the document without them, and the spans."""
    words, spans, opened = [], [], []
    for token in text.split():
        if token == "[":
            opened.append(len(words))
        elif token == "]":
            spans.append((opened.pop(), len(words)))
        else:
            words.append(token)
    return words, spans


def clash(text, speakers=None):
    words, spans = spans_of(text)
    layers = {} if speakers is None else {"speaker": tuple(speakers)}
    claims = claims_of(Document(id="d", words=tuple(words), layers=layers), spans)
    return claims.clash(range(len(spans)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[ He ] saw [ her ]", True),
        ("[ He ] saw [ himself ] and [ his ] dog", False),
        ("[ Mrs. Dalloway ] knew [ him ]", True),
        ("[ Mr. Li ] knew [ himself ]", False),
        ("[ King George III ] and [ the queen ]", True),
        ("[ her old father 's ] house was [ hers ]", True),
        ("[ Mr. and Mrs. Li ] and [ her ]", False),  # two people
        ("[ the king 's daughter ] and [ she ]", False),  # not the king
        ("[ the man of the house ] and [ she ]", False),  # it is not looked into
        ("[ Mr. Woodhouse ] met [ Mr. Knightley ]", True),
        ("[ Mr. George Knightley ] or [ Mr. Knightley ] or [ Knightley ]", False),
        ("[ Miss Jane ] is [ Miss Bennet ]", False),  # given name and surname
        ("[ Dr. Li ] told [ her ] and [ him ]", True),
        ("[ Dr. Li ] told [ her ]", False),
        ("[ she ] and [ they ] and [ it ]", False),
        ("[ Alice ] gave [ him ] the keys", True),
        ("[ Alice 's ] keys were [ hers ]", False),
        ("[ Alice Munro ] met [ Peter ]", True),
        ("[ Alice ] or [ Alice Munro ] or [ Munro ] or [ she ]", False),
        ("[ Kim ] saw [ him ] and [ Robin ] saw [ him ]", False),  # of either gender
        ("[ Henry Rose ] was [ Rose ] , and [ he ]", False),  # here a surname
        ("[ Rose ] saw [ him ]", True),
        ("[ Evelyn Waugh ] was [ he ]", False),  # of either gender in older texts
        ("[ Nelson ] saw [ her ]", False),  # often a surname
        ("[ Nelson Mandela ] saw [ her ]", True),
        ("[ Mrs. James ] was [ she ]", False),
        ("[ Henry Ford ] had [ George ]", True),
        ("[ Prince Henry ] met [ Prince George ]", True),
        ("[ Dr. Howard Archie ] is [ Dr. Archie ]", False),
        ("[ Henry ] or [ Henry Ford ] or [ Mr. Henry Ford ] or [ Mr. Ford ]", False),
        ("[ Elizabeth ] or [ Beth ] or [ Liz ]", False),
        ("[ William Gates ] is [ Bill ]", False),
        ("[ Kim Rose ] and [ Rose ] and [ Alice ]", False),  # here a surname
        ("[ Miss Julia ] or [ Julia ] saw [ him ]", True),  # still a given name
        ("[ Anna Nelson ] and [ Nelson ] and [ she ]", False),
        ("[ the alice ] was [ his ]", False),  # no name
        ("[ Alice and Peter ] saw [ him ]", False),
    ],
)
def test_people_who_cannot_be_the_same(text, expected):
    assert clash(text) == expected


@pytest.mark.parametrize(
    ("text", "speakers", "expected"),
    [
        ("[ I ] am . [ I ] am .", "AAABBB", True),
        ("[ I ] am . [ My ] dog .", "AAAAAA", False),
        ("[ I ] like [ you ] .", "AAAA", True),
        ("[ I ] am . [ You ] are .", "AAABBB", False),
        ("[ You ] are . [ You ] are .", "AAABBB", True),  # of two people, each is the other
        ("[ You ] are . [ You ] are . So", "AAABBBC", False),
        ("[ I ] am . [ you ] are .", [None] * 6, False),
        ("[ I ] am . [ you ] are .", "------", False),  # nobody is written "-"
        ("[ we ] are . [ we ] are .", "AAABBB", False),
        ("[ Ann ] : [ I ] came", ["-", "-", "Ann Lee", "Ann Lee"], False),
    ],
)
def test_speakers_are_told_apart(text, speakers, expected):
    assert clash(text, speakers) == expected


def test_the_name_of_a_speaker_is_that_speaker():
    speakers = ["-", "-", "Ann Lee", "Ann Lee", "-", "-", "Dr. Bo Lee", "Dr. Bo Lee"]
    assert clash("Ann : [ I ] came [ Bo ] : Me too", speakers)
    assert clash("[ Ann Lee ] I came Bo : [ Me ] too", speakers)
    assert not clash("Ann : I came [ Bo ] : [ I ] did", speakers)
    assert not clash("[ Lee ] : [ I ] came Bo : Me too", speakers)  # the surname of both


def test_words_in_a_list_claim_the_same():
    words, spans = ["Mr.", "Li", "saw", "her"], [(0, 2), (3, 4)]
    listed = claims_of(Document(id="d", words=words), spans)
    assert listed == claims_of(Document(id="d", words=tuple(words)), spans)
    assert listed.clash([0, 1])
