"""RMSprop with ε inside the root: w ← w − η g / √(r + ε), r ← ρ r + (1 − ρ) g²."""

import math

import pytest
import torch

from corelax.train.optim import RMSprop


def test_two_steps_by_hand():
    weight = torch.nn.Parameter(torch.tensor([1.0], dtype=torch.float64))
    optimizer = RMSprop([weight], lr=0.1)
    weight.grad = torch.tensor([0.3], dtype=torch.float64)
    optimizer.step()
    one = 1 - 0.1 * 0.3 / math.sqrt(0.1 * 0.09 + 1e-5)
    assert weight.item() == pytest.approx(one, rel=1e-9)
    weight.grad = torch.tensor([-0.2], dtype=torch.float64)
    optimizer.step()
    mean = 0.9 * 0.1 * 0.09 + 0.1 * 0.04
    assert weight.item() == pytest.approx(one + 0.1 * 0.2 / math.sqrt(mean + 1e-5), rel=1e-9)


def test_l2_is_part_of_the_gradient_of_matrices_only():
    matrix = torch.nn.Parameter(torch.full((1, 1), 2.0, dtype=torch.float64))
    vector = torch.nn.Parameter(torch.full((1,), 2.0, dtype=torch.float64))
    optimizer = RMSprop([matrix, vector], lr=0.1, l2=0.01)
    matrix.grad, vector.grad = torch.zeros_like(matrix), torch.zeros_like(vector)
    optimizer.step()
    gradient = 2 * 0.01 * 2.0
    expected = 2 - 0.1 * gradient / math.sqrt(0.1 * gradient**2 + 1e-5)
    assert matrix.item() == pytest.approx(expected, rel=1e-9)
    assert vector.item() == 2


def test_a_sparse_gradient_changes_its_rows_as_a_dense_one_would():
    start = torch.arange(6.0, dtype=torch.float64).reshape(3, 2)
    dense, sparse = (torch.nn.Parameter(start.clone()) for _ in range(2))
    values = torch.tensor([[0.5, -1.0]], dtype=torch.float64)
    for weight in (dense, sparse):
        optimizer = RMSprop([weight], lr=0.1, l2=0.1 if weight is sparse else 0.0)
        for _ in range(3):
            place = torch.tensor([[1]])
            gradient = torch.sparse_coo_tensor(place, values, (3, 2), is_coalesced=True)
            weight.grad = gradient if weight is sparse else gradient.to_dense()
            optimizer.step()
    torch.testing.assert_close(sparse.data, dense.data)
    assert sparse.data[0].equal(start[0])
