"""How likely two spans corefer: a coarse score of all pairs, a close look at the best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from corelax.rankers.encoder.features import (
    DISTANCES,
    NARRATED,
    NEXT_TURN,
    ONE_QUOTE,
    ONE_SPEAKER,
    THAT_QUOTED,
    THIS_QUOTED,
    TWO_QUOTES,
    TWO_SPEAKERS,
    WHERE,
    WHO,
    feature_table,
)
from corelax.rankers.encoder.network import BLOCK, PROPERTIES
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.spans import rows_of


class Spans(NamedTuple):
    """Spans of documents in the order of the text, and what is known of them.

    Attributes:
        vectors: [document, span, span_size].
        number: [document, span] their numbers in the document.
        properties: [document, span, property], see `PROPERTIES`.
        real: [document, span] False for padding.
    """

    vectors: Tensor
    number: Tensor
    properties: Tensor
    real: Tensor

    def part(self, start: int, end: int) -> Spans:
        return Spans(*(tensor[:, start:end] for tensor in self))


class Candidates(NamedTuple):
    """Antecedents that were scored; `from_pruned` takes them as they are.

    Attributes:
        scores: [document, span, 1 + candidate], "new entity" first, which is 0; −inf where there is none.
        antecedents: [document, span, candidate] numbers of spans.
    """

    scores: Tensor
    antecedents: Tensor


class AntecedentScorer(nn.Module):
    """How well the earlier span j fits span i as its antecedent.

        s(i, j) = z_iᵀ B z_j / √d + a(z_i) + b(z_j)
                  + v · gelu(P z_i + Q z_j + R (z_i ∘ z_j) + where_ij + who_ij + scheme)

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
        self.features = nn.ModuleDict({k: nn.Embedding(n, hidden) for k, n in WHERE.items()})
        self.who = nn.Embedding(math.prod(WHO.values()), hidden)
        nn.init.zeros_(self.who.weight)  # most of these pairs are rare: noise would stay noise
        self.scheme = nn.Embedding(len(settings.schemes), hidden)
        self.out = nn.Linear(hidden, 1)
        self.dropout = nn.Dropout(settings.dropout)
        self._most, self._reach = settings.antecedents, settings.reach
        buckets = np.searchsorted(DISTANCES, np.arange(DISTANCES[-1] + 1), side="right") - 1
        self.register_buffer("_buckets", torch.from_numpy(buckets), persistent=False)

    def forward(self, spans: Spans, schemes: Tensor) -> Candidates:
        """Candidates of all spans of [document] with schemes: a block at a time, which bounds the memory."""
        documents, size = spans.number.shape
        block = BLOCK[spans.number.device.type]
        most = min(self._most, size)
        scores = spans.vectors[:0].float().new_full((documents, size, most + 1), -torch.inf)
        antecedents = torch.zeros_like(scores[..., 1:], dtype=torch.long)
        for at in range(0, size, block):
            now, before = (
                spans.part(at, at + block),
                spans.part(max(0, at - self._reach), at + block),
            )
            rows = now.real.flatten().nonzero().squeeze(1)
            candidates = self.look(now, before, schemes, rows)
            width = candidates.antecedents.shape[-1]
            scores[:, at : at + block, : width + 1] = candidates.scores
            antecedents[:, at : at + block, :width] = candidates.antecedents
        return Candidates(scores, antecedents)

    def look(self, now: Spans, before: Spans, schemes: Tensor, rows: Tensor) -> Candidates:
        """Candidates of the spans `now` among `before`; `rows` [row] of all documents are real."""
        best, where = self.choose(now, before)
        document = rows // best.shape[1]
        row = Spans(*(tensor.flatten(0, 1)[rows] for tensor in now))
        row = row._replace(vectors=rows_of(now.vectors.flatten(0, 1), rows))
        close = self._close(row, before, document[:, None], where.flatten(0, 1)[rows], schemes)
        added = torch.zeros_like(best).flatten(0, 1).index_put((rows,), close).view_as(best)
        real = best > -torch.inf
        links = torch.where(real, best + added, -torch.inf)
        new = torch.zeros_like(links[..., :1])
        every = torch.arange(len(where), device=where.device)[:, None, None]
        return Candidates(
            torch.cat([new, links], -1), torch.where(real, before.number[every, where], 0)
        )

    def choose(self, now: Spans, before: Spans) -> tuple[Tensor, Tensor]:
        """[document, span, candidate] the best coarse scores, −inf for none, and their places in `before`."""
        earlier = before.number[:, None] < now.number[:, :, None]
        near = before.number[:, None] >= now.number[:, :, None] - self._reach
        allowed = earlier & near & before.real[:, None] & now.real[:, :, None]
        coarse = self.bilinear(now.vectors) @ before.vectors.mT / now.vectors.shape[-1] ** 0.5
        coarse = coarse + self.anaphor(now.vectors) + self.antecedent(before.vectors).mT
        coarse = coarse.float().masked_fill(~allowed, -torch.inf)
        best, where = coarse.topk(min(self._most, coarse.shape[-1]), dim=-1)
        return best, where

    def own(self, row: Spans, document: Tensor, schemes: Tensor) -> Tensor:
        """[row, hidden] P z_i and the scheme."""
        own: Tensor = self.current(row.vectors) + self.scheme(schemes)[document.squeeze(1)]
        return own

    def _close(
        self, row: Spans, before: Spans, document: Tensor, where: Tensor, schemes: Tensor
    ) -> Tensor:
        """[row, candidate] what the pair adds to the coarse score; `where` has places in `before`."""
        product = row.vectors[:, None] * rows_of(before.vectors, document, where)
        hidden = self.product(product) + rows_of(self.previous(before.vectors), document, where)
        place, who = self.codes(row, before, document, where)
        places = feature_table(
            rows for each in self.features.values() for rows in each.parameters()
        )
        hidden = hidden + rows_of(places, place).to(hidden.dtype)
        hidden = hidden + self.who(who).to(hidden.dtype)
        hidden = hidden + self.own(row, document, schemes)[:, None].to(hidden.dtype)
        scores: Tensor = self.out(self.dropout(nn.functional.gelu(hidden)))
        return scores.squeeze(-1).float()

    def codes(
        self, row: Spans, before: Spans, document: Tensor, where: Tensor
    ) -> tuple[Tensor, Tensor]:
        """[row, candidate] a number for where the two are, and one for who they are."""

        def pair(name: str) -> tuple[Tensor, Tensor]:
            at = PROPERTIES.index(name)
            return row.properties[:, at, None], before.properties[..., at][document, where]

        start, their_start = pair("start")
        end, their_end = pair("end")
        sentence, their_sentence = pair("sentence")
        text, their_text = pair("text")
        head, their_head = pair("head")
        place = (
            self._bucket(sentence - their_sentence),
            self._bucket(row.number[:, None] - before.number[document, where]),
            text == their_text,
            head == their_head,
            (their_end > start) & (their_start < end),
        )
        who = (*pair("person"), voices(*pair("speaker"), *pair("turn")))
        return _code(place, WHERE, where), _code(who, WHO, where)

    def _bucket(self, distance: Tensor) -> Tensor:
        return self._buckets[distance.clamp(0, DISTANCES[-1])]


