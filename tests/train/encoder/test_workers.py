"""Two workers learn what one process learns: losses, weights and dev scores agree within rounding."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from corelax.io.gap import COLUMNS
from corelax.train.encoder.config import EncoderConfig
from corelax.train.encoder.corpora import TrainingCorpus, training_examples
from corelax.train.encoder.examples import SoftTargets
from corelax.train.encoder.stage import EncoderStage
from corelax.train.encoder.trainee import EncoderTrainee
from corelax.train.stage import RunOptions, train_stage
from corelax.train.workers import ALONE
from tests.train.encoder.test_pairs import ROWS
from tests.train.encoder.tiny_encoder import Listener, examples, made, save_encoder, tiny_model
from tests.train.two_workers import on_both

pytestmark = pytest.mark.usefixtures("one_thread")
RATES = {"learning_rate": 3e-3, "encoder_learning_rate": 1e-3, "averaging": 0.5}
NOTHING_ELSE = {"likelihood": 0.0, "mention": 0.0, "type": 0.0, "head": 0.0}
METRIC = {"objective": "metric", "objective_weight": 100.0, **NOTHING_ELSE}
TYPES = ("animal", "person")


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return save_encoder(tmp_path_factory.mktemp("encoder"), made(6))


def fresh(encoder):
    """A model without dropout, whose random numbers would differ between workers."""
    schemes = ("one", "two")
    return tiny_model(encoder, window=40, types=TYPES, schemes=schemes, span_ratio=1.5, dropout=0.0)


def documents(model, folder):
    """Whole documents of two schemes, with a twin or a teacher, and two paragraphs with pairs."""
    whole = examples(model, made(5)) + examples(model, made(2, seed=3), singletons="keep")
    for number, example in enumerate(whole):
        types = torch.arange(len(example.markables.where)).remainder(3).numpy() - 1
        marked = example.markables._replace(types=types, heads=example.markables.where[:, 2] - 1)
        whole[number] = example._replace(scheme=number % 2, markables=marked)
    whole[0] = whole[0]._replace(twin=whole[1])
    where = whole[2].where
    chance = np.linspace(0.1, 0.9, len(where), dtype=np.float32)
    whole[2] = whole[2]._replace(soft=SoftTargets(where, where, chance, where, chance))
    text = "\n".join("\t".join(row) for row in (COLUMNS, *ROWS))
    (folder / "gap.tsv").write_text(text + "\n")
    corpus = TrainingCorpus(name="gap", scheme="two", format="gap", train=("gap.tsv",))
    return whole, training_examples(corpus, folder, model.tokenizer, model.ranker.settings)


def learnt(workers, encoder, docs, dev, config):
    """Losses of the steps of two epochs, the dev score, and all weights."""
    model = fresh(encoder)
    trainee = EncoderTrainee(config, model, docs, {"dev": dev}, workers)
    losses = []
    for epoch in (1, 2):
        torch.manual_seed(config.random_seed(epoch))
        order = torch.randperm(len(trainee.keys)).tolist()
        trainee.begin_epoch(epoch)
        for start in range(0, len(order), config.batch):
            losses.append(trainee.step(order[start : start + config.batch]).item())
    return losses, trainee.dev_score(), trainee.network.state_dict()


CASES = {
    "sums": {"batch": 4, "soft": 0.5},
    "idle": {"batch": 1},  # one worker has nothing to do, unless a step has paragraphs
    "pooled": {"batch": 4, "cuts": 0.5, "pool": "batch", **METRIC, "metric": "conll"},
    "variations": {"batch": 3, "max_words": 50, "swaps": 1.0, "cuts": 0.5},
    "metric": {"batch": 4, "objective": "metric", "metric": "lea"},
    "pairwise": {"batch": 3, "cuts": 1.0, **METRIC, "metric": "conll", "family": "pairwise"},
    "pooled, idle": {"batch": 1, "pool": "batch", **METRIC, "metric": "b_cubed"},
}
QUICK = {"epochs": 3, "batch": 2, "max_words": 60, **RATES}


def numbers(workers, *arguments):
    """What can be sent: losses, the dev score, and the weights as arrays."""
    losses, score, weights = learnt(workers, *arguments)
    return losses, score, {name: weight.numpy() for name, weight in weights.items()}


def train(workers, folder, encoder, progress=None, resume=False, **settings):
    """With dropout; followers are not interrupted, they lose the first worker."""
    model = tiny_model(encoder, window=40)
    docs = examples(model, made(5))
    stage = EncoderStage(
        config=EncoderConfig(stage="s", **{**QUICK, **settings}),
        model=model,
        examples=lambda: docs,
        dev={"made": docs},
        identity={},
        workers=workers,
    )
    return train_stage(stage, folder, RunOptions(resume=resume, progress=progress))


def trained_weights(workers, *arguments, **settings):
    return digest(train(workers, *arguments, **settings).ranker.state_dict())


def digest(weights):
    return [float(weight.double().sum()) for weight in weights.values()]


def arguments_of(settings, encoder, folder):
    config = EncoderConfig(stage="s", epochs=2, **RATES, **settings)
    whole, paragraphs = documents(fresh(encoder), folder)
    return encoder, whole + paragraphs, whole, config


@pytest.fixture(scope="module")
def two(encoder, tmp_path_factory):
    """What two workers make of all cases, and of three whole trainings."""
    folder = tmp_path_factory.mktemp("two")
    with pytest.raises(KeyboardInterrupt):
        train(ALONE, folder / "continued", encoder, Listener(after_epoch=1))
    calls = [(numbers, arguments_of(settings, encoder, folder)) for settings in CASES.values()]
    calls += [(trained_weights, (folder / name, encoder)) for name in ("one", "again")]
    calls += [(trained_weights, (folder / "continued", encoder, None, True))]
    return folder, on_both(calls)


@pytest.mark.parametrize("name", CASES)
def test_two_workers_learn_what_one_learns(two, encoder, tmp_path, name):
    arguments = arguments_of(CASES[name], encoder, tmp_path)
    one = learnt(ALONE, *arguments)
    before = fresh(encoder).ranker.state_dict()
    for losses, score, weights in two[1][list(CASES).index(name)]:
        assert losses == pytest.approx(one[0], rel=1e-4, abs=1e-5)
        assert score == pytest.approx(one[1], abs=1e-9)
        for key, weight in one[2].items():
            torch.testing.assert_close(torch.from_numpy(weights[key]), weight, rtol=1e-3, atol=5e-4)
        moved = [n for n, w in before.items() if not torch.equal(one[2][f"ranker.{n}"], w)]
        kept = [n for n, w in before.items() if (weights[f"ranker.{n}"] != w.numpy()).any()]
        assert moved == kept  # weights without gradient stay as they are
        assert len(moved) > len(before) / 2
    assert len(one[0]) == 2 * -(-8 // CASES[name]["batch"])
    assert len(set(one[0])) > 1


def test_pooled_counts_are_another_loss(encoder, tmp_path):
    """Or the test above would not show that counts are added up over workers."""
    whole, _ = documents(fresh(encoder), tmp_path)
    first = []
    for pool in ("document", "batch"):
        config = EncoderConfig(stage="s", epochs=2, batch=4, pool=pool, **METRIC, metric="conll")
        first.append(learnt(ALONE, encoder, whole, [], config)[0][0])
    assert first[0] != pytest.approx(first[1], rel=1e-3)


def test_workers_drop_different_numbers_out(two, encoder):
    """With dropout the curves of one and of two workers differ, and each can be repeated."""
    folder, results = two
    train(ALONE, folder / "alone", encoder)
    alone, first, again = (
        [
            json.loads(line)["loss"]
            for line in (folder / name / "log.jsonl").read_text().splitlines()
        ]
        for name in ("alone", "one", "again")
    )
    assert alone != first == again
    assert results[-3] == [results[-3][0]] * 2 == results[-2]  # both return the same model


def test_a_run_of_one_worker_can_be_continued_by_two(two):
    folder = two[0] / "continued"
    assert json.loads((folder / "config.json").read_text())["training"]["finished"]
    assert len((folder / "log.jsonl").read_text().splitlines()) == 3
