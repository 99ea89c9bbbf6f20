"""The ranker of Wiseman et al. (2015) in its second form, g2: a hidden layer above those of mention and pair.

    s_ij = u · tanh(W_o [h_p(i,j); h_a(i)] + b_o) + u_0   (j < i)            s_ii = v · h_a(i) + v_0

The part of W_o that sees h_a is computed once a mention.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout as dropped

from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.network import SparseRanker, fill_output, fill_sparsely, with_diagonal
from corelax.rankers.sparse.pair_scores import FirstLayer, scores_in_blocks
from corelax.rankers.sparse.settings import SparseSettings
from corelax.rankers.sparse.tensors import DocumentTensors, without_far


class OuterRanker(SparseRanker):
    """Antecedent scores by two hidden layers."""

    def __init__(self, vocabulary: Vocabulary, settings: SparseSettings) -> None:
        super().__init__(vocabulary, settings)
        size = settings.hidden_outer
        self.outer_mention = nn.Parameter(torch.zeros(settings.hidden_mention, size))
        self.outer_pair = nn.Parameter(torch.zeros(settings.hidden_pair, size))
        self.outer_bias = nn.Parameter(torch.zeros(size))
        self.link_outer = nn.Parameter(torch.zeros(size))  # u
        # The weights of g1 that nothing uses here.
        del self.link_mention, self.link_pair
        self._initialise_outer(settings.initialisation)

    @property
    def second_layer(self) -> list[nn.Parameter]:
        """All weights above the first layer."""
        outer = [self.outer_mention, self.outer_pair, self.outer_bias, self.link_outer]
        return [*outer, self.link_bias, self.new_mention, self.new_bias]

    def forward(self, document: DocumentTensors, dropout: float = 0.0) -> Tensor:
        """[mention, antecedent] s_ij, the diagonal being "new entity"; −inf beyond the limit of antecedents.

        Args:
            document: The document.
            dropout: The chance of a value of h_a and h_p to be left out of s_ij.
        """
        hidden = self.mention_hidden(document)
        of_mention = dropped(hidden, dropout) @ self.outer_mention + self.outer_bias

        def above(pairs: Tensor, rows: slice) -> Tensor:
            outer = dropped(torch.tanh(pairs), dropout) @ self.outer_pair
            return torch.tanh(outer + of_mention[rows, None]) @ self.link_outer

        def features(rows: slice, columns: slice) -> Tensor:
            return document.codes[document.code_of_pair[rows, columns].long()]

        first = FirstLayer(*self.pair_parts(document), features)
        links = scores_in_blocks(first, above, window=self.max_antecedents)
        links = without_far(links + self.link_bias, self.max_antecedents)
        return with_diagonal(links, self.new_scores(hidden))

    @torch.no_grad()
    def _initialise_outer(self, how: str) -> None:
        fill_output(self.link_outer, how)
        if how == "uniform":
            fill_output(self.outer_mention, how)
            fill_output(self.outer_pair, how)
        else:
            self.outer_bias.copy_(self.link_bias)
            fill_sparsely([self.outer_pair, self.outer_mention])
