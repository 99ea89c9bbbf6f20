"""Studies: resolvers compared over documents and seeds. `reproduce` runs the paper's, `sweep` a grid.

Names are imported when they are first used, since most of them need torch.
"""

from __future__ import annotations

from corelax.core.lazy import lazy_imports

with lazy_imports(__name__):
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
