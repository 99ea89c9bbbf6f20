"""The loss of a document for a deep ranker: pretraining on pairs, then any ranking loss, scaled as published.

Each loss is divided by a constant, so that RMSprop's ε weighs as much as in the authors' program: the average
number of pairs of a document for all pairs, ten times that of mentions for top pairs, that of mentions for
ranking (a tenth of it for REINFORCE). Losses of a metric are as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from torch import Tensor

from corelax.losses.pairs import anaphoricity_cross_entropy, pair_loss
from corelax.rankers.sparse.deep.inputs import DeepTensors
from corelax.rankers.sparse.deep.network import DeepRanker
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.names import PAIR_PRETRAINING
from corelax.train.objectives import counts_missed
from corelax.train.sparse.config import Config

# By how much the number of mentions is multiplied.
PAIRS_OF_TOP, ANAPHORICITY_OF_ALL, ANAPHORICITY_OF_TOP, REINFORCE = 10.0, 50.0, 20.0, 0.1


class Averages(NamedTuple):
    """How many pairs and mentions a training document has."""

    pairs: float
    mentions: float

    @classmethod
    def of(cls, tables: Sequence[DocumentTable]) -> Averages:
        """Of the training documents.

        >>> Averages.of([])
        Averages(pairs=1.0, mentions=1.0)
        """
        sizes, number = [table.size for table in tables], max(len(tables), 1)
        pairs = sum(size * (size - 1) // 2 for size in sizes) / number
        return cls(max(pairs, 1.0), max(sum(sizes) / number, 1.0))


def deep_loss(
    ranker: DeepRanker,
    document: DeepTensors,
    config: Config,
    averages: Averages,
    loss: Callable[..., Tensor] | None,
) -> Tensor:
    """The loss of a document.

    Args:
        ranker: The ranker.
        document: The document.
        config: The stage.
        averages: Of the training documents.
        loss: The loss of antecedent scores, for objectives that rank.
    """
    if config.objective in PAIR_PRETRAINING or loss is None:
        top = config.objective == "top_pairs"
        links, anaphoric = ranker.pair_and_anaphoricity(document, config.dropout)
        pairs = PAIRS_OF_TOP * averages.mentions if top else averages.pairs
        mentions = (ANAPHORICITY_OF_TOP if top else ANAPHORICITY_OF_ALL) * averages.mentions
        of_mentions = anaphoricity_cross_entropy(anaphoric, document.gold)
        return pair_loss(links, document.gold, top=top) / pairs + of_mentions / mentions
    more = {"gold_sizes": document.gold_sizes} if counts_missed(config) else {}
    value = loss(ranker(document, config.dropout), document.gold, **more)
    scales = {"metric": 1.0, "reinforce": REINFORCE * averages.mentions}
    return value / scales.get(config.objective, averages.mentions)
