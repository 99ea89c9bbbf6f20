"""The network of Clark & Manning (2016) over pairs of mentions, and over single ones for "new entity".

    x_i  = [8 word vectors; 5 averages; numbers]                    of mention i
    h_1  = ReLU(W_cur x_i + W_prev x_j + W_pair φ(i,j) + b_1)      1000
    h_2  = ReLU(W_2 h_1 + b_2)                                      500
    h_3  = ReLU(W_3 h_2 + b_3)                                      500
    s_ij = a (w · h_3 + w_0) + c   (j < i)            s_ii = −1 − 0.3 · (the same layers of x_i alone)

The first layer is applied to each part and summed, so that a mention's part is computed once. Dropout is of
word vectors and of all hidden layers. The layers for single mentions have weights of their own, and are
trained to tell anaphoric ones, which is why they count against a new entity.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout as dropped
from torch.nn.functional import linear, relu

from corelax.core.errors import CorelaxError
from corelax.rankers.sparse.deep_inputs import (
    AVERAGES,
    ONE_HOT,
    PAIR_NUMBERS,
    DeepTensors,
    bucket_table,
    shown_rows,
)
from corelax.rankers.sparse.features.table import WORDS, DocumentTable
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.network import with_diagonal
from corelax.rankers.sparse.pair_scores import FirstLayer, scores_in_blocks
from corelax.rankers.sparse.settings import SparseSettings
from corelax.rankers.sparse.tensors import TableRows, without_far

NEW_SHIFT, NEW_SCALE = -1.0, -0.3
WORD_RANGE = 0.5  # of vectors that nobody gave


class Above(nn.Module):
    """The layers above the first: [..., first] sums → [...] scores."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__()
        self.second, self.third = nn.Linear(first, second), nn.Linear(second, second)
        self.output = nn.Linear(second, 1)
        self.scale = nn.Parameter(torch.ones([]))
        self.shift = nn.Parameter(torch.zeros([]))
        for layer in (self.second, self.third, self.output):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, sums: Tensor, dropout: float) -> Tensor:
        """Scores from the sums of the first layer."""
        hidden = dropped(relu(sums), dropout)
        hidden = dropped(relu(self.second(hidden)), dropout)
        hidden = dropped(relu(self.third(hidden)), dropout)
        # Not `self.output(hidden)`: a product with one column is slow.
        return (hidden @ self.output.weight[0] + self.output.bias) * self.scale + self.shift


