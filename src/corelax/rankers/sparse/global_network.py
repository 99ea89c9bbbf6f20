"""The global ranker of Wiseman, Rush & Shieber (2016): a mention is also compared with whole clusters.

    pos(i)    = (2i − n − 1) / (n − 1)                                 place in the document, −1 … 1
    h_c(i)    = tanh(W_c φ_a(i) + w_pos pos(i) + b_c)                                            200
    z^k_t     = LSTM(h_c(t-th mention of cluster k), z^k_{t−1})                                  200
    global_ij = h_c(i) · z^k(j), the state of j's cluster before i                             j < i
    NA(i)     = q · tanh(W_s φ_a(i) + W_z Σ_k z^k + b_z) + q_0          over all clusters before i
    s_ij = local_ij + global_ij                s_ii = local_ii + NA(i)

The local scores are those of `SparseRanker`. Which clusters there are is the history: gold clusters in
training, the ranker's own when it resolves. Given a history, the states of all mentions are one LSTM call
over clusters side by side; a pair looks up the state after the last mention of j's cluster before i, and the
sum over clusters is a running sum of what each mention changes.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout as dropped

from corelax.rankers.sparse.clusters import ClusterHistory, Floats, GreedyParts, greedy_clusters
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.network import (
    SPARSE_BIAS,
    TABLE_RANGE,
    SparseRanker,
    fill_output,
    fill_sparsely,
    with_diagonal,
)
from corelax.rankers.sparse.settings import SparseSettings
from corelax.rankers.sparse.tensors import DocumentTensors

LSTM_RANGE, FORGET_BIAS = 0.05, 1.0
GATES = 4  # input, forget, cell, output, in torch's order


class GlobalRanker(SparseRanker):
    """Antecedent scores that depend on the clusters so far."""

    def __init__(self, vocabulary: Vocabulary, settings: SparseSettings) -> None:
        super().__init__(vocabulary, settings)
        rows, hidden_mention = self.mention_table.shape
        size = settings.hidden_cluster
        self.cluster_table = nn.Parameter(torch.zeros(rows, size))  # W_c
        self.cluster_position = nn.Parameter(torch.zeros(size))  # w_pos
        self.cluster_bias = nn.Parameter(torch.zeros(size))  # b_c
        self.input_weights = nn.Parameter(torch.zeros(GATES * size, size))
        self.state_weights = nn.Parameter(torch.zeros(GATES * size, size))
        self.gate_bias = nn.Parameter(torch.zeros(GATES * size))
        self.new_table = nn.Parameter(torch.zeros(rows, hidden_mention))  # W_s
        self.new_states = nn.Parameter(torch.zeros(size, hidden_mention))  # W_z
        self.new_hidden_bias = nn.Parameter(torch.zeros(hidden_mention))  # b_z
        self.new_global = nn.Parameter(torch.zeros(hidden_mention))  # q
        self.new_global_bias = nn.Parameter(torch.zeros([]))  # q_0
        self._initialise_global(settings.initialisation)

    @property
    def lstm(self) -> list[nn.Parameter]:
        """The weights of the LSTM."""
        return [self.input_weights, self.state_weights, self.gate_bias]

    @property
    def cluster_layer(self) -> list[nn.Parameter]:
        """The weights of h_c."""
        return [self.cluster_table, self.cluster_position, self.cluster_bias]

    @property
    def parameter_groups(self) -> Mapping[str, list[nn.Parameter]]:
        """All parameters, by the learning rate that they have."""
        first, second = self.first_layer, self.second_layer
        outputs = [*second, self.new_global, self.new_global_bias, *self.lstm]
        sums = [self.new_table, self.new_states, self.new_hidden_bias]
        return {
            "learning_rate": first,
            "output_learning_rate": outputs,
            "cluster_learning_rate": [*self.cluster_layer, *sums],
        }

    @property
    def clamped(self) -> list[nn.Parameter]:
        """The LSTM and its input."""
        return [*self.lstm, *self.cluster_layer]

    def forward(
        self,
        document: DocumentTensors,
        dropout: float = 0.0,
        *,
        history: Tensor | None = None,
        state_dropout: float = 0.0,
    ) -> Tensor:
        """[mention, antecedent] s_ij, the diagonal being "new entity"; −inf beyond the limit of antecedents.

        Args:
            document: The document.
            dropout: The chance of a value of h_a and h_p to be left out of s_ij.
            history: [mention] the entity of each mention, −1 for none; the ranker's own clusters if None.
            state_dropout: The chance of a value of a state to be left out where it is read.
        """
        local = super().forward(document, dropout)
        if not len(local):
            return local
        clusters = ClusterHistory.of(
            self.own_clusters(document, local) if history is None else history
        )
        hidden = self.cluster_hidden(document)
        read = dropped(self.states(hidden, clusters), state_dropout)
        new = self.new_summaries(document) + _summed_before(read, clusters) @ self.new_states
        new = torch.tanh(new) @ self.new_global + self.new_global_bias
        return local + with_diagonal(_links(hidden, read, clusters), new)

    def cluster_hidden(self, document: DocumentTensors) -> Tensor:
        """[mention, hidden] h_c."""
        summed = self.summed(self.cluster_table, document) + self.cluster_bias
        place = torch.arange(len(summed), device=summed.device, dtype=summed.dtype) * 2
        last = len(summed) - 1
        place = (place - last) / max(last, 1)
        return torch.tanh(summed + place[:, None] * self.cluster_position)

    def new_summaries(self, document: DocumentTensors) -> Tensor:
        """[mention, hidden] W_s φ_a + b_z."""
        return self.summed(self.new_table, document) + self.new_hidden_bias

    def states(self, hidden: Tensor, clusters: ClusterHistory) -> Tensor:
        """[mention, hidden] the state of each mention's cluster after that mention."""
        weights = [*self.lstm, torch.zeros_like(self.gate_bias)]  # torch has two biases
        start = hidden.new_zeros(1, clusters.last.shape[1], hidden.shape[1])
        packed, sizes = hidden[clusters.order], clusters.sizes
        # Not by cuDNN, which wants all weights in one piece of memory.
        with torch.backends.cudnn.flags(enabled=False):
            packed_states, *_ = torch.lstm(
                packed, sizes, (start, start), weights, True, 1, 0.0, torch.is_grad_enabled(), False
            )
        return packed_states[clusters.position]

    @torch.no_grad()
    def own_clusters(self, document: DocumentTensors, local: Tensor) -> Tensor:
        """[mention] the cluster of each mention as the ranker itself decides, given local scores.

        Mention by mention, hence on the CPU.
        """
        inputs, recurrent, gate_bias = self.lstm
        hidden = self.cluster_hidden(document)
        parts = GreedyParts(
            local=_array(local),
            hidden=_array(hidden),
            gates=_array(torch.addmm(gate_bias, hidden, inputs.T)),
            recurrent=_array(recurrent),
            summaries=_array(self.new_summaries(document)),
            new_states=_array(self.new_states),
            new_output=_array(self.new_global),
            new_bias=float(self.new_global_bias),
        )
        return torch.from_numpy(greedy_clusters(parts)).to(local.device)

    @torch.no_grad()
    def _initialise_global(self, how: str) -> None:
        """Random weights of what the local ranker does not have. (w_pos starts at 0.)"""
        for weight in self.lstm:
            weight.uniform_(-LSTM_RANGE, LSTM_RANGE)
        size = len(self.cluster_bias)
        self.gate_bias[size : 2 * size] = FORGET_BIAS
        fill_output(self.new_global, how)
        if how == "uniform":
            for table in (self.cluster_table, self.new_table):
                table[:-1].uniform_(-TABLE_RANGE, TABLE_RANGE)
            fill_output(self.new_states, how)
        else:
            for bias in (self.cluster_bias, self.new_hidden_bias, self.new_global_bias):
                bias.fill_(SPARSE_BIAS)
            for inputs in (self.cluster_table[:-1], self.new_table[:-1], self.new_states):
                fill_sparsely([inputs])


def _array(tensor: Tensor) -> Floats:
    array: Floats = tensor.detach().cpu().numpy()
    return array


def _links(hidden: Tensor, read: Tensor, clusters: ClusterHistory) -> Tensor:
    """[mention, antecedent] h_c(i) · z of j's cluster before i, where j < i."""
    scores = hidden @ read.T  # with the state after each mention
    # Each cluster has a last mention of its own: no gradient is added up in scattered order.
    of_cluster = scores.gather(1, clusters.last.clamp(min=0))
    of_cluster = of_cluster.masked_fill(clusters.last < 0, 0.0)
    # As a product, since the gradient of an index would be added up in any order.
    return of_cluster @ clusters.members(scores.dtype).T


def _summed_before(read: Tensor, clusters: ClusterHistory) -> Tensor:
    """[mention, hidden] Σ_k z^k over the clusters before each mention."""
    before = read.index_select(0, clusters.previous.clamp(min=0))
    before = before.masked_fill(clusters.previous[:, None] < 0, 0.0)
    sums = (read - before).cumsum(0)
    return torch.cat([torch.zeros_like(sums[:1]), sums[:-1]])
