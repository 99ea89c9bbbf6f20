"""The loss of a document for a deep ranker: pretraining on pairs, then any ranking loss, scaled as published.

Each loss is divided by a constant, so that RMSprop's ε weighs as much as in the authors' program: the average
number of pairs of a document for all pairs, ten times that of mentions for top pairs, that of mentions for
ranking (a tenth of it for REINFORCE). Losses of a metric are as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import torch
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
    top = config.objective == "top_pairs"
    if config.objective in PAIR_PRETRAINING or loss is None:
        only = _that_matter(ranker, document, partial(pair_loss, top=True)) if top else None
        scores = ranker.pair_and_anaphoricity(document, config.dropout, only)
        return pretraining_loss(*scores, document.gold, averages, top=top)
    if counts_missed(config):
        loss = partial(loss, gold_sizes=document.gold_sizes)
    only = _that_matter(ranker, document, loss) if _is_of_few_pairs(config) else None
    value = loss(ranker(document, config.dropout, only), document.gold)
    scales = {"metric": 1.0, "reinforce": REINFORCE * averages.mentions}
    return value / scales.get(config.objective, averages.mentions)


def pretraining_loss(
    links: Tensor, anaphoric: Tensor, gold: Tensor, averages: Averages, *, top: bool
) -> Tensor:
    """The loss of a document in the stages before ranking.

    Args:
        links: [mention, antecedent] scores of pairs.
        anaphoric: [mention] scores of being anaphoric.
        gold: [mention] entity numbers, −1 for none.
        averages: Of all documents.
        top: Whether only the best true and the best false antecedent of each mention count.
    """
    pairs = PAIRS_OF_TOP * averages.mentions if top else averages.pairs
    mentions = (ANAPHORICITY_OF_TOP if top else ANAPHORICITY_OF_ALL) * averages.mentions
    of_mentions = anaphoricity_cross_entropy(anaphoric, gold) / mentions
    return pair_loss(links, gold, top=top) / pairs + of_mentions


def _is_of_few_pairs(config: Config) -> bool:
    """Whether the gradient is that of two actions a mention, the same ones every time."""
    is_greedy = config.objective == "rescale" and config.actions != "sampled"
    # An error that costs nothing could be the best action, and the gold antecedent not among the pairs.
    return is_greedy or (config.objective == "margin" and all(config.costs))


def _that_matter(ranker: DeepRanker, document: DeepTensors, loss: Callable[..., Tensor]) -> Tensor:
    """[mention, antecedent] the pairs that the loss has a gradient for, and the best one of each mention.

    They are found by scores without dropout, as in the authors' program, and take no gradient. The network is
    then run again for these pairs alone: a third of the work. Without dropout loss and gradient are the same.
    """
    with torch.no_grad():
        scores: Tensor = ranker(document)
    scores.requires_grad_()
    (gradient,) = torch.autograd.grad(loss(scores, document.gold), scores)
    below = torch.ones_like(scores, dtype=torch.bool).tril(-1) & (scores > -torch.inf)
    if not len(scores):
        return below
    best = scores.detach().masked_fill(~below, -torch.inf).argmax(-1, keepdim=True)
    return ((gradient != 0).scatter(1, best, value=True)) & below
