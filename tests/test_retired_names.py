"""Names that the documentation once had still work, and say what replaced them."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from corelax._retired import MOVED


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_an_old_name_is_the_module_under_its_new_name(old, new):
    sys.modules.pop(old, None)
    with pytest.warns(DeprecationWarning, match=f"{old} is now {new}"):
        module = import_module(old)
    assert module is import_module(new)
    assert module.__spec__.name == new


DOCUMENTED = """
from corelax.mentions.detect import analyse
from corelax.experiments.significance import DocumentCounts, compare
from corelax.features.settings import FeatureSettings
from corelax.scoring import score_files
from corelax.metrics.report import Tally, TITLES
from corelax.metrics.lea import lea
from corelax.rankers.encoder.inputs import encoder_input
from corelax.rankers.encoder.folder import save_ranker
from corelax.train import AdaGrad, Config, load_data, stage_chain, train_chain
from corelax.train.encoder import EncoderConfig, run_recipe
from corelax.rankers import SparseRanker, from_pruned
from corelax.decode import best_entities, best_links
from corelax.resolver import Resolver
"""


def test_imports_that_were_documented_work():
    """In a process of its own, where they warn and do not fail."""
    subprocess.run([sys.executable, "-c", DOCUMENTED], check=True)


def test_a_name_that_never_was_is_not_found():
    with pytest.raises(ModuleNotFoundError, match=r"corelax\.experiment'"):
        import_module("corelax.experiment")
