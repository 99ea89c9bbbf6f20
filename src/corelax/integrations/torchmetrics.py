"""Coreference scores with the interface of torchmetrics: `update`, `compute`, `reset`.

The state is the summed counts of each metric, so it adds up across batches and across processes and
is divided once. The class is a `torchmetrics.Metric`: it goes into a `MetricCollection`, Lightning, ...
"""

# ruff: noqa: E402
from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from corelax.core.lazy import require

require("torchmetrics", "torch", "torchmetrics")

import torch
from torch import Tensor
from torchmetrics import Metric

from corelax.core.checks import check_beta
from corelax.document.clustering import without_singletons
from corelax.metrics import METRICS, AnyCounts, Report, check_metrics, evaluate

__all__ = ["CoreferenceScore"]


class CoreferenceScore(Metric):
    """Exact coreference metrics, accumulated document by document.

    Args:
        metrics: Names from `corelax.metrics.METRICS`; all of them if None.
        beta: β of the F-measure.
        singletons: "keep", or "drop" to take entities of one mention off both sides.

    >>> metric = CoreferenceScore(metrics=["muc", "b_cubed", "ceaf_e"])
    >>> metric.update(gold=[["Ann", "she"], ["Bo"]], system=[["Ann", "she"], ["Bo"]])
    >>> metric.update(gold=[["cat", "it"]], system=[["cat"], ["it"]])
    >>> round(float(metric.compute()["b_cubed_recall"]), 4)
    0.8
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False

    def __init__(
        self,
        metrics: Iterable[str] | None = None,
        beta: float = 1.0,
        singletons: str = "keep",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        without_singletons((), singletons)  # checks the word
        self.names = check_metrics(metrics)
        self.beta = check_beta(beta)
        self.singletons = singletons
        for name in self.names:
            zeros = torch.tensor(METRICS[name].counts().as_tuple(), dtype=torch.float64)
            self.add_state(_state(name), default=zeros, dist_reduce_fx="sum")

    def update(
        self, *, gold: Iterable[Iterable[Hashable]], system: Iterable[Iterable[Hashable]]
    ) -> None:
        """Adds one document, given as clusters of any hashable mentions."""
        report = evaluate(gold=gold, system=system, metrics=self.names, singletons=self.singletons)
        for name, counts in report.counts.items():
            state = getattr(self, _state(name))
            state += torch.tensor(counts.as_tuple(), dtype=state.dtype, device=state.device)

    def compute(self) -> dict[str, Tensor]:
        """`muc_recall`, `muc_precision`, `muc_f1`, ... and `conll`, over all documents so far.

        With β other than 1 it is `muc_f`, and there is no `conll`.
        """
        report = Report({name: self._counts(name) for name in self.names}, beta=self.beta)
        values = {
            f"{name}_{part}": value
            for name, score in report.items()
            for part, value in score.as_dict().items()
        }
        if report.has_conll:
            values["conll"] = report.conll
        return {name: torch.tensor(value, dtype=torch.float64) for name, value in values.items()}

    def _counts(self, name: str) -> AnyCounts:
        return METRICS[name].counts.from_tuple(tuple(getattr(self, _state(name)).tolist()))


def _state(name: str) -> str:
    return f"{name}_counts"
