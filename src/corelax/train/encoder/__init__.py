"""Training an encoder ranker: recipes of stages and corpora, or one corpus of your own."""

from corelax.train.encoder.calibrate import fit_calibration
from corelax.train.encoder.config import EncoderConfig
from corelax.train.encoder.corpora import TrainingCorpus
from corelax.train.encoder.recipe import Recipe, changed_recipe, own_recipe, read_recipe
from corelax.train.encoder.run import RecipeRun

__all__ = [
    "EncoderConfig",
    "Recipe",
    "RecipeRun",
    "TrainingCorpus",
    "changed_recipe",
    "fit_calibration",
    "own_recipe",
    "read_recipe",
]
