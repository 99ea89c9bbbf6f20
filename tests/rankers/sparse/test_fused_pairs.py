"""The kernels of a GPU compute what the calls of PyTorch on a CPU do."""

from __future__ import annotations

import pytest
import torch

from corelax.rankers.sparse import fused_pairs
from corelax.rankers.sparse.fused_pairs import FusedPairScores
from corelax.rankers.sparse.pair_scores import PairScores
from corelax.rankers.sparse.tensors import SLOTS, code_slots
from tests.gpu import needs_gpu


def inputs_of(n, size, codes=50):
    generator = torch.Generator().manual_seed(n)
    shapes = [(n, size), (n, size), (SLOTS, size), (size,)]
    inputs = [torch.randn(*shape, generator=generator) / 2 for shape in shapes]
    code_rows = code_slots(torch.randint(0, 112_640, (codes,), generator=generator)).float()
    code_of_pair = torch.randint(0, codes, (n, n), generator=generator, dtype=torch.int32)
    far = torch.arange(n)[:, None] - torch.arange(n)
    weights = torch.randn(n, n, generator=generator) * (far > 0)
    return inputs, code_rows, code_of_pair, weights, far


def scores_and_gradients(inputs, code_rows, code_of_pair, weights, device, *settings):
    inputs = [tensor.to(device).requires_grad_() for tensor in inputs]
    pairs = (code_rows.to(device), code_of_pair.to(device))
    function = FusedPairScores if device == "cuda" else PairScores
    scores = function.apply(*inputs, *pairs, *settings)
    scores = scores * (weights != 0).to(device)
    gradients = torch.autograd.grad((scores * weights.to(device)).sum(), inputs)
    return [scores.detach().cpu(), *(gradient.cpu() for gradient in gradients)]


@needs_gpu
@pytest.mark.parametrize("window", [0, 9, 40])
@pytest.mark.parametrize(("n", "size"), [(1, 700), (7, 40), (33, 64), (200, 700)])
def test_scores_and_gradients_are_those_of_a_cpu(n, size, window):
    inputs, code_rows, code_of_pair, weights, far = inputs_of(n, size)
    if window:
        weights = weights * (far <= window)
    expected, found = (
        scores_and_gradients(inputs, code_rows, code_of_pair, weights, device, 0.0, window)
        for device in ("cpu", "cuda")
    )
    for ours, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-3)


@needs_gpu
def test_all_gradients_leave_out_the_values_that_the_scores_leave_out():
    inputs, code_rows, code_of_pair, weights, _ = inputs_of(40, 96)

    def drawn(changed):
        torch.manual_seed(3)
        return scores_and_gradients(changed, code_rows, code_of_pair, weights, "cuda", 0.4, 0)

    scores, *gradients = drawn(inputs)
    assert torch.equal(scores, drawn(inputs)[0])
    for number, gradient in enumerate(gradients):
        # Short enough for a difference: at 1/50 the curvature of tanh adds up over the pairs of a slot.
        step = torch.randn(gradient.shape, generator=torch.Generator().manual_seed(number)) / 200
        sides = []
        for sign in (1, -1):
            changed = [*inputs]
            changed[number] = inputs[number] + sign * step
            sides.append((drawn(changed)[0].double() * weights).sum())
        assert (sides[0] - sides[1]).item() / 2 == pytest.approx(
            (gradient * step).sum().item(), rel=0.01, abs=0.003
        )


@needs_gpu
def test_dropout_leaves_out_its_share_and_keeps_the_mean():
    n, size = 64, 128
    inputs = [torch.full((n, size), 20.0), *(torch.zeros(shape, size) for shape in (n, SLOTS))]
    pairs = torch.ones(n, n).tril(-1).bool()
    code_rows, code_of_pair = code_slots(torch.tensor([0])).float(), torch.zeros(n, n).int()
    inputs = [tensor.cuda() for tensor in (*inputs, torch.ones(size), code_rows, code_of_pair)]
    torch.manual_seed(1)
    first, second = (FusedPairScores.apply(*inputs, 0.4, 0).cpu()[pairs] / size for _ in range(2))
    assert first.mean() == pytest.approx(1.0, abs=0.01)
    assert first.std() == pytest.approx((0.4 / 0.6 / size) ** 0.5, rel=0.05)
    assert not torch.equal(first, second)


@needs_gpu
@pytest.mark.parametrize("window", [0, 9, 40])
def test_long_documents_are_added_up_group_by_group(window, monkeypatch):
    monkeypatch.setattr(fused_pairs, "GROUPS", 2)
    inputs, code_rows, code_of_pair, weights, far = inputs_of(150, 40)
    if window:
        weights = weights * (far <= window)
    expected, found = (
        scores_and_gradients(inputs, code_rows, code_of_pair, weights, device, 0.0, window)
        for device in ("cpu", "cuda")
    )
    for ours, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-3)
