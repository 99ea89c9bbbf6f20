"""A request that is not done: the status and one line that says why."""

from __future__ import annotations

from collections.abc import Mapping

from corelax.core.printable import shortened

_WIDTH = 300  # characters; parts of requests may be in the line


class Refusal(Exception):
    """Ends a request.

    Attributes:
        status: Of HTTP.
        message: One line.
        headers: Further headers of the answer.

    >>> Refusal(400, "text must be\\na string").message
    'text must be a string'
    """

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, message)
        self.status, self.headers = status, dict(headers or {})
        self.message = shortened(message, _WIDTH)
