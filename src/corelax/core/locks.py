"""Locks that end with the process that holds them, however it ends: of a folder, and of a file being written.

A folder also belongs to one piece of work: the same command continues it, another one is refused. Where the
system or the file system has no such locks, nothing is locked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from corelax.core.errors import CorelaxError

try:
    import fcntl
except ImportError:  # a system without such locks
    fcntl = None  # type: ignore[assignment]

HAS_LOCKS = fcntl is not None
LOCK = ".lock"
TEMPORARY = ".corelax-", ".part"  # how the names of files begin and end that are not whole yet
unfinished: set[Path] = set()  # locks and temporary files of this process


def lock(handle: int, *, wait: bool) -> bool | None:
    """Locks an open file; False if another process holds the lock, None where there are no locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return True


def is_at(handle: int, path: Path) -> bool:
    """Whether a path still names an open file, which may have been removed or replaced."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except OSError:
        return False


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Keeps other commands from writing to a folder; an error if one already does.

    The file `.lock` is there meanwhile; what a killed process leaves of it locks nothing.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as name, lock_folder(Path(name)):
    ...     with lock_folder(Path(name)):
    ...         pass
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: ...: another command is at work in this folder; wait for it, ...
    """
    path = folder / LOCK
    handle = _locked(path, folder)
    unfinished.add(path)
    try:
        yield
    finally:
        unfinished.discard(path)
        with suppress(OSError):  # before the lock ends: nobody else can have made a new one
            path.unlink()
        os.close(handle)


def _locked(path: Path, folder: Path) -> int:
    while True:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise CorelaxError(f"{folder}: {error.strerror or error}") from None
        is_free = lock(handle, wait=False)
        if is_free is None or (is_free and is_at(handle, path)):
            return handle
        os.close(handle)  # of another process, or of one that has just ended and removed its file
        if not is_free:
            raise CorelaxError(
                f"{folder}: another command is at work in this folder; wait for it, or use another --out"
            )


def remove_unfinished() -> None:
    """Removes the locks and temporary files of this process, before it ends at once."""
    for path in list(unfinished):
        path.unlink(missing_ok=True)


def remove_stale_lock(folder: Path) -> None:
    """Removes the lock that a killed process left in a folder; one that is held stays."""
    with suppress(OSError):
        remove_unlocked(folder / LOCK)


def remove_unlocked(path: Path) -> None:
    """Removes a file unless a process holds its lock, or there are no locks."""
    handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        if lock(handle, wait=False) and is_at(handle, path):
            path.unlink()
    finally:
        os.close(handle)


def new_temporary(folder: Path) -> tuple[int, Path]:
    """A new file in a folder, open and locked."""
    prefix, suffix = TEMPORARY
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        path = folder / f"{prefix}{os.urandom(8).hex()}{suffix}"
        unfinished.add(path)  # before it is there: a signal may end this process at any moment
        try:
            handle = os.open(path, flags, 0o600)
        except OSError:
            unfinished.discard(path)
            raise
        if not lock(handle, wait=True) or is_at(handle, path):
            return handle, path
        unfinished.discard(path)
        os.close(handle)  # taken for a leftover before it was locked


def remove_leftovers(folder: Path) -> None:
    """Removes the temporary files of programs that were killed while they wrote, and of no others."""
    prefix, suffix = TEMPORARY
    names: list[str] = []
    with suppress(OSError):
        names = os.listdir(folder)  # noqa: PTH208  (a folder may have many files)
    for name in names:
        if name.startswith(prefix) and name.endswith(suffix):
            with suppress(OSError):
                remove_unlocked(folder / name)


def check_claim(
    out: object, present: Mapping[str, Any], wanted: Mapping[str, Any], noun: str
) -> None:
    """An error that names what differs, if a folder holds work on something else.

    >>> check_claim("out", {"seed": 1}, {"seed": 2}, "a study")
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: out: has a study with other settings or files (seed); use another --out
    """
    names = differences(present, as_json(wanted))
    differs = [name.partition(".")[2] or name for name in names]
    if differs:
        raise CorelaxError(
            f"{out}: has {noun} with other settings or files ({', '.join(differs)}); use another --out"
        )


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """The names of values that are not the same, of tables inside tables setting by setting.

    >>> differences({"config": {"epochs": 3, "seed": 1}}, {"config": {"epochs": 4, "seed": 1}})
    ['config.epochs']
    """
    names = []
    for key, value in new.items():
        before = old.get(key)
        if isinstance(value, Mapping) and isinstance(before, Mapping):
            inside = differences(before, {**dict.fromkeys(before), **value})
            names += [f"{key}.{name}" for name in inside]
        elif before != value:
            names.append(key)
    return names


def as_json(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as JSON returns them, where tuples have become lists."""
    import json  # most commands write no folders

    plain: dict[str, Any] = json.loads(json.dumps(values))
    return plain
