"""Training an encoder ranker: recipes of stages and corpora, or one corpus of your own."""

from corelax.train.encoder.calibrate import cross_fitted, fit_calibration
from corelax.train.encoder.config import EncoderConfig
from corelax.train.encoder.corpora import TrainingCorpus
from corelax.train.encoder.evaluate import dev_report
from corelax.train.encoder.recipe import (
    Recipe,
    changed_recipe,
    own_recipe,
    read_recipe,
    run_recipe,
)
from corelax.train.encoder.stage import EncoderStage

__all__ = [
    "EncoderConfig",
    "EncoderStage",
    "Recipe",
    "TrainingCorpus",
    "changed_recipe",
    "cross_fitted",
    "dev_report",
    "fit_calibration",
    "own_recipe",
    "read_recipe",
    "run_recipe",
]
