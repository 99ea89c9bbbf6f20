"""`corelax resolve --shards`: corpora of any size into a folder of parts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from corelax.cli.options import exit_when_interrupted, note, plural
from corelax.cli.parameters import BadParameter, Option
from corelax.core.errors import CorelaxError

if TYPE_CHECKING:
    from corelax.core.clusters import Cluster

Ray = Annotated[
    str | None,
    Option(
        metavar="[ADDRESS]",
        bare="local",
        help="Work on a Ray cluster: HOST:PORT of its head, auto for the one that runs here; without an "
        "address, on a Ray of this machine.",
    ),
]
GpuShare = Annotated[
    float | None,
    Option(
        min=0.01,
        max=64,
        metavar="N",
        help="GPUs of each Ray worker; 0.25 lets four share one.",
        show_default=False,
    ),
]


def cluster_of(
    ray: str | None,
    *,
    jobs: int | None,
    threads: int | None = None,
    gpu_share: float | None = None,
    device: str = "cpu",
) -> Cluster | None:
    """The cluster that options name; None if they name none."""
    if ray is None:
        if gpu_share is not None:
            raise BadParameter("goes with --ray", param_hint="--gpu-share")
        return None
    from corelax.core.clusters import Cluster

    gpus = gpu_share or (1.0 if device.startswith("cuda") else 0.0)
    return Cluster(ray, jobs, threads or 1, gpus)


def resolve_into_shards(
    files: Sequence[str],
    out: str | None,
    *,
    unsuitable: Mapping[str, object],
    quiet: bool,
    **options: Any,
) -> None:
    """Runs shards, and tells what was done.

    Args:
        files: The inputs.
        out: The folder.
        unsuitable: Options that do not go with shards, by name, and whether they are given.
        quiet: Whether only errors are told.
        **options: Options of `resolve_shards`.
    """
    if given := [name for name, value in unsuitable.items() if value]:
        raise BadParameter(f"leave out {' and '.join(given)}", param_hint="--shards")
    if out is None:
        raise BadParameter("name a folder for the parts with --out", param_hint="--shards")
    from corelax.cli.bars import PiecesBar
    from corelax.core.overwriting import check_not_input
    from corelax.scale import resolve_shards

    check_not_input(out, files)
    began = time.monotonic()
    with exit_when_interrupted(), PiecesBar("shards") as bar:
        update: Callable[..., None] = (lambda *_: None) if quiet else bar.update
        report = resolve_shards(files, out, progress=update, **options)
    if not report.documents and report.bad:
        raise CorelaxError(f"{out}: no document could be resolved; bad.jsonl says why")
    if not quiet:
        seconds = time.monotonic() - began
        before = report.shards - report.resolved
        note(
            f"{plural(report.documents, 'document')}, {plural(report.words, 'word')} in "
            f"{plural(report.shards, 'shard')}"
            + (f", of which {before:,} were done before" if before else "")
            + f"; {seconds:.1f} s"
        )
    if report.bad:
        note(f"{plural(report.bad, 'bad document')} left out: {out.rstrip('/')}/bad.jsonl")
