"""The networks by name: each gives antecedent scores of a document's table, which are decoded here."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from corelax.decode import best_entities, best_links
from corelax.rankers.sparse.deep_inputs import DeepTensors
from corelax.rankers.sparse.deep_network import DeepRanker
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.global_network import GlobalRanker
from corelax.rankers.sparse.network import SparseRanker
from corelax.rankers.sparse.outer_network import OuterRanker
from corelax.rankers.sparse.settings import DEEP, GLOBAL, LOCAL, LOCAL2, SparseSettings
from corelax.rankers.sparse.tensors import DocumentTensors

Ranker = SparseRanker | DeepRanker
RankerTensors = DocumentTensors | DeepTensors
NETWORK_CLASSES: Mapping[str, type[SparseRanker] | type[DeepRanker]] = {
    LOCAL: SparseRanker,
    LOCAL2: OuterRanker,
    GLOBAL: GlobalRanker,
    DEEP: DeepRanker,
}


def fresh_ranker(vocabulary: Vocabulary, settings: SparseSettings) -> Ranker:
    """A ranker with fresh weights for the features of a vocabulary."""
    return NETWORK_CLASSES[settings.network](vocabulary, settings)


@torch.no_grad()
def decode_table(
    ranker: Ranker, table: DocumentTable, *, singletons: str, decoding: str
) -> list[list[int]]:
    """The entities of a document, as lists of mention numbers."""
    decode = best_links if decoding == "links" else best_entities
    return decode(ranker(ranker.tensors_of(table)), singletons=singletons)
