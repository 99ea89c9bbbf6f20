"""Damaged files of every format: documents or an error of one line, and all ways to read them agree."""

from __future__ import annotations

import gzip
import math
import random
from functools import partial
from pathlib import Path

from corelax import CorelaxError, Document, io
from corelax.metrics import score_files
from tests.fuzz.mutate import damaged
from tests.fuzz.seeds import SEEDS
from tests.fuzz.target import Target

EVERY_SEED = [text for texts in SEEDS.values() for text in texts]


def check_message(error: CorelaxError, begins: str = "") -> None:
    """An error is one printable line of a readable length."""
    message = str(error)
    assert message.startswith(begins), message
    assert message.isprintable(), message
    assert len(message) < 2000, message


def read_or_refuse(path: Path, format: str | None = None) -> list[Document]:
    """The documents, or none where reading refuses the file in one line."""
    try:
        return io.read(path, format)
    except CorelaxError as error:
        check_message(error, f"{path}:")
        return []


def check_file(path: Path, format: str | None = None) -> None:
    """Reads, validates, scores and writes a file."""
    docs = read_or_refuse(path, format)
    problems = io.validate(path, format)
    assert bool(problems.errors) == (not docs), "validate and read disagree"
    for problem in problems.items:
        assert str(problem).isprintable()
    if not docs:
        return
    plain = list(io.stream(path, format, layers=False))
    seen = [(doc.key, doc.words, doc.sentence_starts, doc.clusters) for doc in docs]
    assert seen == [(doc.key, doc.words, doc.sentence_starts, doc.clusters) for doc in plain]
    check_scores(path, format)
    for other in io.FORMATS:
        check_round_trip(docs, path.with_name(f"written.{other}"), other)


def check_scores(path: Path, format: str | None) -> None:
    """A file scored against itself: nothing but ones, or nothing to score."""
    report = score_files(gold=path, system=path, gold_format=format, system_format=format)
    for name in report.counts:
        for value in (report[name].recall, report[name].precision, report[name].f1):
            assert math.isfinite(value), f"{name}: {value}"
            assert -1e-9 <= value <= 1 + 1e-9, f"{name}: {value}"


def check_round_trip(docs: list[Document], path: Path, format: str) -> None:
    """What was read can be written and read again, all of it where nothing is said to be lost."""
    try:
        lost = io.write(docs, path, format)
    except CorelaxError as error:
        check_message(error)
        assert not path.exists(), "half a file was left"
        return
    again = io.read(path, format)
    assert [doc.words for doc in again] == [doc.words for doc in docs]
    if not lost:
        assert [doc.clusters for doc in again] == [doc.clusters for doc in docs]
        io.write(again, path, format)
        assert io.read(path, format) == again


def check_suffix(case: bytes, folder: Path, *, suffix: str) -> None:
    path = folder / f"case{suffix}"
    path.write_bytes(case)
    check_file(path)


def check_every_format(case: bytes, folder: Path) -> None:
    path = folder / "case"
    path.write_bytes(case)
    for format in io.FORMATS:
        check_file(path, format)


def make_any(rng: random.Random) -> bytes:
    """A file of any format, damaged, or bytes that are none."""
    if rng.random() < 0.3:
        return rng.randbytes(rng.randint(0, 200))
    return damaged(rng, EVERY_SEED)


def make_packed(rng: random.Random) -> bytes:
    """A damaged gzip file."""
    return damaged(rng, [gzip.compress(text, mtime=0) for text in SEEDS["conll"]])


TARGETS = [
    *(
        Target(
            name=f"read-{suffix}",
            suffix=f".{suffix}",
            make=partial(damaged, seeds=seeds),
            check=partial(check_suffix, suffix=f".{suffix}"),
        )
        for suffix, seeds in SEEDS.items()
    ),
    Target(name="read-any", suffix=".bin", make=make_any, check=check_every_format),
    Target(
        name="read-gzip",
        suffix=".gz",
        make=make_packed,
        check=partial(check_suffix, suffix=".conll.gz"),
    ),
]
