"""Entities as columns of a Hugging Face dataset: `Resolver.map(dataset)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from uuid import uuid4

from corelax.core.errors import CorelaxError
from corelax.resolve.resolution import Resolution

COLUMNS = ("clusters", "names", "resolved_text")
Resolve = Callable[[Iterable[str]], Iterable[Resolution]]


def map_dataset(dataset: Any, resolve: Resolve, *, column: str, batch_size: int) -> Any:
    """The dataset with the columns `COLUMNS`; see `Resolver.map`.

    Args:
        dataset: A `Dataset`, an `IterableDataset`, or a dictionary of splits.
        resolve: From texts to resolutions.
        column: Which column the texts are in.
        batch_size: How many rows are resolved together.
    """
    if not hasattr(dataset, "map"):
        raise CorelaxError(
            f"a dataset of the library datasets is needed, not {type(dataset).__name__}"
        )
    if isinstance(dataset, dict):
        splits = {
            name: map_dataset(split, resolve, column=column, batch_size=batch_size)
            for name, split in dataset.items()
        }
        return type(dataset)(splits)
    _check_columns(dataset.column_names, column)

    def columns(batch: Any) -> dict[str, list[Any]]:
        texts = ["" if text is None else text for text in batch[column]]
        resolutions = list(resolve(texts))
        return {
            "clusters": [[[list(m) for m in c] for c in r.clusters] for r in resolutions],
            "names": [[entity.name for entity in r] for r in resolutions],
            "resolved_text": [str(r.resolved_text()) for r in resolutions],
        }

    options: dict[str, Any] = {"batched": True, "batch_size": batch_size}
    if getattr(dataset, "features", None) is not None:
        options["features"] = _features(dataset.features)
    if hasattr(dataset, "_fingerprint"):  # or the weights would be hashed
        options["new_fingerprint"] = uuid4().hex
    return dataset.map(columns, **options)


def _check_columns(names: Sequence[str] | None, column: str) -> None:
    if names is None:  # of a stream, which shows them in its rows only
        return
    if column not in names:
        raise CorelaxError(f"the dataset has no column {column!r}; it has {', '.join(names)}")
    for name in COLUMNS:
        if name in names:
            raise CorelaxError(f"the dataset has a column {name!r} already; rename or remove it")


def _features(given: Any) -> Any:
    """The types of all columns: those of empty lists could not be guessed."""
    from datasets import Features, Value

    number, text = Value("int64"), Value("string")
    return Features({**given, "clusters": [[[number]]], "names": [text], "resolved_text": text})
