"""The options of resolving in shards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from corelax.core.options import Option, check_options
from corelax.io import format_for

ROWS, PARQUET = "rows", "parquet"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardOptions:
    """How big shards are, where their texts are, who works on them, and what is written."""

    shard_size: Annotated[
        int, Option(min=1, max=1_000_000, metavar="N", help="Documents of a shard.")
    ] = 500
    column: Annotated[
        str, Option(metavar="NAME", help="With --shards: the texts of jsonlines and Parquet.")
    ] = "text"
    ray: Annotated[
        str | None,
        Option(
            metavar="[ADDRESS]",
            bare="local",
            help="Work on a Ray cluster: HOST:PORT of its head, auto for the one that runs here; without an "
            "address, on a Ray of this machine.",
        ),
    ] = None
    gpu_share: Annotated[
        float | None,
        Option(
            min=0.01,
            max=64,
            metavar="N",
            help="GPUs of each Ray worker; 0.25 lets four share one.",
            show_default=False,
        ),
    ] = None
    output: Annotated[str, "rows (lines of JSON), parquet, or a name from io.FORMATS."] = ROWS

    def __post_init__(self) -> None:
        check_options(self)
        if self.output not in (ROWS, PARQUET):
            object.__setattr__(self, "output", format_for("", self.output))
