"""The mention ranker of the paper, two hidden layers over sparse features, and one with a layer more.

    h_a(i)   = tanh(W_a φ_a(i) + b_a)                                                200
    h_p(i,j) = tanh(W_cur φ_a(i) + W_prev φ_a(j) + W_pair φ_pair(i,j) + b_p)         700
    s_ij = u_a · h_a(i) + u_p · h_p(i,j) + u_0   (j < i)            s_ii = v · h_a(i) + v_0

What h_p takes of mention i alone is A_i, of mention j alone B_j, and of both one of a few hundred codes:
h_p = tanh(A_i + B_j + C[code]). Nothing is stored for a pair but its code.

The ranker of Wiseman et al. (2015) in its second form, g2, has a hidden layer above both, of which the part
that sees h_a is computed once a mention:

    s_ij = u · tanh(W_o [h_p(i,j); h_a(i)] + b_o) + u_0   (j < i)            s_ii = v · h_a(i) + v_0
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout as dropped

from corelax.rankers.sparse.features.pair import BITS, LARGEST_DISTANCE, SENTENCE_DISTANCES
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.pair_scores import FirstLayer, PairScores, scores_in_blocks
from corelax.rankers.sparse.settings import SparseSettings
from corelax.rankers.sparse.tensors import DocumentTensors, TableRows, many_hot, without_far

TABLE_RANGE = 0.1
SPARSE_WEIGHTS, SPARSE_SCALE, SPARSE_BIAS = 15, 0.25, 0.5  # of Wiseman et al.


class SparseRanker(nn.Module):
    """Antecedent scores from a document's features.

    Args:
        vocabulary: The features.
        settings: Sizes and limits.
    """

    def __init__(self, vocabulary: Vocabulary, settings: SparseSettings) -> None:
        super().__init__()
        # A last row stays 0: it stands for "no feature".
        mention_rows, pair_features = len(vocabulary.mention) + 1, len(vocabulary.pair)
        hidden_mention, hidden_pair = settings.hidden_mention, settings.hidden_pair
        self.mention_table = nn.Parameter(torch.zeros(mention_rows, hidden_mention))
        self.current_table = nn.Parameter(torch.zeros(mention_rows, hidden_pair))
        self.previous_table = nn.Parameter(torch.zeros(mention_rows, hidden_pair))
        self.pair_table = nn.Parameter(torch.zeros(pair_features + 1, hidden_pair))
        self.mention_bias = nn.Parameter(torch.zeros(hidden_mention))
        self.pair_bias = nn.Parameter(torch.zeros(hidden_pair))
        self.link_mention = nn.Parameter(torch.zeros(hidden_mention))  # u_a
        self.link_pair = nn.Parameter(torch.zeros(hidden_pair))  # u_p
        self.link_bias = nn.Parameter(torch.zeros([]))  # u_0
        self.new_mention = nn.Parameter(torch.zeros(hidden_mention))  # v
        self.new_bias = nn.Parameter(torch.zeros([]))  # v_0
        rows = [[row if row >= 0 else pair_features] for row in _slot_rows(vocabulary)]
        self.slot_table: Tensor  # [slot, pair feature]
        slots = many_hot(torch.tensor(rows), pair_features)
        self.register_buffer("slot_table", slots, persistent=False)
        templates, paired = vocabulary.settings.mention_templates, vocabulary.settings.paired
        self.paired = None if len(paired) == len(templates) else paired
        self.max_antecedents = settings.max_antecedents
        self._initialise(settings.initialisation)

    @property
    def first_layer(self) -> list[nn.Parameter]:
        """The feature tables and their biases."""
        tables = [self.mention_table, self.current_table, self.previous_table, self.pair_table]
        return [*tables, self.mention_bias, self.pair_bias]

    @property
    def second_layer(self) -> list[nn.Parameter]:
        """The weights of the two scores."""
        links = [self.link_mention, self.link_pair, self.link_bias]
        return [*links, self.new_mention, self.new_bias]

    @property
    def parameter_groups(self) -> Mapping[str, list[nn.Parameter]]:
        """All parameters, by the learning rate that they have."""
        return {"learning_rate": self.first_layer, "output_learning_rate": self.second_layer}

    @property
    def clamped(self) -> list[nn.Parameter]:
        """Parameters whose gradients are clamped value by value."""
        return []

    def tensors_of(self, table: DocumentTable) -> DocumentTensors:
        """A document as tensors, where the weights are."""
        return DocumentTensors.of(table, self.pair_table, self.paired)

    def forward(self, document: DocumentTensors, dropout: float = 0.0) -> Tensor:
        """[mention, antecedent] s_ij, the diagonal being "new entity"; −inf beyond the limit of antecedents.

        Args:
            document: The document.
            dropout: The chance of a value of h_a and h_p to be left out of s_ij.
        """
        hidden = self.mention_hidden(document)
        links = self.pair_scores(document, dropout)
        used = dropped(hidden, dropout) if dropout else hidden
        links = links + (used @ self.link_mention)[:, None]
        return with_diagonal(links, self.new_scores(hidden))

    def mention_hidden(self, document: DocumentTensors) -> Tensor:
        """[mention, hidden] h_a."""
        return torch.tanh(self.summed(self.mention_table, document) + self.mention_bias)

    def summed(self, table: Tensor, document: DocumentTensors) -> Tensor:
        """[mention, hidden] W φ_a: the sum of the rows that a mention's features have in a table."""
        rows: Tensor = TableRows.apply(table, document.rows)  # type: ignore[no-untyped-call]
        return document.features @ rows

    def new_scores(self, hidden: Tensor) -> Tensor:
        """[mention] s_ii from h_a."""
        return hidden @ self.new_mention + self.new_bias

    def pair_scores(self, document: DocumentTensors, dropout: float = 0.0) -> Tensor:
        """[mention, antecedent] u_p · h_p + u_0; what is not below the diagonal means nothing.

        −inf beyond the limit of antecedents.
        """
        scores: Tensor = PairScores.apply(  # type: ignore[no-untyped-call]
            *self.pair_parts(document), self.link_pair, document.codes, document.code_of_pair,
            dropout, self.max_antecedents,
        )  # fmt: skip
        return without_far(scores + self.link_bias, self.max_antecedents)

    def pair_parts(self, document: DocumentTensors) -> tuple[Tensor, Tensor, Tensor]:
        """[mention, hidden] A_i with the bias, [mention, hidden] B_j, [slot, hidden] what codes add up."""
        table, apply = self.pair_table[:-1], TableRows.apply
        of_current = document.paired @ apply(self.current_table, document.rows)  # type: ignore[no-untyped-call]
        of_current = of_current + document.current @ table
        of_previous = document.paired @ apply(self.previous_table, document.rows)  # type: ignore[no-untyped-call]
        of_previous = of_previous + document.previous @ table
        # As a product, since the gradient of an index would be added up in any order.
        slots = self.slot_table.to(table.dtype) @ table
        return of_current + self.pair_bias, of_previous, slots

    @torch.no_grad()
    def _initialise(self, how: str) -> None:
        """Random weights. The row for "no feature" stays 0."""
        tables = [self.mention_table, self.current_table, self.previous_table, self.pair_table]
        for table in tables:
            if how == "uniform":
                table[:-1].uniform_(-TABLE_RANGE, TABLE_RANGE)
        if how == "sparse":
            self.mention_bias.fill_(SPARSE_BIAS)
            self.pair_bias.fill_(SPARSE_BIAS)
            self.link_bias.fill_(SPARSE_BIAS)
            self.new_bias.fill_(SPARSE_BIAS)
            fill_sparsely([self.mention_table[:-1]])
            pairs = [self.pair_table, self.current_table, self.previous_table]
            fill_sparsely([table[:-1] for table in pairs])
        for weight in (self.link_mention, self.link_pair, self.new_mention):
            fill_output(weight, how)


