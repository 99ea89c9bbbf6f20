"""Studies: resolvers compared over documents and seeds. `reproduce` runs the paper's, `sweep` a grid.

Names are imported when they are first used, since most of them need torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corelax.core.lazy import lazy_names

if TYPE_CHECKING:
    from corelax.study.api import Reproduced, reproduce
    from corelax.study.executors import Executor, InProcess, Processes
    from corelax.study.files import Files
    from corelax.study.plan import Study, full_study, quick_study
    from corelax.study.reproduction import Reproduction
    from corelax.study.results import Results, Spread
    from corelax.study.runner import Progress, Runner, Wish
    from corelax.study.sweep_api import Swept, sweep
    from corelax.study.units import Unit


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


__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "api": "reproduce Reproduced",
        "executors": "Executor InProcess Processes",
        "files": "Files",
        "plan": "full_study quick_study Study",
        "reproduction": "Reproduction",
        "results": "Results Spread",
        "runner": "Progress Runner Wish",
        "sweep_api": "sweep Swept",
        "units": "Unit",
    },
)
