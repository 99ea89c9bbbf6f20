"""Settings of a training stage: typed, with presets, changed by `key=value`; unknown keys are errors.

A stage starts from fresh weights or from those of the stages it names in `start`. Settings marked "all
stages" hold for a whole chain of stages; the others for the stage that is asked for, or with a prefix
(`baseline.epochs=3`) for one of those before it.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, get_type_hints

from corelax.checks import check_beta, check_choice, check_number, check_temperature
from corelax.errors import CorelaxError
from corelax.features.settings import PRESETS as FEATURE_SETS
from corelax.features.settings import FeatureSettings
from corelax.losses.actions import check_costs
from corelax.losses.metric import parts_of
from corelax.metrics.report import SINGLETONS
from corelax.rankers.sparse import INITIALISATIONS
from corelax.relax.evaluate import FAMILIES, TEMPERATURES
from corelax.relax.original import check_original

OBJECTIVES = (
    "anaphoricity antecedent antecedent_margin ranking entity metric margin reinforce rescale"
).split()
REWARDED, REWARDS = ("reinforce", "rescale"), ("b_cubed", "lea")
PRETRAINING = ("anaphoricity", "antecedent", "antecedent_margin")
DECODINGS = ("links", "entities")
KEEP = ("best", "last")
FEATURES = "features."
FIXED = ("stage", "features")  # not to be set one by one


def _everywhere(default: Any) -> Any:
    """A setting that all stages of a chain share."""
    return field(default=default, metadata={"everywhere": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """All that decides what a stage computes.

    Attributes:
        stage: The name of the stage, and of its folder.
        start: Stages whose weights it starts from: the first layers of `anaphoricity` and `antecedent`, or
            all weights of one stage.
        objective: What is minimised.
        costs: Of false anaphor, false new, wrong link; for ranking, entity and margin.
        margin: Of margin, rescale and antecedent_margin.
        anaphoric_weight: Weight of anaphoric mentions, for anaphoricity.
        metric: Of metric, reinforce and rescale.
        beta_squared: β² of the metric's F.
        temperature: T, at the first epoch.
        temperature_end: T at the last epoch, reached by a constant factor from epoch to epoch; 0: as T.
        temperature_on: What T sharpens: the "entity" or the "link" probabilities (always these in the
            pairwise family).
        family: "entity" or "pairwise" relaxation.
        like_original: Metric losses as the authors' program has them: hard filter of entities, found mentions
            only, documents with tiny counts passed over.
        learning_rate: Of the first layer (feature tables and their biases).
        output_learning_rate: Of the second layer.
        accumulator: Where AdaGrad starts.
        l1: λ.
        clip: Largest norm of the gradient; 0 for any.
        dropout: On h_p, and on h_a where links are scored.
        max_mentions: Training documents are cut to so many mentions; 0 for no limit.
        epochs: At most so many.
        patience: Stops after so many epochs without a better dev score; 0 for never.
        keep: The weights of the "best" epoch on dev, or of the "last".
        hidden_mention, hidden_pair, initialisation, max_antecedents: Of the ranker (all stages).
        feature_set: default, lt17 or w16 (all stages).
        features: Switches of the feature set that differ (all stages).
        mentions: detect, gold, or a file (all stages).
        singletons: Whether entities of one mention count: "drop" or "keep" (all stages).
        decoding: Best "links" or best "entities" (all stages).
        seed: Of weights, order and dropout (all stages).
    """

    stage: str
    start: tuple[str, ...] = ()
    objective: str = "ranking"
    costs: tuple[float, ...] = (0.1, 3.0, 1.0)
    margin: float = 1.0
    anaphoric_weight: float = 1.35
    metric: str = "b_cubed"
    beta_squared: float = 1.0
    temperature: float = 1.0
    temperature_end: float = 0.0
    temperature_on: str = "entity"
    family: str = "entity"
    like_original: bool = False
    learning_rate: float = 0.05
    output_learning_rate: float = 0.002
    accumulator: float = 0.1
    l1: float = 0.0
    clip: float = 0.0
    dropout: float = 0.0
    max_mentions: int = 350
    epochs: int = 14
    patience: int = 0
    keep: str = "best"
    hidden_mention: int = _everywhere(200)
    hidden_pair: int = _everywhere(700)
    initialisation: str = _everywhere("uniform")
    max_antecedents: int = _everywhere(0)
    feature_set: str = _everywhere("default")
    features: Mapping[str, Any] = field(default_factory=dict, metadata={"everywhere": True})
    mentions: str = _everywhere("detect")
    singletons: str = _everywhere("drop")
    decoding: str = _everywhere("links")
    seed: int = _everywhere(1)

    def __post_init__(self) -> None:
        check_choice("objective", self.objective, OBJECTIVES)
        check_choice("family", self.family, FAMILIES)
        check_choice("temperature_on", self.temperature_on, TEMPERATURES)
        check_choice("initialisation", self.initialisation, INITIALISATIONS)
        check_choice("keep", self.keep, KEEP)
        check_choice("singletons", self.singletons, SINGLETONS)
        check_choice("decoding", self.decoding, DECODINGS)
        check_choice("feature_set", self.feature_set, FEATURE_SETS)
        parts = parts_of(self.metric, 1.0)
        check_beta(self.beta_squared)
        check_temperature(self.temperature, at_most=1)
        check_temperature(self.temperature_end or self.temperature, at_most=1)
        check_costs(self.costs)  # type: ignore[arg-type]
        for name in ("learning_rate", "output_learning_rate", "accumulator", "l1", "clip"):
            check_number(name, getattr(self, name))
        for name in ("margin", "anaphoric_weight"):
            check_number(name, getattr(self, name))
        for name in ("max_mentions", "patience", "max_antecedents", "seed"):
            check_number(name, getattr(self, name))
        for name in ("epochs", "hidden_mention", "hidden_pair"):
            check_number(name, getattr(self, name), at_least=1)
        if not 0 <= self.dropout < 1:
            raise CorelaxError(f"dropout must be at least 0 and below 1, not {self.dropout}")
        if self.like_original and self.singletons == "keep":
            raise CorelaxError(
                "like_original goes with singletons=drop only; set like_original=false"
            )
        if self.like_original:
            check_original(self.family, [name for name, *_ in parts], self.singletons)
        if self.objective in REWARDED:
            check_choice("metric", self.metric, REWARDS)
        _ = self.feature_settings

    @property
    def feature_settings(self) -> FeatureSettings:
        """The feature set with its switches."""
        known = get_type_hints(FeatureSettings)
        for name in self.features:
            _check_key(FEATURES + name, [FEATURES + other for other in known])
        return replace(FEATURE_SETS[self.feature_set], **self.features)

    def temperature_at(self, epoch: int) -> float:
        """T at an epoch, counted from 1.

        >>> annealed = Config(stage="s", temperature_end=0.01, epochs=3)
        >>> [round(annealed.temperature_at(epoch), 4) for epoch in (1, 2, 3)]
        [1.0, 0.1, 0.01]
        """
        if not self.temperature_end:
            return self.temperature
        done = (epoch - 1) / max(self.epochs - 1, 1)
        return float(self.temperature * (self.temperature_end / self.temperature) ** done)

    def changed(self, settings: Mapping[str, Any]) -> Config:
        """With other values for some keys; text is read as what the key takes.

        >>> Config(stage="s").changed({"epochs": "3", "features.lexical_cutoff": "5"}).features
        {'lexical_cutoff': 5}
        """
        types = get_type_hints(Config)
        feature_types = get_type_hints(FeatureSettings)
        new: dict[str, Any] = {}
        features = dict(self.features)
        for key, value in settings.items():
            if key.startswith(FEATURES):
                name = key.removeprefix(FEATURES)
                _check_key(key, [FEATURES + other for other in feature_types])
                features[name] = _read(key, value, feature_types[name])
            else:
                _check_key(key, [name for name in types if name not in FIXED])
                new[key] = _read(key, value, types[key])
        return replace(self, **new, features=features)


def is_everywhere(key: str) -> bool:
    """Whether a setting holds for all stages of a chain.

    >>> is_everywhere("seed"), is_everywhere("features.genre"), is_everywhere("epochs")
    (True, True, False)
    """
    if key.startswith(FEATURES):
        return True
    found = {f.name: f.metadata.get("everywhere", False) for f in fields(Config)}
    return bool(found.get(key, False))


_ONLY_OF = {
    **dict.fromkeys(
        (
            "beta_squared",
            "temperature",
            "temperature_end",
            "temperature_on",
            "family",
            "like_original",
        ),
        ("metric",),
    ),
    "metric": ("metric", *REWARDED),
    "costs": ("ranking", "entity", "margin"),
    "margin": ("margin", "rescale", "antecedent_margin"),
    "anaphoric_weight": ("anaphoricity",),
}


def concerns(key: str, objective: str) -> bool:
    """Whether a setting makes a difference to an objective.

    >>> concerns("beta_squared", "metric"), concerns("beta_squared", "ranking")
    (True, False)
    """
    return objective in _ONLY_OF.get(key, (objective,))


def _check_key(key: str, known: list[str]) -> None:
    if key not in known:
        near = difflib.get_close_matches(key, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
        raise CorelaxError(f"unknown setting {key!r}; {hint}")


def _read(key: str, value: Any, wanted: Any) -> Any:
    """A value as the type that a key takes."""
    truths = {"true": True, "false": False}
    try:
        if isinstance(value, bool) and wanted in (int, float):
            raise TypeError
        if wanted is bool:
            return truths[str(value).lower()]
        if wanted is int:
            return int(str(value))
        if wanted is float:
            return float(value)
        if wanted is str:
            if not isinstance(value, str):
                raise TypeError
            return value
        items = value.split(",") if isinstance(value, str) else value
        one = str if wanted == tuple[str, ...] else float
        return tuple(one(str(item).strip()) for item in items if str(item).strip())
    except (ValueError, KeyError, TypeError):
        kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}
        raise CorelaxError(
            f"{key} must be {kinds.get(wanted, 'numbers or words with commas between')}, not {value!r}"
        ) from None
