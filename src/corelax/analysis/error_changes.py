"""Errors of each document, and how their numbers change from one system to another, with intervals.

Numbers of errors are sums over documents, as the counts of metrics are, so they are resampled in the same way
as scores (`significance`): documents are drawn with replacement, the same ones for both systems, and pairs of
runs as well; in the permutation test the two systems exchange whole documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corelax.analysis.decisions import CORRECT_LINK, ERRORS, TYPES, judged_mentions, mention_types
from corelax.analysis.errors import ErrorCounts
from corelax.analysis.significance import Array, Difference
from corelax.core.errors import CorelaxError
from corelax.document import Document

KINDS = (*ERRORS, CORRECT_LINK)


@dataclass(frozen=True)
class DocumentErrors:
    """How many mentions of each type are of each kind, document by document.

    Attributes:
        numbers: [run, document, kind, type], kinds in the order of `KINDS`, types in that of `TYPES`.
    """

    numbers: Array

    def number(self, kind: str, type: str | None = None) -> Array:
        """The mentions of a kind, of one type or of all, [run, document]."""
        of_kind = self.numbers[:, :, KINDS.index(kind)]
        number: Array = of_kind.sum(axis=2) if type is None else of_kind[:, :, TYPES.index(type)]
        return number

    def totals(self) -> list[ErrorCounts]:
        """The errors of each run."""
        return [
            ErrorCounts(
                {
                    (kind, type): int(run[k, t])
                    for k, kind in enumerate(KINDS)
                    for t, type in enumerate(TYPES)
                    if run[k, t]
                }
            )
            for run in self.numbers.sum(axis=1)
        ]


def count_document_errors(
    gold: Sequence[Document], runs: Sequence[Sequence[Document]]
) -> DocumentErrors:
    """The errors of several runs, whose documents are those of gold in their order.

    >>> text = [["Ann", "saw", "Bo", "and", "waved", "to", "him"]]
    >>> gold = Document.from_sentences("d", text, clusters=[[(2, 3), (6, 7)]])
    >>> system = Document.from_sentences("d", text, clusters=[[(0, 1), (6, 7)]])
    >>> count_document_errors([gold], [[gold], [system]]).number("wrong_link").tolist()
    [[0], [1]]
    """
    numbers = np.zeros((len(runs), len(gold), len(KINDS), len(TYPES)), int)
    for d, gold_doc in enumerate(gold):
        types = mention_types(gold_doc)
        for r, run in enumerate(runs):
            for mention in judged_mentions(gold_doc, run[d], types):
                numbers[r, d, KINDS.index(mention.kind), TYPES.index(mention.type)] += 1
    return DocumentErrors(numbers)


def total_difference(
    *, system: Array, baseline: Array, resamples: int = 10_000, seed: int = 0
) -> Difference:
    """How much larger a sum over documents is for a system than for its baseline, run by run.

    Returns:
        The mean over runs, its 95 % interval and the p value of a permutation test, as `paired_difference`
        has them; in units of what was counted.

    >>> change = total_difference(system=np.full((2, 9), 3), baseline=np.full((2, 9), 4))
    >>> change.mean, change.low, change.high, change.p_value < 0.01
    (-9.0, -9.0, -9.0, True)
    """
    if system.shape != baseline.shape or system.ndim != 2 or not system.size:
        raise CorelaxError(
            f"sums over documents are compared as [run, document], not {list(system.shape)} and "
            f"{list(baseline.shape)}"
        )
    changes = (system - baseline).astype(float)  # [run, document]
    runs, documents = changes.shape
    mean = float(changes.sum(axis=1).mean())
    for_documents, for_runs, toss = np.random.default_rng(seed).spawn(3)
    weights = for_documents.multinomial(documents, np.full(documents, 1 / documents), resamples)
    pairs = for_runs.multinomial(runs, np.full(runs, 1 / runs), resamples)  # [resample, run]
    drawn = ((weights @ changes.T) * pairs).sum(axis=1) / runs
    low, high = np.quantile(drawn, [0.025, 0.975])
    signs = 1 - 2 * toss.integers(2, size=(resamples, documents))
    exchanged = np.abs(signs @ changes.mean(axis=0))
    hits = int(np.count_nonzero(exchanged >= abs(mean) - 1e-9))
    return Difference(
        mean=mean,
        low=float(low),
        high=float(high),
        p_value=(1 + hits) / (1 + resamples),
        documents=documents,
        seeds=runs,
        resamples=resamples,
        exact=False,
    )
