"""Training: `corelax.train(...)`, its parts, and the optimiser of the paper.

The package and the function that does all of it share the name `corelax.train`. So the module itself can be
called: it has a class with `__call__`, as "Customizing module attribute access" in Python's data model
describes.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corelax.rankers.sparse.folder import Model, load_model
    from corelax.resolve.predict import predict_documents
    from corelax.train.api import ArgumentError, Trained, train
    from corelax.train.configuration import Configuration, read_configuration
    from corelax.train.loop import Progress, Trainee, train_epochs
    from corelax.train.optim import AdaGrad, clip_gradients
    from corelax.train.settings import StageSettings
    from corelax.train.sparse.config import Config
    from corelax.train.sparse.data import load_data
    from corelax.train.sparse.presets import PRESETS, stage_chain
    from corelax.train.sparse.stage import train_chain
    from corelax.train.stage import train_stage

_HOME = {
    "PRESETS": "corelax.train.sparse.presets",
    "AdaGrad": "corelax.train.optim",
    "ArgumentError": "corelax.train.api",
    "Config": "corelax.train.sparse.config",
    "Configuration": "corelax.train.configuration",
    "Model": "corelax.rankers.sparse.folder",
    "Progress": "corelax.train.loop",
    "StageSettings": "corelax.train.settings",
    "Trained": "corelax.train.api",
    "Trainee": "corelax.train.loop",
    "clip_gradients": "corelax.train.optim",
    "load_data": "corelax.train.sparse.data",
    "load_model": "corelax.rankers.sparse.folder",
    "predict_documents": "corelax.resolve.predict",
    "read_configuration": "corelax.train.configuration",
    "stage_chain": "corelax.train.sparse.presets",
    "train": "corelax.train.api",
    "train_chain": "corelax.train.sparse.stage",
    "train_epochs": "corelax.train.loop",
    "train_stage": "corelax.train.stage",
}

__all__ = [
    "PRESETS",
    "AdaGrad",
    "ArgumentError",
    "Config",
    "Configuration",
    "Model",
    "Progress",
    "StageSettings",
    "Trained",
    "Trainee",
    "clip_gradients",
    "load_data",
    "load_model",
    "predict_documents",
    "read_configuration",
    "stage_chain",
    "train",
    "train_chain",
    "train_epochs",
    "train_stage",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'corelax.train' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


class _Callable(ModuleType):
    """The module, which can be called as `corelax.train.train`."""

    def __call__(self, *arguments: Any, **keywords: Any) -> Trained:
        from corelax.train.api import train

        return train(*arguments, **keywords)


sys.modules[__name__].__class__ = _Callable
