"""Texts and annotated files for tests of corpora."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

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


def contents(folder: Path) -> dict[str, str]:
    """The digests of all files of a folder by their names."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }
