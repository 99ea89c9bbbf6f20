"""Lists of pairs: which pairs they have, and sums over them against sums over single pairs."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax.rankers.sparse.pair_lists import ListedSums, PairList


@given(mentions=st.integers(1, 70), window=st.integers(0, 20))
@settings(deadline=None, max_examples=60)
def test_a_list_has_every_pair_within_the_window_once(mentions, window):
    pairs = PairList.of(mentions, window)
    listed = list(zip(pairs.current.tolist(), pairs.previous.tolist(), strict=True))
    wanted = {(i, j) for i in range(mentions) for j in range(i) if not window or i - j <= window}
    assert len(set(listed)) == len(listed)
    assert wanted <= set(listed)


@pytest.mark.parametrize("mentions", [320, 640])
def test_few_pairs_of_a_list_mean_nothing(mentions):
    listed, needed = len(PairList.of(mentions).current), mentions * (mentions - 1) / 2
    assert listed < 1.1 * needed


def listed_sums(mentions, window=0):
    torch.manual_seed(mentions)
    pairs = PairList.of(mentions, window)
    shapes = [(mentions, 3), (mentions, 3), (2, 3)]
    given = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes]
    features = torch.randn(len(pairs.current), 2, dtype=torch.float64)
    return pairs, given, features


@pytest.mark.parametrize(("mentions", "window"), [(1, 0), (16, 0), (40, 0), (40, 5)])
def test_sums_and_gradients_are_those_of_single_pairs(mentions, window):
    pairs, given, features = listed_sums(mentions, window)
    found = ListedSums.apply(*given, features, pairs.blocks)
    current, previous, weights = given
    expected = current[pairs.current] + previous[pairs.previous] + features @ weights
    torch.testing.assert_close(found, expected)
    weight = torch.randn_like(found)
    one = torch.autograd.grad((found * weight).sum(), given)
    other = torch.autograd.grad((expected * weight).sum(), given)
    for gradient, wanted in zip(one, other, strict=True):
        torch.testing.assert_close(gradient, wanted)


def test_gradients_are_those_of_finite_differences():
    pairs, given, features = listed_sums(5)
    given.append(features.requires_grad_())
    assert torch.autograd.gradcheck(lambda *values: ListedSums.apply(*values, pairs.blocks), given)


def test_there_may_be_no_part_of_mention_j():
    pairs, (current, previous, weights), features = listed_sums(20)
    found = ListedSums.apply(current, None, weights, features, pairs.blocks)
    zeros = torch.zeros_like(previous)
    expected = ListedSums.apply(current, zeros, weights, features, pairs.blocks)
    torch.testing.assert_close(found, expected)
    one = torch.autograd.grad(found.square().sum(), [current, weights])
    other = torch.autograd.grad(expected.square().sum(), [current, weights])
    for gradient, wanted in zip(one, other, strict=True):
        torch.testing.assert_close(gradient, wanted)


def test_values_of_pairs_are_put_into_a_square():
    pairs = PairList.of(20, 4)
    values = (100 * pairs.current + pairs.previous).double()
    square = pairs.square(values, 20)
    for i in range(20):
        for j in range(max(i - 4, 0), i):
            assert square[i, j] == 100 * i + j
