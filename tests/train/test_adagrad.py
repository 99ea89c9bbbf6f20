"""AdaGrad: w ← w − η g / √(0.1 + Σ g²), and L1 taken off after the step."""

import math
from copy import deepcopy

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax import CorelaxError
from corelax.train import AdaGrad
from corelax.train.optim import clamp_gradients

numbers = st.floats(-3, 3, width=32)
enough = settings(deadline=None, max_examples=60)


def parameter(*values):
    return torch.nn.Parameter(torch.tensor(values, dtype=torch.float64))


def step(optimizer, weight, *gradient):
    weight.grad = torch.tensor(gradient, dtype=weight.dtype)
    optimizer.step()


def test_two_steps_by_hand():
    weight = parameter(1.0)
    optimizer = AdaGrad([weight], lr=0.5)
    step(optimizer, weight, 0.3)
    after_one = 1 - 0.5 * 0.3 / math.sqrt(0.1 + 0.09)
    assert weight.item() == pytest.approx(after_one, rel=1e-9)
    step(optimizer, weight, -0.4)
    after_two = after_one + 0.5 * 0.4 / math.sqrt(0.1 + 0.09 + 0.16)
    assert weight.item() == pytest.approx(after_two, rel=1e-9)


def test_damped_steps_are_divided_by_one_more_than_the_root():
    weight = parameter(1.0, 0.01)
    optimizer = AdaGrad([weight], lr=0.1, accumulator=0.0, l1=0.5, damping=1.0)
    step(optimizer, weight, 0.3, 0.2)
    # r = 0.1 / 1.3 and 0.1 / 1.2; w − r g, and then r / 2 towards 0, which the second would cross.
    assert weight.tolist() == pytest.approx([1 - 0.03 / 1.3 - 0.05 / 1.3, 0.0], rel=1e-9)
    step(optimizer, weight, -0.4, 0.0)
    rate = 0.1 / (1 + math.sqrt(0.09 + 0.16))
    assert weight[0].item() == pytest.approx(1 - 0.08 / 1.3 + rate * 0.4 - rate * 0.5, rel=1e-9)


@pytest.mark.filterwarnings("ignore:Sparse invariant checks")  # torch's own, once in a process
def test_gradients_are_clamped_value_by_value_where_that_is_asked_for():
    dense, rows = parameter(1.0, 1.0), torch.nn.Parameter(torch.zeros(3, 1))
    dense.grad = torch.tensor([30.0, -4.0], dtype=torch.float64)
    values, places = torch.tensor([[-20.0], [2.0]]), torch.tensor([[0, 2]])
    rows.grad = torch.sparse_coo_tensor(places, values, (3, 1), is_coalesced=True)
    clamp_gradients([dense, rows, parameter(1.0)], 10.0)
    assert dense.grad.tolist() == [10, -4]
    assert rows.grad.to_dense().tolist() == [[-10], [0], [2]]


def test_l1_takes_a_threshold_off_weights_that_had_a_gradient_and_no_others():
    # √G = √(0.11 − 0.1 + 0.1) for g = 0.1. The second has no gradient; the third would cross 0.
    weight = parameter(1.0, 1.0, 0.02, -1.0)
    step(AdaGrad([weight], lr=0.1, l1=0.5), weight, 0.1, 0.0, 0.0001, 0.1)
    root = math.sqrt(0.11)
    assert weight.tolist() == pytest.approx(
        [1 - 0.01 / root - 0.05 / root, 1.0, 0.0, -1 - 0.01 / root + 0.05 / root], rel=1e-9
    )
    assert weight[2].item() == 0  # exactly


@given(
    start=st.lists(numbers, min_size=3, max_size=3),
    gradients=st.lists(st.lists(numbers, min_size=3, max_size=3), min_size=1, max_size=4),
    l1=st.floats(0.01, 5),
)
@enough
def test_l1_never_takes_a_weight_across_zero_and_never_away_from_it(start, gradients, l1):
    shrunk = parameter(*start)
    optimizer = AdaGrad([shrunk], lr=0.1, l1=l1)
    for gradient in gradients:
        plain = torch.nn.Parameter(shrunk.detach().clone())
        without = AdaGrad([plain], lr=0.1)
        without.load_state_dict(_with_l1(optimizer.state_dict(), 0.0))
        step(without, plain, *gradient)
        step(optimizer, shrunk, *gradient)
        assert (shrunk * plain >= 0).all()
        assert (shrunk.abs() <= plain.abs()).all()


def _with_l1(state, l1):
    """A copy: torch shares the accumulators of a state that it loads."""
    groups = [{**group, "l1": l1} for group in state["param_groups"]]
    return {"state": deepcopy(state["state"]), "param_groups": groups}


def test_groups_have_step_sizes_and_l1_of_their_own():
    plain, sparse, default = parameter(1.0), parameter(1.0), parameter(1.0)
    optimizer = AdaGrad(
        [{"params": [plain], "l1": 0.0}, {"params": [sparse], "lr": 0.2}, {"params": [default]}],
        lr=0.1,
        l1=0.5,
    )
    for weight in (plain, sparse, default):
        weight.grad = torch.tensor([0.3], dtype=torch.float64)
    optimizer.step()
    root = math.sqrt(0.19)
    assert plain.item() == pytest.approx(1 - 0.1 * 0.3 / root, rel=1e-9)
    assert sparse.item() == pytest.approx(1 - 0.2 * 0.8 / root, rel=1e-9)
    assert default.item() == pytest.approx(1 - 0.1 * 0.8 / root, rel=1e-9)


@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
def test_rows_of_a_sparse_gradient_are_the_ones_that_l1_touches():
    table = torch.nn.Embedding(3, 2, sparse=True)
    table.weight.data.fill_(1.0)
    optimizer = AdaGrad(table.parameters(), lr=0.1, l1=0.5)
    table(torch.tensor([1, 1])).sum().backward()  # a gradient of 2
    optimizer.step()
    touched = 1 - 0.1 * 2.5 / math.sqrt(4.1)
    expected = torch.tensor([[1.0, 1.0], [touched, touched], [1.0, 1.0]])
    torch.testing.assert_close(table.weight.data, expected)


def test_a_saved_state_goes_on_as_if_nothing_had_happened():
    weight = parameter(1.0, -0.5, 0.0)
    optimizer = AdaGrad([weight], lr=0.1, l1=0.2)
    step(optimizer, weight, 0.3, -0.2, 0.0)
    copy = torch.nn.Parameter(weight.detach().clone())
    other = AdaGrad([copy], lr=9.0)  # the state brings step size and l1 along
    other.load_state_dict(deepcopy(optimizer.state_dict()))
    for gradient in ([0.1, 0.2, 0.3], [-0.4, 0.0, 0.1]):
        step(optimizer, weight, *gradient)
        step(other, copy, *gradient)
    assert copy.equal(weight)


def test_a_negative_penalty_is_an_error():
    with pytest.raises(CorelaxError, match="l1 must be"):
        AdaGrad([torch.nn.Parameter(torch.zeros(2))], l1=-1.0)
