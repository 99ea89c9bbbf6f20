"""Training of the deep ranker: word vectors, resuming, learning by heart, model folders."""

import gzip
import json
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from corelax import CorelaxError, train
from corelax.io import write
from corelax.train import load_model, stage_chain
from corelax.train.sparse.config import saved_config
from corelax.train.sparse.objective import document_objective
from corelax.train.sparse.vectors import WordVectors, read_vectors
from tests.train.sparse.test_networks import Killed, Killer
from tests.train.sparse.training_runs import (
    documents,
    log_of,
    make_data,
    run,
    weights_of,
)

pytestmark = pytest.mark.usefixtures("one_thread")

SIZES = {"word_size": 8, "hidden_deep": 40, "hidden_above": 20}
SHORT = {"deep_all_pairs__epochs": 2, "deep_top_pairs__epochs": 1}


@pytest.fixture(scope="module")
def docs():
    return documents(5, mentions=20)


@pytest.fixture(scope="module")
def data(docs):
    data = make_data(docs, docs, words=True)
    words = ["the", "she", "of", "he", "xyzzy"]
    matrix = np.arange(40, dtype=np.float32).reshape(5, 8) / 100
    vocabulary = data.train.vocabulary.with_words(words)
    return data._replace(
        train=data.train._replace(vocabulary=vocabulary),
        dev=data.dev._replace(vocabulary=vocabulary),
        vectors=WordVectors(words, matrix),
    )


@pytest.fixture(scope="module")
def trained(data, tmp_path_factory):
    out = tmp_path_factory.mktemp("deep")
    run("deep_heuristic", out, data, **SIZES, **SHORT, epochs=2)
    return out


def test_a_killed_run_continues_and_produces_identical_weights(data, tmp_path):
    settings = {**SIZES, "epochs": 3}
    run("deep_all_pairs", tmp_path / "whole", data, **settings)
    killer = Killer("deep_all_pairs", 6)
    with pytest.raises(Killed):
        run("deep_all_pairs", tmp_path / "killed", data, progress=killer, **settings)
    run("deep_all_pairs", tmp_path / "killed", data, resume=True, **settings)
    for file in ("model.safetensors", "config.json", "vocabulary.json"):
        one, other = (tmp_path / place / "deep_all_pairs" / file for place in ("whole", "killed"))
        assert one.read_bytes() == other.read_bytes()


@pytest.fixture(scope="module")
def pretrained(data, tmp_path_factory):
    """Pretrained on pairs, but not to the end."""
    out = tmp_path_factory.mktemp("pretrained")
    run("deep_top_pairs", out, data, **SIZES, **PRETRAINED)
    assert load_model(out / "deep_top_pairs").training["scores"]["conll"] < 0.9
    return out


LONGER = {"deep_all_pairs__epochs": 25, "deep_all_pairs__dropout": 0}
PRETRAINED = {**LONGER, "epochs": 2, "dropout": 0}
BEFORE = {**LONGER, "deep_top_pairs__epochs": 2, "deep_top_pairs__dropout": 0}


def test_pairs_are_learnt_in_pretraining(pretrained):
    log = log_of(pretrained / "deep_all_pairs")
    assert log[-1]["loss"] < log[0]["loss"] / 3


@pytest.mark.parametrize("stage", ["deep_all_pairs", "deep_top_pairs"])
def test_the_dev_score_of_pretraining_is_the_likelihood_of_dev(data, trained, stage):
    model, config = load_model(trained / stage), saved_config(trained / stage)
    assert config.criterion == "likelihood"
    loss_of = document_objective(replace(config, dropout=0.0), 1, data.dev.tables)
    losses = []
    for table in data.dev.tables:
        document = model.ranker.tensors_of(table)
        losses.append(loss_of(model.ranker, document).item())
    expected = math.exp(-sum(losses) / len(losses))
    assert model.training["dev"] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("preset", ["deep_b3", "deep_lea"])
def test_metrics_climb_on_the_network(data, pretrained, preset):
    ranked = {"learning_rate": 0.0005, "dropout": 0, "epochs": 6}
    run(preset, pretrained, data, **SIZES, **BEFORE, **ranked)
    log = log_of(pretrained / preset)
    assert log[-1]["loss"] < log[0]["loss"] - 0.02


def test_words_have_the_given_vectors_and_those_of_training_change(data, trained):
    words = data.train.vocabulary.words
    weights = weights_of(load_model(trained / "deep_heuristic"))
    given = torch.arange(40).reshape(5, 8) / 100
    for row, word in enumerate(data.vectors.words):
        number = words.index(word)
        torch.testing.assert_close(weights["fixed_vectors"][number], given[row].float())
    unseen, seen = words.index("xyzzy"), words.index("the")
    assert weights["word_vectors"][unseen].equal(weights["fixed_vectors"][unseen])
    assert not weights["word_vectors"][seen].equal(weights["fixed_vectors"][seen])


