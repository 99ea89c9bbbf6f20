"""The ranker of Wiseman et al. (2015) in its second form, g2: a hidden layer above those of mention and pair.

    s_ij = u · tanh(W_o [h_p(i,j); h_a(i)] + b_o) + u_0   (j < i)            s_ii = v · h_a(i) + v_0

The part of W_o that sees h_a is computed once a mention.
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout as dropped

from corelax.rankers.sparse.network import SparseRanker, fill_output, fill_sparsely
from corelax.rankers.sparse.pair_blocks import FirstLayer, are_kept, scores_in_blocks
from corelax.rankers.sparse.pair_lists import ListedSums, PairList
from corelax.rankers.sparse.tensors import DocumentTensors, without_far


class OuterRanker(SparseRanker):
    """Antecedent scores by two hidden layers.

    Args:
        *features: As `SparseRanker`.
        hidden_outer: Size of the second hidden layer.
        **settings: As `SparseRanker`.
    """

    SIZES: ClassVar[tuple[str, ...]] = (*SparseRanker.SIZES, "hidden_outer")

    def __init__(self, *features: Any, hidden_outer: int = 128, **settings: Any) -> None:
        super().__init__(*features, **settings)
        hidden_mention, hidden_pair = len(self.mention_bias), len(self.pair_bias)
        self.outer_mention = nn.Parameter(torch.zeros(hidden_mention, hidden_outer))
        self.outer_pair = nn.Parameter(torch.zeros(hidden_pair, hidden_outer))
        self.outer_bias = nn.Parameter(torch.zeros(hidden_outer))
        self.link_outer = nn.Parameter(torch.zeros(hidden_outer))  # u
        # The weights of g1 that nothing uses here.
        del self.link_mention, self.link_pair
        self._initialise_outer(str(settings.get("initialisation", "uniform")))

    @property
    def second_layer(self) -> list[nn.Parameter]:
        """All weights above the first layer."""
        outer = [self.outer_mention, self.outer_pair, self.outer_bias, self.link_outer]
        return [*outer, self.link_bias, self.new_mention, self.new_bias]

    def keeps_hidden(self, mentions: int, dropout: float) -> bool:  # noqa: ARG002
        """Whether the hidden values of so long a document wait for the backward pass."""
        return are_kept(mentions, len(self.pair_bias), self.device)

    def forward(self, document: DocumentTensors, dropout: float = 0.0) -> Tensor:
        """[mention, antecedent] s_ij, the diagonal being "new entity"; −inf beyond the limit of antecedents.

        Args:
            document: The document.
            dropout: The chance of a value of h_a and h_p to be left out of s_ij.
        """
        document = self.with_matrices(document)
        hidden = self.mention_hidden(document)
        of_mention = dropped(hidden, dropout) @ self.outer_mention + self.outer_bias
        codes = self.matrices_of(document).codes
        if document.pairs is None:
            links = self._in_blocks(document, of_mention, codes, dropout)
        else:
            links = self._listed(document, document.pairs, of_mention, codes, dropout)
        links = without_far(links + self.link_bias, self.max_antecedents)
        diagonal = torch.eye(len(links), dtype=torch.bool, device=links.device)
        return torch.where(diagonal, self.new_scores(hidden)[:, None], links)

    def _in_blocks(
        self, document: DocumentTensors, of_mention: Tensor, codes: Tensor, dropout: float
    ) -> Tensor:
        """[mention, antecedent] scores of links from [mention, outer] W_o h_a + b_o, block by block."""

        def above(pairs: Tensor, rows: slice) -> Tensor:
            outer = dropped(torch.tanh(pairs), dropout) @ self.outer_pair
            return torch.tanh(outer + of_mention[rows, None]) @ self.link_outer

        def features(rows: slice, columns: slice) -> Tensor:
            return codes[document.code_of_pair[rows, columns].long()]

        first = FirstLayer(*self.pair_parts(document), features)
        return scores_in_blocks(first, above, window=self.max_antecedents)

    def _listed(
        self,
        document: DocumentTensors,
        pairs: PairList,
        of_mention: Tensor,
        codes: Tensor,
        dropout: float,
    ) -> Tensor:
        """The same, from a list of pairs."""
        features = codes[document.code_of_pair[pairs.current, pairs.previous].long()]
        current, previous, slots = self.pair_parts(document)
        apply = ListedSums.apply
        sums: Tensor = apply(current, previous, slots, features, pairs.blocks)  # type: ignore[no-untyped-call]
        inner = dropped(torch.tanh(sums), dropout)
        outer: Tensor = apply(of_mention, None, self.outer_pair, inner, pairs.blocks)  # type: ignore[no-untyped-call]
        return pairs.square(torch.tanh(outer) @ self.link_outer, document.size)

    @torch.no_grad()
    def _initialise_outer(self, how: str) -> None:
        """Random weights of what the local ranker does not have."""
        fill_output(self.link_outer, how)
        if how == "uniform":
            fill_output(self.outer_mention, how)
            fill_output(self.outer_pair, how)
        else:
            self.outer_bias.copy_(self.link_bias)
            fill_sparsely([self.outer_pair, self.outer_mention])
