"""Figures of the papers, to stand beside ours: CoNLL-2012 English test, CoNLL average F1 in percent.

They are comparable with a run on the same files only. Le & Titov (2017), table 1; those of other systems are
in `study/systems.py`: Wiseman et al. (2015) as quoted there, Clark & Manning (2016).
"""

from __future__ import annotations

from corelax.study.systems import SYSTEMS

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
