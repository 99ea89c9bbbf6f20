"""A stage of an encoder ranker: it learns, goes on after it was killed, and is never trained twice."""

from __future__ import annotations

import json

import pytest
import torch

from corelax import CorelaxError
from corelax.core.folders import WEIGHTS
from corelax.rankers.encoder.folder import load_ranker
from corelax.train.encoder.config import EncoderConfig
from corelax.train.encoder.evaluate import dev_report
from corelax.train.encoder.stage import EncoderStage
from corelax.train.stage import RunOptions, train_stage
from tests.train.encoder.tiny_encoder import Listener, examples, made, save_encoder, tiny_model

pytestmark = pytest.mark.usefixtures("one_thread")
IDENTITY = {"documents": {"made": "these"}}
QUICK = {"epochs": 4, "batch": 2, "averaging": 0.5, "learning_rate": 3e-3, "max_words": 60}


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return save_encoder(tmp_path_factory.mktemp("encoder"), made(6))


def train(folder, encoder, progress=None, resume=False, number=5, identity=IDENTITY, **settings):
    model = tiny_model(encoder, window=40)
    docs = examples(model, made(number))
    config = EncoderConfig(stage="s", **{**QUICK, **settings})
    stage = EncoderStage(
        config=config, model=model, examples=lambda: docs, dev={"made": docs}, identity=identity
    )
    return train_stage(stage, folder, RunOptions(resume=resume, progress=progress))


def log(folder):
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def same_log(one, other):
    return [{**line, "seconds": 0} for line in log(one)] == [
        {**line, "seconds": 0} for line in log(other)
    ]


@pytest.mark.slow
def test_it_learns_a_few_documents_by_heart(encoder, tmp_path):
    model = tiny_model(encoder)
    docs = examples(model, made(6))
    before = float(dev_report(model.ranker.eval(), docs).conll)
    config = EncoderConfig(
        stage="s", epochs=30, learning_rate=5e-3, encoder_learning_rate=2e-3, averaging=0.9
    )
    stage = EncoderStage(
        config=config, model=model, examples=lambda: docs, dev={"made": docs}, identity={}
    )
    trained = train_stage(stage, tmp_path)
    assert before < 0.3
    assert trained.training["scores"]["made"]["conll"] > 0.8
    losses = [line["loss"] for line in log(tmp_path)]
    assert losses[-1] < losses[0] / 4


@pytest.mark.parametrize("keep", ["best", "last"])
@pytest.mark.parametrize("killed", [{"after_epoch": 2}, {"at_document": (3, 2)}])
def test_going_on_ends_as_if_it_had_not_been_killed(encoder, tmp_path, keep, killed):
    train(tmp_path / "whole", encoder, keep=keep)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "parts", encoder, Listener(**killed), keep=keep)
    listener = Listener()
    train(tmp_path / "parts", encoder, listener, resume=True, keep=keep)
    assert [epoch for _, epoch in listener.epochs] == [3, 4]
    weights = [(tmp_path / name / WEIGHTS).read_bytes() for name in ("whole", "parts")]
    assert weights[0] == weights[1]
    assert same_log(tmp_path / "whole", tmp_path / "parts")


def test_a_finished_stage_is_taken_as_it_is(encoder, tmp_path):
    first = train(tmp_path, encoder)
    weights = (tmp_path / WEIGHTS).read_bytes()
    listener = Listener()
    again = train(tmp_path, encoder, listener)
    assert listener.documents == []
    assert (tmp_path / WEIGHTS).read_bytes() == weights
    for name, weight in first.ranker.state_dict().items():
        assert torch.equal(again.ranker.state_dict()[name], weight)
    assert again.training["scores"] == first.training["scores"]


def test_the_folder_tells_what_was_kept(encoder, tmp_path):
    quick = {"learning_rate": 5e-3, "encoder_learning_rate": 2e-3, "averaging": 0.9}
    train(tmp_path, encoder, keep="best", epochs=20, **quick)
    model = load_ranker(tmp_path)
    dev = [line["dev"] for line in log(tmp_path)]
    assert len(set(dev)) > 1
    assert model.training["dev"] == max(dev)
    assert model.training["epoch"] == 1 + dev.index(max(dev))
    docs = examples(model, made(5))
    report = dev_report(model.ranker, docs)
    assert model.training["scores"]["made"] == report.as_dict()
    assert float(report.conll) == max(dev)
    assert not (tmp_path / "checkpoint.safetensors").exists()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"objective": "reinforce"}, "objective must be"),
        ({"objective": "anaphoricity"}, "objective must be"),
        ({"objective": "margin"}, "needs costs"),
        ({"like_original": True, "objective": "metric"}, "like_original"),
        ({"decoding": "entities"}, "decoding must be 'links'"),
        ({"cuts": 1.5}, "cuts must be from 0 to 1"),
        ({"averaging": 1.0}, "averaging must be"),
        ({"warmup": -0.1}, "warmup must be"),
        ({"batch": 0}, "batch must be"),
        ({"head": -1.0}, "head must be"),
        ({"corpora": ("many*gum",)}, "many\\*gum"),
        ({"corpora": ("0*gum",)}, "0\\*gum"),
    ],
)
def test_settings_that_make_no_sense_are_errors(settings, message):
    with pytest.raises(CorelaxError, match=message):
        EncoderConfig(stage="s", **settings)


def test_a_folder_from_before_a_setting_existed_has_its_default(encoder, tmp_path):
    train(tmp_path, encoder, epochs=1)
    path = tmp_path / "config.json"
    content = json.loads(path.read_text())
    del content["training"]["config"]["weight_decay"]
    path.write_text(json.dumps(content))
    listener = Listener()
    train(tmp_path, encoder, listener, epochs=1)
    assert listener.documents == []
    with pytest.raises(CorelaxError, match=r"other settings or files \(weight_decay\)"):
        train(tmp_path, encoder, epochs=1, weight_decay=0.5)
