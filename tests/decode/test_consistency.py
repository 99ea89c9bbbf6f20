"""Entities that do not contradict themselves: laws of decoding under claims, and what words claim."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax.decode import best_antecedents
from corelax.decode.arrays import entity_numbers
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
    entities = entity_numbers(links).tolist()
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
    if not claims.clashing(entity_numbers(plain).tolist()):
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
    entities = entity_numbers(best_antecedents(scores, must_link=pairs, claims=claims)).tolist()
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
