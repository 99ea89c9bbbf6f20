"""The limits of a server, and who may use it."""

from __future__ import annotations

from dataclasses import dataclass

from corelax.core.checks import check_number
from corelax.core.errors import CorelaxError

BYTES_PER_CHARACTER = 12  # of JSON at most: two escapes of six bytes
BYTES_BESIDE_TEXT = 1 << 20  # for mentions and other options


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Limits and access.

    Attributes:
        batch_size: How many texts are resolved together at most.
        batch_wait: How many seconds a text waits for others to be resolved with.
        queue_size: How many texts wait at most; further requests get 503.
        max_characters: The most characters of all texts of a request; longer ones get 413.
        timeout: Seconds until a request that is not answered gets 504.
        token: What clients must send as `Authorization: Bearer TOKEN`; None lets everybody in.
        allow_origins: Web sites whose pages may use the server; "*" is all.

    >>> ServerSettings(max_characters=1000).max_bytes
    1060576
    >>> ServerSettings(token="")
    Traceback (most recent call last):
    corelax.core.errors.CorelaxError: token must be visible ASCII characters without blanks
    """

    batch_size: int = 8
    batch_wait: float = 0.005
    queue_size: int = 256
    max_characters: int = 100_000
    timeout: float = 60.0
    token: str | None = None
    allow_origins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("batch_size", "queue_size", "max_characters"):
            check_number(name, getattr(self, name), at_least=1, integer=True)
        check_number("batch_wait", self.batch_wait)
        check_number("timeout", self.timeout, at_least=0.001)
        token = self.token
        if token is not None and (not token or not all("!" <= sign <= "~" for sign in token)):
            raise CorelaxError("token must be visible ASCII characters without blanks")

    @property
    def max_bytes(self) -> int:
        """The most bytes of a request."""
        return BYTES_PER_CHARACTER * self.max_characters + BYTES_BESIDE_TEXT