def voices(speaker: Tensor, their_speaker: Tensor, turn: Tensor, their_turn: Tensor) -> Tensor:
    """Who says two spans: `NARRATED`, `ONE_SPEAKER` and so on.

    >>> turns = torch.tensor([1, 2, 3, 0])
    >>> voices(torch.tensor([1, 2, 1, 0]), torch.tensor(1), turns, torch.tensor(1)).tolist()
    [1, 2, 1, 7]
    """
    quoted = torch.where(turn > 0, THIS_QUOTED, NARRATED)
    quoted = torch.where(their_turn > 0, torch.where(turn > 0, TWO_QUOTES, THAT_QUOTED), quoted)
    quoted = torch.where((turn > 0) & (turn == their_turn), ONE_QUOTE, quoted)
    spoken = torch.where((turn - their_turn).abs() == 1, NEXT_TURN, TWO_SPEAKERS)
    spoken = torch.where(speaker == their_speaker, ONE_SPEAKER, spoken)
    return torch.where((speaker > 0) & (their_speaker > 0), spoken, quoted)


def _code(values: Sequence[Tensor], sizes: Mapping[str, int], like: Tensor) -> Tensor:
    code = torch.zeros_like(like)
    for value, size in zip(values, sizes.values(), strict=True):
        code = code * size + value
    return code
