"""Stages of training: what they start from, which epoch is kept, what is written."""

import json
import math
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

from corelax import CorelaxError
from corelax.rankers import SparseRanker
from corelax.rankers.sparse.features.cache import FeatureCorpus
from corelax.rankers.sparse.settings import SparseSettings
from corelax.train import Config, load_model, stage_chain, train_chain
from corelax.train.sparse import trainee
from corelax.train.sparse.config import saved_config
from corelax.train.sparse.data import Data, training_documents
from corelax.train.sparse.evaluate import dev_report, dev_score
from corelax.train.sparse.trainee import SparseTrainee
from tests.train.sparse.training_runs import (
    SHORT,
    SMALL,
    Quiet,
    documents,
    log_of,
    make_data,
    run,
    same_weights,
    weights_of,
)

QUICK = {key.replace(".", "__"): value for key, value in SHORT.items()}
pytestmark = pytest.mark.usefixtures("one_thread")

FILES = {"README.md", "config.json", "log.jsonl", "model.safetensors", "vocabulary.json"}
TABLES = ["mention_table", "current_table", "previous_table", "pair_table"]
OUTPUTS = ["link_mention", "link_pair", "new_mention"]


@pytest.fixture(scope="module")
def data():
    return make_data(documents(5), documents(3, seed=9))


@pytest.fixture(scope="module")
def trained(data, tmp_path_factory):
    """The folder of a whole chain."""
    out = tmp_path_factory.mktemp("chain")
    run("lea", out, data, **{**QUICK, "epochs": 3})
    return out


def config_of(model):
    return Config.from_saved({**asdict(model.settings), **model.training["config"]})


def copy_of(trained, tmp_path, *stages):
    for stage in stages:
        (tmp_path / stage).mkdir()
        for file in (trained / stage).iterdir():
            (tmp_path / stage / file.name).write_bytes(file.read_bytes())
    return tmp_path


def test_every_stage_leaves_a_model_folder_and_nothing_else(trained):
    stages = {"anaphoricity", "antecedent", "baseline", "lea"}
    assert {folder.name for folder in trained.iterdir()} == stages
    for folder in trained.iterdir():
        assert {file.name for file in folder.iterdir()} == FILES


def test_the_log_has_a_line_for_every_epoch(trained):
    for stage, epochs in (("anaphoricity", 2), ("antecedent", 2), ("baseline", 2), ("lea", 3)):
        log = log_of(trained / stage)
        assert [(line["stage"], line["epoch"]) for line in log] == [
            (stage, epoch) for epoch in range(1, epochs + 1)
        ]
        for line in log:
            assert set(line) == {
                "stage", "epoch", "loss", "dev", "temperature", "seconds", "documents",
            }  # fmt: skip
            assert math.isfinite(line["loss"])
            assert 0 <= line["dev"] <= 1
            assert line["seconds"] >= 0


@pytest.mark.parametrize("stage", ["anaphoricity", "antecedent", "baseline", "lea"])
def test_the_weights_that_were_kept_are_those_of_the_best_epoch_on_dev(trained, data, stage):
    log = log_of(trained / stage)
    model = load_model(trained / stage)
    best = max(line["dev"] for line in log)
    first = next(line["epoch"] for line in log if line["dev"] == best)
    assert (model.training["epoch"], model.training["dev"]) == (first, best)
    assert dev_score(model.ranker, data.dev.tables, config_of(model)) == best


def test_the_reported_scores_are_those_of_the_weights_in_the_folder(trained, data):
    for stage in ("baseline", "lea"):
        model = load_model(trained / stage)
        report = dev_report(model.ranker, data.dev.tables, config_of(model))
        assert model.training["scores"] == report.as_dict()
        assert model.training["scores"]["conll"] == model.training["dev"]