class DeepRanker(nn.Module):
    """Antecedent scores from word vectors.

    Args:
        vocabulary: With the words that have vectors; a fresh ranker draws them at random.
        settings: Sizes and limits.
    """

    def __init__(self, vocabulary: Vocabulary, settings: SparseSettings) -> None:
        super().__init__()
        if vocabulary.words is None:
            raise CorelaxError("the vocabulary has no words, which a deep ranker needs")
        words, size, deep = len(vocabulary.words), settings.word_size, settings.hidden_deep
        self.shown, self.max_antecedents = shown_rows(vocabulary), settings.max_antecedents
        inputs = (WORDS + AVERAGES) * size + ONE_HOT + len(self.shown)
        self.word_vectors = nn.Parameter(torch.empty(words, size))
        self.fixed_vectors: Tensor
        self.register_buffer("fixed_vectors", torch.empty(words, size))
        self.buckets: Tensor
        table = bucket_table(torch.get_default_dtype())
        self.register_buffer("buckets", table, persistent=False)
        self.pair_current = nn.Parameter(torch.empty(inputs, deep))
        self.pair_previous = nn.Parameter(torch.empty(inputs, deep))
        self.pair_features = nn.Parameter(torch.empty(PAIR_NUMBERS, deep))
        self.pair_bias = nn.Parameter(torch.zeros(deep))
        self.pair_above = Above(deep, settings.hidden_above)
        self.mention_first = nn.Linear(inputs, deep)
        self.mention_above = Above(deep, settings.hidden_above)
        self._initialise()

    @property
    def parameter_groups(self) -> Mapping[str, list[nn.Parameter]]:
        """All parameters, by the learning rate that they have."""
        return {"learning_rate": list(self.parameters())}

    @property
    def clamped(self) -> list[nn.Parameter]:
        """Parameters whose gradients are clamped value by value."""
        return []

    @torch.no_grad()
    def set_vectors(self, rows: Tensor, vectors: Tensor) -> None:
        """Gives words in these rows [row, vector] vectors: those that are trained and those that stay."""
        if (given := vectors.shape[1]) != (size := self.word_vectors.shape[1]):
            raise CorelaxError(
                f"word vectors have {given} values, not {size}; set word_size={given}"
            )
        self.word_vectors[rows] = vectors
        self.fixed_vectors[rows] = vectors

    def tensors_of(self, table: DocumentTable) -> DeepTensors:
        """A document as tensors, where the weights are."""
        return DeepTensors.of(table, self.fixed_vectors, self.shown)

    def forward(
        self, document: DeepTensors, dropout: float = 0.0, only: Tensor | None = None
    ) -> Tensor:
        """[mention, antecedent] s_ij, the diagonal being "new entity"; −inf beyond the limit of antecedents.

        Args:
            document: The document.
            dropout: The chance of a value of word vectors and hidden layers to be left out.
            only: [mention, antecedent] the pairs to score, if not all; the others have −inf.
        """
        links, anaphoric = self.pair_and_anaphoricity(document, dropout, only)
        return with_diagonal(links, NEW_SHIFT + NEW_SCALE * anaphoric)

    def pair_and_anaphoricity(
        self, document: DeepTensors, dropout: float = 0.0, only: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """[mention, antecedent] scores of pairs, and [mention] of being anaphoric.

        Scores that are not below the diagonal mean nothing.
        """
        inputs = self.inputs(document, dropout)
        current = inputs @ self.pair_current + self.pair_bias
        previous = inputs @ self.pair_previous
        if only is None:
            links = self._all_pairs(document, current, previous, dropout)
        else:
            i, j = only.nonzero(as_tuple=True)
            numbers = document.pair_numbers(i, j, self.buckets)
            sums = numbers @ self.pair_features + current[i] + previous[j]
            below = torch.ones_like(only).tril(-1)
            links = current.new_zeros(only.shape).masked_fill(below, -torch.inf)
            links = links.index_put((i, j), self.pair_above(sums, dropout))
        sums = linear(inputs, self.mention_first.weight, self.mention_first.bias)
        return without_far(links, self.max_antecedents), self.mention_above(sums, dropout)

    def _all_pairs(
        self, document: DeepTensors, current: Tensor, previous: Tensor, dropout: float
    ) -> Tensor:
        """[mention, antecedent] scores, block by block."""
        mention = torch.arange(document.size, device=current.device)

        def numbers(rows: slice, columns: slice) -> Tensor:
            return document.pair_numbers(mention[rows, None], mention[None, columns], self.buckets)

        sizes = [layer.out_features for layer in (self.pair_above.second, self.pair_above.third)]
        return scores_in_blocks(
            FirstLayer(current, previous, self.pair_features, numbers),
            lambda sums, _: self.pair_above(sums, dropout),
            window=self.max_antecedents,
            width=(len(self.pair_bias) + sum(sizes)) * (3 if dropout else 2),
        )

    def inputs(self, document: DeepTensors, dropout: float = 0.0) -> Tensor:
        """[mention, input] x_i."""
        rows: Tensor = TableRows.apply(self.word_vectors, document.rows)  # type: ignore[no-untyped-call]
        vectors = torch.cat([rows, rows.new_zeros(1, rows.shape[1])])[document.words].flatten(1)
        return torch.cat([dropped(vectors, dropout), document.averages, document.numbers], dim=1)

    @torch.no_grad()
    def _initialise(self) -> None:
        """Random weights; those of the first layer as one matrix over all its inputs."""
        size = len(self.pair_bias)
        tables = (self.pair_current, self.pair_previous, self.pair_features)
        bound = (6 / (sum(len(table) for table in tables) + size)) ** 0.5
        for table in tables:
            table.uniform_(-bound, bound)
        nn.init.xavier_uniform_(self.mention_first.weight)
        nn.init.zeros_(self.mention_first.bias)
        self.word_vectors.uniform_(-WORD_RANGE, WORD_RANGE)
        self.fixed_vectors.copy_(self.word_vectors)
