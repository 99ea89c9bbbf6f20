"""Fits the calibration of a ranker on dev documents, by likelihood.

Probabilities are compared with what is right about the mentions that a resolver writes:

- mention: the span is a gold mention; without singletons, one of an entity with two or more mentions.
- link: the antecedent is in the mention's gold entity. A mention that starts an entity is right if gold has
  no earlier mention of its entity, or does not have the mention at all.
- entity: the mention and the first mention of its predicted entity are in one gold entity. A first mention
  itself is right if it is a gold mention.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, log_expit, logit, logsumexp

from corelax.core.checks import check_choice
from corelax.decode import Decision, ResolveOptions, decide
from corelax.decode.calibration import TINY, UNCALIBRATED, Calibration, LogisticMap
from corelax.decode.scored import Scored
from corelax.document import Document, Span
from corelax.document.clustering import SINGLETONS, entity_of_mentions, without_singletons
from corelax.rankers.encoder.batches import Item
from corelax.rankers.encoder.model import EncoderModel
from corelax.train.encoder.evaluate import scored_documents

Floats = NDArray[np.float64]
KINDS = ("mention", "link", "entity")
LOG_TEMPERATURES = (-3.0, 3.0)  # where the temperature of links is looked for


class Judged(NamedTuple):
    """Probabilities of decisions, and whether each was right.

    Attributes:
        probability: [mention, kind] by the order of `KINDS`.
        right: [mention, kind] 1 for right, 0 for wrong.
        is_new: [mention] whether it starts an entity.
    """

    probability: Floats
    right: Floats
    is_new: NDArray[np.bool_]


@dataclass(frozen=True)
class Observed:
    """A scored dev document.

    Attributes:
        document: Its words and gold entities.
        scored: Spans and antecedents.
        singletons: "keep" or "drop".
    """

    document: Document
    scored: Scored
    singletons: str

    @cached_property
    def entity_of(self) -> dict[Span, int]:
        return entity_of_mentions(without_singletons(self.document.clusters, self.singletons))

    @cached_property
    def first(self) -> dict[int, Span]:
        return {self.entity_of[span]: span for span in sorted(self.entity_of, reverse=True)}

    def decisions(self, calibration: Calibration) -> list[Decision]:
        options = ResolveOptions(singletons=self.singletons, consistent=False)  # type: ignore[arg-type]
        scored = self.scored._replace(calibration=calibration)
        return decide(scored, self.document, options).decisions()

    def judged(self, calibration: Calibration) -> Judged:
        """The probabilities of the decisions under a calibration, and whether these are right."""
        decisions = self.decisions(calibration)
        first: dict[int, Span] = {}
        for decision in decisions:
            first.setdefault(decision.entity, decision.span)
        probability, right = [], []
        for decision in decisions:
            entity = self.entity_of.get(decision.span)
            if decision.antecedent is not None:
                linked = self._is_in(entity, decisions[decision.antecedent].span)
            else:
                linked = entity is None or self.first[entity] == decision.span
            together = self._is_in(entity, first[decision.entity])
            right.append([entity is not None, linked, together])
            probability.append(
                [decision.probability, decision.link_probability, decision.entity_probability]
            )
        shape = (len(decisions), len(KINDS))
        return Judged(
            np.array(probability, float).reshape(shape),
            np.array(right, float).reshape(shape),
            np.array([decision.antecedent is None for decision in decisions], bool),
        )

    def links(self) -> Iterator[tuple[Floats, NDArray[np.bool_]]]:
        """[1 + candidate] the scores of antecedents of each decision, and which of them are right.

        "New entity" is right if no candidate is in the mention's gold entity.
        """
        bounds = [Span(start, end) for start, end in self.scored.bounds]
        place = {span: at for at, span in enumerate(bounds)}
        entity = np.array([self.entity_of.get(span, -1) for span in bounds])  # −1: no gold mention
        scores, antecedents = self.scored.scores, self.scored.antecedents
        for decision in self.decisions(UNCALIBRATED):
            at = place[decision.span]
            is_same = (entity[antecedents[at]] == entity[at]) & (entity[at] >= 0)
            is_same &= np.isfinite(scores[at, 1:])
            yield scores[at].astype(float), np.concatenate([[not is_same.any()], is_same])

    def _is_in(self, entity: int | None, span: Span) -> bool:
        return entity is not None and self.entity_of.get(span) == entity


def fit_calibration(
    model: EncoderModel,
    documents: Mapping[str, Sequence[Document]],
    *,
    singletons: Mapping[str, str] | None = None,
) -> dict[str, Calibration]:
    """The calibration of each scheme for which dev documents are given.

    Args:
        model: A trained ranker.
        documents: Annotated documents for each scheme.
        singletons: "keep" for schemes that annotate mentions that are alone; others are "drop".
    """
    return {
        scheme: best_calibration(
            observed(model, scheme, given, (singletons or {}).get(scheme, "drop"))
        )
        for scheme, given in documents.items()
    }


def observed(
    model: EncoderModel, scheme: str, documents: Sequence[Document], singletons: str
) -> list[Observed]:
    """Scores documents by a scheme; those without words are left out."""
    settings = model.ranker.settings
    number = settings.schemes.index(check_choice("scheme", scheme, settings.schemes))
    check_choice("singletons", singletons, SINGLETONS)
    documents = [document for document in documents if document.words]
    items = [Item(model.windows(document), number) for document in documents]
    every = scored_documents(model.network, items)
    return [
        Observed(document, scored, singletons)
        for document, scored in zip(documents, every, strict=True)
    ]


def best_calibration(documents: Sequence[Observed]) -> Calibration:
    """The calibration that makes what is right likeliest; the identity where nothing was decided."""
    links = [link for document in documents for link in document.links()]
    if not links:
        return UNCALIBRATED
    temperature = fit_temperature(links)
    tempered = Calibration(link_temperature=temperature)
    after = joined(document.judged(tempered) for document in documents)
    logits = logit(np.clip(after.probability, TINY, 1 - TINY))
    new, old = after.is_new, ~after.is_new
    return Calibration(
        mention=fit_logistic(logits[:, 0], after.right[:, 0]),
        link_temperature=temperature,
        link=fit_logistic(logits[old, 1], after.right[old, 1]),
        new=fit_logistic(logits[new, 1], after.right[new, 1]),
        entity=fit_logistic(logits[:, 2], after.right[:, 2]),
    )


def fit_logistic(logits: Floats, right: Floats) -> LogisticMap:
    """The map of logits that makes what is right likeliest.

    A prior that weighs about as much as one mention keeps it finite: −((scale − 1)² + bias²) / 2.

    >>> logits = np.repeat([-2.0, 2.0], 1000)
    >>> right = np.tile([1.0] * 500 + [0.0] * 500, 2)  # half of either are right: the logits say nothing
    >>> fitted = fit_logistic(logits, right)
    >>> abs(fitted.scale) < 0.01, abs(fitted.bias) < 0.01
    (True, True)
    """

    def cost(parameters: Floats) -> tuple[float, Floats]:
        scale, bias = parameters
        mapped = scale * logits + bias
        wrong_by = expit(mapped) - right
        loss = -np.sum(log_expit(np.where(right > 0, mapped, -mapped)))
        prior = ((scale - 1) ** 2 + bias**2) / 2
        gradient = np.array([np.sum(wrong_by * logits) + scale - 1, np.sum(wrong_by) + bias])
        return float(loss + prior), gradient

    best: Any = minimize(
        cost, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B", bounds=[(0, None), (None, None)]
    )
    return LogisticMap(scale=round(float(best.x[0]), 6), bias=round(float(best.x[1]), 6))


def fit_temperature(links: Sequence[tuple[Floats, NDArray[np.bool_]]]) -> float:
    """The temperature at which right antecedents are likeliest: Σ log Σ_right softmax(scores / T) is largest.

    The prior is that of `fit_logistic`, on the logarithm of the temperature.

    Args:
        links: For each mention [1 + candidate] scores, −inf where there is none, and which are right.

    >>> scores = np.array([0.0, 4.0])  # the second is 98 % likely, and right in 73 %: σ(4 / T) at T = 4
    >>> links = [(scores, np.array([i >= 7311, i < 7311])) for i in range(10_000)]
    >>> round(fit_temperature(links), 1)
    4.0
    """
    width = max(len(scores) for scores, _ in links)
    table = np.full((len(links), width), -np.inf)
    right = np.zeros((len(links), width), bool)
    for row, (scores, is_right) in enumerate(links):
        table[row, : len(scores)], right[row, : len(scores)] = scores, is_right
    right_scores = np.where(right, table, -np.inf)

    def cost(log_temperature: float) -> float:
        temperature = np.exp(log_temperature)
        log_probs = logsumexp(right_scores / temperature, axis=1)
        log_probs = log_probs - logsumexp(table / temperature, axis=1)
        return float(-np.sum(log_probs) + log_temperature**2 / 2)

    best: Any = minimize_scalar(cost, bounds=LOG_TEMPERATURES, method="bounded")
    return round(float(np.exp(best.x)), 6)


def joined(parts: Iterable[Judged]) -> Judged:
    none = np.zeros((0, len(KINDS)))
    every = [Judged(none, none, np.zeros(0, bool)), *parts]
    return Judged(*(np.concatenate(columns) for columns in zip(*every, strict=True)))