def test_the_card_shows_scores_settings_and_limits(trained):
    model = load_model(trained / "lea")
    card = (trained / "lea" / "README.md").read_text()
    assert f"| CoNLL | | | {100 * model.training['dev']:.2f} |" in card
    lea = model.training["scores"]["lea"]
    row = " | ".join(f"{100 * lea[key]:.2f}" for key in ("recall", "precision", "f1"))
    assert f"| lea | {row} |" in card
    assert f"Epoch {model.training['epoch']} was kept" in card
    assert "| beta_squared | 1.8 |" in card
    assert "licence" in card
    pretraining = (trained / "antecedent" / "README.md").read_text()
    assert f"{100 * load_model(trained / 'antecedent').training['dev']:.2f}" in pretraining


def test_the_config_says_what_was_trained_on_what(trained):
    content = json.loads((trained / "lea" / "config.json").read_text())
    assert content["training"]["finished"] is True
    known = content["training"]["data"]
    assert (known["train"], known["dev"]) == ("train", "dev")
    assert content["training"]["config"]["metric"] == "lea"
    assert content["training"]["config"]["epochs"] == 3
    assert content["settings"] == {
        "network": "local", "hidden_mention": 8, "hidden_pair": 12, "hidden_outer": 128,
            "hidden_cluster": 200, "word_size": 50, "hidden_deep": 1000, "hidden_above": 500,
            "initialisation": "uniform", "max_antecedents": 0,
    }  # fmt: skip


def test_the_last_epoch_is_kept_if_asked_for(data, tmp_path):
    run("anaphoricity", tmp_path, data, keep="last", epochs=6, learning_rate=1.0)
    log = log_of(tmp_path / "anaphoricity")
    model = load_model(tmp_path / "anaphoricity")
    assert model.training["epoch"] == 6
    assert model.training["dev"] == log[-1]["dev"]
    assert dev_score(model.ranker, data.dev.tables, config_of(model)) == log[-1]["dev"]


def test_the_first_of_equally_good_epochs_is_kept(data, tmp_path):
    model = run("anaphoricity", tmp_path, data, epochs=3, learning_rate=0, output_learning_rate=0)
    assert len({line["dev"] for line in log_of(tmp_path / "anaphoricity")}) == 1
    assert model.training["epoch"] == 1


@pytest.mark.parametrize("patience", [1, 2])
def test_training_stops_when_dev_gets_no_better(data, tmp_path, patience, monkeypatch):
    scores = iter([0.2, 0.3, 0.3, 0.1, 0.4, 0.3, 0.2, 0.1])
    monkeypatch.setattr(trainee, "dev_score", lambda *_: next(scores))
    run("anaphoricity", tmp_path, data, epochs=8, patience=patience)
    log = log_of(tmp_path / "anaphoricity")
    assert len(log) == 2 + patience  # the second epoch is the best until then
    assert load_model(tmp_path / "anaphoricity").training["epoch"] == 2


def test_the_baseline_starts_from_the_first_layers_of_both_networks(trained, data, tmp_path):
    out = copy_of(trained, tmp_path, "anaphoricity", "antecedent")
    still = {"epochs": 1, "learning_rate": 0, "output_learning_rate": 0}
    model = run(
        "baseline", out, data, **{k: v for k, v in QUICK.items() if "base" not in k}, **still
    )
    weights = weights_of(model)
    anaphoricity = weights_of(load_model(out / "anaphoricity"))
    antecedent = weights_of(load_model(out / "antecedent"))
    assert same_weights(weights, anaphoricity, ["mention_table", "mention_bias"])
    names = ["current_table", "previous_table", "pair_table", "pair_bias"]
    assert same_weights(weights, antecedent, names)
    assert antecedent["pair_bias"].ne(0).any()
    torch.manual_seed(Config(stage="s").random_seed("weights"))  # the second layer is new
    fresh = SparseRanker(data.train.vocabulary, SparseSettings(hidden_mention=8, hidden_pair=12))
    assert same_weights(weights, fresh.state_dict(), OUTPUTS)
    assert not torch.equal(weights["new_mention"], anaphoricity["new_mention"])
    assert not torch.equal(weights["link_pair"], antecedent["link_pair"])
    assert weights["link_bias"] == weights["new_bias"] == 0


