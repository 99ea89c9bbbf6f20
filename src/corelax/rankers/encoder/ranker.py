"""Mention ranking on top of a pretrained encoder: words in, spans and their antecedents out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from corelax.decode.arrays import Ints
from corelax.english.words import SHAPES
from corelax.rankers.adapt import from_pruned
from corelax.rankers.encoder.antecedents import AntecedentScorer, Candidates, Spans
from corelax.rankers.encoder.attention import hiding, takes_hiding
from corelax.rankers.encoder.features import LAYERS
from corelax.rankers.encoder.hashing import StringHash
from corelax.rankers.encoder.inputs import TextWindow
from corelax.rankers.encoder.network import PROPERTIES, window_batch
from corelax.rankers.encoder.places import SpanTable, likely_spans
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.spans import SpanEncoder, SpanScorer, Where


class Trained(NamedTuple):
    """What a loss needs to know of documents.

    Attributes:
        table: All spans of their windows.
        logits: [span] the logits of being a mention, of all spans.
        kept: [kept] numbers of the spans that are looked at.
        counts: [document] how many each has.
        vectors: [kept, span_size].
        log_attention: [kept, width] the log attention to their words.
        mention: [document, span] the logits of the spans that are kept, 0 behind them.
        candidates: [document, span, candidate].
    """

    table: SpanTable
    logits: Tensor
    kept: Ints
    counts: Ints
    vectors: Tensor
    log_attention: Tensor
    mention: Tensor
    candidates: Candidates

    @property
    def antecedent_scores(self) -> Tensor:
        """[document, span, span], as every loss and decoder takes them."""
        return from_pruned(*self.candidates)


class EncoderRanker(nn.Module):
    """A mention ranker on top of an encoder.

    `words`, `describe` and `links` are the network; `forward` leads documents through it in training,
    `batches.score_documents` where nothing is trained.

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
        return self.spans.out.weight.device

    def forward(self, documents: Sequence[Sequence[TextWindow]], schemes: Sequence[int]) -> Trained:
        """Spans and antecedents of documents, each with the number of its scheme."""
        # All windows, filled up to the longest, and all spans in them.
        of_window = np.repeat(np.arange(len(documents)), [len(windows) for windows in documents])
        windows = [window for document in documents for window in document]
        given = np.array(schemes, np.int64)
        batch = window_batch(windows, given[of_window].tolist(), self.settings.max_width)
        table, scheme = batch.spans, self.tensor(batch.schemes)
        # The encoder: vectors of words, and from these how likely each span is a mention.
        pieces, lengths, owners, layers, first = map(self.tensor, batch[:5])
        where = self.tensor(table.window), self.tensor(table.start), self.tensor(table.width)
        shapes = layers[..., LAYERS.index("shape")]
        words, logits = self.words(pieces, lengths, owners, shapes, scheme, where)
        # The likeliest spans of each window.
        kept = likely_spans(logits.detach().cpu().numpy(), table, self.settings.span_ratio)
        number = self.tensor(kept)
        where = where[0][number], where[1][number], where[2][number]
        # Their vectors and properties.
        vectors, log_attention, properties = self.describe(
            words, layers, first, scheme, where, self.widths(table.width[kept])
        )
        # From a row of spans to [document, span], filled up.
        owner = of_window[table.window[kept]]
        counts = np.bincount(owner, minlength=len(documents))
        most = int(counts.max(initial=0))
        column = np.arange(most)
        real = self.tensor(column < counts[:, None])
        place = (np.cumsum(counts) - counts)[:, None] + column
        at = self.tensor(np.minimum(place, max(len(kept) - 1, 0)))
        # Antecedents of each span.
        spans = Spans(vectors[at], self.tensor(column).expand(at.shape), properties[at], real)
        candidates = self.antecedents(spans, self.tensor(given))
        mention = logits[number][at].masked_fill(~real, 0.0)
        return Trained(table, logits, kept, counts, vectors, log_attention, mention, candidates)

    def words(
        self,
        pieces: Tensor,
        lengths: Tensor,
        owners: Tensor,
        shapes: Tensor,
        schemes: Tensor,
        spans: Where,
    ) -> tuple[Tensor, Tensor]:
        """[window, word, size] vectors of words, and the [span] logits of spans.

        Args:
            pieces: [window, piece] numbers, or [window, piece, size] what the encoder looks up for them.
            lengths: [window] how many pieces are real.
            owners: [window, piece] the word that a piece is of, or −1.
            shapes: [window, word] numbers of shapes.
            schemes: [window] numbers of schemes.
            spans: Where all spans are.
        """
        words = self.word_vectors(self.encode(pieces, lengths), owners, shapes)
        words = self.dropout(words)
        return words, self.spans(words, spans, schemes)

    def encode(self, pieces: Tensor, lengths: Tensor) -> Tensor:
        """[window, piece, size] vectors of pieces in their context; arguments as for `words`."""
        length = pieces.shape[1]
        real = torch.arange(length, device=self.device) < lengths[:, None]
        mask = real.long()
        if pieces.is_cuda and takes_hiding(self.encoder):
            mask = hiding(real)
        if not pieces.is_floating_point():
            pieces = pieces.masked_fill(~real, self.pad)
        name = "inputs_embeds" if pieces.is_floating_point() else "input_ids"
        hidden: Tensor = self.encoder(attention_mask=mask, **{name: pieces}).last_hidden_state
        return hidden

    def word_vectors(self, hidden: Tensor, owners: Tensor, shapes: Tensor) -> Tensor:
        """[window, word, size] the mean of the pieces of each word, and how it is written."""
        (count, _, size), length = hidden.shape, shapes.shape[1]
        # Marks go to a column of their own, which is cut off.
        column = torch.where(owners < 0, length, owners)
        words = hidden.new_zeros(count, length + 1, size)
        words = words.scatter_add(1, column[..., None].expand(-1, -1, size), hidden)
        number = hidden.new_zeros(count, length + 1)
        number = number.scatter_add(1, column, torch.ones_like(hidden[..., 0]))
        words = words[:, :length] / number[:, :length, None].clamp(min=1)
        written: Tensor = self.shapes(shapes.clamp(min=0))
        return words + written.to(words.dtype)

    def describe(
        self,
        words: Tensor,
        layers: Tensor,
        first: Tensor,
        schemes: Tensor,
        spans: Where,
        offsets: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """[span, span_size] vectors, [span, width] log attention, and [span, property] `PROPERTIES`.

        Args:
            words: [window, word, size] vectors.
            layers: [window, word, layer] properties of words.
            first: [window] the first word of each in its document.
            schemes: [window] numbers of schemes.
            spans: Where they are.
            offsets: 0, 1, ... as far as the widest span goes, or further.
        """
        vectors, log_attention = self.span_vectors(words, spans, schemes, offsets)
        window, start, width = spans
        end, head = start + width + 1, start + log_attention.argmax(-1)
        of_word = dict(zip(LAYERS, layers.unbind(-1), strict=True))
        properties = {
            "start": first[window] + start,
            "end": first[window] + end,
            "sentence": of_word["sentence"][window, start],
            "speaker": of_word["speaker"][window, start],
            "turn": of_word["turn"][window, start],
            "person": of_word["person"][window, start].masked_fill(width > 0, 0),
            "text": self.strings(of_word["hash"], of_word["mark"], window, start, end),
            "head": of_word["hash"][window, head],
            "head_word": first[window] + head,
        }
        return vectors, log_attention, torch.stack([properties[name] for name in PROPERTIES], -1)

    def links(
        self, vectors: Tensor, number: Tensor, properties: Tensor, scheme: Tensor, rows: Tensor
    ) -> Candidates:
        """[row, candidate] candidates of some spans of a document; arguments as for `Network.links`."""
        row, before = self.block(vectors, number, properties, rows)
        now = Spans(*(part[None] for part in row))
        every = torch.arange(rows.shape[0], device=rows.device)  # len would be fixed in graphs
        return Candidates(*(part[0] for part in self.antecedents.look(now, before, scheme, every)))

    @staticmethod
    def block(
        vectors: Tensor, number: Tensor, properties: Tensor, rows: Tensor
    ) -> tuple[Spans, Spans]:
        """[row] spans of a block, and [1, span] those that they are linked to."""
        every = Spans(vectors, number, properties, number >= 0)
        row, before = (part[rows] for part in every), (part[None] for part in every)
        return Spans(*row), Spans(*before)

    def widths(self, width: Ints) -> Tensor:
        return torch.arange(int(width.max(initial=0)) + 1, device=self.device)

    def tensor(self, array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device, non_blocking=True)
