"""The options of a server: its limits, and who may use it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from corelax.core.errors import CorelaxError
from corelax.core.options import Option, check_options

TOKEN = "CORELAX_TOKEN"  # a variable of the environment
BYTES_PER_CHARACTER = 12  # of JSON at most: two escapes of six bytes
BYTES_BESIDE_TEXT = 1 << 20  # for mentions and other options


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """Limits and access.

    >>> ServeOptions(max_characters=1000).max_bytes
    1060576
    >>> ServeOptions(token="")
    Traceback (most recent call last):
    corelax.core.errors.CorelaxError: token must be visible ASCII characters without blanks
    """

    token: Annotated[
        str | None,
        Option(metavar="TOKEN", help=f"What clients must send; else that of ${TOKEN}."),
    ] = None
    allow_origins: Annotated[
        tuple[str, ...],
        Option(
            "--allow-origin",
            metavar="URL",
            help="A web site whose pages may use the server; * is all.",
        ),
    ] = ()
    batch_size: Annotated[
        int, Option(min=1, max=4096, metavar="N", help="Texts resolved together.")
    ] = 8
    batch_wait: Annotated[
        float,
        Option(min=0, max=10_000, metavar="MS", help="How long a text waits for others."),
    ] = 5
    queue_size: Annotated[
        int, Option(min=1, max=100_000, metavar="N", help="Texts that may wait; else 503.")
    ] = 256
    max_characters: Annotated[
        int,
        Option(min=1, max=10_000_000, metavar="N", help="Of a request's texts; else 413."),
    ] = 100_000
    timeout: Annotated[
        float, Option(min=0.1, max=3600, metavar="S", help="Seconds for a request; else 504.")
    ] = 60

    def __post_init__(self) -> None:
        check_options(self)
        token = self.token
        if token is not None and (not token or not all("!" <= sign <= "~" for sign in token)):
            raise CorelaxError("token must be visible ASCII characters without blanks")

    @property
    def max_bytes(self) -> int:
        """The most bytes of a request."""
        return BYTES_PER_CHARACTER * self.max_characters + BYTES_BESIDE_TEXT
