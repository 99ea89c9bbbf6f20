"""How a metric is relaxed: the options that relaxed scores, metric losses and training share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from torch import Tensor

from corelax.core.checks import check_beta, check_choice, check_temperature
from corelax.core.errors import CorelaxError
from corelax.document.clustering import SINGLETONS
from corelax.relax.original import ORIGINAL_METRICS

FAMILIES = ("entity", "pairwise")
SHARPENED = ("entity", "link")  # the probabilities that a temperature can act on
POOLS = ("document", "batch", "workers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Relaxation:
    """The options of `relax.evaluate` and `metric_loss`, which take them as keywords.

    >>> Relaxation(family="pairwise", temperature=0.5).link_temperature
    0.5
    >>> Relaxation(temperature=2.0)
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: temperature must be a number above 0 and at most 1, not 2.0

    Attributes:
        beta: β of the F-measure; above 1 favours recall. The paper's best are √1.4 for B³ and √1.8 for LEA.
        temperature: T, 1 in the paper. As T → 0 the values tend to those of hard clusters (with the same
            `singletons`). At T = 1, and with T on links, the chance to be alone is exact; with T < 1 on
            entities it treats mentions as independent, so that the values make a small jump there.
        temperature_on: "entity" (the default; the limit is entity decoding) or "link" (best-link decoding;
            the only one of the pairwise family).
        family: "entity", sums of products of entity probabilities as in the paper, or "pairwise", from exact
            pair probabilities (B³, LEA, BLANC and mentions; MUC and CEAF remain as they are).
        singletons: "drop" takes gold singletons away and weights mentions by the chance that they have
            company, "keep" (the default of exact scoring) counts all; or [..., mention] the chance that a
            mention that stays alone is written as a singleton, such as a mention probability.
        like_original: Compares the entities of the authors' code instead (see `relax/original.py`), which
            knows neither full gold sizes nor singletons. A loss also skips documents with a count of 0.1 or
            less.
        as_printed: B³ and LEA by the letter of section 4.2: every mention counts as written. Precision then
            weights entities by their whole size and divides by the number of mentions; ours weights by the
            mentions that have company, as a mention that stays alone is not written. `singletons` decides
            about gold alone.
        pool: "document", a score for each; "batch", counts summed before they are divided; "workers", those
            of the batches of all workers of torch.distributed, with gradients as
            `DistributedDataParallel` needs them.
    """

    beta: float = 1.0
    temperature: float = 1.0
    temperature_on: str | None = None
    family: str = "entity"
    singletons: str | Tensor = "drop"
    like_original: bool = False
    as_printed: bool = False
    pool: str = "document"

    def __post_init__(self) -> None:
        check_beta(self.beta)
        check_choice("family", self.family, FAMILIES)
        check_choice("pool", self.pool, POOLS)
        if self.temperature_on is not None:
            check_choice("temperature_on", self.temperature_on, SHARPENED)
        if not isinstance(self.singletons, Tensor):
            check_choice("singletons", self.singletons, SINGLETONS)
        if self.family == "pairwise" and self.temperature_on == "entity":
            raise CorelaxError("temperature_on must be 'link' in the pairwise family")
        if self.sharpens_links:
            check_temperature(self.temperature)
        else:
            check_temperature(self.temperature, at_most=1.0)
        if self.like_original and not self.drops_singletons:
            raise CorelaxError("like_original goes with singletons='drop' only")
        if self.as_printed and (self.like_original or isinstance(self.singletons, Tensor)):
            other = "like_original" if self.like_original else "a tensor of singletons"
            raise CorelaxError(f"as_printed does not go with {other}")

    @property
    def sharpens_links(self) -> bool:
        return self.temperature_on == "link" or self.family == "pairwise"

    @property
    def link_temperature(self) -> float:
        return self.temperature if self.sharpens_links else 1.0

    @property
    def entity_temperature(self) -> float:
        return 1.0 if self.sharpens_links else self.temperature

    @property
    def drops_singletons(self) -> bool:
        return isinstance(self.singletons, str) and self.singletons == "drop"

    def keywords(self) -> dict[str, Any]:
        """The options as `relax.evaluate` and `metric_loss` take them.

        >>> Relaxation(beta=2.0).keywords()["beta"]
        2.0
        """
        return {option.name: getattr(self, option.name) for option in fields(self)}

    def check_metrics(self, names: Iterable[str]) -> None:
        """An error if a metric has no such relaxation.

        >>> Relaxation(like_original=True).check_metrics(["muc"])
        Traceback (most recent call last):
            ...
        corelax.core.errors.CorelaxError: like_original goes with family='entity' and metrics b_cubed and ...
        """
        of_paper = self.family == "entity" and set(names) <= set(ORIGINAL_METRICS)
        for option in ("like_original", "as_printed"):
            if getattr(self, option) and not of_paper:
                raise CorelaxError(
                    f"{option} goes with family='entity' and metrics b_cubed and lea only"
                )
