"""Text from outside made safe to show: on a terminal, on a page, on one line.

Names and words come from files, and a file can hold anything. Inside `printed_streams`, everything that is
printed passes one filter, whoever prints it. Programs draw with `unfiltered`, from text that they have made
safe; data that a pipe or a file receives is written as it is.
"""

from __future__ import annotations

import io
import re
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

MAX_NAME = 120  # characters of a document's name, in tables and lists
STANDARD_OUTPUT = "<stdout>"
# Characters that change the direction of all text after them, also of text that is not theirs.
_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# What JSON allows as it is, though a terminal acts on it or UTF-8 cannot hold it.
_UNSAFE_IN_JSON = re.compile(f"[\x7f-\x9f\u2028\u2029\ud800-\udfff{''.join(sorted(_TURNS))}]")


def printable(text: str) -> str:
    """Text that cannot drive a terminal or break a page: no control characters but tabs and line ends.

    >>> printable("\\x1b[31mred\\r\\n\\ud800")
    '[31mred\\n'
    """
    if text.isprintable():
        return text
    return "".join(map(_shown, re.sub("\r\n?", "\n", text)))


def _shown(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs"):
        return "" if character in _TURNS else character
    return " " if character.isspace() else ""


def on_one_line(text: str) -> str:
    """Printable text with a blank for all white space in a row.

    >>> on_one_line("the\\x1b dog\\n\\tthat barked")
    'the dog that barked'
    """
    return " ".join(printable(text).split())


def shortened(text: str, limit: int) -> str:
    """The beginning of a text on one line.

    >>> shortened("the dog\\nthat barked", 10)
    'the dog t…'
    """
    line = on_one_line(text)
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON in which letters are as they are, and all that could drive a terminal is escaped.

    >>> json_text({"name": "Zoë\\x9b2J"})
    '{"name": "Zoë\\\\u009b2J"}'
    """
    import json  # most commands print none

    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return _UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class PrintedStream(io.TextIOBase):
    """A stream that leaves control characters out of what is written to another one, which it never closes.

    >>> stream = io.StringIO()
    >>> _ = PrintedStream(stream).write("the \\x1b[2Jend\\n")
    >>> stream.getvalue()
    'the [2Jend\\n'
    """

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        with naming_output():
            self.stream.write(printable(text))
        return len(text)

    def flush(self) -> None:
        self.stream.flush()

    def close(self) -> None:
        pass  # others may print afterwards

    def isatty(self) -> bool:
        return self.stream.isatty()

    def fileno(self) -> int:
        return self.stream.fileno()

    def writable(self) -> bool:
        return True

    @property
    def buffer(self) -> Any:
        return getattr(self.stream, "buffer")  # noqa: B009  (not every stream has one)

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(self.stream, "encoding", None) or "utf-8"

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return getattr(self.stream, "errors", None)


@contextmanager
def printed_streams() -> Iterator[None]:
    """Filters standard output and standard error."""
    before = sys.stdout, sys.stderr
    for stream in before:
        if isinstance(stream, io.TextIOWrapper):  # a terminal that knows no B³ shows B?
            stream.reconfigure(errors="replace")
    sys.stdout, sys.stderr = PrintedStream(before[0]), PrintedStream(before[1])
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
    """The stream below the filter, for text that was made safe and is drawn with colours."""
    return stream.stream if isinstance(stream, PrintedStream) else stream


def data_output() -> IO[str]:
    """Standard output for data: as it is to a pipe or a file, filtered on a terminal."""
    return sys.stdout if sys.stdout.isatty() else unfiltered(sys.stdout)
