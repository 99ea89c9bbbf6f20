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
from typing import Any, ClassVar, Self

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout as dropped
from torch.nn.functional import linear, relu

from corelax.core.errors import CorelaxError
from corelax.rankers.sparse.deep.inputs import (
    AVERAGES,
    ONE_HOT,
    PAIR_NUMBERS,
    DeepTensors,
    bucket_table,
    shown_rows,
)
from corelax.rankers.sparse.deep.listed_layers import ListedLayers
from corelax.rankers.sparse.features.table import WORDS, DocumentTable
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.pair_blocks import FirstLayer, are_kept, scores_in_blocks
from corelax.rankers.sparse.tensors import TableRows, many_hot, without_far

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
        return self.scaled(hidden @ self.output.weight[0])

    @property
    def weights(self) -> list[Tensor]:
        """Of both layers, with their biases, and of the output."""
        second, third = self.second, self.third
        return [second.weight, second.bias, third.weight, third.bias, self.output.weight[0]]

    def scaled(self, values: Tensor) -> Tensor:
        """Scores from [...] values of the output unit, without its bias."""
        return (values + self.output.bias) * self.scale + self.shift


class DeepRanker(nn.Module):
    """Antecedent scores from word vectors.

    Args:
        words: How many words have vectors.
        shown: The rows of sparse features of mentions that are among the numbers.
        word_size: The size of vectors.
        hidden_deep: The size of the first hidden layer.
        hidden_above: The size of the other two.
        max_antecedents: How many mentions back a mention can be linked; 0 for no limit.
    """

    SIZES: ClassVar[tuple[str, ...]] = ("word_size", "hidden_deep", "hidden_above")

    def __init__(
        self,
        words: int,
        shown: list[int],
        *,
        word_size: int = 50,
        hidden_deep: int = 1000,
        hidden_above: int = 500,
        max_antecedents: int = 0,
    ) -> None:
        super().__init__()
        inputs = (WORDS + AVERAGES) * word_size + ONE_HOT + len(shown)
        self.shown, self.max_antecedents = shown, max_antecedents
        self.word_vectors = nn.Parameter(torch.empty(words, word_size))
        self.fixed_vectors: Tensor
        self.register_buffer("fixed_vectors", torch.empty(words, word_size))
        self.buckets: Tensor
        table = bucket_table(torch.get_default_dtype())
        self.register_buffer("buckets", table, persistent=False)
        self.pair_current = nn.Parameter(torch.empty(inputs, hidden_deep))
        self.pair_previous = nn.Parameter(torch.empty(inputs, hidden_deep))
        self.pair_features = nn.Parameter(torch.empty(PAIR_NUMBERS, hidden_deep))
        self.pair_bias = nn.Parameter(torch.zeros(hidden_deep))
        self.pair_above = Above(hidden_deep, hidden_above)
        self.mention_first = nn.Linear(inputs, hidden_deep)
        self.mention_above = Above(hidden_deep, hidden_above)
        self._initialise()

    @classmethod
    def for_vocabulary(cls, vocabulary: Vocabulary, **settings: Any) -> Self:
        """A ranker with fresh weights and random vectors for the words of a vocabulary."""
        if vocabulary.words is None:
            raise CorelaxError("the vocabulary has no words, which a deep ranker needs")
        settings.pop("initialisation", None)
        return cls(len(vocabulary.words), shown_rows(vocabulary), **settings)

    @property
    def parameter_groups(self) -> Mapping[str, list[nn.Parameter]]:
        """All parameters, by the learning rate that they have."""
        return {"learning_rate": list(self.parameters())}

    @property
    def clamped(self) -> list[nn.Parameter]:
        """Parameters whose gradients are clamped value by value."""
        return []

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.pair_bias.device

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
        self,
        document: DeepTensors,
        dropout: float = 0.0,
        only: Tensor | None = None,
        hidden_dtype: torch.dtype | None = None,
    ) -> Tensor:
        """[mention, antecedent] s_ij, the diagonal being "new entity"; −inf beyond the limit of antecedents.

        Args:
            document: The document.
            dropout: The chance of a value of word vectors and hidden layers to be left out.
            only: The pairs to score, if not all; see `pair_and_anaphoricity`.
            hidden_dtype: Of the hidden values of all pairs of a padded document; else that of the weights.
        """
        links, anaphoric = self.pair_and_anaphoricity(document, dropout, only, hidden_dtype)
        diagonal = torch.eye(len(links), dtype=torch.bool, device=links.device)
        return torch.where(diagonal, (NEW_SHIFT + NEW_SCALE * anaphoric)[:, None], links)

    def pair_and_anaphoricity(
        self,
        document: DeepTensors,
        dropout: float = 0.0,
        only: Tensor | None = None,
        hidden_dtype: torch.dtype | None = None,
    ) -> tuple[Tensor, Tensor]:
        """[mention, antecedent] scores of pairs, and [mention] of being anaphoric.

        Args:
            document: The document.
            dropout: As for `forward`.
            only: The pairs to score, if not all; the others have −inf. Either [mention, antecedent] True for
                these pairs, or [mention, few] a table of the antecedents, where a mention itself stands for
                none.
            hidden_dtype: As for `forward`.

        Returns:
            Scores, of which those that are not below the diagonal mean nothing.
        """
        inputs = self.inputs(document, dropout)
        current = inputs @ self.pair_current + self.pair_bias
        previous = inputs @ self.pair_previous
        if only is None:
            links = self._all_pairs(document, current, previous, dropout, hidden_dtype)
        elif only.dtype == torch.bool:
            i, j = only.nonzero(as_tuple=True)
            numbers = document.pair_numbers(i, j, self.buckets)
            sums = numbers @ self.pair_features + current[i] + previous[j]
            links = _no_links(current).index_put((i, j), self.pair_above(sums, dropout))
        else:
            links = self._few_pairs(document, current, previous, dropout, only)
        sums = linear(inputs, self.mention_first.weight, self.mention_first.bias)
        return without_far(links, self.max_antecedents), self.mention_above(sums, dropout)

    def _all_pairs(
        self,
        document: DeepTensors,
        current: Tensor,
        previous: Tensor,
        dropout: float,
        hidden_dtype: torch.dtype | None,
    ) -> Tensor:
        """[mention, antecedent] scores, block by block, or of the list of pairs that a document has."""
        if (pairs := document.pairs) is not None:
            features = document.pair_numbers(pairs.current, pairs.previous, self.buckets)
            values: Tensor = ListedLayers.apply(  # type: ignore[no-untyped-call]
                current, previous, self.pair_features, *self.pair_above.weights,
                features, pairs, dropout, hidden_dtype or current.dtype,
            )  # fmt: skip
            return pairs.square(self.pair_above.scaled(values), document.size)
        mention = torch.arange(document.size, device=self.device)

        def numbers(rows: slice, columns: slice) -> Tensor:
            return document.pair_numbers(mention[rows, None], mention[None, columns], self.buckets)

        first = FirstLayer(current, previous, self.pair_features, numbers)
        return scores_in_blocks(
            first,
            lambda sums, _: self.pair_above(sums, dropout),
            window=self.max_antecedents,
            width=self._width(dropout),
        )

    def keeps_hidden(self, mentions: int, dropout: float) -> bool:
        """Whether the hidden values of so long a document wait for the backward pass."""
        return are_kept(mentions, self._width(dropout), self.device)

    def _width(self, dropout: float) -> int:
        """How many values of a pair the backward pass needs."""
        sizes = [layer.out_features for layer in (self.pair_above.second, self.pair_above.third)]
        return (len(self.pair_bias) + sum(sizes)) * (3 if dropout else 2)

    def _few_pairs(
        self,
        document: DeepTensors,
        current: Tensor,
        previous: Tensor,
        dropout: float,
        antecedents: Tensor,
    ) -> Tensor:
        """[mention, antecedent] scores of [mention, few] antecedents, as many for each mention."""
        n, few = antecedents.shape
        mention = torch.arange(n, device=self.device)[:, None].expand(n, few)
        numbers = document.pair_numbers(mention, antecedents, self.buckets)
        # As a product, since the gradient of an index would be added up in any order.
        chosen = many_hot(antecedents.reshape(-1, 1), n, previous.dtype)
        of_previous = (chosen @ previous).view(n, few, -1)
        sums = numbers @ self.pair_features + current[:, None] + of_previous
        return _no_links(current).scatter(1, antecedents, self.pair_above(sums, dropout))

    def inputs(self, document: DeepTensors, dropout: float = 0.0) -> Tensor:
        """[mention, input] x_i."""
        rows: Tensor = TableRows.apply(  # type: ignore[no-untyped-call]
            self.word_vectors, document.rows, document.source
        )
        if document.source is None:
            vectors = torch.cat([rows, rows.new_zeros(1, rows.shape[1])])[document.words].flatten(1)
        else:  # as a product, since the gradient of an index would be added up in any order
            chosen = many_hot(document.words.reshape(-1, 1), len(rows), rows.dtype)
            vectors = (chosen @ rows).view(document.size, -1)
        parts = [dropped(vectors, dropout), document.averages, document.numbers]
        return torch.cat(parts, dim=1)

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


def _no_links(current: Tensor) -> Tensor:
    """[mention, antecedent] −inf below the diagonal, for each mention in [mention, hidden]."""
    n = len(current)
    below = torch.ones(n, n, dtype=torch.bool, device=current.device).tril(-1)
    return current.new_zeros(n, n).masked_fill(below, -torch.inf)
