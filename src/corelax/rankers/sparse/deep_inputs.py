"""What the deep network reads of a document: words, averages of words, numbers of mentions and of pairs.

    mention   8 word vectors: head, first, last, two before, two after, governor
              5 averages of fixed vectors: the mention, 5 words before it, 5 after, its sentence, the document
              numbers: length, place in the document, whether it is inside another mention, type and genre
    pair      distance in mentions and in sentences, and the ten yes-or-no features of the sparse ranker

Lengths and distances are 0, 1, 2, 3, 4, 5–7, 8–15, 16–31, 32–63, 64 and more, one-hot, and min(x, 64) / 64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from corelax.rankers.sparse.features.pair import BITS, LARGEST_DISTANCE, SENTENCE_DISTANCES
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.tensors import (
    code_slots,
    distinct_rows,
    known_codes,
    square_codes,
    to_device,
)

AVERAGES, NEAR = 5, 5
LARGEST = 64
BUCKETS = (0, 1, 2, 3, 4, 5, 8, 16, 32, LARGEST)  # where each begins
BUCKETED = len(BUCKETS) + 1
PAIR_NUMBERS = 2 * BUCKETED + len(BITS)
SHOWN = ("type", "genre")  # templates of the sparse features that are numbers here
ONE_HOT = BUCKETED + 2  # the first column of these


def bucketed(numbers: Tensor, dtype: torch.dtype) -> Tensor:
    """[..., 11] whole numbers as the network reads them.

    >>> bucketed(torch.tensor([6, 100]), torch.float32)[:, [5, 9, 10]].tolist()
    [[1.0, 0.0, 0.09375], [0.0, 1.0, 1.0]]
    """
    return bucket_table(dtype).to(numbers.device)[numbers.clamp(0, LARGEST)]


def bucket_table(dtype: torch.dtype) -> Tensor:
    """[65, 11] how the network reads 0 … 64."""
    every = torch.arange(LARGEST + 1)
    bucket = torch.searchsorted(torch.tensor(BUCKETS), every, right=True) - 1
    table = torch.zeros(LARGEST + 1, BUCKETED, dtype=dtype)
    table[every, bucket] = 1
    table[:, -1] = every / LARGEST
    return table


def shown_rows(vocabulary: Vocabulary) -> list[int]:
    """The rows of sparse features of mentions that are numbers here, one-hot."""
    names = enumerate(vocabulary.mention)
    return [row for row, name in names if name.partition("=")[0] in SHOWN]


class DeepTensors(NamedTuple):
    """What the deep network and the losses read of one document.

    Attributes:
        rows: [row] the rows of words that its mentions have, each once.
        words: [mention, 8] which of them each mention has; one past the last for none.
        averages: [mention, 5 · vector] averages of fixed vectors.
        numbers: [mention, number] the features of mentions.
        sentence: [mention] the number of its sentence.
        bits: [code, 10] the yes-or-no features of each pair code.
        code_of_pair: [mention, antecedent] which code each pair has.
        gold: [mention] entity numbers, −1 for none.
        gold_sizes: [entity] all mentions of each gold entity.
    """

    rows: Tensor
    words: Tensor
    averages: Tensor
    numbers: Tensor
    sentence: Tensor
    bits: Tensor
    code_of_pair: Tensor
    gold: Tensor
    gold_sizes: Tensor

    @property
    def size(self) -> int:
        """The number of mentions."""
        return len(self.words)

    @classmethod
    def of(cls, table: DocumentTable, vectors: Tensor, shown: Sequence[int]) -> DeepTensors:
        """The tensors of a table."""
        device, dtype = vectors.device, vectors.dtype
        rows, words = distinct_rows(table.words)
        sentence = np.searchsorted(table.sentences, table.spans[:, 0], side="right") - 1
        slots = code_slots(to_device(known_codes(table), device), dtype)
        first_bit = LARGEST_DISTANCE + SENTENCE_DISTANCES
        return cls(
            rows=to_device(rows, device),
            words=to_device(words, device),
            averages=_averages(table, sentence, vectors),
            numbers=_numbers(table, shown, dtype).to(device),
            sentence=to_device(sentence, device),
            bits=slots[:, first_bit + 1 :: 2],
            code_of_pair=square_codes(table).to(device),
            gold=to_device(table.gold, device),
            gold_sizes=to_device(table.gold_sizes, device),
        )

    def pair_numbers(self, current: Tensor, previous: Tensor, buckets: Tensor) -> Tensor:
        """[..., 32] the features of pairs, from the numbers of their mentions i and j."""
        sentences = self.sentence[current] - self.sentence[previous]
        bits = self.bits[self.code_of_pair[current, previous].long()]
        apart, sentences = ((x.clamp(0, LARGEST)) for x in (current - previous, sentences))
        return torch.cat([buckets[apart], buckets[sentences], bits], dim=-1)


def _averages(table: DocumentTable, sentence: np.ndarray, vectors: Tensor) -> Tensor:
    """[mention, 5 · vector] averages over the mention, what is near it, its sentence and the document."""
    size = len(table.tokens)
    tokens = to_device(table.tokens, vectors.device)
    known = (tokens >= 0)[:, None]
    of_tokens = torch.where(known, vectors[tokens.clamp(min=0)], 0.0).double()
    sums = torch.cat([of_tokens.new_zeros(1, vectors.shape[1]), of_tokens.cumsum(0)])
    start, end = (table.spans[:, side].astype(np.int64) for side in (0, 1))
    ends = np.append(table.sentences[1:], size).astype(np.int64)
    places = [
        (start, end),
        (np.maximum(start - NEAR, 0), start),
        (end, np.minimum(end + NEAR, size)),
        (table.sentences[sentence], ends[sentence]),
        (np.zeros_like(start), np.full_like(end, size)),
    ]
    averages = []
    for first, last in places:
        low, high = to_device(first, vectors.device), to_device(last, vectors.device)
        words = (high - low).clamp(min=1)[:, None]
        averages.append((sums[high] - sums[low]) / words)
    return torch.cat(averages, dim=1).to(vectors.dtype)


def _numbers(table: DocumentTable, shown: Sequence[int], dtype: torch.dtype) -> Tensor:
    """[mention, number] length, place, whether it is inside another mention; type and genre, one-hot."""
    n = table.size
    start, end = table.spans[:, 0], table.spans[:, 1]
    length = bucketed(torch.from_numpy((end - start).astype(np.int64)) - 1, dtype)
    place = torch.arange(n, dtype=dtype)[:, None] / max(n - 1, 1)
    # Sorted so that a mention that contains another comes before it.
    order = np.lexsort((-end, start))
    furthest = np.maximum.accumulate(np.concatenate([[-1], end[order]]))[:-1]
    inside = torch.zeros(n, 1, dtype=dtype)
    inside[torch.from_numpy(order), 0] = torch.from_numpy(furthest >= end[order]).to(dtype)
    is_shown = (table.features[:, :, None] == np.asarray(shown, dtype=np.int64)).any(1)
    return torch.cat([length, place, inside, torch.from_numpy(is_shown).to(dtype)], dim=1)
