"""Settings of a stage of the sparse ranker, changed by `key=value`; unknown keys are errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar

from corelax.core.checks import check_choice, check_number
from corelax.core.errors import CorelaxError
from corelax.core.folders import CONFIG
from corelax.core.settings import check_key, field_types, read_value
from corelax.rankers.sparse.features.settings import FEATURE_SETS, FeatureSettings
from corelax.rankers.sparse.folder import read_config
from corelax.rankers.sparse.settings import (
    DEEP,
    LOCAL,
    PAIR_PRETRAINING,
    PRETRAINING,
    SparseSettings,
)
from corelax.train.settings import RESOLVING, REWARDED, StageSettings, everywhere, is_shared

OBJECTIVES = (*PRETRAINING, *PAIR_PRETRAINING, *RESOLVING)
OPTIMIZERS = ADAGRAD, RMSPROP = ("adagrad", "rmsprop")
FEATURES = "features."
RANKER = tuple(setting.name for setting in fields(SparseSettings))
RATES = ("learning_rate", "output_learning_rate", "cluster_learning_rate")
# Settings that do not concern the pretraining of first layers, which several networks share.
ABOVE = ("network", "hidden_outer", "hidden_cluster", "word_size", "hidden_deep", "hidden_above")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config(StageSettings):
    """All that decides what a stage of the sparse ranker computes.

    A stage takes the first layers of the stages `anaphoricity` and `antecedent` in `start`, or all weights of
    another one.

    Attributes:
        anaphoric_weight: Weight of anaphoric mentions, for anaphoricity.
        learning_rate: The rate of the first layer (feature tables and their biases).
        output_learning_rate: The rate of the second layer, and of the LSTM of a global ranker.
        cluster_learning_rate: The rate of the other weights of a global ranker.
        accumulator: Where AdaGrad's sums start.
        damped: Whether AdaGrad divides by 1 + √G instead of √G.
        optimizer: "adagrad", or "rmsprop" as for deep rankers.
        l1: The weight λ of the L1 penalty, for AdaGrad.
        l2: The weight λ of the L2 penalty, for RMSprop.
        dropout: The dropout of h_p, and of h_a where links are scored; of a deep ranker, of word vectors and
            all hidden layers.
        state_dropout: The dropout of the states of clusters, where a global ranker reads them.
        clamp: The largest gradient of each weight of a global ranker's LSTM and of its input; 0 for no limit.
        max_mentions: Training documents are cut to this many mentions; 0 for no limit.
        network, hidden_mention, hidden_pair, hidden_outer, hidden_cluster: As in `SparseSettings` (all
            stages; first layers are pretrained as those of the local ranker, whatever network they are for).
        word_size, hidden_deep, hidden_above, initialisation, max_antecedents: As in `SparseSettings` (all
            stages).
        feature_set: default, lt17 or w16 (all stages).
        features: Switches of the feature set that are changed (all stages).
        mentions: detect, gold, or a file (all stages).
    """

    OBJECTIVES: ClassVar[tuple[str, ...]] = OBJECTIVES
    FIXED: ClassVar[tuple[str, ...]] = ("stage", "features")
    GONE: ClassVar[tuple[str, ...]] = ("precision", "own_history", "own_history_end")

    anaphoric_weight: float = 1.35
    learning_rate: float = 0.05
    output_learning_rate: float = 0.002
    cluster_learning_rate: float = 0.01
    accumulator: float = 0.1
    damped: bool = False
    optimizer: str = ADAGRAD
    l1: float = 0.0
    l2: float = 0.0
    dropout: float = 0.0
    state_dropout: float = 0.0
    clamp: float = 0.0
    max_mentions: int = 350
    network: str = everywhere(LOCAL)
    hidden_mention: int = everywhere(200)
    hidden_pair: int = everywhere(700)
    hidden_outer: int = everywhere(128)
    hidden_cluster: int = everywhere(200)
    word_size: int = everywhere(50)
    hidden_deep: int = everywhere(1000)
    hidden_above: int = everywhere(500)
    initialisation: str = everywhere("uniform")
    max_antecedents: int = everywhere(0)
    feature_set: str = everywhere("default")
    features: Mapping[str, Any] = field(default_factory=dict, metadata={"everywhere": True})
    mentions: str = everywhere("detect")

    def __post_init__(self) -> None:
        StageSettings.__post_init__(self)
        check_choice("feature_set", self.feature_set, FEATURE_SETS)
        check_choice("optimizer", self.optimizer, OPTIMIZERS)
        if self.objective in PAIR_PRETRAINING and self.network != DEEP:
            raise CorelaxError(
                f"{self.objective} is an objective of deep rankers; set network=deep"
            )
        for name in (
            *RATES,
            "accumulator",
            "l1",
            "l2",
            "clamp",
            "anaphoric_weight",
            "max_mentions",
        ):
            check_number(name, getattr(self, name))
        for name in ("dropout", "state_dropout"):
            if not 0 <= (share := getattr(self, name)) < 1:
                raise CorelaxError(f"{name} must be at least 0 and below 1, not {share}")
        _ = self.ranker, self.feature_settings  # which check theirs

    @property
    def ranker(self) -> SparseSettings:
        """Sizes and limits of the ranker."""
        return SparseSettings(**{name: getattr(self, name) for name in RANKER})

    @property
    def of_training(self) -> dict[str, Any]:
        """All settings but those of the ranker, as a model folder has them."""
        return {name: value for name, value in asdict(self).items() if name not in RANKER}

    @property
    def feature_settings(self) -> FeatureSettings:
        """The feature set with its switches."""
        known = field_types(FeatureSettings)
        for name in self.features:
            check_key(FEATURES + name, [FEATURES + other for other in known])
        return replace(FEATURE_SETS[self.feature_set], **self.features)

    def _values(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Keys and values as fields take them: switches of features go into one."""
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
    """Whether a setting holds for all stages of a chain."""
    return key.startswith(FEATURES) or is_shared(Config, key)


_OF_METRIC = (
    "beta_squared temperature temperature_end temperature_on family like_original as_printed"
).split()
_ONLY_OF = {
    **dict.fromkeys(_OF_METRIC, ("metric",)),
    "metric": ("metric", *REWARDED),
    "costs": ("ranking", "entity", "margin"),
    "margin": ("margin", "rescale", "antecedent_margin"),
    "cost_same_cluster": ("entity",),
    "actions": REWARDED,
    "anaphoric_weight": ("anaphoricity",),
}


def affects(key: str, objective: str) -> bool:
    """Whether a setting makes a difference to an objective."""
    return objective in _ONLY_OF.get(key, (objective,))


def saved_config(folder: Path) -> Config:
    """The settings that the model in a folder was trained with."""
    settings, training = read_config(folder)
    try:
        return Config.from_saved({**asdict(settings), **training["config"]})
    except (CorelaxError, TypeError) as error:
        raise CorelaxError(f"{folder / CONFIG}: not the settings of a model ({error})") from None
