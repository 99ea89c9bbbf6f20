"""Training: settings, stages, optimiser, model folders, prediction."""

from typing import TYPE_CHECKING, Any

from corelax.rankers.sparse.folder import Model, load_model
from corelax.train.optim import AdaGrad, clip_gradients
from corelax.train.sparse.config import Config
from corelax.train.sparse.data import load_data
from corelax.train.sparse.presets import PRESETS, stage_chain
from corelax.train.sparse.stage import train_chain

if TYPE_CHECKING:
    from corelax.resolve.predict import predict_documents

__all__ = [
    "PRESETS",
    "AdaGrad",
    "Config",
    "Model",
    "clip_gradients",
    "load_data",
    "load_model",
    "predict_documents",
    "stage_chain",
    "train_chain",
]


def __getattr__(name: str) -> Any:
    if name == "predict_documents":  # which imports from here
        from corelax.resolve import predict_documents

        return predict_documents
    raise AttributeError(f"module 'corelax.train' has no attribute {name!r}")
