"""The metric as the loss: −F̂_β of any relaxed metric, or of several (section 4.2 of Le & Titov)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from corelax.core.checks import check_beta
from corelax.core.errors import CorelaxError
from corelax.losses.actions import check_factor, document_mean
from corelax.metrics import CONLL, METRICS
from corelax.relax.evaluation import relaxed_counts
from corelax.relax.original import SKIPPED_COUNT
from corelax.relax.precision import full_precision
from corelax.relax.relaxation import Relaxation


class Part(NamedTuple):
    """One metric of a mixture.

    Attributes:
        metric: A name from `corelax.metrics.METRICS`, or "conll" for the mean of MUC, B³ and CEAF_e.
        weight: What its F is multiplied by.
        beta: Its own β; None for that of the loss.
    """

    metric: str
    weight: float = 1.0
    beta: float | None = None


Mixture = Mapping[str, float] | Sequence[str | Part | tuple[str, float] | tuple[str, float, float]]


@full_precision
def metric_loss(
    antecedent_scores: Tensor,
    gold: Tensor,
    metric: str | Part | Mixture = "b_cubed",
    *,
    beta: float = 1.0,
    temperature: float = 1.0,
    temperature_on: str | None = None,
    family: str = "entity",
    gold_sizes: Tensor | None = None,
    lengths: Tensor | None = None,
    singletons: str | Tensor = "drop",
    like_original: bool = False,
    as_printed: bool = False,
    pool: str = "document",
) -> Tensor:
    """−F̂_β, differentiable in the scores: −1 for a perfect document.

    Args:
        antecedent_scores: [..., mention, antecedent], lower triangle; the diagonal is "new entity".
        gold: [..., mention] entity numbers, −1 for a mention in no gold entity.
        metric: A name from `corelax.metrics.METRICS`, or conll; or a mixture: a list of names,
            (metric, weight) or (metric, weight, β), or a mapping of names to weights.
        gold_sizes, lengths: See `corelax.relax.evaluate`.
        beta, temperature, temperature_on, family, singletons, like_original, as_printed, pool: See
            `corelax.relax.Relaxation`.

    Returns:
        A scalar, of a mixture the weighted sum. Batches give the mean over documents, or one −F̂ of the summed
        counts (`pool="batch"`). Where nothing can be scored, as in a document without gold links, it is 0
        with zero gradient.

    >>> scores = torch.tensor([[0.0, 0], [3, 0]], requires_grad=True)
    >>> loss = metric_loss(scores, torch.tensor([0, 0]), "lea", beta=1.8**0.5)
    >>> loss.backward()
    >>> bool(scores.grad[1, 0] < 0)  # a step against the gradient makes the link likelier
    True
    >>> loss = metric_loss(scores, torch.tensor([0, 0]), [("conll", 1.0), ("lea", 0.5)])
    """
    relaxation = Relaxation(
        beta=beta,
        temperature=temperature,
        temperature_on=temperature_on,
        family=family,
        singletons=singletons,
        like_original=like_original,
        as_printed=as_printed,
        pool=pool,
    )
    parts = parts_of(metric, beta)
    names = dict.fromkeys(name for name, _, _ in parts)
    counts = relaxed_counts(
        antecedent_scores, gold, names, relaxation, gold_sizes=gold_sizes, lengths=lengths
    )
    losses = []
    for name, weight, part_beta in parts:
        loss = -weight * counts[name].scores(part_beta).f
        if like_original:
            too_little = torch.stack(counts[name].as_tuple()[:4]).amin(0) <= SKIPPED_COUNT
            loss = torch.where(too_little, 0.0, loss)
        losses.append(loss)
    total = torch.stack(losses).sum(0)
    return document_mean(total, antecedent_scores.dtype)


def parts_of(metric: str | Part | Mixture, beta: float) -> list[tuple[str, float, float]]:
    """(metric, weight, β) of each part, the CoNLL average taken apart.

    >>> parts_of([("lea", 0.5), "conll"], 2.0)[:2]
    [('lea', 0.5, 2.0), ('muc', 0.3333333333333333, 2.0)]
    """
    parts = []
    for name, weight, own_beta in _mixture(metric):
        check_factor(f"metric: the weight of {name}", weight, at_least=-math.inf)
        part_beta = check_beta(beta if own_beta is None else own_beta)
        if name == "conll":
            parts += [(part, weight / len(CONLL), part_beta) for part in CONLL]
        elif name in METRICS:
            parts.append((name, weight, part_beta))
        else:
            choices = ", ".join([*METRICS, "conll"])
            raise CorelaxError(f"unknown metric {name!r}; choose from {choices}")
    return parts


def _mixture(metric: str | Part | Mixture) -> list[Part]:
    if isinstance(metric, (str, Part)):
        metric = [metric]
    elif isinstance(metric, Mapping):
        metric = list(metric.items())
    parts = [Part(part) if isinstance(part, str) else part for part in metric or ()]
    if not parts or not all(
        isinstance(p, tuple) and isinstance(p[0], str) and len(p) <= 3 for p in parts
    ):
        raise CorelaxError(
            "metric must be a name or a list of names, (name, weight), (name, weight, beta)"
        )
    return [Part(*part) for part in parts]
