"""States of clusters in padded shapes against an LSTM that goes through each cluster by itself."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax.rankers.sparse.cluster_states import ClusterStates
from corelax.rankers.sparse.histories import History

HIDDEN = 3


@st.composite
def padded_histories(draw):
    """Entities of mentions, their history with room for more, and how many mentions are padding."""
    entities = draw(st.lists(st.integers(-1, 2), min_size=1, max_size=10))
    history = History.of(torch.tensor(entities))
    more = draw(st.lists(st.integers(0, 3), min_size=len(history.sizes), max_size=12))
    sizes = history.sizes.tolist() + [0] * (len(more) - len(history.sizes))
    # A place has at most as much room as the one before: counted from the last one.
    widths: list[int] = []
    for size, room in zip(reversed(sizes), reversed(more), strict=True):
        widths.append(max([size + room, 1, *widths[-1:]]))
    return entities, history.with_room(widths[::-1]), draw(st.integers(0, 3))


def weights():
    shapes = [(4 * HIDDEN, HIDDEN), (4 * HIDDEN, HIDDEN), (4 * HIDDEN,)]
    return [torch.randn(shape, dtype=torch.float64) for shape in shapes]


def with_padding(history, padding):
    """Padding mentions are in the first slot, as those of packed documents."""
    position = torch.cat([history.position, torch.zeros(padding, dtype=torch.long)])
    return history.order, position, history.widths


def cluster_by_cluster(hidden, of_input, of_state, bias, entities):
    """Torch's cell, one mention after the other."""
    cell = torch.nn.LSTMCell(HIDDEN, HIDDEN, dtype=torch.float64)
    values = {
        "weight_ih": of_input,
        "weight_hh": of_state,
        "bias_ih": bias,
        "bias_hh": torch.zeros_like(bias),
    }
    states, latest = [], {}
    for mention, entity in enumerate(entities):
        key = entity if entity >= 0 else -1 - mention
        zero = hidden.new_zeros(HIDDEN)
        given = (hidden[mention], latest.get(key, (zero, zero)))
        latest[key] = torch.func.functional_call(cell, values, given)
        states.append(latest[key][0])
    return torch.stack(states)


@given(case=padded_histories(), seed=st.integers(0, 1000))
@settings(deadline=None, max_examples=50)
def test_states_and_gradients_are_those_of_an_lstm_for_each_cluster(case, seed):
    entities, history, padding = case
    torch.manual_seed(seed)
    n = len(entities)
    given = [torch.randn(n + padding, HIDDEN, dtype=torch.float64), *weights()]
    given = [tensor.requires_grad_() for tensor in given]
    found = ClusterStates.apply(*given, *with_padding(history, padding))[:n]
    expected = cluster_by_cluster(*given, entities)
    torch.testing.assert_close(found, expected)
    weight = torch.randn_like(found)
    one = torch.autograd.grad((found * weight).sum(), given)
    other = torch.autograd.grad((expected * weight).sum(), given)
    for gradient, wanted in zip(one, other, strict=True):
        torch.testing.assert_close(gradient, wanted)


def test_gradients_are_those_of_finite_differences():
    torch.manual_seed(2)
    history = History.of(torch.tensor([0, 1, 0, -1, 0, 1])).with_room([5, 3, 1, 1])
    given = [torch.randn(6, HIDDEN, dtype=torch.float64), *weights()]
    given = [tensor.requires_grad_() for tensor in given]
    places = with_padding(history, 0)
    assert torch.autograd.gradcheck(lambda *values: ClusterStates.apply(*values, *places), given)


@given(case=padded_histories())
@settings(deadline=None, max_examples=50)
def test_each_mention_has_a_slot_after_that_of_the_mention_before_it(case):
    entities, history, _ = case
    position, starts = history.position.tolist(), [0]
    for width in history.widths:
        starts.append(starts[-1] + width)
    assert history.order[history.position].tolist() == list(range(len(entities)))
    for mention, previous in enumerate(history.previous.tolist()):
        place = sum(start <= position[mention] for start in starts) - 1
        row = position[mention] - starts[place]
        if previous < 0:
            assert place == 0
        else:
            assert position[previous] == starts[place - 1] + row
