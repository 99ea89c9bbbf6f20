"""Many documents resolved in shards: on one machine or on a Ray cluster, continued where it stopped."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from corelax.core.checks import check_number
from corelax.core.clusters import Cluster, map_on_cluster
from corelax.core.device import available_threads
from corelax.core.errors import CorelaxError
from corelax.core.files import file_digest
from corelax.core.folders import CONFIG, WEIGHTS
from corelax.core.version import VERSION
from corelax.core.workers import WorkerEnded, map_in_processes
from corelax.io import format_for
from corelax.resolve.hub import fetched
from corelax.resolve.models import model_folder
from corelax.scale.folder import RunFolder
from corelax.scale.pieces import SHARD_DOCUMENTS, Shard, cut_into_shards, input_sizes
from corelax.scale.reading import Reading
from corelax.scale.rows import PARQUET, ROWS
from corelax.scale.worker import Part, Work, shard_resolver
from corelax.text.decoding import check_encoding

Progress = Callable[[int, int, Sequence[str]], None]


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
    output: str = ROWS,
    shard_size: int = SHARD_DOCUMENTS,
    model: str | Path | None = None,
    singletons: str | None = None,
    scheme: str | None = None,
    device: str = "auto",
    runtime: str = "auto",
    threads: int | None = None,
    batch_size: int = 8,
    jobs: int | None = None,
    cluster: Cluster | None = None,
    input_format: str | None = None,
    encoding: str = "utf-8",
    dialogue: bool = False,
    column: str = "text",
    glob: str | None = None,
    progress: Progress = lambda _done, _all, _names: None,
) -> ShardsReport:
    """Resolves the documents of files into a folder, a part for each shard; the same call continues a run.

    Parts hold the documents in the order of the input, whoever has resolved them. A document that cannot be
    read or resolved is left out and listed in `bad.jsonl`.

    Args:
        inputs: Texts, lines of JSON (annotated, or with a text each), Parquet, annotated files, and folders
            of them; here or in a store that fsspec knows.
        out: The folder, here or in a store.
        output: "rows" for lines of JSON with `doc_id`, `text`, `mentions`, `entities`; "parquet" for the
            same; or a name from `corelax.io.FORMATS`.
        shard_size: The most documents of a shard.
        model: A model folder of an encoder ranker, or the name of an installed model; None is "small".
        singletons: "drop" or "keep" entities of one mention; None is as in training.
        scheme: The annotation scheme; None is the first of the model.
        device: "auto", "cpu", "cuda" and so on.
        runtime: "auto", "onnx", "int8" or "torch".
        threads: Of each process; None is one, or the cores of a worker on a cluster.
        batch_size: How many documents are resolved together.
        jobs: How many processes; None is one for each core, 1 is this process.
        cluster: A Ray cluster, instead of processes here.
        input_format: The format of annotated files; None is by suffix.
        encoding: Of texts.
        dialogue: Whether lines such as `Ann: Hello!` name who speaks.
        column: Where texts are in lines of JSON and in Parquet.
        glob: Which files of folders are read; None is texts, Parquet and annotated files.
        progress: Called with the number of shards that are done, of all, and an empty list.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as out:
    ...     report = resolve_shards(["examples/data/curie.txt"], out, device="cpu", jobs=1)
    >>> report.documents, report.bad
    (1, 0)
    """
    check_number("shard_size", shard_size, at_least=1, integer=True)
    check_number("batch_size", batch_size, at_least=1, integer=True)
    check_encoding(encoding)
    output = output if output in (ROWS, PARQUET) else format_for("", output)
    input_format = None if input_format is None else format_for("", input_format)
    reading = Reading(encoding, dialogue, column)
    folder = RunFolder(out, output)
    sizes = input_sizes(inputs, glob)
    shards = list(cut_into_shards(sizes.items(), documents=shard_size, format=input_format))
    workers = jobs or available_threads()
    model = str(model_folder(fetched(model)))
    each = threads or (max(1, int(cluster.cpus)) if cluster else 1)
    if cluster is not None and not cluster.gpus and device == "auto":
        device = "cpu"  # a GPU of a node is for those who have asked for it
    loading = {"device": device, "runtime": runtime, "threads": each}
    work = Work(model, loading, singletons, scheme, batch_size, output, reading)
    identity = {
        "corelax": VERSION,
        "model": _model_identity(Path(model)),
        "settings": {
            "output": output,
            "shard_size": shard_size,
            "singletons": singletons,
            "scheme": scheme,
            "batch_size": batch_size,
            "input_format": input_format,
            **reading._asdict(),
        },
        "inputs": {"files": len(sizes), "shards": len(shards), "digest": _digest(sizes, shards)},
    }
    with folder.locked():
        folder.claim(identity)
        done = folder.done()
        before = len(done)
        todo = [number for number in range(len(shards)) if number not in done]
        progress(len(done), len(shards), ())
        items = [shards[number] for number in todo]
        try:
            for number, part in _parts(items, work, workers, cluster):
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
    shards: Sequence[Shard], work: Work, jobs: int, cluster: Cluster | None
) -> Iterator[tuple[int, Part]]:
    """What becomes of shards, as they are ready."""
    if cluster is not None:
        yield from map_on_cluster(shards, cluster, shard_resolver, (work,))
    elif shards:
        yield from map_in_processes(shards, min(jobs, len(shards)), shard_resolver, (work,))


def _model_identity(folder: Path) -> Mapping[str, Any]:
    """What tells a model from others: digests of its files."""
    files = [folder / name for name in (CONFIG, WEIGHTS)]
    return {file.name: file_digest(file) for file in files if file.is_file()}


def _digest(sizes: Mapping[str, int], shards: Sequence[Shard]) -> str:
    """Of the names and sizes of inputs, and where they are cut."""
    return hashlib.sha256(repr((sizes, shards)).encode()).hexdigest()
