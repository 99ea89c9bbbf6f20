"""Training an encoder ranker: recipes of stages and corpora, or one corpus of one's own."""

from corelax.train.encoder.config import EncoderConfig
from corelax.train.encoder.corpora import TrainingCorpus
from corelax.train.encoder.evaluate import dev_report
from corelax.train.encoder.own import own_recipe
from corelax.train.encoder.plan import Recipe, read_recipe
from corelax.train.encoder.recipe import run_recipe
from corelax.train.encoder.stage import EncoderStage

__all__ = [
    "EncoderConfig",
    "EncoderStage",
    "Recipe",
    "TrainingCorpus",
    "dev_report",
    "own_recipe",
    "read_recipe",
    "run_recipe",
]
