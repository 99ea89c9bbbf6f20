"""Which spans are mentions, and what they mean: vectors of words in, vectors of spans out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from corelax.decode.arrays import Ints
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.span_table import SpanTable, WordSpans
from corelax.rankers.encoder.transfers import Arriving, to_device


class Kept(NamedTuple):
    """The spans that are kept of a few windows, in the order of the text.

    Attributes:
        number: [span] which of the table's spans.
        window: [span] which of the windows.
        start: [span] the first word, in the window.
        width: [span] the number of its words, less one.
        logit: [span] the logit of being a mention.
        counts: [window] how many are kept of each, on the CPU.
    """

    number: Tensor
    window: Tensor
    start: Tensor
    width: Tensor
    logit: Tensor
    counts: Ints


def rows_of(table: Tensor, *index: Tensor) -> Tensor:
    """`table[index]`, as a look-up of rows: its gradient is summed in order, and fast where rows repeat.

    >>> table = torch.arange(12.0).reshape(2, 3, 2)
    >>> rows_of(table, torch.tensor([1, 0]), torch.tensor([2, 0]))
    tensor([[10., 11.],
            [ 0.,  1.]])
    """
    flat = index[0]
    for size, part in zip(table.shape[1:], index[1:], strict=False):
        flat = flat * size + part
    return nn.functional.embedding(flat, table.flatten(0, len(index) - 1))


def on_device(spans: WordSpans, device: torch.device | str = "cpu") -> SpanTable:
    """A table whose columns are tensors on a device, without waiting for it.

    The device repeats what is known of words: there are ten spans for each.
    """
    columns = to_device(np.stack(spans[:5]), torch.device(device))
    word = torch.repeat_interleave(columns[4], output_size=spans.total)
    window, start, before, outside = columns[:4].index_select(1, word)
    number = torch.arange(spans.total, device=columns.device)
    return SpanTable(window, start, number - before, number - outside, *spans[5:])


class SpanScorer(nn.Module):
    """The logit that a span is a mention, for each scheme.

        m(s, e) = v · relu(S x_s + E x_e + C mean(x_s … x_e) + width_{e−s} + scheme)

    The products with matrices are those of words, not of spans: a span costs a few sums and one relu.
    """

    def __init__(self, size: int, settings: EncoderSettings) -> None:
        super().__init__()
        hidden = settings.hidden_size
        self.start, self.end, self.content = (nn.Linear(size, hidden) for _ in range(3))
        self.width = nn.Embedding(settings.max_width, hidden)
        self.scheme = nn.Embedding(len(settings.schemes), hidden)
        self.out = nn.Linear(hidden, len(settings.schemes))
        self.dropout = nn.Dropout(settings.dropout)

    def forward(self, words: Tensor, table: SpanTable, schemes: Tensor) -> Tensor:
        """[span] logits.

        Args:
            words: [window, word, size] vectors.
            table: The spans.
            schemes: [window] numbers of schemes.
        """
        window, start, width = table[:3]
        end = start + width
        starts, ends, sums = self.of_words(words)
        mean = (rows_of(sums, window, end + 1) - rows_of(sums, window, start)) / (width + 1)[
            :, None
        ]
        scheme = schemes[window]
        rest = rows_of(self.width.weight[:, None] + self.scheme.weight, width, scheme)
        hidden = rows_of(starts, window, start) + rows_of(ends, window, end)
        hidden = self.dropout(torch.relu(hidden + rest + mean.to(hidden.dtype)))
        logits: Tensor = self.out(hidden).gather(1, scheme[:, None]).squeeze(1).float()
        return logits

    def of_words(self, words: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """[window, word, hidden] S x and E x, and [window, word + 1, hidden] sums of C x of earlier words."""
        content = self.content(words).float()
        return (
            self.start(words),
            self.end(words),
            nn.functional.pad(content.cumsum(1), (0, 0, 1, 0)),
        )


class Likely(NamedTuple):
    """The likeliest spans of windows, before it is known here how many they are.

    Attributes:
        column: [window, rank] their positions among the spans of the window, in the order of the text; the
            first `counts` of each row.
        counts: [window] their number, which a GPU may still have to say.
    """

    column: Tensor
    counts: Arriving | Ints

    def kept(self, logits: Tensor, table: SpanTable) -> Kept:
        """The spans; waits for their number."""
        counts = self.counts.arrays()[0] if isinstance(self.counts, Arriving) else self.counts
        # The first `counts` of each sorted row are real: which they are is known without looking.
        window_at, rank_at = (np.arange(self.column.shape[1]) < counts[:, None]).nonzero()
        at = to_device(np.stack([window_at, rank_at]), logits.device)
        before = to_device(np.cumsum(table.sizes) - table.sizes, logits.device)
        number = self.column[at[0], at[1]] + before[at[0]]
        return kept_spans(logits, table, number, counts)


def likely_spans(
    logits: Tensor, table: SpanTable, ratio: float, least: float = -torch.inf
) -> Likely:
    """The likeliest spans of each window: at most `ratio` for each word, none with a logit below `least`.

    Args:
        logits: [span].
        table: The spans.
        ratio: Spans for each word.
        least: The smallest logit.

    >>> from corelax.rankers.encoder.span_table import word_spans
    >>> table, logits = on_device(word_spans([np.array([0, 0])], max_width=2)), [1.0, 3.0, -2.0]
    >>> kept = likely_spans(torch.tensor(logits), table, 1.0, least=0.0).kept(torch.tensor(logits), table)
    >>> kept.start.tolist(), kept.width.tolist()
    ([0, 0], [0, 1])
    """
    counts: Arriving | Ints
    counts = most = table.most(ratio)
    rows = logits.new_full((len(most), max(table.sizes.max(initial=0), 1)), -torch.inf)
    rows = rows.index_put((table.window, table.column), logits.detach())
    best, where = rows.topk(max(most.max(initial=0), 1), dim=1)
    allowed = to_device(np.arange(best.shape[1]) < most[:, None], logits.device)
    nowhere = rows.shape[1]
    if least > -torch.inf:
        allowed = allowed & (best >= least)
        counts = Arriving(allowed.sum(1))
    column = torch.where(allowed, where, nowhere).sort(dim=1).values
    return Likely(column, counts)


def kept_spans(logits: Tensor, table: SpanTable, number: Tensor, counts: Ints) -> Kept:
    """Spans of a table by their numbers, which must rise; `counts` of each window."""
    window, start, width = (column[number] for column in table[:3])
    return Kept(number, window, start, width, logits.index_select(0, number), counts)


class SpanEncoder(nn.Module):
    """The vector of a span: its ends, its words by attention, its width, the scheme.

        z = gelu(W [x_s; x_e; Σ_t α_t x_t; width; scheme]),   α = softmax of scores of words over the span

    The word with the largest α is taken for its head.
    """

    def __init__(self, size: int, settings: EncoderSettings) -> None:
        super().__init__()
        self.attention = nn.Linear(size, 1)
        self.width = nn.Embedding(settings.max_width, 32)
        self.scheme = nn.Embedding(len(settings.schemes), 32)
        self.project = nn.Linear(3 * size + 64, settings.span_size)
        self.dropout = nn.Dropout(settings.dropout)

    def forward(
        self, words: Tensor, kept: Kept, schemes: Tensor, offsets: Tensor
    ) -> tuple[Tensor, Tensor]:
        """[span, span_size] vectors and [span, width] log α.

        Args:
            words: [window, word, size] vectors.
            kept: The spans.
            schemes: [window] numbers of schemes.
            offsets: 0, 1, ... as far as the widest span goes, or further.
        """
        window, start, width = kept.window, kept.start, kept.width
        inside = offsets <= width[:, None]
        where = torch.minimum(start[:, None] + offsets, (start + width)[:, None])
        scores = rows_of(self.attention(words), window[:, None], where).squeeze(-1).float()
        log_attention = scores.masked_fill(~inside, -torch.inf).log_softmax(-1)
        around = rows_of(words, window[:, None], where)
        pooled = (log_attention.exp().to(words.dtype)[:, None] @ around).squeeze(1)
        ends = [rows_of(words, window, start), rows_of(words, window, start + width)]
        joined = torch.cat([*ends, pooled, self.width(width), self.scheme(schemes[window])], -1)
        return self.dropout(nn.functional.gelu(self.project(joined))), log_attention
