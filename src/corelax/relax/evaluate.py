"""Relaxed metrics of a ranker's scores: the exact formulas over soft overlaps."""

from __future__ import annotations

from collections.abc import Iterable

from torch import Tensor

from corelax.core.checks import check_beta, check_choice
from corelax.core.errors import CorelaxError
from corelax.document.clustering import SINGLETONS
from corelax.metrics.report import METRICS, AnyCounts, Report, check_metrics
from corelax.relax.appearance import appearance
from corelax.relax.entities import entity_probs
from corelax.relax.gold import Gold
from corelax.relax.links import link_probs, real_mentions
from corelax.relax.original import check_original, original_overlap
from corelax.relax.pair_overlap import PAIRWISE_METRICS, PairOverlap
from corelax.relax.pairs import coreference_probs
from corelax.relax.precision import can_check, full_precision
from corelax.relax.soft_overlap import LinkOverlap, SoftOverlap
from corelax.relax.temperature import sharpen

FAMILIES = ("entity", "pairwise")
TEMPERATURES = ("entity", "link")
POOLS = ("document", "batch")
LINEAR_METRICS = frozenset(["b_cubed", "ceaf_m", "ceaf_e", "mentions"])  # ask for sums of P alone


@full_precision
def evaluate(
    antecedent_scores: Tensor,
    gold: Tensor,
    *,
    gold_sizes: Tensor | None = None,
    lengths: Tensor | None = None,
    metrics: Iterable[str] = tuple(METRICS),
    beta: float = 1.0,
    temperature: float = 1.0,
    temperature_on: str | None = None,
    family: str = "entity",
    singletons: str | Tensor = "drop",
    like_original: bool = False,
    pool: str = "document",
) -> Report:
    """Soft recall, precision and F of every metric, differentiable in the scores.

    Args:
        antecedent_scores: [..., mention, antecedent], lower triangle; the diagonal is "new entity".
        gold: [..., mention] entity numbers, −1 for a mention in no gold entity.
        gold_sizes: [..., entity] full sizes, counting gold mentions that the ranker does not have. Without
            it, entities are as large as they are in `gold`.
        lengths: [...] mentions of each document of a padded batch. Padding has −1 in `gold`.
        metrics: Names from `corelax.metrics.METRICS`.
        beta: β of the F-measure.
        temperature: T. As T → 0 the values tend to those of hard clusters (with the same `singletons`).
            At T = 1, and with T on links, the chance to be alone is exact; with T < 1 on entities it treats
            mentions as independent, so that the values make a small jump there.
        temperature_on: "entity" (default; the limit is entity decoding) or "link" (best-link decoding; the
            only one of the pairwise family).
        family: "entity", sums of products of entity probabilities as in the paper, or "pairwise", from exact
            pair probabilities (B³, LEA, BLANC and mentions; MUC and CEAF remain as they are).
        singletons: "drop" takes gold singletons away and weights mentions by the chance that they have
            company, "keep" (the default of exact scoring) counts all; or [..., mention] the chance that a
            mention that stays alone is written as a singleton, such as a mention probability.
        like_original: Compares the entities of the authors' code instead (see `relax/original.py`), which
            knows neither `gold_sizes` nor singletons.
        pool: "document", a score for each, or "batch", counts summed before they are divided.

    Returns:
        A report whose scores are tensors [...], or scalars for one document or a pooled batch. Soft precision
        of CEAF_e can exceed 1 (up to 4/3 was seen) where entities hardly exist.

    >>> import torch
    >>> scores = torch.tensor([[0.0, 0, 0], [2, 0, 0], [-1, -1, 1]])
    >>> report = evaluate(scores, torch.tensor([0, 0, -1]), metrics=["b_cubed", "lea"])
    >>> round(report["lea"].recall.item(), 4)  # the one gold link: e² / (e² + 1)
    0.8808
    """
    check_beta(beta)
    temperature_on = temperature_on or ("link" if family == "pairwise" else "entity")
    check_choice("family", family, FAMILIES)
    check_choice("temperature_on", temperature_on, TEMPERATURES)
    check_choice("pool", pool, POOLS)
    if family == "pairwise" and temperature_on == "entity":
        raise CorelaxError("temperature_on must be 'link' in the pairwise family")
    link_temperature, entity_temperature = (
        (temperature, 1.0) if temperature_on == "link" else (1.0, temperature)
    )
    names = check_metrics(metrics)
    if like_original:
        check_original(family, names, singletons)
    of_pairs = [name for name in names if family == "pairwise" and name in PAIRWISE_METRICS]
    of_entities = [name for name in names if name not in of_pairs]

    links = link_probs(antecedent_scores, temperature=link_temperature, lengths=lengths)
    entities = Gold.of(gold, gold_sizes, links, lengths)
    if isinstance(singletons, str) and singletons == "drop":
        entities = entities.without_singletons()
    singleton_probs = _singleton_probs(singletons, links, lengths)

    counts: dict[str, AnyCounts] = {}
    if of_pairs:
        appears = appearance(links, singleton_probs)
        pairs = PairOverlap(coreference_probs(links), entities, appears)
        counts.update({name: METRICS[name](pairs) for name in of_pairs})
    if of_entities:
        overlap: SoftOverlap
        if like_original:
            overlap = original_overlap(sharpen(entity_probs(links), entity_temperature), entities)
        elif entity_temperature != 1:  # what was sharpened must be consistent with itself
            probs = sharpen(entity_probs(links), entity_temperature)
            overlap = SoftOverlap(probs, entities, appearance(probs, singleton_probs))
        else:  # links give the exact chance to be alone
            appears = appearance(links, singleton_probs)
            if LINEAR_METRICS.issuperset(of_entities):
                overlap = LinkOverlap(links, entities, appears)
            else:
                overlap = SoftOverlap(entity_probs(links), entities, appears)
        counts.update({name: METRICS[name](overlap) for name in of_entities})
    counts = {name: counts[name] for name in names}
    if pool == "batch":
        counts = {name: _pooled(document_counts) for name, document_counts in counts.items()}
    return Report(counts, beta=beta)


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
    check_choice("singletons", singletons, SINGLETONS)
    return real if singletons == "keep" else 0.0


def _pooled(counts: AnyCounts) -> AnyCounts:
    """The counts of all documents together."""
    return type(counts).from_tuple(tuple(count.sum() for count in counts.as_tuple()))
