"""The systems that the paper's losses are compared with: a line each, with their published figures.

To add a system, add its stage to `train/presets/sparse.toml` and a line to `SYSTEMS`: it is then trained, has
a row in every table, and its published figure stands beside ours. A line whose stage is missing is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from corelax.core.errors import CorelaxError
from corelax.train.sparse.presets import PRESETS

PAPER, OTHERS = "The paper", "Compared with, on the same ranker"
NETWORKS = "Compared with, with their own networks"


class System(NamedTuple):
    """A system that the paper's losses are compared with.

    Attributes:
        name: The name of its stage in the presets, of its unit and of its row.
        title: For people.
        rates: Where learning rates are tuned, the unit whose rates it takes; empty for those of its preset.
        published: CoNLL F1 on CoNLL-2012 English test in percent, if there is such a figure.
        vectors: Whether it needs word vectors (`--vectors`); without them it is left out, with a remark.
        group: The heading that it stands under in a table.
    """

    name: str
    title: str
    rates: str = ""
    published: float | None = None
    vectors: bool = False
    group: str = OTHERS


# Published figures are of systems with networks of their own.
SYSTEMS: Sequence[System] = (
    System("continued", "Baseline, trained as long again", "baseline"),
    System("margin2015", "Max-margin (Wiseman et al. 2015)"),
    System("cm_heuristic", "Heuristic max-margin (Clark & Manning 2016)", "baseline"),
    System("cm_reinforce", "REINFORCE (Clark & Manning 2016)", "baseline"),
    System("cm_rescale", "Reward rescaling (Clark & Manning 2016)", "baseline"),
    System("margin2015_g2", "Wiseman et al. 2015: g2", "", 63.39, group=NETWORKS),
    System("global2016", "Wiseman et al. 2016: global", "", 64.21, group=NETWORKS),
    System("deep_heuristic", "Clark & Manning 2016: heuristic", "", 65.36, True, NETWORKS),
    System("deep_reinforce", "Clark & Manning 2016: REINFORCE", "", 65.41, True, NETWORKS),
    System("deep_rescale", "Clark & Manning 2016: rescaling", "", 65.73, True, NETWORKS),
)

# The rows whose order is compared with the published one: the paper's table, each loss with its best β.
ORDERED = (
    "baseline", "entity_ce", "b3_beta", "lea_beta", "margin2015_g2", "global2016", "deep_heuristic",
    "deep_reinforce", "deep_rescale",
)  # fmt: skip

# Figures of the papers, to stand beside ours: CoNLL-2012 English test, CoNLL average F1 in percent. They are
# comparable with a run on the same files only. Le & Titov (2017), table 1; Wiseman et al. (2015) as quoted
# there, Clark & Manning (2016).
CONLL_2012_TEST = {
    "baseline": 64.13,
    "entity_ce": 64.25,
    "b3": 64.51,
    "b3_beta": 64.61,
    "lea": 64.39,
    "lea_beta": 64.66,
    **{system.name: system.published for system in SYSTEMS if system.published},
}
BEST_BETA_SQUARED = {"b3_beta": 1.4, "lea_beta": 1.8}
TRAINING_HOURS = 15  # of 20 epochs, pretraining included
CONLL_2012_SIZES = {"train": 2802, "dev": 343, "test": 348}  # documents (parts)


def chosen_systems(*, vectors: bool, systems: Sequence[System] = SYSTEMS) -> list[System]:
    """The systems to train: all, or without word vectors those that need none.

    >>> chosen_systems(vectors=False, systems=[System("future2030", "A system to come")])
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: future2030: is a system of the study, but the presets have no such stage
    """
    for system in systems:
        if system.name not in PRESETS:
            raise CorelaxError(
                f"{system.name}: is a system of the study, but the presets have no such stage"
            )
    return [system for system in systems if vectors or not system.vectors]


def left_out(rows: Iterable[str], systems: Sequence[System] = SYSTEMS) -> list[str]:
    """The titles of the systems that a study lacks for want of word vectors.

    >>> systems = [System("global", "A global one"), System("deep", "A deep one", vectors=True)]
    >>> left_out(["global"], systems)
    ['A deep one']
    """
    present = set(rows)
    groups = {system.group for system in systems if system.name in present}
    return [
        system.title
        for system in systems
        if system.vectors and system.name not in present and system.group in groups
    ]
