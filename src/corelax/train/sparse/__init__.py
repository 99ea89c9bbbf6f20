"""Training of the paper's ranker: settings, presets, features of files, chains of stages."""

from corelax.train.sparse.config import Config
from corelax.train.sparse.data import Data, load_data, scored_documents
from corelax.train.sparse.evaluate import dev_report
from corelax.train.sparse.presets import PRESETS, stage_chain
from corelax.train.sparse.stage import train_chain

__all__ = [
    "PRESETS",
    "Config",
    "Data",
    "dev_report",
    "load_data",
    "scored_documents",
    "stage_chain",
    "train_chain",
]
