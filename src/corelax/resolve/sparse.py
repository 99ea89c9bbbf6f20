"""Documents resolved by a sparse ranker, whose mentions come from rules or are given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from corelax.core.checks import check_choice
from corelax.core.device import choose_device
from corelax.core.errors import CorelaxError
from corelax.decode import Decision, best_entities, best_links
from corelax.document import Document, Span
from corelax.document.clustering import SINGLETONS
from corelax.rankers.sparse.features.extract import DETECT, describe, table
from corelax.rankers.sparse.folder import load_model
from corelax.rankers.sparse.mentions.lexicons import lexicons_of
from corelax.rankers.sparse.names import DECODINGS, PRETRAINING
from corelax.relax import entity_probs, link_probs
from corelax.resolve.mentions import noting_source
from corelax.resolve.resolution import Resolution, resolution_of


def resolve_by_features(
    folder: Path,
    documents: Iterable[Document],
    mentions: str | None,
    singletons: str | None,
    decoding: str | None,
    device: str,
    note: Callable[[str], None],
) -> Iterator[tuple[Document, Callable[[], Resolution]]]:
    """Each document with its entities, and what gives the probabilities if they are wanted.

    Args:
        folder: A model folder.
        documents: With the layers that mention detection needs, or with given mentions.
        mentions: "detect", "gold", or a file with mentions; None is as in training.
        singletons: "drop" or "keep"; None is as in training.
        decoding: "links" or "entities"; None is as in training.
        device: Where to compute.
        note: Called with a line of text for each oddity.
    """
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
    source = noting_source(mentions or as_trained.get("mentions", DETECT), note)
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
