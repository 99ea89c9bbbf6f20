"""The one exception that users see: what is wrong, where, and what to do."""

from __future__ import annotations


class CorelaxError(Exception):
    """Bad input or a wrong request. The message is one line meant for people.

    The command line prints it and exits with code 1; nothing else of a traceback is shown.
    """


class FormatError(CorelaxError):
    """A file that breaks the rules of its format.

    >>> print(FormatError("entity 7 closes but was never opened", path="broken.conll", line=812))
    broken.conll:812: entity 7 closes but was never opened
    """

    def __init__(self, message: str, *, path: str, line: int | None = None) -> None:
        self.message, self.path, self.line = message, path, line
        place = path if line is None else f"{path}:{line}"
        super().__init__(f"{place}: {message}")
