"""Gradients of a few rows: AdaGrad and clipping do as if the other rows were zeros."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax.train import AdaGrad, clip_gradients

enough = settings(deadline=None, max_examples=60)
ROWS, WIDTH = 6, 3
# Sums of these are exact, in any order.
values = st.integers(-8, 8).map(lambda number: number / 4)
gradients = st.lists(
    st.tuples(st.integers(0, ROWS - 1), st.lists(values, min_size=WIDTH, max_size=WIDTH)),
    min_size=1,
    max_size=8,
)


def sparse(rows):
    """A gradient with rows as they come, the same one several times too."""
    numbers = torch.tensor([[row for row, _ in rows]])
    content = torch.tensor([content for _, content in rows], dtype=torch.float64)
    return torch.sparse_coo_tensor(numbers, content, (ROWS, WIDTH), check_invariants=True)


def table(seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.nn.Parameter(torch.randn(ROWS, WIDTH, generator=generator, dtype=torch.float64))


@given(
    steps=st.lists(gradients, min_size=1, max_size=4),
    l1=st.sampled_from([0.0, 0.01, 1.0]),
    accumulator=st.sampled_from([0.0, 0.1]),
)
@enough
def test_sparse_gradients_do_what_dense_ones_do(steps, l1, accumulator):
    few, every = table(), table()
    on_few, on_every = (
        AdaGrad([weight], lr=0.3, l1=l1, accumulator=accumulator) for weight in (few, every)
    )
    for rows in steps:
        few.grad = sparse(rows)
        every.grad = sparse(rows).to_dense()
        on_few.step()
        on_every.step()
    assert few.equal(every)


@given(gradients, st.sampled_from([0.0, 0.5]))
@enough
def test_rows_without_gradient_stay_as_they_are_to_the_last_bit(rows, l1):
    weight = table()
    weight.data[0] = torch.tensor([-0.0, math.pi, 1e-300])
    before = weight.detach().clone()
    optimizer = AdaGrad([weight], lr=0.3, l1=l1)
    weight.grad = sparse(rows)
    optimizer.step()
    others = [row for row in range(ROWS) if row not in dict(rows)]
    bits = weight.detach().view(torch.int64)
    assert bits[others].equal(before.view(torch.int64)[others])
    assert optimizer.state[weight]["sum"][others].eq(0.1).all()


def test_a_row_that_is_there_twice_counts_as_its_sum_not_as_two_steps():
    weight = torch.nn.Parameter(torch.ones(2, 1, dtype=torch.float64))
    weight.grad = torch.sparse_coo_tensor(
        torch.tensor([[1, 1]]), torch.tensor([[0.1], [0.2]]).double(), (2, 1), check_invariants=True
    )
    AdaGrad([weight], lr=0.5).step()
    after = 1 - 0.5 * 0.3 / math.sqrt(0.1 + 0.09)
    assert weight.detach().squeeze().tolist() == pytest.approx([1.0, after], rel=1e-7)


@given(
    gradients.map(dict),
    st.lists(values, min_size=2, max_size=2),
    st.sampled_from([0.01, 1.0, 3.0, 100.0]),
)
@enough
def test_clipping_is_that_of_torch_over_all_gradients_together(rows, dense, largest):
    ours = [table(), torch.nn.Parameter(torch.zeros(2).double()), table()]
    theirs = [table(), torch.nn.Parameter(torch.zeros(2).double()), table()]
    ours[0].grad = sparse(rows.items()).coalesce()
    theirs[0].grad = sparse(rows.items()).to_dense()
    ours[1].grad, theirs[1].grad = (torch.tensor(dense, dtype=torch.float64) for _ in range(2))
    clip_gradients(ours, largest)  # the last has none
    torch.nn.utils.clip_grad_norm_(theirs, largest)
    assert ours[2].grad is None
    torch.testing.assert_close(ours[0].grad.to_dense(), theirs[0].grad, rtol=1e-5, atol=1e-9)
    torch.testing.assert_close(ours[1].grad, theirs[1].grad, rtol=1e-5, atol=1e-9)


def test_clipping_nothing_and_zeros():
    weight = table()
    clip_gradients([weight], 1.0)
    weight.grad = torch.zeros(ROWS, WIDTH, dtype=torch.float64)
    clip_gradients([weight], 1.0)
    assert weight.grad.eq(0).all()
