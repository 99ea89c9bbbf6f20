"""`corelax resolve --shards`: corpora of any size into a folder of parts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from corelax.cli.options import exit_when_interrupted, note, plural
from corelax.cli.parameters import BadParameter
from corelax.core.errors import CorelaxError

if TYPE_CHECKING:
    from corelax.resolve.options import FileOptions
    from corelax.scale.options import ShardOptions


def resolve_into_shards(
    files: Sequence[str],
    out: str | None,
    options: FileOptions,
    sharding: ShardOptions,
    *,
    unsuitable: Mapping[str, object],
    quiet: bool,
) -> None:
    """Runs shards, and tells what was done; `unsuitable` are options that do not go with them, by name."""
    if given := [name for name, value in unsuitable.items() if value]:
        raise BadParameter(f"leave out {' and '.join(given)}", param_hint="--shards")
    if out is None:
        raise BadParameter("name a folder for the parts with --out", param_hint="--shards")
    from corelax.cli.bars import PiecesBar
    from corelax.core.files import check_not_input
    from corelax.scale.run import run_shards

    check_not_input(out, files)
    began = time.monotonic()
    with exit_when_interrupted(), PiecesBar("shards") as bar:
        update: Callable[..., None] = (lambda *_: None) if quiet else bar.update
        report = run_shards(files, out, options, sharding, update)
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
