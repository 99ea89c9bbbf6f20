"""Documents resolved by a trained ranker of either kind: `resolve_documents` and `predict_documents`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import tee
from pathlib import Path

import torch
from torch import Tensor

from corelax.core.checks import check_choice
from corelax.core.device import choose_device
from corelax.core.errors import CorelaxError
from corelax.core.folders import read_model_config
from corelax.decode import Decision, best_entities, best_links
from corelax.document import Document, Span
from corelax.document.clustering import SINGLETONS
from corelax.rankers.sparse.decoding import DECODINGS, PRETRAINING
from corelax.rankers.sparse.features.extract import MentionSource, describe, table
from corelax.rankers.sparse.features.sources import DETECT, GOLD, mention_source
from corelax.rankers.sparse.folder import KIND, load_model
from corelax.rankers.sparse.mentions.lexicons import lexicons_of
from corelax.relax import entity_probs, link_probs
from corelax.resolve.models import model_folder
from corelax.resolve.resolution import Resolution, resolution_of

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
        device: "cpu", "cuda" or "auto".
        note: Called with a line of text for each oddity.
    """
    predictions = _predictions(
        model, documents, mentions, singletons, decoding, scheme, device, BATCH, note
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
    device: str = "auto",
    batch_size: int = BATCH,
    note: Note = lambda _: None,
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
        device: "auto", "cpu" or "cuda".
        batch_size: How many documents an encoder ranker resolves together.
        note: As in `predict_documents`.
    """
    predictions = _predictions(
        model, documents, mentions, singletons, decoding, scheme, device, batch_size, note
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
    batch_size: int,
    note: Note,
) -> Iterator[_Prediction]:
    """By the ranker that the folder holds."""
    folder = model_folder(model)
    if not _is_sparse(folder):
        if check_choice("decoding", decoding or "links", DECODINGS) != "links":
            raise CorelaxError(
                f"{folder}: an encoder ranker decodes by links; leave out {decoding!r}"
            )
        yield from _by_encoder(
            model, documents, mentions, singletons, scheme, device, batch_size, note
        )
        return
    if scheme is not None:
        raise CorelaxError(f"{folder}: a sparse ranker has no schemes; leave out {scheme!r}")
    yield from _by_features(folder, documents, mentions, singletons, decoding, device, note)


def _by_features(
    folder: Path,
    documents: Iterable[Document],
    mentions: str | None,
    singletons: str | None,
    decoding: str | None,
    device: str,
    note: Note,
) -> Iterator[_Prediction]:
    """The sparse ranker."""
    ranker, vocabulary, _, training, _ = load_model(folder, choose_device(device))
    as_trained = training["config"]
    if not training["finished"]:
        note(f"{folder}: its training is not finished")
    if as_trained.get("objective") in PRETRAINING:
        raise CorelaxError(f"{folder}: is a pretraining stage, which resolves nothing")
    lexicons = lexicons_of(vocabulary.lexicons, folder)
    singletons = check_choice(
        "singletons", singletons or as_trained.get("singletons", "drop"), SINGLETONS
    )
    decoding = check_choice("decoding", decoding or as_trained.get("decoding", "links"), DECODINGS)
    source = _source(mentions or as_trained.get("mentions", DETECT), note)
    decode = best_links if decoding == "links" else best_entities
    for doc in documents:
        rows = table(describe(doc, vocabulary.settings, lexicons, source), vocabulary)
        with torch.no_grad():
            antecedent_scores = ranker(ranker.tensors_of(rows))
        entities = decode(antecedent_scores, singletons=singletons)
        resolved = doc.with_clusters(rows.clusters_of(entities))
        spans = [Span(*span) for span in rows.spans.tolist()]
        yield resolved, partial(_linked, doc, spans, entities, antecedent_scores.cpu())


def _linked(
    doc: Document, spans: Sequence[Span], entities: Sequence[Sequence[int]], scores: Tensor
) -> Resolution:
    """Decoded entities with the probabilities of a ranker whose mentions are given.

    Args:
        doc: The document.
        spans: Its mentions.
        entities: Numbers of mentions, in the order of the text.
        scores: [mention, antecedent].
    """
    if not spans:
        return resolution_of(doc, [])
    links = link_probs(scores)
    members = entity_probs(links)
    decisions: list[Decision] = []
    for number, entity in enumerate(entities):
        position = {mention: len(decisions) + at for at, mention in enumerate(entity)}
        for at, mention in enumerate(entity):
            earlier = list(entity[:at])
            best = earlier[int(scores[mention, earlier].argmax())] if earlier else mention
            decisions.append(
                Decision(
                    span=spans[mention],
                    entity=number,
                    antecedent=None if best == mention else position[best],
                    probability=1.0,
                    link_probability=float(links[mention, best]),
                    entity_probability=float(members[mention, entity[0]]),
                )
            )
    return resolution_of(doc, decisions)


def _by_encoder(
    model: str | Path | None,
    documents: Iterable[Document],
    mentions: str | None,
    singletons: str | None,
    scheme: str | None,
    device: str,
    batch_size: int,
    note: Note,
) -> Iterator[_Prediction]:
    """The encoder ranker. Given mentions that it cannot look at, such as very long ones, stay alone."""
    from corelax.resolve.resolver import Resolver

    resolver = Resolver.from_pretrained(model, device=device)
    training = resolver.model.training
    if not training.get("finished", True):
        note(f"{model_folder(model)}: its training is not finished")
    as_trained = training.get("config", {}).get("singletons", "drop")
    singletons = check_choice("singletons", singletons or as_trained, SINGLETONS)
    source = _source(mentions or DETECT, note)
    originals, to_resolve = tee(documents)  # those that are resolved together wait here
    if (mentions or DETECT) == DETECT:
        resolutions = resolver.pipe(
            to_resolve, batch_size=batch_size, singletons=singletons, scheme=scheme
        )
    else:
        resolutions = (
            resolver.resolve_mentions(doc, source(doc) or (), singletons=singletons, scheme=scheme)
            for doc in to_resolve
        )
    for doc, resolution in zip(originals, resolutions, strict=True):
        yield doc.with_clusters(resolution.document.clusters), partial(_itself, resolution)


def _itself(resolution: Resolution) -> Resolution:
    return resolution


def _source(name: str, note: Note) -> MentionSource:
    """Where mentions come from; notes the first document that has none where they are given."""
    source = mention_source(name)
    is_silent = name != GOLD

    def noting(doc: Document) -> Iterable[Span] | None:
        nonlocal is_silent
        if not doc.clusters and not is_silent:
            note(f"document {doc.key} has no annotated mentions, so nothing is resolved in it")
            is_silent = True
        return source(doc)

    return noting


def _is_sparse(folder: Path) -> bool:
    """Whether a folder says that it holds a sparse ranker. What is wrong with others, their reader says."""
    try:
        return str(read_model_config(folder)["format"]).startswith(KIND)
    except (CorelaxError, ValueError, KeyError, TypeError):
        return False
