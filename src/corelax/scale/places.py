"""Files on this machine and in stores that `fsspec` knows (`s3://`, `gs://`, `hdfs://`, `memory://`)."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.core.files import explain, open_bytes, read_bytes, write_bytes


def is_remote(path: str) -> bool:
    """Whether a path names a store.

    >>> is_remote("s3://bucket/a.jsonl"), is_remote("data/a.jsonl")
    (True, False)
    """
    return "://" in path


@contextmanager
def _store(path: str) -> Iterator[tuple[Any, str]]:
    """The file system of an address, and the path in it; what it says is told in one line."""
    import fsspec

    try:
        yield fsspec.core.url_to_fs(path)
    except OSError as error:
        raise CorelaxError(f"{path}: {explain(error)}") from None
    except (ImportError, ValueError) as error:  # no such protocol, or its library is not installed
        raise CorelaxError(f"{path}: {error}") from None


@contextmanager
def open_place(path: str) -> Iterator[Any]:
    """The unpacked bytes of a file, which can be sought in."""
    if not is_remote(path):
        with open_bytes(path) as file:
            yield file
        return
    with _store(path) as (store, inner), store.open(inner, "rb") as raw:
        is_packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        yield io.BufferedReader(gzip.GzipFile(fileobj=raw)) if is_packed else raw


def read_place(path: str) -> bytes:
    if not is_remote(path):
        return read_bytes(path)
    with _store(path) as (store, inner):
        return bytes(store.cat_file(inner))


def write_place(path: str, content: bytes) -> None:
    """Writes a file: whole, or not at all. Folders are made."""
    if is_remote(path):
        with _store(path) as (store, inner):
            store.makedirs(inner.rsplit("/", 1)[0], exist_ok=True)
            store.pipe_file(inner, content)
        return
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CorelaxError(f"{path}: {explain(error)}") from None
    write_bytes(path, content)


def sizes_in(folder: str) -> dict[str, int]:
    """The files of a folder and of those below it, by their names in it, with their sizes; sorted."""
    if not is_remote(folder):
        paths = (path for path in Path(folder).rglob("*") if path.is_file())
        sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in paths}
        return dict(sorted(sizes.items()))
    with _store(folder) as (store, inner):
        store.invalidate_cache()
        found = store.find(inner, detail=True) if store.exists(inner) else {}
    start = inner.rstrip("/") + "/"
    return dict(sorted((name.removeprefix(start), info["size"]) for name, info in found.items()))


def is_folder(path: str) -> bool:
    if not is_remote(path):
        return Path(path).is_dir()
    with _store(path) as (store, inner):
        return bool(store.isdir(inner))


def size_of(path: str) -> int:
    """The bytes of a file as it is; an error if it is not there."""
    if is_remote(path):
        with _store(path) as (store, inner):
            return int(store.size(inner))
    try:
        return Path(path).stat().st_size
    except OSError as error:
        raise CorelaxError(f"{path}: {explain(error)}") from None
