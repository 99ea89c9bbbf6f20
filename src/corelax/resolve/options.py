"""How files are resolved, and by what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from corelax.core.device import Device
from corelax.core.options import MOST_WORKERS, FormatName, Option, Threads
from corelax.decode.options import ResolveOptions


@dataclass(frozen=True, kw_only=True)
class FileOptions(ResolveOptions):
    """What `resolve_files` and `corelax resolve` take beside the options of one document."""

    model: Annotated[
        str | None,
        Option(metavar="NAME", help="Folder, or name of an installed model; else small."),
    ] = None
    input_format: Annotated[
        FormatName | None,
        Option("--input-format", "--from", help="Of annotated FILES; else by suffix."),
    ] = None
    encoding: Annotated[str, Option(metavar="NAME", help="Of texts, such as cp1252.")] = "utf-8"
    glob: Annotated[
        str | None,
        Option(
            metavar="PATTERN",
            help="Which files of folders are read; else *.txt, with --shards all that can be.",
        ),
    ] = None
    dialogue: Annotated[
        bool, Option("--dialogue", help="Lines such as `Ann: Hello!` name who speaks.")
    ] = False
    mentions: Annotated[
        str | None,
        Option(help="detect, gold, or a file with the mentions; else as in training."),
    ] = None
    device: Device = "auto"
    runtime: Annotated[
        Literal["auto", "onnx", "int8", "torch"],
        Option(
            help="What computes; auto is onnxruntime on a CPU if it can; int8 is faster, less exact."
        ),
    ] = "auto"
    threads: Threads = None
    batch_size: Annotated[
        int, Option(min=1, max=4096, metavar="N", help="Documents resolved together.")
    ] = 8
    jobs: Annotated[
        int | None,
        Option(
            min=1,
            max=MOST_WORKERS,
            metavar="N",
            help="Processes, each with a model of its own; else 1, with --shards one for each core.",
        ),
    ] = None

    @property
    def deciding(self) -> dict[str, Any]:
        names = ("singletons", "scheme", "consistent")
        return {name: getattr(self, name) for name in names}
