"""Two workers learn what one process learns: losses, weights and dev scores agree within rounding."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from corelax.challenges.gap import COLUMNS
from corelax.core.folders import WEIGHTS
from corelax.train.encoder.config import EncoderConfig
from corelax.train.encoder.corpora import TrainingCorpus, training_examples
from corelax.train.encoder.examples import SoftTargets
from corelax.train.encoder.stage import EncoderStage
from corelax.train.encoder.trainee import EncoderTrainee
from corelax.train.joining import joined
from corelax.train.stage import train_stage
from corelax.train.team import ALONE, END
from tests.train.encoder.test_pairs import ROWS
from tests.train.encoder.tiny_encoder import Listener, examples, made, save_encoder, tiny_model

pytestmark = pytest.mark.usefixtures("one_thread")
RATES = {"learning_rate": 3e-3, "encoder_learning_rate": 1e-3, "averaging": 0.5}
NOTHING_ELSE = {"likelihood": 0.0, "mention": 0.0, "type": 0.0, "head": 0.0}
METRIC = {"objective": "metric", "objective_weight": 100.0, **NOTHING_ELSE}
TYPES = ("animal", "person")


@pytest.fixture(scope="module")
def team():
    with joined("cpu", workers=2) as team:
        yield team
        team.call(END, None)


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


def learnt(encoder, docs, dev, config, team):
    """Losses of the steps of two epochs, the dev score, and all weights."""
    model = fresh(encoder)
    trainee = EncoderTrainee(config, model, docs, {"dev": dev}, team)
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
}
MORE_CASES = {
    "variations": {"batch": 3, "max_words": 50, "swaps": 1.0, "cuts": 0.5},
    "metric": {"batch": 4, "objective": "metric", "metric": "lea"},
    "pairwise": {"batch": 3, "cuts": 1.0, **METRIC, "metric": "conll", "family": "pairwise"},
    "pooled, idle": {"batch": 1, "pool": "batch", **METRIC, "metric": "b_cubed"},
}


@pytest.mark.parametrize(
    "settings",
    [
        *(pytest.param(settings, id=name) for name, settings in CASES.items()),
        *(
            pytest.param(settings, id=name, marks=pytest.mark.slow)
            for name, settings in MORE_CASES.items()
        ),
    ],
)
def test_two_workers_learn_what_one_learns(team, encoder, tmp_path, settings):
    config = EncoderConfig(stage="s", epochs=2, **RATES, **settings)
    whole, paragraphs = documents(fresh(encoder), tmp_path)
    one = learnt(encoder, whole + paragraphs, whole, config, ALONE)
    two = learnt(encoder, whole + paragraphs, whole, config, team)
    assert len(one[0]) == 2 * -(-8 // config.batch)
    assert two[0] == pytest.approx(one[0], rel=1e-4, abs=1e-5)
    assert len(set(one[0])) > 1
    assert two[1] == pytest.approx(one[1], abs=1e-9)
    before = fresh(encoder).ranker.state_dict()
    for name, weight in one[2].items():
        torch.testing.assert_close(two[2][name], weight, rtol=1e-3, atol=2e-4)
    moved = [n for n, w in before.items() if not torch.equal(one[2][f"ranker.{n}"], w)]
    kept = [n for n, w in before.items() if not torch.equal(two[2][f"ranker.{n}"], w)]
    assert moved == kept  # weights without gradient stay as they are
    assert len(moved) > len(before) / 2


def test_pooled_counts_are_another_loss(encoder, tmp_path):
    """Or the test above would not show that counts are added up over workers."""
    whole, _ = documents(fresh(encoder), tmp_path)
    first = []
    for pool in ("document", "batch"):
        config = EncoderConfig(stage="s", epochs=2, batch=4, pool=pool, **METRIC, metric="conll")
        first.append(learnt(encoder, whole, [], config, ALONE)[0][0])
    assert first[0] != pytest.approx(first[1], rel=1e-3)


QUICK = {"epochs": 3, "batch": 2, "max_words": 60, **RATES}


def train(folder, encoder, team, progress=None, resume=False, **settings):
    model = tiny_model(encoder, window=40)  # with dropout
    docs = examples(model, made(5))
    stage = EncoderStage(
        config=EncoderConfig(stage="s", **{**QUICK, **settings}),
        model=model,
        examples=lambda: docs,
        dev={"made": docs},
        identity={},
        team=team,
    )
    return train_stage(stage, folder, resume=resume, progress=progress)


@pytest.mark.slow
@pytest.mark.parametrize("killed", [{"after_epoch": 1}, {"at_document": (2, 2)}])
def test_a_continued_run_of_two_workers_ends_with_the_same_weights(team, encoder, tmp_path, killed):
    train(tmp_path / "whole", encoder, team)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "parts", encoder, team, Listener(**killed))
    train(tmp_path / "parts", encoder, team, resume=True)
    weights = [(tmp_path / name / WEIGHTS).read_bytes() for name in ("whole", "parts")]
    assert weights[0] == weights[1]


def test_workers_drop_different_numbers_out(team, encoder, tmp_path):
    """With dropout the curves of one and of two workers differ, and each can be repeated."""
    for name, of in (("one", ALONE), ("two", team), ("again", team)):
        train(tmp_path / name, encoder, of, epochs=1)
    one, two, again = (
        json.loads((tmp_path / name / "log.jsonl").read_text())["loss"]
        for name in ("one", "two", "again")
    )
    assert one != two == again


def test_a_run_of_one_worker_can_be_continued_by_two(team, encoder, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path, encoder, ALONE, Listener(after_epoch=1))
    trained = train(tmp_path, encoder, team, resume=True)
    assert trained.training["finished"]
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) == 3
