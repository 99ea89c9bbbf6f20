"""Many documents resolved in shards: on one machine or on a Ray cluster, continued where it stopped."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from corelax.core.device import available_threads
from corelax.core.errors import CorelaxError
from corelax.core.files import file_digest
from corelax.core.folders import CONFIG, WEIGHTS
from corelax.core.options import split_options
from corelax.core.version import VERSION
from corelax.core.workers import WorkerEnded, map_in_processes
from corelax.io import format_for
from corelax.resolve.hub import fetched
from corelax.resolve.models import model_folder
from corelax.resolve.options import FileOptions
from corelax.scale.cluster import Cluster, map_on_cluster
from corelax.scale.folder import RunFolder
from corelax.scale.options import ShardOptions
from corelax.scale.shards import Shard, cut_into_shards, input_sizes
from corelax.scale.worker import Part, shard_resolver
from corelax.text.decoding import check_encoding

Progress = Callable[[int, int, Sequence[str]], None]
# Options that say what the parts are; who resolves them does not count.
READING = ("singletons", "scheme", "batch_size", "input_format", "encoding", "dialogue")
CUTTING = ("output", "shard_size", "column")


class ShardsReport(NamedTuple):
    """What a run has done, with what was done before.

    Attributes:
        shards: How many shards there are; all are done.
        resolved: How many of them were resolved by this call.
        documents: How many documents are resolved.
        words: How many words they have.
        bad: How many documents could not be read or resolved; `bad.jsonl` says why.
    """

    shards: int
    resolved: int
    documents: int
    words: int
    bad: int


def resolve_shards(
    inputs: Sequence[str],
    out: str,
    *,
    progress: Progress = lambda _done, _all, _names: None,
    **options: Any,
) -> ShardsReport:
    """Resolves the documents of files into a folder, a part for each shard; the same call continues a run.

    Parts hold the documents in the order of the input, whoever has resolved them. A document that cannot be
    read or resolved is left out and listed in `bad.jsonl`.

    Args:
        inputs: Texts, lines of JSON (annotated, or with a text each), Parquet, annotated files, and folders
            of them; here or in a store that fsspec knows.
        out: The folder, here or in a store.
        progress: Called with the number of shards that are done, of all, and an empty list.
        **options: Those of `corelax resolve` (`FileOptions`), without `mentions` and `decoding`, and
            `output` ("rows" of JSON, "parquet", or a name from `corelax.io.FORMATS`), `shard_size`,
            `column` (of raw texts), `ray` (the address of a cluster), `gpu_share` of its workers.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as out:
    ...     report = resolve_shards(["examples/data/curie.txt"], out, device="cpu", jobs=1)
    >>> report.documents, report.bad
    (1, 0)
    """
    return run_shards(inputs, out, *split_options(options, FileOptions, ShardOptions), progress)


def run_shards(
    inputs: Sequence[str],
    out: str,
    options: FileOptions,
    sharding: ShardOptions,
    progress: Progress,
) -> ShardsReport:
    check_encoding(options.encoding)
    kind = None if options.input_format is None else format_for("", options.input_format)
    sizes = input_sizes(inputs, options.glob)
    shards = list(cut_into_shards(sizes, documents=sharding.shard_size, format=kind))
    options = replace(options, model=str(model_folder(fetched(options.model))))
    folder = RunFolder(out, sharding.output)
    identity = {
        "corelax": VERSION,
        "model": _model_identity(Path(options.model or "")),
        "settings": {name: getattr(options, name) for name in READING}
        | {name: getattr(sharding, name) for name in CUTTING},
        "inputs": {
            "files": len(sizes),
            "shards": len(shards),
            "digest": hashlib.sha256(repr((sizes, shards)).encode()).hexdigest(),
        },
    }
    with folder.locked():
        folder.claim(identity)
        done = folder.done()
        before = len(done)
        todo = [number for number in range(len(shards)) if number not in done]
        progress(len(done), len(shards), ())
        try:
            for number, part in _parts([shards[number] for number in todo], options, sharding):
                done[todo[number]] = folder.save(todo[number], part)
                progress(len(done), len(shards), ())
        except BaseException as error:
            with suppress(CorelaxError):  # the disk may be full; what went wrong first is told
                folder.finish(identity, done, complete=False)
            if not isinstance(error, WorkerEnded):
                raise
            raise CorelaxError(
                f"{out}: {error}. {len(done):,} of {len(shards):,} shards are done; "
                "the same command continues"
            ) from None
        folder.finish(identity, done, complete=True)
    return ShardsReport(
        shards=len(shards),
        resolved=len(done) - before,
        documents=sum(record["documents"] for record in done.values()),
        words=sum(record["words"] for record in done.values()),
        bad=sum(len(record["bad"]) for record in done.values()),
    )


def _parts(
    shards: Sequence[Shard], options: FileOptions, sharding: ShardOptions
) -> Iterator[tuple[int, Part]]:
    cluster, device = None, options.device
    if sharding.ray is not None:
        gpus = sharding.gpu_share or (1.0 if device.startswith("cuda") else 0.0)
        cluster = Cluster(sharding.ray, options.jobs, options.threads or 1, gpus)
        if not gpus and device == "auto":
            device = "cpu"  # a GPU of a node is for those who have asked for it
    loading = {
        "device": device,
        "runtime": options.runtime,
        "threads": options.threads or 1,
    }
    if cluster is not None:
        yield from map_on_cluster(shards, cluster, shard_resolver, (options, sharding, loading))
    elif shards:
        jobs = min(options.jobs or available_threads(), len(shards))
        yield from map_in_processes(shards, jobs, shard_resolver, (options, sharding, loading))


def _model_identity(folder: Path) -> Mapping[str, Any]:
    files = [folder / name for name in (CONFIG, WEIGHTS)]
    return {file.name: file_digest(file) for file in files if file.is_file()}
