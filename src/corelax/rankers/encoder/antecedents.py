"""How likely two spans corefer: a coarse score of all pairs, a close look at the best."""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import torch
from torch import Tensor, nn

from corelax.rankers.encoder.settings import EncoderSettings

DISTANCES = (0, 1, 2, 3, 4, 5, 8, 16, 32, 64)  # buckets of distances begin here
# How many values each feature of a pair has.
FEATURES = {
    "sentences": len(DISTANCES),
    "spans": len(DISTANCES),
    "speaker": 3,
    "text": 2,
    "head": 2,
    "nested": 2,
}
BLOCK = 512


class Spans(NamedTuple):
    """Spans of documents, [document, span] each, in the order of the text.

    Attributes:
        vectors: [document, span, span_size].
        logit: The logit of being a mention.
        number: The position among the spans of the document.
        start: The first word.
        end: One past the last word.
        sentence: The number of the sentence.
        speaker: The number of the speaker, 0 for unknown.
        text: The hash of the string, without determiner and possessive.
        head: The hash of the head word.
        real: False for padding.
    """

    vectors: Tensor
    logit: Tensor
    number: Tensor
    start: Tensor
    end: Tensor
    sentence: Tensor
    speaker: Tensor
    text: Tensor
    head: Tensor
    real: Tensor

    def part(self, start: int, end: int) -> Spans:
        """Spans `start` to `end` of all documents."""
        return Spans(*(tensor[:, start:end] for tensor in self))


class Candidates(NamedTuple):
    """Antecedents that were scored; `from_pruned` takes them as they are.

    Attributes:
        scores: [document, span, 1 + candidate], "new entity" first, which is 0; −inf where there is none.
        antecedents: [document, span, candidate] positions of spans.
    """

    scores: Tensor
    antecedents: Tensor


class AntecedentScorer(nn.Module):
    """How well the earlier span j fits span i as its antecedent.

        s(i, j) = z_iᵀ B z_j / √d + a(z_i) + b(z_j)
                  + v · gelu(P z_i + Q z_j + R (z_i ∘ z_j) + features_ij + scheme)

    The first three terms are the coarse score, which chooses the candidates. "New entity" scores 0.
    """

    _buckets: Tensor

    def __init__(self, settings: EncoderSettings) -> None:
        super().__init__()
        size, hidden = settings.span_size, settings.hidden_size
        self.bilinear = nn.Linear(size, size, bias=False)
        self.anaphor, self.antecedent = nn.Linear(size, 1), nn.Linear(size, 1)
        self.current, self.previous = nn.Linear(size, hidden), nn.Linear(size, hidden, bias=False)
        self.product = nn.Linear(size, hidden, bias=False)
        self.features = nn.ModuleDict({k: nn.Embedding(n, hidden) for k, n in FEATURES.items()})
        self.scheme = nn.Embedding(len(settings.schemes), hidden)
        self.out = nn.Linear(hidden, 1)
        self.dropout = nn.Dropout(settings.dropout)
        self._most, self._reach = settings.antecedents, settings.reach
        self.register_buffer("_buckets", torch.tensor(DISTANCES[1:]), persistent=False)

    def forward(self, spans: Spans, schemes: Tensor, block: int = BLOCK) -> Candidates:
        """Candidates for all spans: a block at a time, each with the spans that it can reach.

        Args:
            spans: [document, span].
            schemes: [document] numbers of schemes.
            block: How many spans are scored together; bounds the memory and changes nothing else.
        """
        documents, size = spans.number.shape
        most = min(self._most, size)
        # All of the result is allocated at once: block by block it would leave the memory in pieces.
        scores = spans.logit.new_full((documents, size, most + 1), -torch.inf)
        antecedents = torch.zeros_like(scores[..., 1:], dtype=torch.long)
        for at in range(0, size, block):
            now, before = (
                spans.part(at, at + block),
                spans.part(max(0, at - self._reach), at + block),
            )
            candidates = self._look(now, before, schemes)
            width = candidates.antecedents.shape[-1]
            scores[:, at : at + block, : width + 1] = candidates.scores
            antecedents[:, at : at + block, :width] = candidates.antecedents
        return Candidates(scores, antecedents)

    def _look(self, now: Spans, before: Spans, schemes: Tensor) -> Candidates:
        """Candidates of the spans `now` among the spans `before`, which include them."""
        earlier = before.number[:, None] < now.number[:, :, None]
        near = before.number[:, None] >= now.number[:, :, None] - self._reach
        allowed = earlier & near & before.real[:, None] & now.real[:, :, None]
        coarse = self.bilinear(now.vectors) @ before.vectors.mT / now.vectors.shape[-1] ** 0.5
        coarse = coarse + self.anaphor(now.vectors) + self.antecedent(before.vectors).mT
        coarse = coarse.float().masked_fill(~allowed, -torch.inf)
        best, where = coarse.topk(min(self._most, coarse.shape[-1]), dim=-1)
        close = self._close(now, before, where, schemes)
        real = best > -torch.inf
        links = torch.where(real, best + close, -torch.inf)
        new = torch.zeros_like(links[..., :1])
        rows = torch.arange(len(where), device=where.device)[:, None, None]
        return Candidates(
            torch.cat([new, links], -1), torch.where(real, before.number[rows, where], 0)
        )

    def _close(self, now: Spans, before: Spans, where: Tensor, schemes: Tensor) -> Tensor:
        """[document, span, candidate] what the pair adds to the coarse score."""
        rows = torch.arange(len(where), device=where.device)[:, None, None]
        product = now.vectors[:, :, None] * before.vectors[rows, where]
        hidden = self.product(product) + self.previous(before.vectors)[rows, where]
        codes = self._codes(now, before, rows, where)
        hidden = hidden + self._feature_table()[codes]
        own = self.current(now.vectors) + self.scheme(schemes)[:, None]
        hidden = hidden + own[:, :, None]
        scores: Tensor = self.out(self.dropout(nn.functional.gelu(hidden)))
        return scores.squeeze(-1).float()

    def _codes(self, now: Spans, before: Spans, rows: Tensor, where: Tensor) -> Tensor:
        """[document, span, candidate] one number for the features of each pair."""

        def pair(name: str) -> tuple[Tensor, Tensor]:
            return getattr(now, name)[:, :, None], getattr(before, name)[rows, where]

        start, their_start = pair("start")
        end, their_end = pair("end")
        speaker, their_speaker = pair("speaker")
        sentence, their_sentence = pair("sentence")
        number, their_number = pair("number")
        text, their_text = pair("text")
        head, their_head = pair("head")
        known = (speaker > 0) & (their_speaker > 0)
        values = (
            self._bucket(sentence - their_sentence),
            self._bucket(number - their_number),
            torch.where(known, 1 + (speaker == their_speaker).long(), 0),
            (text == their_text).long(),
            (head == their_head).long(),
            ((their_end > start) & (their_start < end)).long(),
        )
        code = torch.zeros_like(where)
        for value, size in zip(values, FEATURES.values(), strict=True):
            code = code * size + value
        return code

    def _bucket(self, distance: Tensor) -> Tensor:
        return torch.bucketize(distance, self._buckets, right=True)

    def _feature_table(self) -> Tensor:
        """[code, hidden] the sums of the vectors of features, so that a pair takes one row."""
        tables: list[Tensor] = [
            rows for each in self.features.values() for rows in each.parameters()
        ]
        return reduce(lambda table, rows: (table[:, None] + rows).flatten(0, 1), tables)
