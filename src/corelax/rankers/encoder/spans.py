"""Which spans are mentions, and what they mean: vectors of words in, vectors of spans out."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from corelax.rankers.encoder.settings import EncoderSettings


class Kept(NamedTuple):
    """The spans that are kept of a few windows, in the order of the text.

    Attributes:
        window: [span] which of the windows.
        start: [span] the first word, in the window.
        width: [span] the number of its words, less one.
        logit: [span] the logit of being a mention.
    """

    window: Tensor
    start: Tensor
    width: Tensor
    logit: Tensor


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

    def forward(self, words: Tensor, sentences: Tensor, schemes: Tensor) -> Tensor:
        """[window, word, width] logits; −inf for what is not inside one sentence.

        Args:
            words: [window, word, size] vectors.
            sentences: [window, word] numbers of sentences, −1 beyond the window.
            schemes: [window] numbers of schemes.
        """
        inside = possible(sentences, self.width.num_embeddings)
        window, start, width = inside.nonzero(as_tuple=True)
        end = start + width
        content = self.content(words).float()
        sums = nn.functional.pad(content.cumsum(1), (0, 0, 1, 0))
        mean = (sums[window, end + 1] - sums[window, start]) / (width + 1)[:, None]
        scheme = schemes[window]
        rest = (self.width.weight[:, None] + self.scheme.weight)[width, scheme]
        hidden = self.start(words)[window, start] + self.end(words)[window, end] + rest
        hidden = self.dropout(torch.relu(hidden + mean.to(hidden.dtype)))
        logits = self.out(hidden).gather(1, scheme[:, None]).squeeze(1).float()
        nothing = logits.new_full(inside.shape, -torch.inf)
        table: Tensor = nothing.index_put((window, start, width), logits)
        return table


def possible(sentences: Tensor, max_width: int) -> Tensor:
    """[window, word, width] whether a span stays in its sentence.

    Args:
        sentences: [window, word] numbers of sentences, −1 beyond the window.
        max_width: The number of widths.

    >>> possible(torch.tensor([[0, 0, 1, -1]]), 2)[0].int()
    tensor([[1, 1],
            [1, 0],
            [1, 0],
            [0, 0]], dtype=torch.int32)
    """
    beyond = nn.functional.pad(sentences, (0, max_width), value=-1)
    ends = beyond.unfold(1, max_width, 1)[:, : sentences.shape[1]]
    return (ends == sentences[:, :, None]) & (sentences[:, :, None] >= 0)


def best_spans(logits: Tensor, ratio: float, least: float = -torch.inf) -> Kept:
    """The likeliest spans of each window: at most `ratio` for each word, none with a logit below `least`.

    Args:
        logits: [window, word, width], −inf where there is no span.
        ratio: Spans for each word.
        least: The smallest logit.

    >>> logits = torch.tensor([[[1.0, 3.0], [-2.0, -torch.inf]]])
    >>> kept = best_spans(logits, 1.0, least=0.0)
    >>> kept.start.tolist(), kept.width.tolist()
    ([0, 0], [0, 1])
    """
    _, length, widths = logits.shape
    scores = logits.detach().flatten(1)
    allowance = ((logits[:, :, 0] > -torch.inf).sum(1).double() * ratio).ceil()  # [window]
    most = min(int(length * ratio) + 1, scores.shape[1])
    best, where = scores.topk(most, dim=1)
    rank = torch.arange(most, device=logits.device)
    real = (rank < allowance[:, None]) & (best > -torch.inf) & (best >= least)
    nowhere = length * widths
    where = torch.where(real, where, nowhere).sort(dim=1).values
    window, column = (where < nowhere).nonzero(as_tuple=True)
    flat = where[window, column]
    start, width = flat // widths, flat % widths
    return Kept(window, start, width, logits[window, start, width])


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

    def forward(self, words: Tensor, kept: Kept, schemes: Tensor) -> tuple[Tensor, Tensor]:
        """[span, span_size] vectors and [span, width] log α; words and schemes as in `SpanScorer`."""
        window, start, width, _ = kept
        offsets = torch.arange(self.width.num_embeddings, device=words.device)
        offsets = offsets[: int(width.max()) + 1] if len(width) else offsets[:1]
        inside = offsets <= width[:, None]
        where = torch.minimum(start[:, None] + offsets, (start + width)[:, None])
        scores = self.attention(words).squeeze(-1).float()[window[:, None], where]
        log_attention = scores.masked_fill(~inside, -torch.inf).log_softmax(-1)
        around = words[window[:, None], where]
        pooled = (log_attention.exp().to(words.dtype)[:, None] @ around).squeeze(1)
        parts = [words[window, start], words[window, start + width], pooled]
        joined = torch.cat([*parts, self.width(width), self.scheme(schemes[window])], -1)
        return self.dropout(nn.functional.gelu(self.project(joined))), log_attention
