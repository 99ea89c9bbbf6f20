"""The networks by name: each gives antecedent scores of a document's table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from corelax.rankers.sparse.deep.inputs import DeepTensors
from corelax.rankers.sparse.deep.network import DeepRanker
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.global_network import GlobalRanker
from corelax.rankers.sparse.names import DEEP, GLOBAL, LOCAL, LOCAL2
from corelax.rankers.sparse.network import SparseRanker
from corelax.rankers.sparse.outer_network import OuterRanker
from corelax.rankers.sparse.settings import SparseSettings
from corelax.rankers.sparse.tensors import DocumentTensors

Ranker = SparseRanker | DeepRanker
RankerTensors = DocumentTensors | DeepTensors
CLASSES: Mapping[str, type[SparseRanker] | type[DeepRanker]] = {
    LOCAL: SparseRanker,
    LOCAL2: OuterRanker,
    GLOBAL: GlobalRanker,
    DEEP: DeepRanker,
}


def fresh_ranker(vocabulary: Vocabulary, settings: SparseSettings) -> Ranker:
    """A ranker with fresh weights for the features of a vocabulary."""
    network, values = CLASSES[settings.network], asdict(settings)
    names = (*network.SIZES, "initialisation", "max_antecedents")
    return network.for_vocabulary(vocabulary, **{name: values[name] for name in names})
