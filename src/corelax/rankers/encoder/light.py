"""A model folder run by onnxruntime, or kernels: neither torch nor transformers is imported.

The graphs come from `corelax export`; weights and tokenizer are those that torch takes. What is chosen
between the graphs is chosen on arrays: which spans are kept, and which blocks look for antecedents.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain, repeat
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from corelax.core.errors import CorelaxError
from corelax.core.files import parse_json
from corelax.core.folders import (
    CONFIG,
    DIGEST,
    MOST_WORDS,
    WEIGHTS,
    blaming,
    check_training,
    read_regular,
)
from corelax.decode.arrays import Ints
from corelax.decode.calibration import Calibration
from corelax.decode.scored import Scored, without_spans
from corelax.document import Document
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
from corelax.rankers.encoder.kernels import (
    KERNEL_GRAPHS,
    KernelGraphs,
    have_kernels,
    kernels_of,
)
from corelax.rankers.encoder.memory import BLOCK, PIECES, memory_bound
from corelax.rankers.encoder.model import try_out
from corelax.rankers.encoder.reader import Reader
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
        return self.graphs.name

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

    def begin(self, items: Sequence[Item]) -> None:
        """There is nothing to do meanwhile: this processor computes."""

    def score(
        self, items: Sequence[Item], *, least: float = LEAST_LOGIT, pieces: int = PIECES["cpu"]
    ) -> list[Scored]:
        """The spans of each document and the scores of their antecedents.

        Args:
            items: The documents.
            least: Spans with a smaller mention logit are dropped.
            pieces: How many pieces the encoder reads at a time, or one window if that is longer.
        """
        self.graphs.renew_after_fork()
        every, at_once = self._readings(items, pieces)
        if not every:
            return [without_spans(self.settings.reach) for _ in items]
        found = self._each(
            at_once, lambda threads, reading: self._found(reading, least, threads), every
        )
        place, logit, vectors, properties = map(np.concatenate, zip(*found, strict=True))
        ordered = place.argsort(kind="stable")
        counts = np.bincount(owners(items)[place], minlength=len(items))
        groups = list(_groups([item.scheme for item in items], counts))
        ends = np.cumsum([counts[group].sum() for group in groups])

        def linked(threads: int, group: slice, at: Ints) -> list[Scored]:
            scheme = items[group.start].scheme
            return self._linked(
                scheme, counts[group], logit[at], vectors[at], properties[at], threads
            )

        return [*chain(*self._each(at_once, linked, groups, np.split(ordered, ends[:-1])))]

    def _readings(self, items: Sequence[Item], pieces: int) -> tuple[list[Reading], int]:
        """What the encoder reads, and how many calls of graphs there are at once, in the same memory.

        Products of bytes are so short that the threads of one call would mostly wait for each other; those
        of kernels do not, so that there must be more calls for several at once to end together.
        """
        fits = self.settings.window * AT_ONCE <= pieces
        if self.graphs.are_int8 and self.graphs.threads > 1 and fits:
            every = list(readings(items, pieces // AT_ONCE))
            if len(every) >= self.graphs.least_at_once:
                return every, AT_ONCE
        return list(readings(items, pieces)), 1

    def _each(
        self, at_once: int, function: Callable[..., _T], *arguments: Sequence[Any]
    ) -> list[_T]:
        """Results of a function, of which several may be computed at once.

        The function is also told, first, how many threads it may compute with.
        """
        count = min(at_once, len(arguments[0]))
        threads = repeat(max(1, self.graphs.threads // count))
        if count == 1:
            return list(map(function, threads, *arguments))
        with ThreadPoolExecutor(count) as pool:
            return list(pool.map(function, threads, *arguments))

    def read(self, reading: Reading, threads: int = 1) -> tuple[SpanTable, Vectors, Vectors]:
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
            threads,
        )
        return table, words, logits

    def _found(
        self, reading: Reading, least: float, threads: int
    ) -> tuple[Ints, Vectors, Vectors, Ints]:
        """[span] the places of their windows, logits, vectors and properties of the spans that are kept."""
        windows = reading.windows
        layers = filled([window.layers for window in windows], -1)
        schemes = np.array(reading.schemes, np.int64)
        table, words, logits = self.read(reading, threads)
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
        self,
        scheme: int,
        counts: Ints,
        logit: Vectors,
        vectors: Vectors,
        properties: Ints,
        threads: int,
    ) -> list[Scored]:
        """Antecedents of the spans of documents in a row: a block at a time, with the spans it can reach.

        Spans of different documents have numbers so far apart that none reaches those of another.
        """
        size, settings = len(logit), self.settings
        most = min(settings.antecedents, size)
        scores = np.full((size, 1 + most), -np.inf, np.float32)
        antecedents = np.zeros((size, most), np.int64)
        apart = np.repeat(np.arange(len(counts)), counts) * settings.reach
        number = np.arange(size) + apart
        for start in range(0, size, BLOCK):
            begin, end = max(0, start - settings.reach), min(start + BLOCK, size)
            links, candidates = self.graphs.links(
                vectors[begin:end],
                number[begin:end],
                properties[begin:end],
                scheme,
                np.arange(start - begin, end - begin),
                threads,
            )
            scores[start:end, : links.shape[1]] = links
            antecedents[start:end, : candidates.shape[1]] = candidates
        first = np.repeat(np.cumsum(counts) - counts, counts)
        inside = antecedents - (apart + first)[:, None]  # numbers within each document
        antecedents = np.where(scores[:, 1:] > -np.inf, inside, 0)
        if (antecedents < 0).any() or (antecedents >= np.repeat(counts, counts)[:, None]).any():
            raise CorelaxError("the graphs reach farther than config.json says; export them again")
        calibration = self.calibration(scheme)
        documents = []
        for end, count in zip(np.cumsum(counts), counts, strict=True):
            at = slice(end - count, end)
            of_spans = dict(zip(PROPERTIES, properties[at].T, strict=True))
            ends = of_spans["start"], of_spans["end"], of_spans["head_word"]
            documents.append(
                Scored(*ends, logit[at], scores[at], antecedents[at], settings.reach, calibration)
            )
        return documents


def _groups(schemes: Sequence[int], counts: Ints) -> Iterator[slice]:
    """Runs of documents of one scheme whose spans fit into one block; a longer document is one by itself.

    >>> list(_groups([0, 0, 0, 1], np.array([100, 20, 9, 5])))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    first = 0
    for at in range(1, len(counts) + 1):
        is_over = at == len(counts) or schemes[at] != schemes[first]
        if is_over or counts[first : at + 1].sum() > BLOCK:
            yield slice(first, at)
            first = at


