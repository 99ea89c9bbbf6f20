"""Documents resolved by a trained ranker of either kind: `resolve_documents` and `predict_documents`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import tee
from pathlib import Path

from corelax.core.checks import check_choice, check_number
from corelax.core.errors import CorelaxError
from corelax.core.folders import read_model_config
from corelax.document import Document
from corelax.rankers.sparse.features.extract import DETECT
from corelax.rankers.sparse.names import DECODINGS, KIND
from corelax.resolve.constraints import Constraints
from corelax.resolve.hub import fetched
from corelax.resolve.mentions import chosen_singletons, noting_source
from corelax.resolve.models import model_folder
from corelax.resolve.parts import heads_of
from corelax.resolve.processes import resolve_in_processes
from corelax.resolve.resolution import Resolution

BATCH = 8  # documents
Note = Callable[[str], None]


def predict_documents(
    model: str | Path | None,
    documents: Iterable[Document],
    *,
    mentions: str | None = None,
    singletons: str | None = None,
    decoding: str | None = None,
    scheme: str | None = None,
    device: str = "cpu",
    runtime: str = "auto",
    threads: int | None = None,
    note: Note = lambda _: None,
) -> Iterator[Document]:
    """Yields each document with predicted entities, in the order of the input.

    Args:
        model: A model folder of either ranker, or the name of an installed model; None is "small".
        documents: Documents; for a sparse ranker with the layers that mention detection needs, or with given
            mentions.
        mentions: "detect", "gold", or a file with mentions; None is as in training.
        singletons: "drop" or "keep"; None is as in training.
        decoding: "links" or "entities"; None is as in training. Encoder rankers decode by links.
        scheme: The annotation scheme, of those that an encoder ranker knows; None is its first.
        device: "auto", "cpu", "cuda", "cuda:1" and so on, or "mps".
        runtime: What runs an encoder ranker, as in `Resolver.from_pretrained`.
        threads: How many threads compute on a CPU; None is as many as there are cores.
        note: Called with a line of text for each oddity.
    """
    predictions = _predictions(
        model,
        documents,
        mentions,
        singletons,
        decoding,
        scheme,
        device,
        runtime,
        threads,
        BATCH,
        note,
    )
    for document, _ in predictions:
        yield document


def resolve_documents(
    model: str | Path | None,
    documents: Iterable[Document],
    *,
    mentions: str | None = None,
    singletons: str | None = None,
    decoding: str | None = None,
    scheme: str | None = None,
    constraints: Mapping[str, Constraints] | None = None,
    device: str = "auto",
    runtime: str = "auto",
    threads: int | None = None,
    batch_size: int = BATCH,
    jobs: int = 1,
    workers: int | None = None,
    note: Note = lambda _: None,
    detail: Note = lambda _: None,
) -> Iterator[Resolution]:
    """Yields the entities of each document with their probabilities, in the order of the input.

    A sparse ranker gets its mentions from rules, or they are given: their `probability` is 1.

    Args:
        model: As in `predict_documents`.
        documents: As in `predict_documents`.
        mentions: As in `predict_documents`.
        singletons: As in `predict_documents`.
        decoding: As in `predict_documents`.
        scheme: As in `predict_documents`.
        constraints: Corrections of documents by their names (`read_constraints`); for an encoder ranker.
        device: As in `predict_documents`.
        runtime: As in `predict_documents`.
        threads: As in `predict_documents`.
        batch_size: How many documents an encoder ranker resolves together.
        jobs: In how many processes an encoder ranker looks for mentions.
        workers: As in `Resolver.pipe`, unless there are several `jobs`.
        note: As in `predict_documents`.
        detail: Called with a line that says which model is loaded and what runs it.
    """
    predictions = _predictions(
        model,
        documents,
        mentions,
        singletons,
        decoding,
        scheme,
        device,
        runtime,
        threads,
        batch_size,
        note,
        constraints,
        detail,
        jobs,
        workers,
    )
    for _, resolution in predictions:
        yield resolution()


# A document with its predicted entities, and what gives the probabilities if they are wanted.
_Prediction = tuple[Document, Callable[[], Resolution]]


def _predictions(
    model: str | Path | None,
    documents: Iterable[Document],
    mentions: str | None,
    singletons: str | None,
    decoding: str | None,
    scheme: str | None,
    device: str,
    runtime: str,
    threads: int | None,
    batch_size: int,
    note: Note,
    constraints: Mapping[str, Constraints] | None = None,
    detail: Note = lambda _: None,
    jobs: int = 1,
    workers: int | None = None,
) -> Iterator[_Prediction]:
    """By the ranker that the folder holds."""
    model = fetched(model)
    folder = model_folder(model)
    if not _is_sparse(folder):
        if check_choice("decoding", decoding or "links", DECODINGS) != "links":
            raise CorelaxError(
                f"{folder}: an encoder ranker decodes by links; leave out {decoding!r}"
            )
        yield from _by_encoder(
            model,
            documents,
            mentions,
            singletons,
            scheme,
            device,
            runtime,
            threads,
            batch_size,
            note,
            constraints or {},
            detail,
            check_number("jobs", jobs, at_least=1, integer=True),
            workers,
        )
        return
    if constraints:
        raise CorelaxError(f"{folder}: a sparse ranker takes no constraints; leave them out")
    if scheme is not None:
        raise CorelaxError(f"{folder}: a sparse ranker has no schemes; leave out {scheme!r}")
    if runtime not in ("auto", "torch"):
        raise CorelaxError(
            f"{folder}: torch runs a sparse ranker; leave out the runtime {runtime!r}"
        )
    from corelax.resolve.sparse import resolve_by_features  # needs torch

    detail(f"sparse ranker of {folder} by torch")
    yield from resolve_by_features(folder, documents, mentions, singletons, decoding, device, note)


def _by_encoder(
    model: str | Path | None,
    documents: Iterable[Document],
    mentions: str | None,
    singletons: str | None,
    scheme: str | None,
    device: str,
    runtime: str,
    threads: int | None,
    batch_size: int,
    note: Note,
    constraints: Mapping[str, Constraints],
    detail: Note,
    jobs: int,
    workers: int | None,
) -> Iterator[_Prediction]:
    """The encoder ranker. Given mentions that it cannot look at, such as very long ones, stay alone."""
    from corelax.resolve.constrained import constrained
    from corelax.resolve.resolver import Resolver

    resolver = Resolver.from_pretrained(model, device=device, runtime=runtime, threads=threads)
    detail(repr(resolver).strip("<>"))
    training = resolver.model.training
    if not training.get("finished", True):
        note(f"{model_folder(model)}: its training is not finished")
    singletons = chosen_singletons(singletons, training)
    source = noting_source(mentions or DETECT, note)
    originals, to_resolve = tee(documents)  # those that are resolved together wait here
    if (mentions or DETECT) == DETECT and jobs > 1:
        resolutions = resolve_in_processes(
            to_resolve,
            jobs,
            model=model,
            batch_size=batch_size,
            threads=threads,
            loading={"device": device, "runtime": runtime},
            options={"singletons": singletons, "scheme": scheme},
        )
    elif (mentions or DETECT) == DETECT:
        resolutions = resolver.pipe(
            to_resolve, batch_size=batch_size, singletons=singletons, scheme=scheme, workers=workers
        )
    else:
        resolutions = (
            resolver.resolve_mentions(doc, source(doc) or (), singletons=singletons, scheme=scheme)
            for doc in to_resolve
        )
    for doc, resolution in zip(originals, resolutions, strict=True):
        if corrections := constraints.get(doc.key):
            resolution = constrained(
                resolver, resolution, corrections, singletons=singletons, scheme=scheme
            )
        heads = heads_of(doc, resolution.mentions)
        clusters = resolution.document.clusters
        yield doc.with_clusters(clusters, heads), partial(_itself, resolution)


def _itself(resolution: Resolution) -> Resolution:
    return resolution


def _is_sparse(folder: Path) -> bool:
    """Whether a folder says that it holds a sparse ranker. What is wrong with others, their reader says."""
    try:
        return str(read_model_config(folder)["format"]).startswith(KIND)
    except (CorelaxError, ValueError, KeyError, TypeError):
        return False
