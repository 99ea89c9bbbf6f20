"""Clusters as a global ranker sees them from left to right: gold ones in training, its own when it resolves.

What mention i sees are clusters of mentions before i only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Floats = NDArray[np.floating]


class ClusterHistory(NamedTuple):
    """The clusters of a document, with all that the states of an LSTM over them need.

    Attributes:
        cluster: [mention] the number of its cluster, counted by first mentions.
        order: [mention] mentions by their place in their clusters: all that are first, then all that are
            second, …, in each place those of the longest cluster first.
        sizes: [place] how many clusters have a mention in this place; on the CPU.
        previous: [mention] the mention before it in its cluster, −1 for none.
        last: [mention, cluster] the last mention of each cluster before mention i, −1 for none.
        position: [mention] where it is in the order.
    """

    cluster: Tensor
    order: Tensor
    sizes: Tensor
    previous: Tensor
    last: Tensor
    position: Tensor

    @classmethod
    def of(cls, entities: Tensor) -> ClusterHistory:
        """From the number of each mention's entity; a mention with −1 is a cluster of its own.

        >>> history = ClusterHistory.of(torch.tensor([4, -1, 4, -1]))
        >>> history.cluster.tolist(), history.order.tolist(), history.previous.tolist()
        ([0, 1, 0, 2], [0, 1, 3, 2], [-1, -1, 0, -1])
        >>> history.last[3].tolist()  # of the first cluster mention 2, of the second mention 1
        [2, 1, -1]
        """
        numbers: dict[int, int] = {}
        cluster, place, previous = [], [], []
        latest: list[list[int]] = []
        for mention, entity in enumerate(entities.tolist()):
            # Mentions without an entity get keys that no entity has.
            number = numbers.setdefault(entity if entity >= 0 else -1 - mention, len(numbers))
            if number == len(latest):
                latest.append([])
            previous.append(latest[number][-1] if latest[number] else -1)
            place.append(len(latest[number]))
            cluster.append(number)
            latest[number].append(mention)
        lengths = np.array([len(members) for members in latest], dtype=np.int64)
        clusters = np.array(cluster, dtype=np.int64)
        order = np.lexsort((clusters, -lengths[clusters], np.array(place, dtype=np.int64)))
        last = np.full((len(cluster) + 1, len(latest)), -1, dtype=np.int64)
        last[np.arange(1, len(cluster) + 1), clusters] = np.arange(len(cluster))
        last = np.maximum.accumulate(last)[:-1]
        device = entities.device
        return cls(
            torch.from_numpy(clusters).to(device),
            torch.from_numpy(order).to(device),
            torch.from_numpy(np.bincount(place).astype(np.int64)),
            torch.tensor(previous, dtype=torch.long, device=device),
            torch.from_numpy(last).to(device),
            torch.from_numpy(order.argsort()).to(device),
        )

    def members(self, dtype: torch.dtype) -> Tensor:
        """[mention, cluster] 1 where a mention is in a cluster."""
        numbers = torch.arange(self.last.shape[1], device=self.cluster.device)
        return (self.cluster[:, None] == numbers).to(dtype)


class GreedyParts(NamedTuple):
    """What a global ranker knows of a document before any cluster is.

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
    """[mention] the number of its cluster as the ranker decides it, counted by first mentions.

    Mention i is compared with the states of the clusters so far. It takes its best antecedent, unless a new
    cluster scores strictly higher; then the LSTM takes it into the state of its cluster.

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
