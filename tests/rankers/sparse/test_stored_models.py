"""Models that were trained long ago still load, and score documents as they did."""

import json
from pathlib import Path

import pytest
import torch

from corelax.io import read
from corelax.rankers.sparse.features.extract import describe, table
from corelax.rankers.sparse.folder import load_model
from corelax.rankers.sparse.mentions.lexicons import lexicons_of
from corelax.train.sparse.config import saved_config

DATA = Path(__file__).parents[2] / "data"
MODELS = DATA / "sparse_models"
SCORES = json.loads((MODELS / "scores.json").read_text())


@pytest.mark.parametrize("name", SCORES)
def test_stored_models_score_documents_as_when_they_were_trained(name):
    model = load_model(MODELS / name)
    lexicons = lexicons_of(model.vocabulary.lexicons, MODELS / name)
    for doc in read(DATA / "feature_sentences.conll"):
        known = describe(doc, model.vocabulary.settings, lexicons, lambda _: None)
        with torch.no_grad():
            scores = model.ranker(model.ranker.tensors_of(table(known, model.vocabulary)))
        rows = [row[: i + 1] for i, row in enumerate(scores.tolist())]
        assert len(rows) == len(SCORES[name][doc.id])
        for row, stored in zip(rows, SCORES[name][doc.id], strict=True):
            assert row == pytest.approx(stored, abs=2e-6)


@pytest.mark.parametrize("name", SCORES)
def test_stored_models_resolve(name, corelax, monkeypatch):
    monkeypatch.setenv("CORELAX_LEXICONS", "shipped")
    file = DATA / "feature_sentences.conll"
    done = corelax(
        "resolve", file, "--model", MODELS / name, "--format", "conll", "--device", "cpu"
    )
    assert done.code == 0
    assert done.out.count("#begin document") == 2


@pytest.mark.parametrize("name", SCORES)
def test_settings_that_went_are_passed_over(name):
    stored = json.loads((MODELS / name / "config.json").read_text())["training"]["config"]
    assert {"precision", "own_history", "own_history_end"} <= stored.keys()
    config = saved_config(MODELS / name)
    assert (config.stage, config.dropout) == (stored["stage"], stored["dropout"])
    assert config.features == stored["features"]