@pytest.mark.parametrize("preset", ["lea", "entity_ce", "cm_rescale", "pairwise_b3", "conll"])
def test_objectives_start_from_all_weights_of_the_baseline(trained, data, tmp_path, preset):
    out = copy_of(trained, tmp_path, "anaphoricity", "antecedent", "baseline")
    still = {"epochs": 1, "learning_rate": 0, "output_learning_rate": 0}
    model = run(preset, out, data, **QUICK, **still)
    assert same_weights(weights_of(model), weights_of(load_model(out / "baseline")))


@pytest.mark.parametrize("stage", ["anaphoricity", "antecedent", "baseline", "lea"])
def test_the_row_for_no_feature_stays_zero(trained, stage):
    weights = weights_of(load_model(trained / stage))
    for name in TABLES:
        assert weights[name][-1].eq(0).all()


def test_one_step_is_adagrad_on_the_gradient_of_the_loss(data, tmp_path):
    """A stage of one document and one epoch, computed again with torch's own parts."""
    one = Data(data.train._replace(tables=data.train.tables[:1]), data.dev)
    settings = {"epochs": 1, "start": "", "keep": "last", "learning_rate": 0.2}
    quick = {"anaphoricity__epochs": 1, "antecedent__epochs": 1}
    model = run("baseline", tmp_path, one, **quick, **settings)
    torch.manual_seed(Config(stage="s").random_seed("weights"))
    ranker = SparseRanker(one.train.vocabulary, SparseSettings(hidden_mention=8, hidden_pair=12))
    scores = ranker(ranker.tensors_of(one.train.tables[0]))
    gold = one.train.tables[0].gold.tolist()
    loss = 0
    for i in range(1, len(gold)):
        right = [j for j in range(i) if gold[i] == gold[j] >= 0]
        costs = torch.zeros(i + 1)
        for j in range(i + 1):
            if right and j not in right:
                costs[j] = 3.0 if j == i else 1.0
            elif not right and j != i:
                costs[j] = 0.1
        loss += torch.logsumexp(scores[i, : i + 1] + costs, 0)
        loss -= torch.logsumexp(scores[i, right or [i]], 0)
    loss.backward()
    assert log_of(tmp_path / "baseline")[0]["loss"] == pytest.approx(loss.item(), rel=1e-5)
    expected = {}
    for name, parameter in ranker.named_parameters():
        gradient = parameter.grad.to_dense()
        rate = 0.002 if name.startswith(("link", "new")) else 0.2
        expected[name] = parameter.detach() - rate * gradient / (0.1 + gradient**2).sqrt()
    found = weights_of(model)
    for name, weight in expected.items():
        torch.testing.assert_close(found[name], weight, rtol=1e-4, atol=1e-5)


def without_coreference(table):
    alone = np.arange(len(table.gold_mentions), dtype=np.int32)
    mentions = np.column_stack([alone, table.gold_mentions[:, 1:]]).astype(np.int32)
    return replace(table, gold=np.full_like(table.gold, -1), gold_mentions=mentions)


def test_documents_without_coreference_are_passed_over(data, tmp_path):
    tables = [*data.train.tables[:3], without_coreference(data.train.tables[3])]
    some = Data(FeatureCorpus(tables, data.train.vocabulary, "x"), data.dev)
    progress = Quiet()
    run("anaphoricity", tmp_path, some, epochs=2, progress=progress)
    assert [line["documents"] for line in log_of(tmp_path / "anaphoricity")] == [3, 3]
    assert [what[3:] for what in progress.documents] == [(1, 3), (2, 3), (3, 3)] * 2
    assert progress.epochs == [("anaphoricity", 1), ("anaphoricity", 2)]


def test_nothing_to_learn_from_is_an_error(data, tmp_path):
    tables = [without_coreference(table) for table in data.train.tables]
    nothing = Data(FeatureCorpus(tables, data.train.vocabulary, "x"), data.dev)
    with pytest.raises(CorelaxError, match="nothing to learn"):
        run("anaphoricity", tmp_path, nothing, epochs=1)


def config_with(**settings):
    return Config(stage="s", **settings)


def test_training_documents_are_cut_and_forget_what_lies_beyond(data):
    whole = data.train.tables
    cut = training_documents(whole, config_with(max_mentions=10))
    by_key = {table.key: table for table in whole}
    for table in cut:
        original = by_key[table.key]
        assert table.size == min(10, original.size)
        assert table.features.tolist() == original.features[:10].tolist()
        beyond = {tuple(span) for span in original.spans[10:].tolist()}
        assert beyond.isdisjoint(tuple(row[1:3]) for row in table.gold_mentions.tolist())
    kept = {table.key for table in cut}
    assert kept == {table.key for table in whole if table.is_anaphoric[:10].any()}


def test_no_limit_is_no_cut(data):
    cut = training_documents(data.train.tables, config_with(max_mentions=0))
    with_coreference = [table for table in data.train.tables if table.is_anaphoric.any()]
    assert [table.size for table in cut] == [table.size for table in with_coreference]


def test_singletons_that_count_keep_documents_without_coreference(data):
    alone = without_coreference(data.train.tables[0])
    assert training_documents([alone, data.train.tables[1]], config_with(singletons="keep"))[0]
    kept = training_documents([alone, data.train.tables[1]], config_with())
    assert [table.key for table in kept] == [data.train.tables[1].key]


def test_the_same_seed_gives_the_same_weights_to_the_last_bit(data, tmp_path, trained):
    again = run("lea", tmp_path, data, **{**QUICK, "epochs": 3})
    for stage in ("anaphoricity", "antecedent", "baseline", "lea"):
        for file in ("model.safetensors", "config.json", "README.md", "vocabulary.json"):
            assert (tmp_path / stage / file).read_bytes() == (trained / stage / file).read_bytes()
    assert config_of(again) == saved_config(trained / "lea")


@pytest.mark.parametrize("preset", ["lea", "cm_reinforce"])
def test_the_name_of_a_stage_makes_no_difference(trained, data, tmp_path, preset):
    """So that runs of one seed that differ in a setting are paired."""
    out = copy_of(trained, tmp_path, "anaphoricity", "antecedent", "baseline")
    settings = {**SMALL, **SHORT, "epochs": "2", "dropout": "0.3"}
    one, other = (
        train_chain(stage_chain(preset, settings, name=name), out, data, device="cpu")
        for name in ("mine", "mine_dropout=0.3")
    )
    assert same_weights(weights_of(one), weights_of(other))


def test_training_does_not_depend_on_random_numbers_drawn_before(data, tmp_path):
    torch.manual_seed(123)
    one = run("antecedent", tmp_path / "a", data, epochs=2)
    torch.manual_seed(456)
    other = run("antecedent", tmp_path / "b", data, epochs=2)
    assert same_weights(weights_of(one), weights_of(other))


def test_documents_come_in_another_order_every_epoch(data, tmp_path, monkeypatch):
    orders = [[]]
    real = SparseTrainee.step

    def watched(trainee, numbers):
        if len(orders[-1]) == len(trainee.keys):
            orders.append([])
        orders[-1].extend(numbers)
        return real(trainee, numbers)

    monkeypatch.setattr(SparseTrainee, "step", watched)
    run("anaphoricity", tmp_path, data, epochs=6)
    assert len(orders) == 6
    assert all(sorted(order) == [0, 1, 2, 3, 4] for order in orders)
    assert len({tuple(order) for order in orders}) > 1


