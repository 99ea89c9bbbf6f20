"""Studies: resolvers compared over documents and seeds. `reproduce` runs the paper's, `sweep` a grid.

Names are imported when they are first used, since most of them need torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corelax.core.lazy import lazy_names

if TYPE_CHECKING:
    from corelax.study.api import Reproduced, reproduce
    from corelax.study.options import StudyOptions, SweepOptions
    from corelax.study.results import Results
    from corelax.study.sweeps import Swept, sweep


__all__ = [
    "Reproduced",
    "Results",
    "StudyOptions",
    "SweepOptions",
    "Swept",
    "reproduce",
    "sweep",
]


__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "api": "reproduce Reproduced",
        "options": "StudyOptions SweepOptions",
        "results": "Results",
        "sweeps": "sweep Swept",
    },
)
