"""Texts and annotated files for tests of corpora."""

from __future__ import annotations

import hashlib
import random
from dataclasses import replace
from itertools import cycle
from pathlib import Path

from corelax.document import Document
from corelax.document.clustering import Clustering
from corelax.io import write
from corelax.synthetic import Shape, generate

NAMES = "Ann Bo Cleo Dan Eve Finn Gil Hana".split()
SENTENCES = (
    "{a} met {b} at the station. {b} was late, and {a} told him so.",
    "The doctor said that {a} should rest. She agreed with her.",
    "{a} and {b} bought a house. They painted it before the winter.",
    "When {b} called, {a} was asleep. It woke her up, but she did not mind.",
)


def a_text(seed: int) -> str:
    draw = random.Random(seed)
    lines = []
    for sentence in draw.sample(SENTENCES, k=draw.randint(2, 4)):
        a, b = draw.sample(NAMES, 2)
        lines.append(sentence.format(a=a, b=b))
    return " ".join(lines)


def write_texts(folder: Path, number: int) -> str:
    folder.mkdir()
    for each in range(number):
        (folder / f"{each:04}.txt").write_text(a_text(each))
    return str(folder)


def write_pair(folder: Path, number: int, suffix: str = ".conll") -> tuple[str, str]:
    """Gold documents, and what a system that splits, joins and forgets makes of them."""
    some = list(generate(min(number, 300), seed=1, shape=Shape.conll2012().scaled(12)))
    gold = [replace(doc, id=f"d{n}") for n, doc in zip(range(number), cycle(some), strict=False)]
    draw = random.Random(2)
    paths = str(folder / f"gold{suffix}"), str(folder / f"system{suffix}")
    write(gold, paths[0])
    write([_answered(doc, draw) for doc in gold], paths[1])
    return paths


def _answered(doc: Document, draw: random.Random) -> Document:
    clusters: list[list[object]] = []
    for cluster in doc.clusters:
        if draw.random() < 0.1:
            continue
        if clusters and draw.random() < 0.2:
            clusters[-1] += cluster
        else:
            half = len(cluster) // 2 if draw.random() < 0.3 else len(cluster)
            clusters += [list(cluster[:half]), list(cluster[half:])]
    left = Clustering([cluster for cluster in clusters if cluster])
    return replace(doc, clusters=left, layers={}, mention_heads={})


def contents(folder: Path) -> dict[str, str]:
    """The digests of all files of a folder by their names."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }
