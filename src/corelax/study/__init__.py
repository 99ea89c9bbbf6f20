"""Studies: resolvers compared over documents and seeds. `reproduce` runs the paper's, `sweep` a grid.

Names are imported when they are first used, since most of them need torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corelax.study.api import Reproduced, Swept, reproduce, sweep
    from corelax.study.executors import Executor, InProcess, Processes
    from corelax.study.files import Files
    from corelax.study.plan import Study, full_study, quick_study
    from corelax.study.reproduction import Reproduction
    from corelax.study.results import Results, Spread
    from corelax.study.runner import Progress, Runner, Wish
    from corelax.study.units import Unit

_HOME = {
    "Executor": "executors",
    "Files": "files",
    "InProcess": "executors",
    "Processes": "executors",
    "Progress": "runner",
    "Reproduced": "api",
    "Reproduction": "reproduction",
    "Results": "results",
    "Runner": "runner",
    "Spread": "results",
    "Study": "plan",
    "Swept": "api",
    "Unit": "units",
    "Wish": "runner",
    "full_study": "plan",
    "quick_study": "plan",
    "reproduce": "api",
    "sweep": "api",
}

__all__ = [
    "Executor",
    "Files",
    "InProcess",
    "Processes",
    "Progress",
    "Reproduced",
    "Reproduction",
    "Results",
    "Runner",
    "Spread",
    "Study",
    "Swept",
    "Unit",
    "Wish",
    "full_study",
    "quick_study",
    "reproduce",
    "sweep",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"corelax.study.{_HOME[name]}"), name)
    raise AttributeError(f"module 'corelax.study' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
