"""Relaxed metrics of a ranker's scores: the exact formulas over soft overlaps."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from corelax.core.errors import CorelaxError
from corelax.core.exchange import sum_over_workers
from corelax.metrics import METRICS, AnyCounts, Report, check_metrics
from corelax.relax.advice import advise_scores
from corelax.relax.entities import entity_probs, sharpen
from corelax.relax.gold import Gold
from corelax.relax.links import link_probs, real_mentions
from corelax.relax.original import always_written, original_overlap
from corelax.relax.overlap import NOTHING, RelaxedOverlap
from corelax.relax.pair_overlap import PairOverlap
from corelax.relax.pairs import coreference_probs
from corelax.relax.precision import can_check, full_precision
from corelax.relax.relaxation import Relaxation
from corelax.relax.soft_overlap import LinkOverlap, SoftOverlap
from corelax.relax.written import appearance


@full_precision
def evaluate(
    antecedent_scores: Tensor,
    gold: Tensor,
    *,
    gold_sizes: Tensor | None = None,
    lengths: Tensor | None = None,
    metrics: Iterable[str] | None = None,
    beta: float = 1.0,
    temperature: float = 1.0,
    temperature_on: str | None = None,
    family: str = "entity",
    singletons: str | Tensor = "drop",
    like_original: bool = False,
    as_printed: bool = False,
    pool: str = "document",
) -> Report:
    """Soft recall, precision and F of every metric, differentiable in the scores.

    Args:
        antecedent_scores: [..., mention, antecedent], lower triangle; the diagonal is "new entity".
        gold: [..., mention] entity numbers, −1 for a mention in no gold entity.
        gold_sizes: [..., entity] full sizes, counting gold mentions that the ranker does not have. Without
            it, entities are as large as they are in `gold`.
        lengths: [...] mentions of each document of a padded batch. Padding has −1 in `gold`.
        metrics: Names from `corelax.metrics.METRICS`; all of them if None.
        beta, temperature, temperature_on, family, singletons, like_original, as_printed, pool: See
            `Relaxation`.

    Returns:
        A report whose scores are tensors [...], or scalars for one document or a pooled batch. Soft precision
        of CEAF_e can exceed 1 (up to 4/3 was seen) where entities hardly exist.

    >>> import torch
    >>> scores = torch.tensor([[0.0, 0, 0], [2, 0, 0], [-1, -1, 1]])
    >>> report = evaluate(scores, torch.tensor([0, 0, -1]), metrics=["b_cubed", "lea"])
    >>> round(report["lea"].recall.item(), 4)  # the one gold link: e² / (e² + 1)
    0.8808
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
    names = check_metrics(metrics)
    counts = relaxed_counts(
        antecedent_scores, gold, names, relaxation, gold_sizes=gold_sizes, lengths=lengths
    )
    return Report(counts, beta=beta)


def relaxed_counts(
    antecedent_scores: Tensor,
    gold: Tensor,
    metrics: Iterable[str],
    relaxation: Relaxation,
    *,
    gold_sizes: Tensor | None = None,
    lengths: Tensor | None = None,
) -> dict[str, AnyCounts]:
    """Soft counts of each metric; tensors and shapes as in `evaluate`."""
    names = tuple(metrics)
    relaxation.check_metrics(names)
    links = link_probs(antecedent_scores, temperature=relaxation.link_temperature, lengths=lengths)
    advise_scores(antecedent_scores, lengths)
    entities = Gold.of(gold, gold_sizes, links, lengths)
    if relaxation.drops_singletons:
        entities = entities.without_singletons()
    singleton_probs = _singleton_probs(relaxation.singletons, links, lengths)

    counts: dict[str, AnyCounts] = {}
    pairwise = [n for n in names if relaxation.family == "pairwise" and METRICS[n].pairwise]
    by_entity = [name for name in names if name not in pairwise]
    if pairwise:
        appears = appearance(links, singleton_probs)
        pairs = PairOverlap(coreference_probs(links), entities, appears)
        counts.update({name: METRICS[name].formula(pairs) for name in pairwise})
    if by_entity:
        linear = all(METRICS[name].linear for name in by_entity)
        overlap = _entity_overlap(
            links, entities, singleton_probs, relaxation, lengths=lengths, linear=linear
        )
        counts.update({name: METRICS[name].formula(overlap) for name in by_entity})
    return {name: _without_noise(_pooled(counts[name], relaxation.pool)) for name in names}


def _entity_overlap(
    links: Tensor,
    gold: Gold,
    singleton_probs: Tensor | float,
    relaxation: Relaxation,
    *,
    lengths: Tensor | None,
    linear: bool,
) -> RelaxedOverlap:
    """Gold × soft entities; `linear` says that no metric asks for more than sums of P."""
    temperature = relaxation.entity_temperature
    if relaxation.like_original:
        return original_overlap(sharpen(entity_probs(links), temperature), gold)
    if relaxation.as_printed:
        real = None if lengths is None else real_mentions(lengths, links)
        probs = sharpen(entity_probs(links), temperature)
        return SoftOverlap(probs, gold, always_written(probs, real))
    if temperature != 1:  # what was sharpened must be consistent with itself
        probs = sharpen(entity_probs(links), temperature)
        return SoftOverlap(probs, gold, appearance(probs, singleton_probs))
    appears = appearance(links, singleton_probs)  # links give the exact chance to be alone
    if linear:
        return LinkOverlap(links, gold, appears)
    return SoftOverlap(entity_probs(links), gold, appears)


def _singleton_probs(
    singletons: str | Tensor, links: Tensor, lengths: Tensor | None
) -> Tensor | float:
    """μ: a number, or [..., mention]. Padding is never written."""
    real = 1.0 if lengths is None else real_mentions(lengths, links).to(links.dtype)
    if isinstance(singletons, Tensor):
        if singletons.shape != links.shape[:-1]:
            shape, expected = list(singletons.shape), list(links.shape[:-1])
            raise CorelaxError(f"singletons must be {expected}, one for each mention, not {shape}")
        if can_check(singletons) and not bool(((singletons >= 0) & (singletons <= 1)).all()):
            raise CorelaxError("singletons must be probabilities, from 0 to 1")
        return singletons.to(links.device, links.dtype) * real
    return real if singletons == "keep" else 0.0


def _pooled(counts: AnyCounts, pool: str) -> AnyCounts:
    if pool == "document":
        return counts
    sums = [count.sum() for count in counts.as_tuple()]
    if pool == "workers":
        sums = list(sum_over_workers(torch.stack(sums)).unbind())
    return type(counts).from_tuple(tuple(sums))


def _without_noise(counts: AnyCounts) -> AnyCounts:
    """Precision of next to nothing is 0, as exact scoring has it for an empty output, not 0 / 0."""
    numbers = list(counts.as_tuple())
    for precision in range(2, len(numbers), 4):  # its numerator, followed by its denominator
        numbers[precision] = numbers[precision] * (numbers[precision + 1] > NOTHING)
    return type(counts).from_tuple(tuple(numbers))
