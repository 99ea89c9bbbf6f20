"""Five documents to learn by heart: every objective gets there from a pretrained start and stays there.

Metric losses are not convex: from an unfinished start they climb, each its own metric, but may stop at a
local optimum. From a converged one nothing may be lost.
"""

import pytest

from corelax import Clustering, Span
from corelax.rankers.sparse.features.extract import describe
from corelax.rankers.sparse.features.settings import FeatureSettings
from corelax.rankers.sparse.mentions.lexicons import load_lexicons
from corelax.train import PRESETS
from tests.train.sparse.training_runs import documents, log_of, make_data, run

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]

PRETRAINED = {"anaphoricity__epochs": 10, "antecedent__epochs": 20}
SIZES = {"hidden_mention": 20, "hidden_pair": 40}
STEPS = {"learning_rate": 0.1, "output_learning_rate": 0.01}
FROM_BASELINE = [name for name, preset in PRESETS.items() if preset.get("start") == ("baseline",)]


@pytest.fixture(scope="module")
def data():
    docs = documents(5, mentions=20)
    return make_data(docs, docs)


@pytest.fixture(scope="module")
def converged(tmp_path_factory, data):
    out = tmp_path_factory.mktemp("converged")
    run("baseline", out, data, **PRETRAINED, **SIZES, epochs=60, keep="last")
    return out


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory, data):
    out = tmp_path_factory.mktemp("unfinished")
    model = run("baseline", out, data, **PRETRAINED, **SIZES, epochs=2)
    assert model.training["dev"] < 0.95
    return out


def test_the_baseline_learns_all(converged):
    log = log_of(converged / "baseline")
    assert log[0]["dev"] < 0.9
    assert log[-1]["dev"] >= 0.99


@pytest.mark.parametrize("preset", ["margin2015", "cm_heuristic"])
def test_margins_learn_all(converged, data, preset):
    own = {} if preset == "margin2015" else PRETRAINED
    run(preset, converged, data, **own, **SIZES, epochs=30)
    log = log_of(converged / preset)
    assert log[0]["dev"] < 0.9
    assert max(line["dev"] for line in log) >= 0.99


@pytest.mark.parametrize("preset", FROM_BASELINE)
def test_from_a_converged_start_nothing_is_lost(converged, data, preset):
    before = {"baseline__epochs": 60, "baseline__keep": "last", **PRETRAINED}
    model = run(preset, converged, data, **before, **SIZES, **STEPS, epochs=15)
    assert model.training["dev"] >= 0.99
    log = log_of(converged / preset)
    assert log[-1]["dev"] >= 0.99
    assert log[-1]["loss"] < log[0]["loss"]


@pytest.mark.parametrize("preset", ["entity_ce", "cm_reinforce", "cm_rescale"])
def test_from_an_unfinished_start_the_rest_is_learnt(unfinished, data, preset):
    steps = {"learning_rate": 0.05, "output_learning_rate": 0.05}
    model = run(
        preset, unfinished, data, **PRETRAINED, **SIZES, **steps, baseline__epochs=2, epochs=40
    )
    assert model.training["dev"] >= 0.99


def with_singletons(doc):
    """Every second mention that detection finds and that does not corefer becomes an entity of its own."""
    known = describe(doc, FeatureSettings(), load_lexicons("shipped"), lambda _: None)
    taken = {mention for cluster in doc.clusters for mention in cluster}
    found = [Span(m.mention.start, m.mention.end) for m in known.mentions]
    alone = [[span] for span in found if span not in taken]
    return doc.with_clusters(Clustering([*doc.clusters, *alone[::2]]))


@pytest.mark.parametrize("preset", ["conll", "pairwise_lea", "cm_rescale"])
def test_singletons_and_gold_mentions_are_learnt_as_well(tmp_path_factory, preset):
    docs = [with_singletons(doc) for doc in documents(5, mentions=20)]
    assert any(len(cluster) == 1 for doc in docs for cluster in doc.clusters)
    data = make_data(docs, docs, mentions="gold")
    out = tmp_path_factory.mktemp("singletons")
    settings = {"singletons": "keep", "mentions": "gold", **PRETRAINED, **SIZES}
    model = run(preset, out, data, **settings, baseline__epochs=15, epochs=20)
    assert model.training["dev"] >= 0.99
    assert model.training["scores"]["mentions"]["f1"] == 1
