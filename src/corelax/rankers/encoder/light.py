"""A model folder run by onnxruntime: neither torch nor transformers is imported.

The graphs come from `corelax export`; weights and tokenizer are those that torch takes. What is chosen
between the graphs is chosen on arrays: which spans are kept, and which blocks look for antecedents.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from corelax.core.errors import CorelaxError
from corelax.core.folders import (
    CONFIG,
    DIGEST,
    MOST_WORDS,
    WEIGHTS,
    blaming,
    check_training,
    parse_json,
    read_regular,
)
from corelax.decode.arrays import Ints
from corelax.document import Document
from corelax.rankers.encoder.calibration import Calibration
from corelax.rankers.encoder.fast_tokenizer import read_tokenizer
from corelax.rankers.encoder.folder_config import (
    ENCODER,
    calibrations_of,
    check_pieces,
    read_config,
    settings_of,
)
from corelax.rankers.encoder.graphs import (
    GRAPHS,
    LINKS,
    PROPERTIES,
    SPANS,
    WORDS_INT8,
    Graph,
    Graphs,
    Vectors,
)
from corelax.rankers.encoder.inputs import TextWindow, WordPieces
from corelax.rankers.encoder.items import LEAST_LOGIT, Item, Reading, filled, owners, readings
from corelax.rankers.encoder.memory import BLOCK, PIECES, memory_bound
from corelax.rankers.encoder.model import try_out
from corelax.rankers.encoder.reader import Reader
from corelax.rankers.encoder.scored import ScoredDocument, without_spans
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.span_table import SpanTable, best_numbers, span_table
from corelax.rankers.encoder.stored_weights import StoredWeights
from corelax.rankers.encoder.words import LAYERS

_T = TypeVar("_T")
RECORD = "graphs"  # the key in config.json: for each graph its digest and the names of its weights
AT_ONCE = 2  # calls of graphs in bytes
MOST_GRAPH = 1 << 26  # bytes of a graph, whose usual size is 2^17


@dataclass(frozen=True)
class LightModel:
    """What a folder with graphs holds; takes the place of `EncoderModel` where texts are resolved.

    Attributes:
        settings: Sizes and limits of the ranker.
        tokenizer: The pieces of words.
        training: What it was trained on, and its scores.
        weights: All weights.
        lookup: The name of the vectors of pieces among the weights.
        graphs: The network.
        heads: The attention heads of the encoder.
        calibrations: The calibration of each scheme that has one.
    """

    settings: EncoderSettings
    tokenizer: WordPieces
    training: Mapping[str, Any]
    weights: StoredWeights
    lookup: str
    graphs: Graphs
    heads: int
    calibrations: Mapping[str, Calibration] = field(default_factory=dict)

    @property
    def runtime(self) -> str:
        """What computes, and where."""
        return "onnxruntime in int8" if self.graphs.are_int8 else "onnxruntime"

    @property
    def reader(self) -> Reader:
        """All of it but the network."""
        return Reader(self.settings, self.tokenizer, self.calibrations)

    def windows(self, document: Document) -> tuple[TextWindow, ...]:
        """What the encoder reads of a document."""
        return self.reader.windows(document)

    def calibration(self, scheme: int) -> Calibration:
        """The calibration of a scheme, by its number."""
        return self.reader.calibration(scheme)

    def memory_bound(self, words: int) -> int:
        """The most bytes that a text of so many words takes, without the weights."""
        return memory_bound(
            self.settings,
            size=self.weights.shape(self.lookup)[1],
            heads=self.heads,
            pieces=PIECES["cpu"],
            words=words,
        )

    def score(
        self, items: Sequence[Item], *, least: float = LEAST_LOGIT, pieces: int = PIECES["cpu"]
    ) -> list[ScoredDocument]:
        """The spans of each document and the scores of their antecedents.

        Args:
            items: The documents.
            least: Spans with a smaller mention logit are dropped.
            pieces: How many pieces the encoder reads at a time, or one window if that is longer.
        """
        self.graphs.renew_after_fork()
        every = list(readings(items, pieces // self._at_once))
        if not every:
            return [without_spans() for _ in items]
        found = self._each(lambda reading: self._found(reading, least), every)
        place, logit, vectors, properties = map(np.concatenate, zip(*found, strict=True))
        ordered = place.argsort(kind="stable")
        counts = np.bincount(owners(items)[place], minlength=len(items))

        def linked(item: Item, at: Ints) -> ScoredDocument:
            return self._linked(item.scheme, logit[at], vectors[at], properties[at])

        return self._each(linked, items, np.split(ordered, np.cumsum(counts)[:-1]))

    @property
    def _at_once(self) -> int:
        """How many calls of graphs there are at once, in the same memory.

        Products of bytes are so short that the threads of one call would mostly wait for each other.
        """
        fits = self.settings.window * AT_ONCE <= PIECES["cpu"]
        return AT_ONCE if self.graphs.are_int8 and self.graphs.threads > 1 and fits else 1

    def _each(self, function: Callable[..., _T], *arguments: Sequence[Any]) -> list[_T]:
        """Results of a function, of which several are computed at once where that is faster."""
        if self._at_once == 1 or len(arguments[0]) == 1:
            return list(map(function, *arguments))
        with ThreadPoolExecutor(self._at_once) as pool:
            return list(pool.map(function, *arguments))

    def read(self, reading: Reading) -> tuple[SpanTable, Vectors, Vectors]:
        """All spans of some windows, [window, word, size] the vectors of words, and [span] logits."""
        windows = reading.windows
        sentences = [window.layers[:, LAYERS.index("sentence")] for window in windows]
        table = span_table(sentences, self.settings.max_width)
        pieces = filled([window.pieces for window in windows], 0)
        words, logits = self.graphs.words(
            self.weights.rows(self.lookup, pieces),
            np.array([len(window.pieces) for window in windows]),
            filled([window.owners for window in windows], -1),
            filled([window.layers[:, LAYERS.index("shape")] for window in windows], -1),
            np.array(reading.schemes, np.int64),
            table.window,
            table.start,
            table.width,
        )
        return table, words, logits

    def _found(self, reading: Reading, least: float) -> tuple[Ints, Vectors, Vectors, Ints]:
        """[span] the places of their windows, logits, vectors and properties of the spans that are kept."""
        windows = reading.windows
        layers = filled([window.layers for window in windows], -1)
        schemes = np.array(reading.schemes, np.int64)
        table, words, logits = self.read(reading)
        if reading.given is None:
            number, _ = best_numbers(logits, table, self.settings.span_ratio, least)
        else:
            number = table.numbers(reading.given)
        window, start, width = (column[number] for column in table[:3])
        if len(number):
            first = np.array([window.first for window in windows])
            vectors, properties = self.graphs.spans(
                words, layers, first, schemes, window, start, width
            )
        else:
            vectors = np.zeros((0, self.settings.span_size), np.float32)
            properties = np.zeros((0, len(PROPERTIES)), np.int64)
        return np.array(reading.places)[window], logits[number], vectors, properties

    def _linked(
        self, scheme: int, logit: Vectors, vectors: Vectors, properties: Ints
    ) -> ScoredDocument:
        """Antecedents of the spans of one document: a block at a time, with the spans it can reach."""
        size, settings = len(logit), self.settings
        most = min(settings.antecedents, size)
        scores = np.full((size, 1 + most), -np.inf, np.float32)
        antecedents = np.zeros((size, most), np.int64)
        for start in range(0, size, BLOCK):
            begin, end = max(0, start - settings.reach), min(start + BLOCK, size)
            links, candidates = self.graphs.links(
                vectors[begin:end],
                np.arange(begin, end),
                properties[begin:end],
                scheme,
                np.arange(start - begin, end - begin),
            )
            scores[start:end, : links.shape[1]] = links
            antecedents[start:end, : candidates.shape[1]] = candidates
        of_spans = dict(zip(PROPERTIES, properties.T, strict=True))
        return ScoredDocument(
            of_spans["start"], of_spans["end"], of_spans["head_word"], logit, scores, antecedents
        )


def has_graphs(folder: Path, *, int8: bool = False) -> bool:
    """Whether a folder can be run by onnxruntime, in bytes or in four-byte numbers.

    >>> has_graphs(Path("nowhere"))
    False
    """
    return all((folder / name).is_file() for name in _needed(int8))


def load_light(folder: str | Path, *, threads: int, int8: bool = False) -> LightModel:
    """Reads a model folder that has graphs. It resolves a line of text before it is returned.

    Args:
        folder: The model folder.
        threads: How many threads compute.
        int8: Whether the encoder multiplies bytes: faster, not quite the same scores.
    """
    folder = Path(folder)
    content = read_config(folder)
    with blaming(folder):
        settings = settings_of(content["settings"])
        tokenizer = read_tokenizer(folder / ENCODER)
        weights = StoredWeights(folder / WEIGHTS, content.get(DIGEST))
        encoder = parse_json(read_regular(folder / ENCODER / CONFIG, MOST_WORDS))
        lookup = str(content[RECORD]["lookup"])
        check_pieces(tokenizer.vocabulary, weights.shape(lookup)[0])
        graphs = {name: _graph(folder / name, content[RECORD][name]) for name in _needed(int8)}
        model = LightModel(
            settings,
            WordPieces(tokenizer),
            check_training(content.get("training", {})),
            weights,
            lookup,
            Graphs(graphs, weights, threads, folder),
            int(encoder["num_attention_heads"]),
            calibrations_of(content.get("calibration", {}), settings),
        )
        try_out(model)
    return model


def _needed(int8: bool) -> tuple[str, ...]:
    return (WORDS_INT8, SPANS, LINKS) if int8 else GRAPHS


def _graph(path: Path, record: Mapping[str, Any]) -> Graph:
    """A graph, if it is the one that `config.json` was written for."""
    content = read_regular(path, MOST_GRAPH)
    if hashlib.sha256(content).hexdigest() != record["sha256"]:
        raise CorelaxError(f"{path}: not the graph that {CONFIG} was written for; export it again")
    return Graph(content, [str(name) for name in record["weights"]])
