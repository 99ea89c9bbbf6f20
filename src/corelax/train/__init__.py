"""Training: `corelax.train(...)`, its parts, and the optimiser of the paper.

The package and the function that does all of it share the name `corelax.train`. So the module itself can be
called: it has a class with `__call__`, as "Customizing module attribute access" in Python's data model
describes.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from corelax.core.lazy import lazy_imports

with lazy_imports(__name__):
    from corelax.rankers.sparse.folder import load_model
    from corelax.train.api import Trained, train
    from corelax.train.loop import Progress, Trainee, train_epochs
    from corelax.train.optim import AdaGrad, clip_gradients
    from corelax.train.options import ArgumentError, TrainOptions
    from corelax.train.settings import StageSettings
    from corelax.train.sparse.config import Config
    from corelax.train.sparse.data import load_data
    from corelax.train.sparse.presets import PRESETS, stage_chain
    from corelax.train.sparse.stage import train_chain
    from corelax.train.stage import train_stage


__all__ = [
    "PRESETS",
    "AdaGrad",
    "ArgumentError",
    "Config",
    "Progress",
    "StageSettings",
    "TrainOptions",
    "Trained",
    "Trainee",
    "clip_gradients",
    "load_data",
    "load_model",
    "stage_chain",
    "train",
    "train_chain",
    "train_epochs",
    "train_stage",
]


class _Callable(ModuleType):
    def __call__(self, *arguments: Any, **keywords: Any) -> Trained:
        from corelax.train.api import train

        return train(*arguments, **keywords)


sys.modules[__name__].__class__ = _Callable
