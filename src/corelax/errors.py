"""The one exception that users see: what is wrong, where, and what to do."""

from __future__ import annotations

MAX_MESSAGE = 200  # characters


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
        # Names and cells of a broken file may be anything; the message stays one readable line.
        message = (
            message.encode("unicode_escape").decode() if not message.isprintable() else message
        )
        self.message = message if len(message) <= MAX_MESSAGE else f"{message[: MAX_MESSAGE - 1]}…"
        self.path, self.line = path, line
        place = path if line is None else f"{path}:{line}"
        super().__init__(f"{place}: {self.message}")
