"""Settings that a stage of training has whatever it trains: typed, checked, changed by `key=value`.

A stage starts from fresh weights or from those of the stages it names in `start`. Settings marked "all
stages" hold for a whole chain of stages; the others for the stage that is asked for, or with a prefix
(`baseline.epochs=3`) for one of those before it.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

from corelax.core.checks import (
    check_beta,
    check_choice,
    check_number,
    check_path_name,
    check_temperature,
)
from corelax.core.errors import CorelaxError
from corelax.core.settings import check_key, check_types, read_table
from corelax.document.clustering import SINGLETONS
from corelax.losses.actions import check_costs, check_factor
from corelax.losses.metric import parts_of
from corelax.losses.reward import ACTIONS
from corelax.losses.single_links import REWARDS
from corelax.rankers.sparse.settings import DECODINGS, PAIR_PRETRAINING, PRETRAINING
from corelax.relax.relaxation import SHARPENED, Relaxation

RESOLVING = ("ranking", "entity", "metric", "margin", "reinforce", "rescale")
REWARDED = ("reinforce", "rescale")
AUTO = "auto"
KEEP = ("best", "last")


def everywhere(default: Any) -> Any:
    return field(default=default, metadata={"everywhere": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class StageSettings:
    """What any stage has. Each kind of ranker adds its own in a subclass, also frozen and with slots.

    Attributes:
        stage: The name of the stage, and of its folder.
        start: Stages whose weights it starts from.
        objective: What is minimised.
        costs: The costs of false anaphor, false new and wrong link; for ranking, entity and margin.
        cost_same_cluster: The cost of an entity that another mention of the right gold entity starts, for
            entity: 0 in the authors' program; −1 is that of a wrong link, as in the paper.
        actions: How the other mentions act whose rewards are compared, for reinforce and rescale: "sampled",
            "greedy", or "auto", which samples for reinforce and not for rescale.
        margin: The margin; for margin, rescale and antecedent_margin.
        metric: The metric; for metric, reinforce and rescale.
        beta_squared: β² of the metric's F.
        temperature: T, at the first epoch.
        temperature_end: T at the last epoch, reached by a constant factor from epoch to epoch; 0: as T.
        temperature_on: What T sharpens: the "entity" or the "link" probabilities (always these in the
            pairwise family).
        family: "entity" or "pairwise" relaxation.
        like_original: Metric losses as the authors' program computes them: hard filter of entities, detected
            mentions only, documents with tiny counts skipped.
        as_printed: Metric losses by the formulas as the paper prints them: every mention counts as written.
        clip: Largest norm of the gradient; 0 for no limit.
        epochs: The largest number of epochs.
        patience: Training stops after this many epochs without a better dev score; 0 for never.
        keep: The weights of the "best" epoch on dev, or of the "last".
        singletons: Whether entities of one mention count: "drop" or "keep" (all stages).
        decoding: Best "links" or best "entities" (all stages).
        seed: The seed of weights, order and dropout (all stages).
    """

    OBJECTIVES: ClassVar[tuple[str, ...]] = RESOLVING
    FIXED: ClassVar[tuple[str, ...]] = ("stage",)  # not to be set one by one
    GONE: ClassVar[tuple[str, ...]] = ()  # settings that older folders have

    stage: str
    start: tuple[str, ...] = ()
    objective: str = "ranking"
    costs: tuple[float, ...] = (0.1, 3.0, 1.0)
    cost_same_cluster: float = -1.0
    actions: str = AUTO
    margin: float = 1.0
    metric: str = "b_cubed"
    beta_squared: float = 1.0
    temperature: float = 1.0
    temperature_end: float = 0.0
    temperature_on: str = "entity"
    family: str = "entity"
    like_original: bool = False
    as_printed: bool = False
    clip: float = 0.0
    epochs: int = 14
    patience: int = 0
    keep: str = "best"
    singletons: str = everywhere("drop")
    decoding: str = everywhere("links")
    seed: int = everywhere(1)

    def __post_init__(self) -> None:
        check_types(self)
        for name in (self.stage, *self.start):
            check_path_name("stage", name)
        check_choice("objective", self.objective, self.OBJECTIVES)
        check_choice("temperature_on", self.temperature_on, SHARPENED)
        check_choice("keep", self.keep, KEEP)
        check_choice("singletons", self.singletons, SINGLETONS)
        check_choice("decoding", self.decoding, DECODINGS)
        parts = parts_of(self.metric, 1.0)
        check_beta(self.beta_squared)
        check_temperature(self.temperature, at_most=1)
        check_temperature(self.temperature_end or self.temperature, at_most=1)
        check_costs(self.costs)  # type: ignore[arg-type]
        check_factor("cost_same_cluster", self.cost_same_cluster, at_least=-1.0)
        check_choice("actions", self.actions, (AUTO, *ACTIONS))
        for name in ("clip", "margin", "patience", "seed"):
            check_number(name, getattr(self, name))
        check_number("epochs", self.epochs, at_least=1)
        if self.like_original and self.singletons == "keep":
            raise CorelaxError(
                "like_original goes with singletons=drop only; set like_original=false"
            )
        self.relaxation(1).check_metrics([name for name, *_ in parts])
        if self.objective in REWARDED:
            check_choice("metric", self.metric, REWARDS)

    @property
    def criterion(self) -> str:
        return criterion_of(self.objective)

    def random_seed(self, *purpose: object) -> int:
        """The seed of what is drawn for a purpose: the same for all stages with one seed, so that runs which
        differ in a setting are paired (the same order of documents, the same dropout).
        """
        return random_seed(self.seed, *purpose)

    def temperature_at(self, epoch: int) -> float:
        """T at an epoch, counted from 1.

        >>> annealed = StageSettings(stage="s", temperature_end=0.01, epochs=3)
        >>> [round(annealed.temperature_at(epoch), 4) for epoch in (1, 2, 3)]
        [1.0, 0.1, 0.01]
        """
        if not self.temperature_end:
            return self.temperature
        done = (epoch - 1) / max(self.epochs - 1, 1)
        return float(self.temperature * (self.temperature_end / self.temperature) ** done)

    def relaxation(self, epoch: int) -> Relaxation:
        """How the metric of the stage is relaxed at an epoch, counted from 1.

        >>> StageSettings(stage="s", temperature=0.5).relaxation(1).entity_temperature
        0.5
        """
        return Relaxation(
            beta=math.sqrt(self.beta_squared),
            temperature=self.temperature_at(epoch),
            temperature_on=None if self.family == "pairwise" else self.temperature_on,
            family=self.family,
            singletons=self.singletons,
            like_original=self.like_original,
            as_printed=self.as_printed,
        )

    def changed(self, settings: Mapping[str, Any]) -> Self:
        """With other values for some keys; text is read as what the key takes.

        >>> StageSettings(stage="s").changed({"epochs": "3"}).epochs
        3
        """
        return replace(self, **self._values(settings))

    def _values(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        return read_table(settings, type(self), leave_out=self.FIXED)

    @classmethod
    def from_saved(cls, saved: Mapping[str, Any]) -> Self:
        """Settings from a model folder, where tuples are lists; those that it lacks have their defaults.

        Those that this version no longer has (`GONE`) are passed over.

        >>> StageSettings.from_saved({"stage": "s", "costs": [0, 1, 1]}).costs
        (0, 1, 1)
        """
        known = [field.name for field in fields(cls)]
        values: dict[str, Any] = {}
        for key, value in saved.items():
            if key in cls.GONE:
                continue
            check_key(key, known)
            values[key] = tuple(value) if isinstance(value, list) else value
        try:
            return cls(**values)
        except (TypeError, ValueError, AttributeError) as error:
            raise CorelaxError(f"settings that cannot be read: {error}") from None


def random_seed(seed: int, *purpose: object) -> int:
    """A seed for one purpose, the same on every machine.

    >>> random_seed(1, 3) != random_seed(1, 4) != random_seed(1, "weights")
    True
    """
    digest = hashlib.sha256(repr((seed, *purpose)).encode()).digest()
    return int.from_bytes(digest[:7], "big")


def criterion_of(objective: str) -> str:
    """What the dev score of a stage with this objective is.

    >>> criterion_of("metric"), criterion_of("anaphoricity"), criterion_of("antecedent")
    ('CoNLL F1', 'F1', 'accuracy')
    """
    if objective in PAIR_PRETRAINING:
        return "likelihood"
    if objective not in PRETRAINING:
        return "CoNLL F1"
    return "F1" if objective == "anaphoricity" else "accuracy"


def is_shared(kind: type[StageSettings], key: str) -> bool:
    """Whether a setting holds for all stages of a chain.

    >>> is_shared(StageSettings, "seed"), is_shared(StageSettings, "epochs")
    (True, False)
    """
    setting = kind.__dataclass_fields__.get(key)
    return setting is not None and bool(setting.metadata.get("everywhere", False))
