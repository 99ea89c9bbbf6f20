"""Settings of a stage of the sparse ranker, changed by `key=value`; unknown keys are errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from corelax.core.checks import check_choice, check_number
from corelax.core.errors import CorelaxError
from corelax.core.settings import check_key, field_types, read_value
from corelax.rankers.sparse.features.settings import PRESETS as FEATURE_SETS
from corelax.rankers.sparse.features.settings import FeatureSettings
from corelax.rankers.sparse.network import INITIALISATIONS
from corelax.train.settings import (
    DECODINGS,
    KEEP,
    RESOLVING,
    REWARDED,
    REWARDS,
    StageSettings,
    everywhere,
    is_shared,
)

__all__ = [
    "DECODINGS",
    "FEATURES",
    "KEEP",
    "OBJECTIVES",
    "PRETRAINING",
    "REWARDED",
    "REWARDS",
    "Config",
    "concerns",
    "is_everywhere",
]

PRETRAINING = ("anaphoricity", "antecedent", "antecedent_margin")
OBJECTIVES = (*PRETRAINING, *RESOLVING)
FEATURES = "features."


@dataclass(frozen=True, slots=True, kw_only=True)
class Config(StageSettings):
    """All that decides what a stage of the sparse ranker computes: what any stage has, and more.

    Of the stages in `start`, the first layers of `anaphoricity` and `antecedent` are taken, or all weights
    of one stage.

    Attributes:
        anaphoric_weight: Weight of anaphoric mentions, for anaphoricity.
        learning_rate: Of the first layer (feature tables and their biases).
        output_learning_rate: Of the second layer.
        accumulator: Where AdaGrad starts.
        l1: λ.
        dropout: On h_p, and on h_a where links are scored.
        max_mentions: Training documents are cut to so many mentions; 0 for no limit.
        hidden_mention, hidden_pair, initialisation, max_antecedents: Of the ranker (all stages).
        feature_set: default, lt17 or w16 (all stages).
        features: Switches of the feature set that differ (all stages).
        mentions: detect, gold, or a file (all stages).
    """

    OBJECTIVES: ClassVar[tuple[str, ...]] = OBJECTIVES
    FIXED: ClassVar[tuple[str, ...]] = ("stage", "features")

    anaphoric_weight: float = 1.35
    learning_rate: float = 0.05
    output_learning_rate: float = 0.002
    accumulator: float = 0.1
    l1: float = 0.0
    dropout: float = 0.0
    max_mentions: int = 350
    hidden_mention: int = everywhere(200)
    hidden_pair: int = everywhere(700)
    initialisation: str = everywhere("uniform")
    max_antecedents: int = everywhere(0)
    feature_set: str = everywhere("default")
    features: Mapping[str, Any] = field(default_factory=dict, metadata={"everywhere": True})
    mentions: str = everywhere("detect")

    def __post_init__(self) -> None:
        StageSettings.__post_init__(self)
        check_choice("initialisation", self.initialisation, INITIALISATIONS)
        check_choice("feature_set", self.feature_set, FEATURE_SETS)
        for name in ("learning_rate", "output_learning_rate", "accumulator", "l1"):
            check_number(name, getattr(self, name))
        for name in ("anaphoric_weight", "max_mentions", "max_antecedents"):
            check_number(name, getattr(self, name))
        for name in ("hidden_mention", "hidden_pair"):
            check_number(name, getattr(self, name), at_least=1)
        if not 0 <= self.dropout < 1:
            raise CorelaxError(f"dropout must be at least 0 and below 1, not {self.dropout}")
        _ = self.feature_settings

    @property
    def feature_settings(self) -> FeatureSettings:
        """The feature set with its switches."""
        known = field_types(FeatureSettings)
        for name in self.features:
            check_key(FEATURES + name, [FEATURES + other for other in known])
        return replace(FEATURE_SETS[self.feature_set], **self.features)

    def _values(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Keys and values as fields take them: switches of features go into one.

        >>> Config(stage="s").changed({"epochs": "3", "features.lexical_cutoff": "5"}).features
        {'lexical_cutoff': 5}
        """
        types = {FEATURES + name: kind for name, kind in field_types(FeatureSettings).items()}
        features = dict(self.features)
        others = {}
        for key, value in settings.items():
            if key.startswith(FEATURES):
                check_key(key, list(types))
                features[key.removeprefix(FEATURES)] = read_value(key, value, types[key])
            else:
                others[key] = value
        return {**StageSettings._values(self, others), "features": features}


def is_everywhere(key: str) -> bool:
    """Whether a setting holds for all stages of a chain.

    >>> is_everywhere("seed"), is_everywhere("features.genre"), is_everywhere("epochs")
    (True, True, False)
    """
    return key.startswith(FEATURES) or is_shared(Config, key)


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
