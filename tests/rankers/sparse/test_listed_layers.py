"""Layers over a list of pairs against the same layers pair by pair, as autograd does them."""

import pytest
import torch

from corelax.rankers.sparse.deep import listed_layers
from corelax.rankers.sparse.deep.listed_layers import ListedLayers
from corelax.rankers.sparse.pair_lists import PairList
from tests.gpu import needs_gpu

FEATURES, FIRST, ABOVE = 3, 5, 4
MENTIONS = 18


def drawn_inputs(mentions=MENTIONS):
    torch.manual_seed(mentions)
    shapes = [(mentions, FIRST), (mentions, FIRST), (FEATURES, FIRST), (ABOVE, FIRST), (ABOVE,)]
    shapes += [(ABOVE, ABOVE), (ABOVE,), (ABOVE,)]
    given = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes]
    pairs = PairList.of(mentions)
    return pairs, given, torch.randn(len(pairs.current), FEATURES, dtype=torch.float64)


def pair_by_pair(pairs, given, features):
    current, previous, of_features, second, second_bias, third, third_bias, output = given
    hidden = current[pairs.current] + previous[pairs.previous] + features @ of_features
    hidden = torch.relu(torch.relu(hidden) @ second.T + second_bias)
    return torch.relu(hidden @ third.T + third_bias) @ output


def listed(pairs, given, features, dropout=0.0, dtype=torch.float64):
    return ListedLayers.apply(*given, features, pairs, dropout, dtype)


def gradients(values, given):
    torch.manual_seed(1)
    return torch.autograd.grad((values * torch.randn_like(values)).sum(), given)


def test_scores_and_gradients_are_those_of_single_pairs():
    pairs, given, features = drawn_inputs()
    found, expected = (way(pairs, given, features) for way in (listed, pair_by_pair))
    torch.testing.assert_close(found, expected)
    for ours, theirs in zip(gradients(found, given), gradients(expected, given), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_two_bytes_are_close_to_eight():
    pairs, given, features = drawn_inputs()
    found = listed(pairs, given, features, dtype=torch.bfloat16)
    expected = pair_by_pair(pairs, given, features)
    assert found.dtype == torch.float64
    assert (found - expected).norm() < 0.02 * expected.norm()
    for ours, theirs in zip(gradients(found, given), gradients(expected, given), strict=True):
        assert ours.dtype == torch.float64
        assert (ours - theirs).norm() < 0.05 * theirs.norm()


def test_gradients_leave_out_what_the_scores_leave_out():
    pairs, given, features = drawn_inputs()

    def total(*values):
        torch.manual_seed(5)
        return listed(pairs, values, features, dropout=0.4).sum()

    assert torch.autograd.gradcheck(total, given)


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_dropout_keeps_the_mean_of_a_layer(dropout):
    """The layers above pass on what they get; the first has a value of 1 for each pair."""
    mentions, size = 60, 50
    pairs = PairList.of(mentions)
    ones, none = torch.ones(mentions, size), torch.zeros(mentions, size)
    layers = [torch.eye(size), torch.zeros(size)]
    given = [ones, none, torch.zeros(1, size), *layers, *layers, torch.ones(size) / size]
    features = torch.zeros(len(pairs.current), 1)
    torch.manual_seed(1)
    values = ListedLayers.apply(*given, features, pairs, dropout, torch.float32)
    assert values.mean().item() == pytest.approx(1.0, abs=0.03)
    assert (values.std() > 0.1) == bool(dropout)


@needs_gpu
@pytest.mark.parametrize(("mentions", "window"), [(5, 0), (70, 0), (200, 0), (200, 30)])
def test_kernels_do_what_the_calls_of_pytorch_do(mentions, window, monkeypatch):
    pairs = PairList.of(mentions, window).to(torch.device("cuda"))
    torch.manual_seed(mentions)
    shapes = [(mentions, 100), (mentions, 100), (32, 100), (50, 100), (50,), (50, 50), (50,), (50,)]
    given = [(torch.randn(shape) / 4).cuda().requires_grad_() for shape in shapes]
    features = torch.randn(len(pairs.current), 32).cuda()
    found = []
    for fused in (True, False):
        monkeypatch.setattr(listed_layers, "can_be_fused", lambda _, fused=fused: fused)
        values = listed(pairs, given, features, dtype=torch.bfloat16)
        found.append([values.detach(), *gradients(values, given)])
    for ours, theirs in zip(*found, strict=True):
        assert (ours - theirs).norm() < 0.1 * theirs.norm()


@needs_gpu
def test_sums_of_a_list_by_kernels_are_those_of_its_blocks():
    for mentions, window in ((5, 0), (70, 0), (200, 30)):
        pairs = PairList.of(mentions, window).to(torch.device("cuda"))
        values = torch.randn(len(pairs.current), 40, device="cuda", dtype=torch.bfloat16)
        ways = (listed_layers._sums, listed_layers._sums_at_once)
        one, other = (way(values, pairs, mentions, torch.float32) for way in ways)
        torch.testing.assert_close(one, other)


@needs_gpu
def test_dropout_of_kernels_keeps_the_mean_and_is_drawn_anew():
    ones = torch.ones(300, 1000, device="cuda", dtype=torch.bfloat16)
    torch.manual_seed(1)
    first, second = (listed_layers._kept_at_once(ones.clone(), 0.4) for _ in range(2))
    assert (first == 0).float().mean().item() == pytest.approx(0.4, abs=0.01)
    assert first.float().mean().item() == pytest.approx(1.0, abs=0.02)
    assert not first.equal(second)
