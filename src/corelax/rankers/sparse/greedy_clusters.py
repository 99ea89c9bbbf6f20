"""Clusters as a global ranker decides them itself, mention by mention, with arrays.

Mention i is compared with the states of the clusters so far. It takes its best antecedent, unless a new
cluster scores strictly higher; then the LSTM takes it into the state of its cluster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]


class GreedyParts(NamedTuple):
    """What can be known before any cluster is.

    Attributes:
        local: [mention, antecedent] scores without clusters, the diagonal being "new entity".
        hidden: [mention, hidden] h_c.
        gates: [mention, 4 · hidden] what the gates of the LSTM get from h_c, with the bias; in torch's order.
        recurrent: [4 · hidden, hidden] what they get from the state before.
        summaries: [mention, new] W_s φ_a + b_z.
        new_states: [hidden, new] W_z.
        new_output: [new] q.
        new_bias: q_0.
    """

    local: Floats
    hidden: Floats
    gates: Floats
    recurrent: Floats
    summaries: Floats
    new_states: Floats
    new_output: Floats
    new_bias: float


def greedy_clusters(parts: GreedyParts) -> NDArray[np.int64]:
    """[mention] the number of its cluster, counted by first mentions.

    >>> nothing = np.zeros((2, 1))
    >>> scores = np.array([[0.0, 0.0], [1.0, 0.0]])
    >>> gates = [np.zeros((2, 4)), np.zeros((4, 1))]
    >>> parts = GreedyParts(scores, nothing, *gates, nothing, np.zeros((1, 1)), np.zeros(1), 0.0)
    >>> greedy_clusters(parts).tolist()
    [0, 0]
    """
    local, hidden = parts.local, parts.hidden
    cluster = np.zeros(len(hidden), dtype=np.int64)
    states = np.zeros_like(hidden)  # [cluster, hidden]
    cells = np.zeros_like(hidden)
    from_clusters = np.zeros_like(parts.new_output)  # Σ_k z^k W_z
    count = 0
    for i in range(len(hidden)):
        number = count
        if i:
            links = local[i, :i] + (states[:count] @ hidden[i])[cluster[:i]]
            best = int(links.argmax())
            new = np.tanh(parts.summaries[i] + from_clusters) @ parts.new_output
            if not new + parts.new_bias + local[i, i] > links[best]:
                number = int(cluster[best])
        cluster[i] = number
        gates = parts.gates[i]
        if number < count:  # else its state is 0
            gates = gates + parts.recurrent @ states[number]
        count = max(count, number + 1)
        entering, forgotten, value, shown = gates.reshape(4, -1)
        cells[number] = _sigmoid(forgotten) * cells[number] + _sigmoid(entering) * np.tanh(value)
        state = _sigmoid(shown) * np.tanh(cells[number])
        from_clusters = from_clusters + (state - states[number]) @ parts.new_states
        states[number] = state
    return cluster


def _sigmoid(values: Floats) -> Floats:
    half: Floats = 0.5 + 0.5 * np.tanh(0.5 * values)  # which does not overflow
    return half
