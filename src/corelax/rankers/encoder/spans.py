"""Which spans are mentions, and what they mean: vectors of words in, vectors of spans out."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from corelax.rankers.encoder.settings import EncoderSettings

# [span] which of the windows, the first word in the window, the number of words less one.
Where = tuple[Tensor, Tensor, Tensor]


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

    def forward(self, words: Tensor, spans: Where, schemes: Tensor) -> Tensor:
        """[span] logits, of [window, word, size] vectors and [window] numbers of schemes."""
        window, start, width = spans
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
        self, words: Tensor, spans: Where, schemes: Tensor, offsets: Tensor
    ) -> tuple[Tensor, Tensor]:
        """[span, span_size] vectors and [span, width] log α; `offsets` are 0, 1, ... up to the widest."""
        window, start, width = spans
        inside = offsets <= width[:, None]
        where = torch.minimum(start[:, None] + offsets, (start + width)[:, None])
        scores = rows_of(self.attention(words), window[:, None], where).squeeze(-1).float()
        log_attention = scores.masked_fill(~inside, -torch.inf).log_softmax(-1)
        around = rows_of(words, window[:, None], where)
        pooled = (log_attention.exp().to(words.dtype)[:, None] @ around).squeeze(1)
        ends = [rows_of(words, window, start), rows_of(words, window, start + width)]
        joined = torch.cat([*ends, pooled, self.width(width), self.scheme(schemes[window])], -1)
        return self.dropout(nn.functional.gelu(self.project(joined))), log_attention
