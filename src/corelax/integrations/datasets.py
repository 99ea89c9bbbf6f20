"""Documents to and from datasets of the library `datasets`: a row for each, as in jsonlines files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import IO, Any, cast

from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.io import jsonlines
from corelax.io.problems import Problems

__all__ = ["dataset_from_documents", "documents_from_dataset"]


def dataset_from_documents(documents: Iterable[Document]) -> Any:
    """A `datasets.Dataset` with the columns `doc_key`, `sentences`, `clusters`, ... of jsonlines files.

    Args:
        documents: Any number that fits into memory.
    """
    try:
        from datasets import Dataset
    except ImportError:
        raise CorelaxError("datasets is not installed; pip install 'corelax[datasets]'") from None
    rows = [json.loads(jsonlines.write(document)) for document in documents]
    names = dict.fromkeys(name for row in rows for name in row)
    return Dataset.from_dict({name: [row.get(name) for row in rows] for name in names})


def documents_from_dataset(rows: Iterable[dict[str, Any]]) -> Iterator[Document]:
    """The documents of a dataset, one after the other.

    Args:
        rows: A `datasets.Dataset` or any rows with the columns of a jsonlines file: `sentences` or `tokens`,
            and perhaps `doc_key`, `clusters` and `speakers`.

    >>> [doc] = documents_from_dataset([{"doc_key": "d", "sentences": [["Ann", "left"]], "speakers": None}])
    >>> doc.words
    ('Ann', 'left')
    """
    lines = (json.dumps(_without_nothing(row)) for row in rows)
    yield from jsonlines.read(cast(IO[str], lines), Problems("dataset"))


def _without_nothing(row: dict[str, Any]) -> dict[str, Any]:
    """A row without the columns, and the layers, that other rows alone have."""
    return {
        name: _without_nothing(value) if isinstance(value, dict) else value
        for name, value in row.items()
        if value is not None
    }
