"""Prediction with a trained sparse ranker: documents in, the same documents with predicted entities out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from corelax.checks import check_choice
from corelax.document import Document
from corelax.errors import CorelaxError
from corelax.features.extract import describe, table
from corelax.features.sources import GOLD, mention_source
from corelax.mentions.lexicons import load_lexicons
from corelax.metrics.report import SINGLETONS
from corelax.train.config import DECODINGS, PRETRAINING
from corelax.train.evaluate import resolve
from corelax.train.folder import load_model


def predict_documents(
    model: str | Path,
    documents: Iterable[Document],
    *,
    mentions: str | None = None,
    singletons: str | None = None,
    decoding: str | None = None,
    device: str = "cpu",
    note: Callable[[str], None] = lambda _: None,
) -> Iterator[Document]:
    """Yields each document with predicted entities, in the order of the input.

    Args:
        model: A model folder.
        documents: Documents with the layers that mention detection needs, or given mentions.
        mentions: "detect", "gold", or a file with mentions; as in training if None.
        singletons: "drop" or "keep"; as in training if None.
        decoding: "links" or "entities"; as in training if None.
        device: "cpu" or "cuda".
        note: Is told what is odd.
    """
    ranker, vocabulary, config, training, _ = load_model(model, device)
    if not training["finished"]:
        note(f"{model}: its training is not finished")
    lexicons = load_lexicons()
    if lexicons.digest != vocabulary.lexicons:
        note(f"{model}: was trained with other word lists than these ({lexicons.name})")
    if config.objective in PRETRAINING:
        raise CorelaxError(f"{model}: is a pretraining stage, which resolves nothing")
    singletons = check_choice("singletons", singletons or config.singletons, SINGLETONS)
    decoding = check_choice("decoding", decoding or config.decoding, DECODINGS)
    source = mention_source(mentions or config.mentions)
    said = False
    for doc in documents:
        if (mentions or config.mentions) == GOLD and not doc.clusters and not said:
            note(f"document {doc.key} has no annotated mentions, so nothing is resolved in it")
            said = True
        rows = table(describe(doc, vocabulary.settings, lexicons, source), vocabulary)
        found = resolve(ranker, rows, singletons=singletons, decoding=decoding)
        yield doc.with_clusters(rows.clusters_of(found))