def has_graphs(folder: Path, *, int8: bool = False) -> bool:
    """Whether a folder can be run by onnxruntime, in bytes or in four-byte numbers.

    >>> has_graphs(Path("nowhere"))
    False
    """
    return all((folder / name).is_file() for name in _needed(int8))


def load_light(
    folder: str | Path, *, threads: int, int8: bool = False, kernels: bool = True
) -> LightModel:
    """Reads a model folder that has graphs. It resolves a line of text before it is returned.

    Args:
        folder: The model folder.
        threads: How many threads compute.
        int8: Whether the encoder multiplies bytes: faster, not quite the same scores.
        kernels: Whether bytes are multiplied by kernels, where there are any that can.
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
        model = LightModel(
            settings,
            WordPieces(tokenizer),
            check_training(content.get("training", {})),
            weights,
            lookup,
            _graphs(
                folder,
                content[RECORD],
                weights,
                encoder,
                settings,
                threads,
                int8=int8,
                kernels=kernels,
            ),
            int(encoder["num_attention_heads"]),
            calibrations_of(content.get("calibration", {}), settings),
        )
        try_out(model)
    return model


def _graphs(
    folder: Path,
    record: Mapping[str, Any],
    weights: StoredWeights,
    encoder: Mapping[str, Any],
    settings: EncoderSettings,
    threads: int,
    *,
    int8: bool,
    kernels: bool,
) -> Graphs:
    """The network of a folder, by kernels if it is to be in bytes and they can."""

    def read(names: Sequence[str]) -> dict[str, Graph]:
        return {name: _graph(folder / name, record[name]) for name in names}

    if int8 and kernels and have_kernels() and all(name in record for name in KERNEL_GRAPHS):
        computing = kernels_of(encoder, weights, settings)
        if computing is not None:
            return KernelGraphs(read(KERNEL_GRAPHS), weights, threads, folder, computing)
    return Graphs(read(_needed(int8)), weights, threads, folder)


def _needed(int8: bool) -> tuple[str, ...]:
    return (WORDS_INT8, SPANS, LINKS) if int8 else GRAPHS


def _graph(path: Path, record: Mapping[str, Any]) -> Graph:
    """A graph, if it is the one that `config.json` was written for."""
    content = read_regular(path, MOST_GRAPH)
    if hashlib.sha256(content).hexdigest() != record["sha256"]:
        raise CorelaxError(f"{path}: not the graph that {CONFIG} was written for; export it again")
    return Graph(content, [str(name) for name in record["weights"]])
