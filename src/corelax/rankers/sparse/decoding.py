"""From the scores of a sparse ranker to the entities of a document."""

from __future__ import annotations

import torch

from corelax.decode import best_entities, best_links
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.networks import Ranker


@torch.no_grad()
def decode_table(
    ranker: Ranker, table: DocumentTable, *, singletons: str, decoding: str
) -> list[list[int]]:
    """The entities of a document, as lists of mention numbers.

    Args:
        ranker: A ranker that was trained to resolve.
        table: The features of the document.
        singletons: "drop" or "keep" entities of one mention.
        decoding: By best "links" or best "entities".
    """
    decode = best_links if decoding == "links" else best_entities
    return decode(ranker(ranker.tensors_of(table)), singletons=singletons)
