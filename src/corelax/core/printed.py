"""What commands print: standard output and standard error without characters that drive a terminal.

Names and words come from files, and a file can hold anything. Inside `printed_streams`, everything that is
printed passes one filter, whoever prints it. Programs draw with `unfiltered`, from text that they have made
safe; data that a pipe or a file receives is written as it is.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from corelax.core.printable import printable

STANDARD_OUTPUT = "<stdout>"


class Printed(io.TextIOBase):
    """A stream that leaves control characters out of what is written to it.

    >>> stream = io.StringIO()
    >>> _ = Printed(stream).write("the \\x1b[2Jend\\n")
    >>> stream.getvalue()
    'the [2Jend\\n'

    Args:
        stream: Receives the rest. It is never closed.
    """

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Writes what is printable of a text."""
        with naming_output():
            self.stream.write(printable(text))
        return len(text)

    def flush(self) -> None:
        """Writes what waits in memory."""
        self.stream.flush()

    def close(self) -> None:
        """Leaves the stream open, for whoever printed before."""

    def isatty(self) -> bool:
        """Whether this is a terminal."""
        return self.stream.isatty()

    def fileno(self) -> int:
        """The number of the file."""
        return self.stream.fileno()

    def writable(self) -> bool:
        """Always."""
        return True

    @property
    def buffer(self) -> Any:
        """The bytes below, unfiltered."""
        return getattr(self.stream, "buffer")  # noqa: B009  (not every stream has one)

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream."""
        return getattr(self.stream, "encoding", None) or "utf-8"

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """What happens to characters that the encoding lacks."""
        return getattr(self.stream, "errors", None)


@contextmanager
def printed_streams() -> Iterator[None]:
    """Filters standard output and standard error."""
    before = sys.stdout, sys.stderr
    for stream in before:
        if isinstance(stream, io.TextIOWrapper):  # a terminal that knows no B³ shows B?
            stream.reconfigure(errors="replace")
    sys.stdout, sys.stderr = Printed(before[0]), Printed(before[1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        with naming_output():
            sys.stdout.flush()


@contextmanager
def naming_output() -> Iterator[None]:
    """Gives errors of standard output, such as a full disk, its name."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = STANDARD_OUTPUT
        raise


def unfiltered(stream: IO[str]) -> IO[str]:
    """The stream below the filter, for text that was made safe and is drawn with colours.

    >>> unfiltered(sys.stdout) is unfiltered(Printed(sys.stdout))
    True
    """
    return stream.stream if isinstance(stream, Printed) else stream


def data_output() -> IO[str]:
    """Standard output for data: as it is to a pipe or a file, filtered on a terminal."""
    return sys.stdout if sys.stdout.isatty() else unfiltered(sys.stdout)
