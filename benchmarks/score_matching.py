"""How time and memory of each way of matching mentions grow with the file (`score.py --match`).

Corpora of 1, 4 and 16 times a size are made, once with more documents and once with one longer document,
with zeros, and with boundaries and places that the system gets wrong. A figure is the processor time and the
peak memory of the whole command; the ratios say how many times more the larger corpus takes. A whole table of
gold × system mentions would take 16 times as much for 4 times the document.

The CorefUD scorer is not on the package index. Figures recorded of it on files of the shape of the
CoNLL-2012 test set: 20 s for the 348 documents, 216 s and 3.3 GB for ten times that (`PEER`).
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from score import SHAPES, Cost, Shape, make_pairs, measure

from corelax import Clustering, Document, Span, write
from corelax.document import EmptyId, EmptyNode, Node

PEER = {348: "20 s", 3_480: "216 s, 3300 MB"}  # wall time
TIMES = (1, 4, 16)
_TEST = SHAPES["CoNLL-2012 test"]
QUARTER = Shape(*(size // 4 for size in _TEST))
CHAPTER = Shape(1, 25_000, 2_500, 250)
WAYS = {
    "exact": [],
    "partial": ["--match", "partial"],
    "head": ["--match", "head"],
    "zeros": ["--zeros", "dependent"],
    "corefud": ["--profile", "corefud"],
    "min-span": ["--match", "min-span", "--only", "np", "--nested", "drop"],
}


def measure_matching(*, quick: bool, seed: int) -> None:
    """Prints a table for each way in which a corpus can be larger."""
    for title, base in {"more documents": QUARTER, "one longer document": CHAPTER}.items():
        print(f"\n{title}{'':4}" + "".join(f"{_size(base, n):>28}" for n in TIMES) + "   ratios")
        costs: dict[str, list[Cost]] = {way: [] for way in WAYS}
        for times in TIMES[: 1 if quick else None]:
            with tempfile.TemporaryDirectory() as folder:
                shape = _times(base, times)
                maker = multiprocessing.Process(target=_write, args=(shape, seed, Path(folder)))
                maker.start()
                maker.join()
                for way, options in WAYS.items():
                    suffix = "conll" if way == "min-span" else "conllu"
                    files = [str(Path(folder, f"{side}.{suffix}")) for side in ("gold", "system")]
                    command = [sys.executable, "-m", "corelax", "score", *files, *options]
                    costs[way].append(measure(command, 1))
        for way, row in costs.items():
            cells = "".join(f"{c.processor:17.1f} s {c.megabytes:6.0f} MB" for c in row)
            ratios = " ".join(f"{c.processor / row[0].processor:5.1f}×" for c in row[1:])
            memory = " ".join(f"{c.megabytes / row[0].megabytes:5.2f}×" for c in row[1:])
            print(f"{way:14}{cells}   time {ratios}  memory {memory}", flush=True)
    for documents, cost in PEER.items():
        print(f"recorded of the CorefUD scorer, {documents} documents: {cost}")


def _times(base: Shape, times: int) -> Shape:
    if base.documents == 1:
        return Shape(1, *(size * times for size in base[1:]))
    return Shape(*(size * times for size in base))


def _size(base: Shape, times: int) -> str:
    shape = _times(base, times)
    return f"{shape.documents} × {shape.tokens // shape.documents} tokens"


def _write(shape: Shape, seed: int, folder: Path) -> None:
    """Files of both formats, without holding the corpus."""
    for suffix in ("conll", "conllu"):
        for side, name in enumerate(("gold", "system")):
            write((pair[side] for pair in _pairs(shape, seed, suffix)), folder / f"{name}.{suffix}")


def _pairs(shape: Shape, seed: int, suffix: str) -> Iterator[tuple[Document, Document]]:
    rng = np.random.default_rng(seed)
    for gold, system in make_pairs(shape, seed):
        wrong = _with_wrong_boundaries(system, rng)
        if suffix == "conll":
            yield gold, wrong
        else:
            yield _with_zeros(gold, rng, moved=0.0), _with_zeros(wrong, rng, moved=0.3)


def _with_wrong_boundaries(doc: Document, rng: np.random.Generator) -> Document:
    """One word less at the end of every fourth mention that has several."""
    clusters = [
        list(
            dict.fromkeys(
                Span(m.start, m.end - (m.end - m.start > 1 and rng.random() < 0.25)) for m in c
            )
        )
        for c in doc.clusters
    ]
    return doc.with_clusters(Clustering(clusters))


def _with_zeros(doc: Document, rng: np.random.Generator, moved: float) -> Document:
    """A zero in every second sentence, mention of an entity; the head of a mention is its first word."""
    nodes, clusters = [], [list(cluster) for cluster in doc.clusters]
    heads: dict[Span, Node] = {m: m.start for cluster in clusters for m in cluster}
    for sentence, (start, end) in enumerate(doc.sentence_bounds):
        if sentence % 2 and end - start > 3:
            id = EmptyId(sentence, 2 if rng.random() < moved else 1, 1)
            columns = ["_"] * 9
            columns[7] = "3:nsubj"
            nodes.append(EmptyNode(id, tuple(columns)))
            place = start + id.word
            clusters[sentence % len(clusters)].append(Span(place, place, empty=(id,)))
    nodes_in_place = replace(doc, part=None, layers={}, empty_nodes=tuple(nodes))
    return nodes_in_place.with_clusters(Clustering(clusters), heads)
