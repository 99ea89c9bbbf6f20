"""One command at a time in a folder: two would write the same files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corelax.core.errors import CorelaxError
from corelax.core.files import explain

try:
    import fcntl
except ImportError:  # a system without such locks has none here
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Holds a folder; an error if another process does. A process that ends lets go, however it ends.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as name, only_one(Path(name)):
    ...     with only_one(Path(name)):
    ...         pass
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: ...: another command is at work in this folder; wait for it, ...
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / LOCK).open("a")
    except OSError as error:
        raise CorelaxError(f"{folder}: {explain(error)}") from None
    with file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise CorelaxError(
                    f"{folder}: another command is at work in this folder; wait for it, or use another --out"
                ) from None
            except OSError:  # a file system without locks
                pass
        yield
