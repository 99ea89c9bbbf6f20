"""The one exception that users see: what is wrong, where, and what to do."""

from __future__ import annotations

from functools import partial

MAX_MESSAGE = 200  # characters
MAX_LINE = 1000  # of a whole message, with paths


class CorelaxError(Exception):
    """Bad input or a wrong request. The message is one line meant for people.

    The command line prints it and exits with code 1; nothing else of a traceback is shown.
    """

    def __init__(self, message: str) -> None:
        line = one_line(message)
        if len(line) > MAX_LINE:  # the end says what to do
            line = f"{line[: MAX_LINE // 2]} … {line[-MAX_LINE // 3 :]}"
        super().__init__(line)


class MissingLibraryError(CorelaxError, ImportError):
    """A library of an extra that is not installed."""


class FormatError(CorelaxError):
    """A file that breaks the rules of its format.

    >>> print(FormatError("entity 7 closes but was never opened", path="broken.conll", line=812))
    broken.conll:812: entity 7 closes but was never opened
    """

    def __init__(self, message: str, *, path: str, line: int | None = None) -> None:
        self.message, self.path, self.line = one_line(message, MAX_MESSAGE), path, line
        place = path if line is None else f"{path}:{line}"
        super().__init__(f"{place}: {self.message}")

    def __reduce__(self) -> tuple[object, ...]:  # or it could not come back from another process
        return partial(FormatError, path=self.path, line=self.line), (self.message,)


def one_line(message: str, limit: int | None = None) -> str:
    """A message that names and cells of a broken file cannot spread over lines or pages.

    >>> one_line("document a\\nb is missing")
    'document a\\\\nb is missing'
    """
    if not message.isprintable():
        message = message.encode("unicode_escape").decode()
    return message if limit is None or len(message) <= limit else f"{message[: limit - 1]}…"
