"""Decoding against back-pointers and most probable entities, and what constraints promise."""

import math

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from corelax import CorelaxError
from corelax.decode import best_antecedents, best_entities, best_links

enough = settings(deadline=None, max_examples=80)
each_decoder = pytest.mark.parametrize("decode", [best_links, best_entities])
INF = math.inf


def random_scores(n, seed):
    return torch.randn(n, n, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def prune(scores, places):
    scores = scores.clone()
    for i, j in places:
        if j < i < len(scores):
            scores[i, j] = -INF
    return scores


numbers = st.integers(0, 6)
pairs = st.lists(st.tuples(numbers, numbers), max_size=8)
documents = st.builds(
    prune, st.builds(random_scores, st.integers(0, 7), st.integers(0, 2**31)), pairs
)
documents_with_ties = st.integers(0, 6).flatmap(
    lambda n: st.lists(st.integers(-1, 1), min_size=n * n, max_size=n * n).map(
        lambda flat: torch.tensor(flat, dtype=torch.float32).view(n, n)
    )
)


def grouped(pointers, least):
    """Entities of mentions that point back, each to an earlier one or to itself."""
    entities = {}
    for i in range(len(pointers)):
        start = i
        while pointers[start] != start:
            start = pointers[start]
        entities.setdefault(start, []).append(i)
    return [entity for entity in entities.values() if len(entity) >= least]


def links_by_loop(scores, least=2):
    rows = [row[: i + 1] for i, row in enumerate(scores.tolist())]
    return grouped([row.index(max(row)) for row in rows], least)


def entities_by_loop(scores, least=2):
    """argmax of P[i, u], P by the recursion of its definition."""
    probs = []
    for i, row in enumerate(scores.tolist()):
        weights = [math.exp(s) for s in row[: i + 1]]
        p = [weight / sum(weights) for weight in weights]
        probs.append([sum(p[j] * probs[j][u] for j in range(u, i)) for u in range(i)] + [p[i]])
    return grouped([row.index(max(row)) for row in probs], least)


# Without constraints.


@given(scores=documents | documents_with_ties)
@enough
def test_best_links_follows_the_best_antecedent_of_each_mention(scores):
    assert best_links(scores) == links_by_loop(scores)
    assert best_links(scores, singletons="keep") == links_by_loop(scores, least=1)


@given(scores=documents)
@enough
def test_best_entities_takes_the_most_probable_entity_of_each_mention(scores):
    assert best_entities(scores) == entities_by_loop(scores)
    assert best_entities(scores, singletons="keep") == entities_by_loop(scores, least=1)


def test_ties_go_to_the_earliest_antecedent():
    scores = torch.tensor([[0.0, 0, 0], [-9, 0, 0], [1, 1, 0]])
    assert best_links(scores) == [[0, 2]]


@each_decoder
def test_ties_go_to_an_antecedent_before_a_new_entity(decode):
    assert decode(torch.zeros(2, 2)) == [[0, 1]]


def test_the_best_entity_may_not_be_that_of_the_best_link():
    # 0, 1 and 2 are one entity; mention 3 starts one with 0.4 and links to each of them with 0.2.
    scores = torch.full((4, 4), -INF)
    scores[range(4), [0, 0, 0, 3]] = 0.0
    scores[3] = torch.tensor([0.2, 0.2, 0.2, 0.4]).log()
    assert best_links(scores) == [[0, 1, 2]]
    assert best_entities(scores) == [[0, 1, 2, 3]]


@each_decoder
def test_no_mentions_make_no_entities(decode):
    assert decode(torch.zeros(0, 0)) == []
    assert decode(torch.zeros(0, 0), mentions=[], singletons="keep") == []


@each_decoder
def test_one_mention_is_a_singleton(decode):
    assert decode(torch.zeros(1, 1)) == []
    assert decode(torch.zeros(1, 1), singletons="keep") == [[0]]
    assert decode(torch.zeros(1, 1), mentions=[0]) == [[0]]


@each_decoder
def test_pruned_antecedents_are_not_taken(decode):
    scores = torch.tensor([[0.0, 0], [-INF, -50]])
    assert decode(scores, singletons="keep") == [[0], [1]]


@each_decoder
def test_a_mention_that_may_not_start_an_entity_links(decode):
    assert decode(torch.tensor([[0.0, 0], [-50, -INF]])) == [[0, 1]]


@each_decoder
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_scores_may_have_a_gradient_and_any_precision(decode, dtype):
    scores = torch.tensor([[0.0, 0], [1, 0]], dtype=dtype, requires_grad=True)
    assert decode(scores) == [[0, 1]]


@each_decoder
def test_scores_are_not_changed(decode):
    scores = random_scores(5, seed=0)
    before = scores.clone()
    decode(scores, must_link=[(0, 3)], cannot_link=[(1, 2), (1, 4)], mentions=[0, 1, 2, 3])
    assert scores.equal(before)


@each_decoder
def test_extreme_scores_are_decoded(decode):
    scores = torch.tensor([[0.0, 0, 0], [-2000, 2000, 0], [-2000, 2000, -2000]])
    assert decode(scores, singletons="keep") == [[0], [1, 2]]


# With constraints.


class Groups:
    """Which mentions must be together, by naive merging."""

    def __init__(self, n, must_link):
        self.of = [{i} for i in range(n)]
        for a, b in must_link:
            merged = self.of[a] | self.of[b]
            for i in merged:
                self.of[i] = merged


@st.composite
def constrained(draw):
    """Scores, pairs that must be linked, and pairs that cannot and do not contradict them."""
    n = draw(st.integers(2, 8))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    scores = prune(random_scores(n, draw(st.integers(0, 2**31))), draw(st.lists(pair, max_size=6)))
    must_link = draw(st.lists(pair, max_size=4))
    groups = Groups(n, must_link)
    cannot_link = [(a, b) for a, b in draw(st.lists(pair, max_size=8)) if b not in groups.of[a]]
    return scores, must_link, cannot_link


def home_of(entities):
    """The number of each mention's entity; an error if a mention is in two."""
    homes = {}
    for number, entity in enumerate(entities):
        for i in entity:
            assert i not in homes
            homes[i] = number
    return homes


@each_decoder
@given(document=constrained())
@settings(deadline=None, max_examples=200)
def test_pairs_that_must_be_are_together_and_those_that_cannot_are_apart(decode, document):
    scores, must_link, cannot_link = document
    entities = decode(scores, must_link=must_link, cannot_link=cannot_link, singletons="keep")
    homes = home_of(entities)
    assert sorted(homes) == list(range(len(scores)))
    assert all(homes[a] == homes[b] for a, b in must_link)
    assert all(homes[a] != homes[b] for a, b in cannot_link)


@each_decoder
@given(document=constrained())
@enough
def test_dropping_singletons_drops_entities_of_one_and_nothing_else(decode, document):
    scores, must_link, cannot_link = document
    kept, dropped = (
        decode(scores, must_link=must_link, cannot_link=cannot_link, singletons=singletons)
        for singletons in ("keep", "drop")
    )
    assert dropped == [entity for entity in kept if len(entity) > 1]


@each_decoder
@given(scores=documents)
@enough
def test_constraints_that_hold_already_change_nothing(decode, scores):
    entities = decode(scores, singletons="keep")
    homes = home_of(entities)
    cannot_link = [(a, b) for a in homes for b in homes if homes[a] != homes[b]]
    assume(cannot_link)
    if decode is best_links:  # a certain "no" changes the probability of everything else
        assert decode(scores, cannot_link=cannot_link, singletons="keep") == entities
    must_link = [(entity[0], i) for entity in entities for i in entity]
    found = decode(scores, must_link=must_link, cannot_link=cannot_link, singletons="keep")
    assert found == entities


def test_a_forbidden_best_link_gives_way_to_the_second_best():
    scores = torch.tensor([[0.0, 0, 0], [-9, 0, 0], [2, 1, 0]])
    assert best_links(scores, cannot_link=[(0, 2)]) == [[1, 2]]
    assert best_links(scores, cannot_link=[(2, 0)]) == [[1, 2]]


@each_decoder
def test_what_cannot_be_linked_is_not_linked_through_others(decode):
    # 2 would link to 1, which is with 0.
    scores = torch.tensor([[0.0, 0, 0], [9, 0, 0], [-9, 9, 0]])
    assert decode(scores) == [[0, 1, 2]]
    assert decode(scores, cannot_link=[(0, 2)], singletons="keep") == [[0, 1], [2]]


@each_decoder
def test_a_group_keeps_away_from_what_its_last_mention_cannot_be_with(decode):
    # 1 and 2 must be together, 2 and 0 cannot: so 1 may not join 0.
    scores = torch.tensor([[0.0, 0, 0], [9, 0, 0], [0, 0, 0]])
    found = decode(scores, must_link=[(1, 2)], cannot_link=[(0, 2)], singletons="keep")
    assert found == [[0], [1, 2]]


@each_decoder
def test_pairs_that_must_be_linked_are_linked_against_all_scores(decode):
    scores = torch.tensor([[0.0, 0, 0], [-99, 0, 0], [-INF, -99, 0]])
    assert decode(scores, must_link=[(0, 2)]) == [[0, 2]]
    assert decode(scores, must_link=[(2, 1), (1, 0)]) == [[0, 1, 2]]


@each_decoder
@pytest.mark.parametrize(
    ("must_link", "cannot_link"),
    [
        ([(0, 1)], [(0, 1)]),
        ([(0, 1)], [(1, 0)]),
        ([(0, 1), (1, 2)], [(0, 2)]),
        ([(2, 3), (0, 1), (1, 2)], [(3, 0)]),
        ([], [(1, 1)]),
    ],
)
def test_constraints_that_contradict_each_other_are_an_error(decode, must_link, cannot_link):
    with pytest.raises(CorelaxError, match="cannot_link"):
        decode(torch.zeros(4, 4), must_link=must_link, cannot_link=cannot_link)


def test_constraints_may_be_any_iterable():
    scores = torch.tensor([[0.0, 0, 0], [-9, 0, 0], [-9, -9, 0]])
    assert best_links(scores, must_link=iter([(0, 2)]), cannot_link={(0, 1)}) == [[0, 2]]
    assert best_links(scores, must_link=np.array([[0, 2]])) == [[0, 2]]


# Given mentions.


@each_decoder
@given(document=constrained(), data=st.data())
@enough
def test_every_given_mention_is_in_exactly_one_entity_and_no_other_is_in_any(
    decode, document, data
):
    scores, *_ = document
    mentions = data.draw(st.lists(st.sampled_from(range(len(scores))), unique=True))
    assert sorted(home_of(decode(scores, mentions=mentions))) == sorted(mentions)


@given(scores=documents, data=st.data())
@enough
def test_given_mentions_are_linked_as_if_there_were_no_others(scores, data):
    mentions = sorted(data.draw(st.sets(st.sampled_from(range(7))))) if len(scores) == 7 else []
    alone = best_links(scores[mentions][:, mentions], singletons="keep")
    expected = [[mentions[i] for i in entity] for entity in alone]
    assert best_links(scores, mentions=mentions) == expected


@each_decoder
@given(document=constrained(), data=st.data())
@enough
def test_constraints_hold_among_given_mentions(decode, document, data):
    scores, must_link, cannot_link = document
    named = {i for pair in must_link for i in pair}
    mentions = data.draw(st.sets(st.sampled_from(range(len(scores))))) | named
    entities = decode(
        scores, must_link=must_link, cannot_link=cannot_link, mentions=sorted(mentions)
    )
    homes = home_of(entities)
    assert homes.keys() == mentions
    assert all(homes[a] == homes[b] for a, b in must_link)
    assert all(homes[a] != homes[b] for a, b in cannot_link if {a, b} <= mentions)


@each_decoder
def test_a_pair_that_must_be_linked_to_no_mention_at_all_is_an_error(decode):
    with pytest.raises(CorelaxError, match="must_link"):
        decode(torch.zeros(3, 3), must_link=[(0, 2)], mentions=[1, 2])


# Errors.


@each_decoder
@pytest.mark.parametrize("bad", [3, -1, 100])
def test_mentions_that_there_are_not_are_an_error_that_names_the_argument(decode, bad):
    scores = torch.zeros(3, 3)
    with pytest.raises(CorelaxError, match=rf"must_link.*{bad}"):
        decode(scores, must_link=[(0, bad)])
    with pytest.raises(CorelaxError, match=rf"cannot_link.*{bad}"):
        decode(scores, cannot_link=[(bad, 0)])
    with pytest.raises(CorelaxError, match=rf"mentions.*{bad}"):
        decode(scores, mentions=[0, bad])


@each_decoder
def test_a_wrong_choice_of_singletons_is_an_error(decode):
    with pytest.raises(CorelaxError, match="singletons must be"):
        decode(torch.zeros(2, 2), singletons="maybe")


@each_decoder
@pytest.mark.parametrize(
    "scores",
    [
        torch.zeros(2),
        torch.zeros(2, 3),
        torch.zeros(1, 2, 2),
        torch.zeros(2, 2, dtype=torch.long),
        torch.tensor([[0.0, 0], [math.nan, 0]]),
        torch.tensor([[0.0, 0], [INF, 0]]),
        torch.full((2, 2), -INF),
        [[0.0, 0.0], [0.0, 0.0]],
    ],
    ids=["vector", "not square", "batch", "integers", "NaN", "inf", "no action", "list"],
)
def test_bad_scores_are_an_error_that_names_them(decode, scores):
    with pytest.raises(CorelaxError, match="antecedent_scores"):
        decode(scores)


def test_groups_stay_together_when_their_first_mention_can_only_start_an_entity():
    inf = float("inf")
    scores = torch.tensor([[0.0, 0, 0, 0], [5, 0, 0, 0], [1, -inf, -inf, 0], [0, 0, 0, 0]])
    constraints = {"must_link": [(2, 3)], "cannot_link": [(1, 2)], "singletons": "keep"}
    assert best_links(scores, **constraints) == [[0, 1], [2, 3]]
    assert best_entities(scores, **constraints) == [[0, 1], [2, 3]]


@pytest.mark.parametrize("mask", [[True, False, True], torch.tensor([True, False, True])])
def test_a_mask_of_mentions_is_an_error(mask):
    with pytest.raises(CorelaxError, match=r"mentions: .* is not the number of a mention"):
        best_links(torch.zeros(3, 3), mentions=mask)


def as_candidates(scores, order):
    """The same scores as a column for "new" and one for each earlier mention, in any order."""
    n = len(scores)
    antecedents = torch.tensor(order, dtype=torch.long).repeat(n, 1).view(n, n)
    earlier = antecedents < torch.arange(n)[:, None]
    links = scores.gather(1, antecedents).masked_fill(~earlier, -INF)
    return torch.cat([scores.diagonal()[:, None], links], -1), antecedents


@given(scores=documents_with_ties, data=st.data())
@enough
def test_candidates_in_any_order_are_decoded_like_all_pairs(scores, data):
    order = data.draw(st.permutations(range(len(scores))))
    links = best_antecedents(scores)
    assert best_antecedents(*as_candidates(scores, order)) == links
    assert grouped(links, 1) == best_links(scores, singletons="keep")


@given(scores=documents, cannot=pairs)
@enough
def test_constrained_antecedents_lead_to_the_entities_that_constraints_give(scores, cannot):
    n = len(scores)
    cannot = [(a, b) for a, b in cannot if a != b and max(a, b) < n]
    links = best_antecedents(scores, cannot_link=cannot)
    assert all(j <= i for i, j in enumerate(links))
    assert grouped(links, 1) == best_links(scores, cannot_link=cannot, singletons="keep")


def test_constraints_on_candidates_are_those_on_all_pairs():
    square = torch.tensor([[0.0, 0, 0], [2, 0, 0], [1, 3, 0]])
    scores = torch.tensor([[0.0, -torch.inf, -torch.inf], [0.0, 2.0, -torch.inf], [0.0, 3.0, 1.0]])
    candidates = torch.tensor([[0, 0], [0, 0], [1, 0]])
    pairs = {"cannot_link": [(0, 1)]}
    assert best_antecedents(scores, candidates, **pairs) == [0, 1, 1]
    assert best_antecedents(square, **pairs) == [0, 1, 1]
