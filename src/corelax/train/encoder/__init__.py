"""Training an encoder ranker: recipes of stages and corpora, or one corpus of one's own."""

from corelax.train.encoder.config import EncoderConfig
from corelax.train.encoder.corpora import Corpus
from corelax.train.encoder.evaluate import evaluate
from corelax.train.encoder.own import own_recipe
from corelax.train.encoder.plan import Recipe, read_recipe
from corelax.train.encoder.recipe import run_recipe
from corelax.train.encoder.stage import train_encoder_stage

__all__ = [
    "Corpus",
    "EncoderConfig",
    "Recipe",
    "evaluate",
    "own_recipe",
    "read_recipe",
    "run_recipe",
    "train_encoder_stage",
]
