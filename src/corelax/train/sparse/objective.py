"""The objective of a stage of the sparse ranker: from a document to a loss.

Each loss of a deep ranker is divided by a constant, so that RMSprop's ε weighs as much as in the authors'
program: the average number of pairs of a document for all pairs, ten times that of mentions for top pairs,
that of mentions for ranking (a tenth of it for REINFORCE). Losses of a metric are as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

from corelax.losses import anaphoricity_loss, antecedent_loss
from corelax.losses.pairs import anaphoricity_cross_entropy, pair_loss
from corelax.rankers.sparse.deep_inputs import DeepTensors
from corelax.rankers.sparse.deep_network import DeepRanker
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.global_network import GlobalRanker
from corelax.rankers.sparse.network import SparseRanker
from corelax.rankers.sparse.settings import DEEP, PAIR_PRETRAINING, PRETRAINING
from corelax.rankers.sparse.tensors import DocumentTensors
from corelax.train.objectives import counts_missed, loss_function
from corelax.train.sparse.config import Config

Objective = Callable[[Any, Any], Tensor]  # of a ranker and its tensors of a document
# By how much the number of mentions is multiplied.
PAIRS_OF_TOP, ANAPHORICITY_OF_ALL, ANAPHORICITY_OF_TOP, REINFORCE = 10.0, 50.0, 20.0, 0.1


class Averages(NamedTuple):
    """How many pairs and mentions a training document has."""

    pairs: float
    mentions: float

    @classmethod
    def of(cls, tables: Sequence[DocumentTable]) -> Averages:
        """Of the training documents."""
        sizes, number = [table.size for table in tables], max(len(tables), 1)
        pairs = sum(size * (size - 1) // 2 for size in sizes) / number
        return cls(max(pairs, 1.0), max(sum(sizes) / number, 1.0))


def document_objective(
    config: Config, epoch: int, tables: Sequence[DocumentTable] = ()
) -> Objective:
    """The loss of one document as the stage has it at an epoch.

    Args:
        config: The stage.
        epoch: Counted from 1; the temperature depends on it.
        tables: The training documents, whose average size losses of a deep ranker are divided by.
    """
    if config.objective in PRETRAINING:
        return _pretraining(config)
    averages = Averages.of(tables)
    if config.objective in PAIR_PRETRAINING:
        return partial(_pair_pretraining, config, averages)
    loss = loss_function(config, epoch)
    if config.network == DEEP:
        return partial(_deep_ranking, config, averages, loss)
    return partial(_ranking, config, loss)


def _pretraining(config: Config) -> Objective:
    """The loss of a task that looks at one part of the sparse ranker."""
    if config.objective == "anaphoricity":

        def of_mentions(ranker: SparseRanker, document: DocumentTensors) -> Tensor:
            scores = ranker.new_scores(ranker.mention_hidden(document))
            return anaphoricity_loss(scores, document.gold, weight=config.anaphoric_weight)

        return of_mentions
    loss: Objective = antecedent_loss
    if config.objective == "antecedent_margin":
        loss = partial(antecedent_loss, margin=config.margin)

    def of_pairs(ranker: SparseRanker, document: DocumentTensors) -> Tensor:
        scores = ranker.pair_scores(document, config.dropout)
        return loss(scores, document.gold)

    return of_pairs


def _ranking(
    config: Config, loss: Callable[..., Tensor], ranker: SparseRanker, document: DocumentTensors
) -> Tensor:
    if isinstance(ranker, GlobalRanker):  # trained on the gold clusters so far
        scores = ranker(
            document, config.dropout, history=document.gold, state_dropout=config.state_dropout
        )
    else:
        scores = ranker(document, config.dropout)
    return _with_missed(config, loss, document)(scores, document.gold)


def _with_missed(
    config: Config, loss: Callable[..., Tensor], document: DocumentTensors | DeepTensors
) -> Callable[..., Tensor]:
    """A loss that knows the sizes of gold entities, if it counts mentions that were not detected."""
    return partial(loss, gold_sizes=document.gold_sizes) if counts_missed(config) else loss


def _deep_ranking(
    config: Config,
    averages: Averages,
    loss: Callable[..., Tensor],
    ranker: DeepRanker,
    document: DeepTensors,
) -> Tensor:
    loss = _with_missed(config, loss, document)
    is_greedy = config.objective == "rescale" and config.actions != "sampled"
    only = None
    # The gradient is that of two actions a mention, the same ones every time. (Where an error costs nothing
    # it could be the best action, and the gold antecedent not among the pairs.)
    if is_greedy or (config.objective == "margin" and all(config.costs)):
        only = _pairs_that_matter(ranker, document, loss)
    value = loss(ranker(document, config.dropout, only), document.gold)
    scales = {"metric": 1.0, "reinforce": REINFORCE * averages.mentions}
    return value / scales.get(config.objective, averages.mentions)


def _pair_pretraining(
    config: Config, averages: Averages, ranker: DeepRanker, document: DeepTensors
) -> Tensor:
    top = config.objective == "top_pairs"
    only = _pairs_that_matter(ranker, document, partial(pair_loss, top=True)) if top else None
    scores = ranker.pair_and_anaphoricity(document, config.dropout, only)
    return pair_pretraining_loss(*scores, document.gold, averages, top=top)


def pair_pretraining_loss(
    links: Tensor, anaphoric: Tensor, gold: Tensor, averages: Averages, *, top: bool
) -> Tensor:
    """The loss of a document in the stages of a deep ranker before ranking."""
    pairs = PAIRS_OF_TOP * averages.mentions if top else averages.pairs
    mentions = (ANAPHORICITY_OF_TOP if top else ANAPHORICITY_OF_ALL) * averages.mentions
    of_mentions = anaphoricity_cross_entropy(anaphoric, gold) / mentions
    return pair_loss(links, gold, top=top) / pairs + of_mentions


def _pairs_that_matter(
    ranker: DeepRanker, document: DeepTensors, loss: Callable[..., Tensor]
) -> Tensor:
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
