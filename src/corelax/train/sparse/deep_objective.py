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
from corelax.train.sparse.config import BFLOAT16, Config

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
    *,
    padded: bool = False,
) -> Tensor:
    """The loss of a document.

    Args:
        ranker: The ranker.
        document: The document.
        config: The stage.
        averages: Of the training documents.
        loss: The loss of antecedent scores, for objectives that rank.
        padded: Whether the document is padded, so that its length must be looked at; shapes then depend on
            the padded size alone.
    """
    top = config.objective == "top_pairs"
    lengths = document.length if padded else None
    hidden_dtype = torch.bfloat16 if config.precision == BFLOAT16 else None
    score = partial(ranker, hidden_dtype=hidden_dtype)
    if config.objective in PAIR_PRETRAINING or loss is None:
        of_two = partial(pair_loss, top=True, lengths=lengths)
        only = _that_matter(score, document, of_two, padded) if top else None
        scores = ranker.pair_and_anaphoricity(document, config.dropout, only, hidden_dtype)
        return pretraining_loss(*scores, document.gold, averages, top=top, lengths=lengths)
    loss = partial(loss, lengths=lengths)
    if counts_missed(config):
        loss = partial(loss, gold_sizes=document.gold_sizes)
    only = _that_matter(score, document, loss, padded) if _is_of_few_pairs(config) else None
    value = loss(score(document, config.dropout, only), document.gold)
    scales = {"metric": 1.0, "reinforce": REINFORCE * averages.mentions}
    return value / scales.get(config.objective, averages.mentions)


def pretraining_loss(
    links: Tensor,
    anaphoric: Tensor,
    gold: Tensor,
    averages: Averages,
    *,
    top: bool,
    lengths: Tensor | None = None,
) -> Tensor:
    """The loss of a document in the stages before ranking.

    Args:
        links: [mention, antecedent] scores of pairs.
        anaphoric: [mention] scores of being anaphoric.
        gold: [mention] entity numbers, −1 for none.
        averages: Of all documents.
        top: Whether only the best true and the best false antecedent of each mention count.
        lengths: [] how many of the mentions are not padding.
    """
    pairs = PAIRS_OF_TOP * averages.mentions if top else averages.pairs
    mentions = (ANAPHORICITY_OF_TOP if top else ANAPHORICITY_OF_ALL) * averages.mentions
    of_mentions = anaphoricity_cross_entropy(anaphoric, gold, lengths=lengths) / mentions
    return pair_loss(links, gold, top=top, lengths=lengths) / pairs + of_mentions


def _is_of_few_pairs(config: Config) -> bool:
    """Whether the gradient is that of two actions a mention, the same ones every time."""
    is_greedy = config.objective == "rescale" and config.actions != "sampled"
    # An error that costs nothing could be the best action, and the gold antecedent not among the pairs.
    return is_greedy or (config.objective == "margin" and all(config.costs))


def _that_matter(
    score: Callable[..., Tensor], document: DeepTensors, loss: Callable[..., Tensor], padded: bool
) -> Tensor:
    """The pairs that the loss has a gradient for, and the best one of each mention.

    They are found by scores without dropout, as in the authors' program, and take no gradient. The network is
    then run again for these pairs alone: a third of the work. Without dropout loss and gradient are the same.

    Returns:
        [mention, antecedent] True for these pairs; of padded documents [mention, 3] their antecedents.
    """
    with torch.no_grad():
        scores = score(document)
    scores.requires_grad_()
    (gradient,) = torch.autograd.grad(loss(scores, document.gold), scores)
    below = torch.ones_like(scores, dtype=torch.bool).tril(-1) & (scores > -torch.inf)
    if not len(scores):
        return below
    best = scores.detach().masked_fill(~below, -torch.inf).argmax(-1, keepdim=True)
    if padded:
        return three_antecedents(gradient.abs() * below, best, below)
    return ((gradient != 0).scatter(1, best, value=True)) & below


def three_antecedents(weights: Tensor, best: Tensor, possible: Tensor) -> Tensor:
    """[mention, 3] two antecedents with the highest weights, and another one; the mention itself for none.

    Of equal scores a margin has gradients for more than two pairs: the first two are taken.

    Args:
        weights: [mention, antecedent] 0 for those that do not matter.
        best: [mention, 1] the third antecedent, unless it is one of the two.
        possible: [mention, antecedent] whether it can be an antecedent at all.

    >>> weights = torch.tensor([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.2, 0.7, 0.0]])
    >>> best, possible = torch.tensor([[0], [0], [1]]), torch.ones(3, 3, dtype=torch.bool).tril(-1)
    >>> three_antecedents(weights, best, possible).tolist()
    [[0, 0, 0], [0, 1, 1], [1, 0, 2]]
    """
    mention = torch.arange(len(weights), device=weights.device)[:, None]
    chosen = []
    for _ in range(2):
        first = weights.argmax(-1, keepdim=True)
        chosen.append(torch.where(weights.gather(1, first) > 0, first, mention))
        weights = weights.scatter(1, first, 0.0)
    is_other = possible.gather(1, best) & (best != chosen[0]) & (best != chosen[1])
    return torch.cat([*chosen, torch.where(is_other, best, mention)], dim=1)