@pytest.fixture
def folder(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "package" / "data"
    path.mkdir(parents=True)
    np.save(path / "vectors.npy", np.eye(3, dtype=np.float32))
    pq.write_table(pa.table({"number": [1, 2, 3], "index": ["the", ",", "of"]}), path / "w.parquet")
    return tmp_path / "package"


def test_vectors_come_from_a_folder_with_a_matrix_and_words(folder):
    vectors = read_vectors(folder)
    rows, values = vectors.of(["of", "nothing", "the"])
    assert (vectors.size, rows.tolist()) == (3, [0, 2])
    assert values.tolist() == [[0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize("name", ["vectors.txt", "vectors.txt.gz"])
@pytest.mark.parametrize("header", ["", "2 3\n"])
def test_vectors_come_from_text(tmp_path, name, header):
    text = header + "the 1 2 3\nof -1 0.5 1e-3\n"
    content = gzip.compress(text.encode()) if name.endswith("gz") else text.encode()
    (tmp_path / name).write_bytes(content)
    vectors = read_vectors(tmp_path / name)
    assert vectors.words == ("the", "of")
    assert vectors.of(["of"])[1].tolist() == [[-1, 0.5, pytest.approx(1e-3)]]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("the 1 2\nof 1\n", "line 2: must be a word and 2 numbers"),
        ("the 1 2\nof 1 two\n", "line 2"),
        ("the 1 nan\n", "line 1"),
        ("", "holds no word vectors"),
    ],
)
def test_text_that_holds_no_vectors_is_named(tmp_path, text, problem):
    (tmp_path / "v.txt").write_text(text)
    with pytest.raises(CorelaxError, match=problem) as caught:
        read_vectors(tmp_path / "v.txt")
    assert "\n" not in str(caught.value)


def test_folders_that_hold_no_vectors_are_named(folder, tmp_path):
    with pytest.raises(CorelaxError, match="no such file or folder"):
        read_vectors(tmp_path / "nowhere")
    np.save(folder / "data" / "vectors.npy", np.eye(4, dtype=np.float32))
    with pytest.raises(CorelaxError, match="3 words, but 4 vectors"):
        read_vectors(folder)
    (folder / "data" / "vectors.npy").write_bytes(b"nothing")
    with pytest.raises(CorelaxError, match="not a matrix"):
        read_vectors(folder)
    (folder / "data" / "vectors.npy").unlink()
    with pytest.raises(CorelaxError, match=r"has one \.npy file, not 0"):
        read_vectors(folder)


@pytest.fixture
def files(docs, tmp_path, monkeypatch):
    monkeypatch.setenv("CORELAX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CORELAX_LEXICONS", "none")
    write(docs, tmp_path / "docs.conll")
    return {"train": tmp_path / "docs.conll", "dev": tmp_path / "docs.conll", "device": "cpu"}


def test_files_and_vectors_make_a_model(files, folder, tmp_path):
    settings = {**SIZES, "word_size": 3, "epochs": 1}
    trained = train(
        "deep_all_pairs", **files, out=tmp_path / "out", vectors=folder, settings=settings
    )
    words = json.loads((trained.folder / "vocabulary.json").read_text())["words"]
    assert {"the", ",", "of"} <= set(words)
    known = trained.training["data"]["vectors"]
    assert known == read_vectors(folder).only(words).digest
    text = tmp_path / "vectors.txt"  # the same vectors in another file are the same training
    text.write_text("of 0 0 1\n, 0 1 0\nthe 1 0 0\nnowhere 5 5 5\n")
    assert known == read_vectors(text).only(words).digest
    text.write_text("of 0 0 1\n, 0 1 0\nthe 1 0 2\n")
    assert known != read_vectors(text).only(words).digest
    assert "conll" in trained.training["scores"]


def test_without_vectors_one_line_says_that_they_are_random(files, tmp_path):
    notes = []
    settings = {**SIZES, "epochs": 1}
    train("deep_all_pairs", **files, out=tmp_path / "out", settings=settings, note=notes.append)
    assert [note for note in notes if "no word vectors are given" in note]


@pytest.mark.parametrize(
    ("config", "settings", "problem"),
    [
        ("deep_all_pairs", {}, "set word_size=3"),
        ("anaphoricity", {}, "only deep rankers have word vectors"),
    ],
)
def test_vectors_that_cannot_be_used_say_why(files, folder, tmp_path, config, settings, problem):
    with pytest.raises(CorelaxError, match=problem):
        train(config, **files, out=tmp_path / "out", vectors=folder, settings=settings)
    assert not (tmp_path / "out").exists()


def test_pretraining_of_other_networks_is_refused():
    with pytest.raises(CorelaxError, match="a deep ranker cannot start from anaphoricity"):
        stage_chain("lea", {"network": "deep"})
    with pytest.raises(CorelaxError, match="all_pairs is an objective of deep rankers"):
        stage_chain("baseline", {"objective": "all_pairs"})
