"""The options of resolving in shards."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from corelax.core.checks import check_number
from corelax.core.options import Option, check_options
from corelax.io import format_for
from corelax.text.decoding import UTF8, check_encoding

ROWS, PARQUET = "rows", "parquet"


def _output(name: str) -> str:
    return name if name in (ROWS, PARQUET) else format_for("", name)


def _input_format(name: str) -> str:
    return format_for("", name)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardOptions:
    """How documents are read, resolved and written in shards."""

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
    model: Annotated[str | Path | None, "As in Resolver.from_pretrained; None is small."] = None
    singletons: Annotated[str | None, "drop or keep; None is as in training."] = None
    scheme: Annotated[str | None, "The annotation scheme; None is the first of the model."] = None
    device: Annotated[str, "auto, cpu, cuda and so on."] = "auto"
    runtime: Annotated[str, "auto, onnx, int8 or torch."] = "auto"
    threads: Annotated[int | None, "Of each process; None is one, or those of a Ray worker."] = None
    batch_size: Annotated[int, "Documents resolved together."] = 8
    jobs: Annotated[int | None, "Processes; None is one for each core, 1 is this one."] = None
    input_format: Annotated[str | None, "Of annotated files; None is by suffix."] = None
    encoding: Annotated[str, "Of texts."] = UTF8
    dialogue: Annotated[bool, "Whether lines such as `Ann: Hello!` name who speaks."] = False
    glob: Annotated[str | None, "Which files of folders are read; None is all that can be."] = None

    def __post_init__(self) -> None:
        check_options(self)
        check_number("batch_size", self.batch_size, at_least=1, integer=True)
        check_encoding(self.encoding)
