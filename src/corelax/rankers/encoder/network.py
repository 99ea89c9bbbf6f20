"""The contract of a ranker's network, which torch, onnxruntime or kernels run: arrays in, arrays out.

words    windows of word pieces → vectors of words, and the logits of all spans
spans    the spans that are kept → their vectors and properties
links    a block of spans and those before it → candidates and their scores
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax.decode.arrays import Ints
from corelax.decode.membership import BLOCK as STEP
from corelax.rankers.encoder.features import LAYERS
from corelax.rankers.encoder.inputs import TextWindow
from corelax.rankers.encoder.places import SpanTable, span_table
from corelax.rankers.encoder.settings import EncoderSettings

BLOCK = {
    "cpu": 128,
    "cuda": 4096,
    "mps": 512,
}  # spans that are linked: on a CPU they stay in its caches
PIECES = {"cpu": 1024, "cuda": 65536, "mps": 16384}  # that the encoder reads
# Of spans, in the order of their column; text and head are hashes, head_word is a place in the document.
PROPERTIES = ("start", "end", "sentence", "speaker", "turn", "person", "text", "head", "head_word")
OPEN = 512  # entities that have mentions before and after a place; far more than in a novel
ALLOCATOR = 1.25  # what it holds, against what is used

Vectors = NDArray[np.float32]


class WindowBatch(NamedTuple):
    """Windows that the encoder reads together, filled up to the longest, and their spans.

    Attributes:
        pieces: [window, piece] numbers of word pieces.
        lengths: [window] how many pieces are real.
        owners: [window, piece] the word that a piece is of, or −1.
        layers: [window, word, layer] properties of words (`features.LAYERS`), −1 beyond the window.
        first: [window] the first word in its document.
        schemes: [window] numbers of schemes.
        spans: All spans.
    """

    pieces: Ints
    lengths: Ints
    owners: Ints
    layers: Ints
    first: Ints
    schemes: Ints
    spans: SpanTable

    @property
    def shapes(self) -> Ints:
        shapes: Ints = self.layers[:, :, LAYERS.index("shape")]
        return shapes


class Network:
    """A network with its weights.

    Attributes:
        settings: Sizes and limits of the ranker.
        size: The length of the encoder's vectors.
        heads: The number of the encoder's attention heads.
    """

    name = "a network"  # what computes, and where
    kind = "cpu"  # of device

    def __init__(self, settings: EncoderSettings, size: int, heads: int) -> None:
        self.settings, self.size, self.heads = settings, size, heads

    @property
    def pieces(self) -> int:
        """How many pieces the encoder reads at a time, or one window if that is longer."""
        return PIECES[self.kind]

    @property
    def block(self) -> int:
        """How many spans are linked at a time."""
        return BLOCK[self.kind]

    def words(self, batch: WindowBatch) -> tuple[Any, Vectors]:
        """Vectors of words, which only `spans` looks at, and [span] the logits of all spans."""
        raise NotImplementedError

    def spans(self, words: Any, batch: WindowBatch, number: Ints) -> tuple[Vectors, Ints]:
        """[kept, size] vectors and [kept, property] `PROPERTIES` of some spans, by their numbers."""
        raise NotImplementedError

    def links(
        self, vectors: Vectors, number: Ints, properties: Ints, scheme: int, rows: Ints
    ) -> tuple[Vectors, Ints]:
        """[row, 1 + candidate] scores of antecedents, and [row, candidate] numbers of spans.

        Args:
            vectors: [span, size] the spans of a block and those before it.
            number: [span] their numbers in the document.
            properties: [span, property].
            scheme: The number of the scheme.
            rows: [row] the places of the block.
        """
        raise NotImplementedError


def window_batch(
    windows: Sequence[TextWindow], schemes: Sequence[int], max_width: int
) -> WindowBatch:
    sentences = [window.layers[:, LAYERS.index("sentence")] for window in windows]
    return WindowBatch(
        pieces=filled([window.pieces for window in windows], 0),
        lengths=np.array([len(window.pieces) for window in windows]),
        owners=filled([window.owners for window in windows], -1),
        layers=filled([window.layers for window in windows], -1),
        first=np.array([window.first for window in windows]),
        schemes=np.array(schemes, np.int64),
        spans=span_table(sentences, max_width),
    )


def filled(rows: Sequence[Ints], value: int) -> Ints:
    """[row, longest, ...] rows of different lengths, filled up.

    >>> filled([np.array([1, 2]), np.array([3])], -1).tolist()
    [[1, 2], [3, -1]]
    """
    table = np.full((len(rows), max(map(len, rows)), *rows[0].shape[1:]), value, np.int64)
    for line, row in zip(table, rows, strict=True):
        line[: len(row)] = row
    return table


def memory_bound(network: Network, words: int) -> int:
    """The most bytes that resolving a document of so many words takes, without the weights.

    For a document whose mentions are not given: a constant, and a little for each word.
    """
    settings = network.settings
    spans = int(words * settings.span_ratio) + 1
    # Per piece: attention and feed-forward in the encoder, then all spans of the scorer.
    per_piece = (
        4 * (16 * network.size + 3 * settings.window * network.heads)
        + 4 * 4 * settings.max_width * settings.hidden_size
    )
    pair = 4 * (2 * settings.span_size + 4 * settings.hidden_size)
    block = BLOCK["cpu"] * (settings.antecedents * pair + 4 * 8 * (settings.reach + BLOCK["cpu"]))
    # Per span: its vector and twelve numbers twice (in a row, in order), its candidates and their scores
    # twice (linked, on the CPU; later in the result), their probabilities twice.
    per_candidate = 2 * (4 + 8) + 2 * 8
    per_span = 2 * (4 * settings.span_size + 12 * 8) + per_candidate * (settings.antecedents + 1)
    # Rows of what a block reaches and of its candidates, a column for each entity that is open.
    membership = 8 * OPEN * (2 * settings.reach + STEP * (settings.antecedents + 2))
    per_word = 1000  # strings, offsets and windows, mentions in the result
    total = network.pieces * per_piece + block + membership + spans * per_span + words * per_word
    return int(ALLOCATOR * total)