def test_the_temperature_of_every_epoch_is_logged(trained, data, tmp_path):
    out = copy_of(trained, tmp_path, "anaphoricity", "antecedent", "baseline")
    run("annealed", out, data, **QUICK, epochs=3)
    temperatures = [line["temperature"] for line in log_of(out / "annealed")]
    assert temperatures == pytest.approx([1, 0.1**0.5, 0.1])


@pytest.mark.parametrize("preset", ["anaphoricity", "antecedent"])
def test_a_loss_that_is_no_number_names_the_document(data, tmp_path, preset, monkeypatch):
    bad = data.train.tables[2].key
    real = SparseRanker.tensors_of

    def poisoned(self, table):
        if table.key == bad and torch.is_grad_enabled():
            with torch.no_grad():
                self.mention_bias.fill_(torch.nan)
                self.pair_bias.fill_(torch.nan)
        return real(self, table)

    monkeypatch.setattr(SparseRanker, "tensors_of", poisoned)
    with pytest.raises(CorelaxError, match=bad) as caught:
        run(preset, tmp_path, data, epochs=2)
    assert "\n" not in str(caught.value)
    assert "learning_rate" in str(caught.value)
    assert not (tmp_path / preset / "model.safetensors").exists()


def test_a_finished_stage_is_taken_as_it_is(trained, data):
    before = {file: file.stat().st_mtime_ns for file in trained.rglob("*") if file.is_file()}
    progress, notes = Quiet(), []
    model = run("lea", trained, data, **{**QUICK, "epochs": 3}, progress=progress, notes=notes)
    assert progress.documents == []
    assert [note.partition(":")[0] for note in notes] == [
        "anaphoricity", "antecedent", "baseline", "lea",
    ]  # fmt: skip
    after = {file: file.stat().st_mtime_ns for file in trained.rglob("*") if file.is_file()}
    assert after == before
    assert model.training["scores"]["conll"] == model.training["dev"]


def test_settings_that_went_are_passed_over_with_a_note(trained, data, tmp_path):
    out, notes = copy_of(trained, tmp_path, "anaphoricity"), []
    path = out / "anaphoricity" / "config.json"
    content = json.loads(path.read_text())
    content["training"]["config"] |= {"precision": "bfloat16", "own_history": 0.0}
    path.write_text(json.dumps(content))
    run("anaphoricity", out, data, epochs=2, notes=notes)
    gone = f"{out / 'anaphoricity'}: passes over precision, own_history, which are"
    assert notes[0].startswith(gone)
    assert notes[1].startswith("anaphoricity: trained before")


def test_other_settings_in_the_same_folder_are_named(trained, data):
    with pytest.raises(CorelaxError) as caught:
        run("lea", trained, data, **{**QUICK, "epochs": 4, "learning_rate": 0.1})
    message = str(caught.value)
    assert message.startswith(f"{trained / 'lea'}: was trained with other settings")
    assert "epochs" in message
    assert "learning_rate" in message
    assert "clip" not in message
    assert "\n" not in message


def test_a_stage_is_not_taken_if_what_it_started_from_was_trained_again(trained, data, tmp_path):
    out = copy_of(trained, tmp_path, "anaphoricity", "antecedent", "lea")
    with pytest.raises(CorelaxError, match=r"lea: was trained with .*weights of baseline"):
        run("lea", out, data, **{**QUICK, "epochs": 3, "baseline__learning_rate": 0.01})


def test_other_documents_are_noticed(trained, data):
    others = Data(data.train, data.dev._replace(digest="other"))
    with pytest.raises(CorelaxError, match="dev file"):
        run("lea", trained, others, **{**QUICK, "epochs": 3})


def test_a_document_with_a_single_mention_does_not_disturb(data, tmp_path):
    tables = [table.first(1) for table in data.dev.tables[:1]] + list(data.dev.tables[1:])
    some = Data(data.train, FeatureCorpus(tables, data.dev.vocabulary, "x"))
    run("baseline", tmp_path, some, **QUICK | {"epochs": 1})
