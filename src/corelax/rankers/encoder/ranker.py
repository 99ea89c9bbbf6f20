"""Mention ranking on top of a pretrained encoder: words in, spans and their antecedents out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from corelax.decode.arrays import Ints
from corelax.english.words import SHAPES
from corelax.rankers.adapt import from_pruned
from corelax.rankers.encoder.antecedents import BLOCKS, AntecedentScorer, Candidates, Spans
from corelax.rankers.encoder.hashing import StringHash
from corelax.rankers.encoder.hiding import hiding, takes_hiding
from corelax.rankers.encoder.inputs import TextWindow
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.span_table import SpanTable, word_spans
from corelax.rankers.encoder.spans import (
    Kept,
    Likely,
    SpanEncoder,
    SpanScorer,
    kept_spans,
    likely_spans,
    on_device,
)
from corelax.rankers.encoder.transfers import filled_on, to_device
from corelax.rankers.encoder.words import LAYERS


class Read(NamedTuple):
    """Windows after the encoder, of one document or of several.

    Attributes:
        words: [window, word, size] vectors.
        layers: What is known of words by name (`words.LAYERS`), [window, word] each, −1 beyond the window.
        first: [window] first word in the document.
        schemes: [window] numbers of schemes.
        table: All spans of the windows.
    """

    words: Tensor
    layers: Mapping[str, Tensor]
    first: Tensor
    schemes: Tensor
    table: SpanTable


class Looked(NamedTuple):
    """Windows whose spans have logits.

    Attributes:
        read: The windows after the encoder.
        logits: [span] the logits of being a mention, of all spans.
        likely: The spans that are kept; how many they are need not be known yet.
    """

    read: Read
    logits: Tensor
    likely: Kept | Likely


class Found(NamedTuple):
    """The spans of a few windows.

    Attributes:
        table: All spans that there are.
        logits: [span] their logits of being a mention.
        kept: [span] the spans that are kept.
        log_attention: [span, width] the log attention to their words.
        spans: [1, span] their vectors and properties, in a row.
    """

    table: SpanTable
    logits: Tensor
    kept: Kept
    log_attention: Tensor
    spans: Spans


class Linked(NamedTuple):
    """The spans of documents, and the scores of their antecedents.

    Attributes:
        spans: [document, span].
        lengths: [document] the number of spans.
        candidates: [document, span, candidate].
    """

    spans: Spans
    lengths: Tensor
    candidates: Candidates

    @property
    def antecedent_scores(self) -> Tensor:
        """[document, span, span], as every loss and decoder takes them."""
        return from_pruned(*self.candidates)


class EncoderRanker(nn.Module):
    """A mention ranker on top of an encoder.

    Args:
        encoder: A model of Hugging Face that returns `last_hidden_state`.
        settings: Sizes and limits.
        pad: The number of the piece that fills up windows.
    """

    def __init__(self, encoder: Any, settings: EncoderSettings, pad: int = 0) -> None:
        super().__init__()
        size = int(encoder.config.hidden_size)
        self.encoder = encoder
        self.settings, self.pad = settings, pad
        self.spans = SpanScorer(size, settings)
        self.span_vectors = SpanEncoder(size, settings)
        self.antecedents = AntecedentScorer(settings)
        self.types = nn.Linear(settings.span_size, len(settings.types)) if settings.types else None
        self.shapes = nn.Embedding(len(SHAPES), size)
        nn.init.zeros_(self.shapes.weight)
        self.dropout = nn.Dropout(settings.dropout)
        self.strings = StringHash(settings.window)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.spans.out.weight.device

    def read(self, windows: Sequence[TextWindow], schemes: Sequence[int]) -> Read:
        """The words of windows, of one document or of several; each window with the number of its scheme."""
        sentences = [window.layers[:, LAYERS.index("sentence")] for window in windows]
        table = on_device(word_spans(sentences, self.settings.max_width), self.device)
        pieces = self._filled([window.pieces for window in windows], self.pad)
        owners = self._filled([window.owners for window in windows], -1)
        layers = self._filled([window.layers for window in windows], -1)
        lengths = self._numbers([len(window.pieces) for window in windows])
        known = layers_by_name(layers)
        words = self.word_vectors(self.encode(pieces, lengths), owners, known["shape"])
        first = self._numbers([window.first for window in windows])
        return Read(self.dropout(words), known, first, self._numbers(schemes), table)

    def encode(self, pieces: Tensor, lengths: Tensor) -> Tensor:
        """[window, piece, size] vectors of [window, piece] pieces, of which the first `lengths` are real.

        Pieces may also be given as what the encoder looks up for them, [window, piece, size].
        """
        length = pieces.shape[1]
        if pieces.is_cuda and takes_hiding(self.encoder):
            mask = hiding(length, lengths)
        else:
            mask = (torch.arange(length, device=self.device) < lengths[:, None]).long()
        name = "inputs_embeds" if pieces.is_floating_point() else "input_ids"
        vectors: Tensor = self.encoder(attention_mask=mask, **{name: pieces}).last_hidden_state
        return vectors

    def word_vectors(self, hidden: Tensor, owners: Tensor, shapes: Tensor) -> Tensor:
        """[window, word, size] the mean of the pieces of each word, and how it is written.

        Args:
            hidden: [window, piece, size] vectors of pieces.
            owners: [window, piece] the word that a piece is of; −1 for marks, which go to a column of their
                own, and that is cut off.
            shapes: [window, word] numbers of shapes.
        """
        (count, _, size), length = hidden.shape, shapes.shape[1]
        column = torch.where(owners < 0, length, owners)
        words = hidden.new_zeros(count, length + 1, size)
        words = words.scatter_add(1, column[..., None].expand(-1, -1, size), hidden)
        number = hidden.new_zeros(count, length + 1)
        number = number.scatter_add(1, column, torch.ones_like(hidden[..., 0]))
        words = words[:, :length] / number[:, :length, None].clamp(min=1)
        written: Tensor = self.shapes(shapes.clamp(min=0))
        return words + written.to(words.dtype)

    def find(self, read: Read, least: float = -torch.inf, given: Ints | None = None) -> Found:
        """The spans that are likely mentions, with a logit of `least` or more; or those that are given.

        Args:
            read: Windows after the encoder.
            least: The smallest logit.
            given: [span, 3] window, first word, width less one, in order; instead of likely ones.
        """
        return self.keep(self.look(read, least, given))

    def look(self, read: Read, least: float = -torch.inf, given: Ints | None = None) -> Looked:
        """The first part of `find`, after which a GPU need not be waited for; arguments as there."""
        table = read.table
        logits = self.spans(read.words, table, read.schemes)
        if given is None:
            return Looked(
                read, logits, likely_spans(logits, table, self.settings.span_ratio, least)
            )
        counts = np.bincount(given[:, 0], minlength=len(table.words))
        number = to_device(table.numbers(given), self.device)
        return Looked(read, logits, kept_spans(logits, table, number, counts))

    def keep(self, looked: Looked) -> Found:
        """The second part of `find`: a GPU is asked how many spans are kept."""
        read, logits, likely = looked
        table = read.table
        kept = likely.kept(logits, table) if isinstance(likely, Likely) else likely
        offsets = torch.arange(self.settings.max_width, device=self.device)
        if not read.words.is_cuda:  # a GPU would have to be waited for
            offsets = offsets[: int(kept.width.max()) + 1] if len(kept.width) else offsets[:1]
        vectors, log_attention = self.span_vectors(read.words, kept, read.schemes, offsets)
        spans = self.described(read, kept, vectors, log_attention)
        return Found(table, logits, kept, log_attention, Spans(*(part[None] for part in spans)))

    def link(self, spans: Spans, counts: Sequence[int], schemes: Sequence[int]) -> Linked:
        """Antecedents of spans.

        Args:
            spans: [1, span] spans of documents in a row.
            counts: How many spans each document has.
            schemes: The number of the scheme of each document.
        """
        lengths = self._numbers(counts)
        if len(counts) > 1:
            column = torch.arange(max(counts), device=self.device)
            real = column < lengths[:, None]
            starts = lengths.cumsum(0) - lengths
            last = max(spans.number.shape[1] - 1, 0)
            at = (starts[:, None] + column).clamp(max=last)
            spans = Spans(*(tensor[0, at] for tensor in spans))._replace(real=real)
        number = torch.arange(spans.number.shape[1], device=self.device)
        spans = spans._replace(number=number.expand(spans.number.shape))
        block = BLOCKS[self.device.type]
        return Linked(
            spans, lengths, self.antecedents(spans, self._numbers(schemes), counts, block)
        )

    def forward(self, documents: Sequence[Sequence[TextWindow]], schemes: Sequence[int]) -> Linked:
        """Spans and antecedents of documents, all at once."""
        windows = [window for document in documents for window in document]
        owner = [d for d, document in enumerate(documents) for _ in document]
        found = self.find(self.read(windows, [schemes[d] for d in owner]))
        return self.link(found.spans, self.counts(found.kept, owner, len(documents)), schemes)

    @staticmethod
    def counts(kept: Kept, owner: Sequence[int], documents: int) -> list[int]:
        """How many of the kept spans each document has; `owner` is the document of each window."""
        counts: list[int] = np.bincount(owner, kept.counts, documents).astype(int).tolist()
        return counts

    def described(self, read: Read, kept: Kept, vectors: Tensor, log_attention: Tensor) -> Spans:
        """[span] kept spans with their properties."""
        window, start, width = kept.window, kept.start, kept.width
        of_word, end = read.layers, start + width + 1
        head = start + log_attention.argmax(-1)
        text = self.strings(of_word["hash"], of_word["mark"], window, start, end)
        return Spans(
            vectors=vectors,
            logit=kept.logit,
            number=torch.arange(start.shape[0], device=start.device),
            start=read.first[window] + start,
            end=read.first[window] + end,
            sentence=of_word["sentence"][window, start],
            speaker=of_word["speaker"][window, start],
            turn=of_word["turn"][window, start],
            person=of_word["person"][window, start].masked_fill(width > 0, 0),
            text=text,
            head=of_word["hash"][window, head],
            head_word=read.first[window] + head,
            real=torch.ones_like(start, dtype=torch.bool),
        )

    def _numbers(self, numbers: Sequence[int]) -> Tensor:
        return to_device(np.array(numbers, np.int64), self.device)

    def _filled(self, rows: Sequence[Ints], value: int) -> Tensor:
        """[row, longest, ...] rows of different lengths, filled up."""
        return filled_on(rows, value, self.device)


def layers_by_name(layers: Tensor) -> dict[str, Tensor]:
    """[window, word] each, from [window, word, layer] in the order of `words.LAYERS`."""
    return dict(zip(LAYERS, layers.unbind(-1), strict=True))
