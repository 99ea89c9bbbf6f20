"""Training: settings, stages, optimiser, model folders, prediction."""

from corelax.train.config import Config
from corelax.train.folder import Model, load_model
from corelax.train.optim import AdaGrad, clip_gradients
from corelax.train.predict import predict_documents
from corelax.train.presets import PRESETS, stage_chain
from corelax.train.stages import load_data, train_chain

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
