"""Prediction with a trained ranker: documents in, the same documents with predicted entities out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import tee
from pathlib import Path

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.document import Document, Span
from corelax.document.clustering import SINGLETONS, Clustering, without_singletons
from corelax.rankers.encoder.folder import FORMAT as ENCODER
from corelax.rankers.sparse.decoding import DECODINGS, PRETRAINING, decode_table
from corelax.rankers.sparse.features.extract import MentionSource, describe, table
from corelax.rankers.sparse.features.sources import DETECT, GOLD, mention_source
from corelax.rankers.sparse.folder import CONFIG, load_model
from corelax.rankers.sparse.mentions.lexicons import load_lexicons
from corelax.resolve.models import model_folder

Note = Callable[[str], None]


def predict_documents(
    model: str | Path,
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
        model: A model folder, of a sparse ranker or of an encoder ranker; "small" is the one of the package.
        documents: Documents; for a sparse ranker with the layers that mention detection needs, or with given
            mentions.
        mentions: "detect", "gold", or a file with mentions; as in training if None.
        singletons: "drop" or "keep"; as in training if None.
        decoding: "links" or "entities"; as in training if None. Encoder rankers decode by links.
        scheme: Which way to annotate, of those that an encoder ranker knows; its first if None.
        device: "cpu" or "cuda".
        note: Is told what is odd.
    """
    model = model_folder(model)
    if _format(model) == ENCODER:
        if check_choice("decoding", decoding or "links", DECODINGS) != "links":
            raise CorelaxError(
                f"{model}: an encoder ranker decodes by links; leave out {decoding!r}"
            )
        yield from _by_encoder(model, documents, mentions, singletons, scheme, device, note)
        return
    if scheme is not None:
        raise CorelaxError(f"{model}: a sparse ranker has no schemes; leave out {scheme!r}")
    yield from _by_features(model, documents, mentions, singletons, decoding, device, note)


def _by_features(
    model: str | Path,
    documents: Iterable[Document],
    mentions: str | None,
    singletons: str | None,
    decoding: str | None,
    device: str,
    note: Note,
) -> Iterator[Document]:
    """The sparse ranker."""
    ranker, vocabulary, _, training, _ = load_model(model, device)
    as_trained = training["config"]
    if not training["finished"]:
        note(f"{model}: its training is not finished")
    lexicons = load_lexicons()
    if lexicons.digest != vocabulary.lexicons:
        note(f"{model}: was trained with other word lists than these ({lexicons.name})")
    if as_trained.get("objective") in PRETRAINING:
        raise CorelaxError(f"{model}: is a pretraining stage, which resolves nothing")
    singletons = check_choice(
        "singletons", singletons or as_trained.get("singletons", "drop"), SINGLETONS
    )
    decoding = check_choice("decoding", decoding or as_trained.get("decoding", "links"), DECODINGS)
    source = _source(mentions or as_trained.get("mentions", DETECT), note)
    for doc in documents:
        rows = table(describe(doc, vocabulary.settings, lexicons, source), vocabulary)
        found = decode_table(ranker, rows, singletons=singletons, decoding=decoding)
        yield doc.with_clusters(rows.clusters_of(found))


def _by_encoder(
    model: str | Path,
    documents: Iterable[Document],
    mentions: str | None,
    singletons: str | None,
    scheme: str | None,
    device: str,
    note: Note,
) -> Iterator[Document]:
    """The encoder ranker. Given mentions that it cannot look at, such as very long ones, stay alone."""
    from corelax.rankers.encoder.inputs import encoder_input
    from corelax.rankers.encoder.reach import Places
    from corelax.resolve.resolver import Resolver

    resolver = Resolver.from_pretrained(model, device=device)
    training = resolver.model.training
    if not training.get("finished", True):
        note(f"{model}: its training is not finished")
    as_trained = training.get("config", {}).get("singletons", "drop")
    singletons = check_choice("singletons", singletons or as_trained, SINGLETONS)
    source = _source(mentions or DETECT, note)
    if (mentions or DETECT) == DETECT:
        ours, theirs = tee(documents)  # what is resolved together waits here
        every = resolver.pipe(theirs, singletons=singletons, scheme=scheme)
        for doc, found in zip(ours, every, strict=True):
            yield doc.with_clusters(found.document.clusters)
        return
    settings = resolver.model.ranker.settings
    for doc in documents:
        windows = encoder_input(doc, resolver.model.tokenizer, settings.window)
        places = Places(windows, len(doc.words), settings.max_width)
        given = list(dict.fromkeys(source(doc) or ()))
        spans = [m[:2] for m in given if m.is_continuous and places.holds(m[:2])]
        found = resolver.resolve(doc, mentions=spans, scheme=scheme)
        clusters: list[list[Span]] = [list(cluster) for cluster in found.document.clusters]
        placed = {mention for cluster in clusters for mention in cluster}
        clusters += [[mention] for mention in given if mention not in placed]
        yield doc.with_clusters(Clustering(without_singletons(clusters, singletons)))


def _source(name: str, note: Note) -> MentionSource:
    """Where mentions come from; notes the first document that has none where they are given."""
    source = mention_source(name)
    said = name != GOLD

    def noting(doc: Document) -> Iterable[Span] | None:
        nonlocal said
        if not doc.clusters and not said:
            note(f"document {doc.key} has no annotated mentions, so nothing is resolved in it")
            said = True
        return source(doc)

    return noting


def _format(folder: Path) -> str | None:
    """What kind of model a folder says that it holds, if it is one at all."""
    try:
        content = json.loads((folder / CONFIG).read_bytes())
        return str(content["format"])
    except (OSError, ValueError, KeyError, TypeError):
        return None  # whoever loads it says what is wrong
