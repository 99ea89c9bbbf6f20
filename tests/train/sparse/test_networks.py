"""Training of the other networks: what they share with the local ranker, resuming, learning by heart."""

import json
import shutil

import pytest
import torch

from corelax import CorelaxError
from corelax.losses import entity_loss, reinforce_loss, rescale_loss
from corelax.resolve import resolve_documents
from corelax.train import Config, load_model, stage_chain
from corelax.train.loop import Progress
from corelax.train.objectives import loss_function
from corelax.train.sparse.evaluate import decode_table
from tests.train.sparse.training_runs import (
    documents,
    log_of,
    make_data,
    run,
    same_weights,
    weights_of,
)

pytestmark = pytest.mark.usefixtures("one_thread")

SIZES = {"hidden_mention": 20, "hidden_pair": 30, "hidden_cluster": 15, "hidden_outer": 10}
SHORT = {"anaphoricity2015__epochs": 3, "antecedent2015__epochs": 4}


@pytest.fixture(scope="module")
def data():
    docs = documents(5, mentions=20)
    return make_data(docs, docs)


@pytest.fixture(scope="module")
def pretrained(data, tmp_path_factory):
    """A folder with the stages that several networks start from."""
    out = tmp_path_factory.mktemp("networks")
    run("margin2015", out, data, **SIZES, **SHORT, epochs=1)
    return out


class Killed(Exception):
    pass


class Killer(Progress):
    """Ends a run after some documents, as if the power failed."""

    def __init__(self, stage, document):
        self.stage, self.left = stage, document

    def document(self, stage, *_):
        self.left -= stage == self.stage
        if self.left < 0:
            raise Killed


NETWORKS = {
    "global2016": {"dropout": 0.4, "state_dropout": 0.3},
    "margin2015_g2": {"dropout": 0.2},
}


@pytest.mark.parametrize("preset", NETWORKS)
def test_a_killed_run_continues_and_produces_identical_weights(data, tmp_path, preset):
    settings = {**SIZES, **SHORT, **NETWORKS[preset], "epochs": 3}
    run(preset, tmp_path / "whole", data, **settings)
    with pytest.raises(Killed):
        run(preset, tmp_path / "killed", data, progress=Killer(preset, 8), **settings)
    assert not json.loads((tmp_path / "killed" / preset / "config.json").read_text())["training"][
        "finished"
    ]
    run(preset, tmp_path / "killed", data, resume=True, **settings)
    for file in ("model.safetensors", "config.json", "vocabulary.json"):
        one, other = (tmp_path / place / preset / file for place in ("whole", "killed"))
        assert one.read_bytes() == other.read_bytes()


def test_first_layers_are_taken_from_pretraining(data, pretrained, tmp_path):
    for stage in ("anaphoricity2015", "antecedent2015"):
        shutil.copytree(pretrained / stage, tmp_path / stage)
    still = {"cluster_learning_rate": 0, "learning_rate": 0, "output_learning_rate": 0}
    weights = weights_of(run("global2016", tmp_path, data, **SIZES, **SHORT, **still, epochs=1))
    mention = weights_of(load_model(tmp_path / "anaphoricity2015"))
    pair = weights_of(load_model(tmp_path / "antecedent2015"))
    assert same_weights(weights, mention, ["mention_table", "mention_bias"])
    assert same_weights(weights, pair, ["current_table", "previous_table", "pair_table"])
    assert not same_weights(weights, mention, ["new_mention"])


def test_the_parts_of_a_global_ranker_have_rates_of_their_own(data, pretrained, tmp_path):
    for stage in ("anaphoricity2015", "antecedent2015"):
        shutil.copytree(pretrained / stage, tmp_path / stage)
    rates = {"cluster_learning_rate": 0.01, "learning_rate": 0, "output_learning_rate": 0}
    model = run("global2016", tmp_path, data, **SIZES, **SHORT, **rates, epochs=2, seed=1)
    still = dict.fromkeys(rates, 0)
    fresh = run("global2016", tmp_path / "still", data, **SIZES, **SHORT, **still, epochs=2)
    one, other = weights_of(model), weights_of(fresh)
    moved = {name for name in one if not same_weights(one, other, [name])}
    cluster = {"cluster_table", "cluster_position", "cluster_bias"}
    assert moved == cluster | {"new_table", "new_states", "new_hidden_bias"}


def test_a_metric_stage_of_a_global_ranker_climbs(data, pretrained):
    steps = {"learning_rate": 0.1, "output_learning_rate": 0.01, "cluster_learning_rate": 0.1}
    run(
        "global_b3",
        pretrained,
        data,
        **SIZES,
        **SHORT,
        **steps,
        global_baseline__epochs=1,
        epochs=15,
    )
    log = log_of(pretrained / "global_b3")
    assert log[-1]["loss"] < log[0]["loss"] - 0.02


def test_documents_are_resolved_with_a_model_folder(data, pretrained):
    run("global2016", pretrained, data, **SIZES, **SHORT, epochs=1)
    model, [doc, *_] = load_model(pretrained / "global2016"), documents(5, mentions=20)
    [found] = resolve_documents(pretrained / "global2016", [doc], device="cpu")
    table = data.dev.tables[0]
    entities = decode_table(model.ranker, table, singletons="drop", decoding="links")
    assert found.document.clusters == table.clusters_of(entities)
    assert len(found.entities) == len(entities)


def test_settings_of_objectives_reach_their_losses():
    gold = torch.tensor([0, 0, 0, 1])
    scores = torch.randn(4, 4, generator=torch.Generator().manual_seed(1))

    def loss(**settings):
        return loss_function(Config(stage="s", **settings), 1)(scores, gold)

    free = entity_loss(scores, gold, cost_same_cluster=0)
    assert loss(objective="entity", cost_same_cluster=0.0) == free
    assert loss(objective="entity") == entity_loss(scores, gold) > free
    greedy = reinforce_loss(scores, gold, actions="greedy", metric="muc")
    assert loss(objective="reinforce", actions="greedy", metric="muc") == greedy
    sampled = {float(loss(objective="rescale", actions="sampled")) for _ in range(20)}
    assert len(sampled) > 1
    assert loss(objective="rescale") == rescale_loss(scores, gold, margin=1)


def test_settings_of_one_network_are_refused_by_others():
    with pytest.raises(CorelaxError, match=r"^network must be"):
        Config(stage="s", network="deeper")
    with pytest.raises(CorelaxError, match="network holds for all stages"):
        stage_chain("global_lea", {"global_baseline.network": "local"})


def test_any_preset_can_be_trained_with_another_network():
    *pretraining, baseline, lea = stage_chain("lea", {"network": "global", "hidden_cluster": "7"})
    assert {config.network for config in pretraining} == {"local"}
    assert {config.hidden_cluster for config in pretraining} == {200}
    assert (baseline.network, lea.network, lea.hidden_cluster) == ("global", "global", 7)