class OuterRanker(SparseRanker):
    """The second form: a hidden layer above those of mention and pair."""

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


def with_diagonal(links: Tensor, new: Tensor) -> Tensor:
    """[mention, antecedent] scores of links, with [mention] those of "new entity" on the diagonal."""
    diagonal = torch.eye(len(links), dtype=torch.bool, device=links.device)
    return torch.where(diagonal, new[:, None], links)


def _slot_rows(vocabulary: Vocabulary) -> list[int]:
    """[slot] the rows of the pair vocabulary, in the order of `code_slots`."""
    names = [f"dist={d + 1}" for d in range(LARGEST_DISTANCE)]
    names += [f"sdist={d}" for d in range(SENTENCE_DISTANCES)]
    names += [f"{bit}={value}" for bit in BITS for value in ("false", "true")]
    return [vocabulary.pair_row(*name.split("=")) for name in names]


def fill_output(weight: Tensor, how: str) -> None:
    """Weights [input] or [input, hidden] of a layer above the first."""
    bound = math.sqrt((3.0 if how == "uniform" else 1.0) / len(weight))
    weight.uniform_(-bound, bound)


def fill_sparsely(tables: Sequence[Tensor]) -> None:
    """Fifteen weights for each hidden unit, over the inputs of all tables [input, hidden] together."""
    sizes = [len(table) for table in tables]
    for unit in range(tables[0].shape[1]):
        for place in torch.randperm(sum(sizes))[:SPARSE_WEIGHTS].tolist():
            for table, size in zip(tables, sizes, strict=True):
                if place < size:
                    table[place, unit] = float(torch.randn([]) * SPARSE_SCALE)
                    break
                place -= size
