"""Training objectives: plain functions from antecedent scores and gold entities to a number."""

# ruff: noqa: E402
from corelax.core.lazy import require

require("torch", "torch")

from corelax.losses.actions import Costs
from corelax.losses.entity import entity_loss
from corelax.losses.metric import Part, metric_loss
from corelax.losses.pairs import pair_loss
from corelax.losses.pretraining import anaphoricity_loss, antecedent_loss
from corelax.losses.ranking import margin_loss, ranking_loss
from corelax.losses.reward import reinforce_loss, rescale_loss

__all__ = [
    "Costs",
    "Part",
    "anaphoricity_loss",
    "antecedent_loss",
    "entity_loss",
    "margin_loss",
    "metric_loss",
    "pair_loss",
    "ranking_loss",
    "reinforce_loss",
    "rescale_loss",
]
