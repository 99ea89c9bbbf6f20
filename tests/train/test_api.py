"""`corelax.train(...)`, all that the command does."""

import json

import pytest

import corelax
from corelax import CorelaxError
from corelax.resolve import resolve_documents
from corelax.train import ArgumentError, Progress, stage_chain
from tests.train.sparse.training_runs import documents

pytestmark = pytest.mark.usefixtures("one_thread")
SMALL = {"hidden_mention": 8, "hidden_pair": 12, "anaphoricity.epochs": 1, "antecedent.epochs": 1}


@pytest.fixture(autouse=True)
def surroundings(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("CORELAX_CACHE", str(tmp_path_factory.getbasetemp() / "api_cache"))
    monkeypatch.setenv("CORELAX_LEXICONS", "shipped")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    corelax.write(documents(4, mentions=20), folder / "train.conll")
    corelax.write(documents(2, seed=9, mentions=20), folder / "dev.conll")
    return folder


class Counter(Progress):
    def __init__(self):
        self.epochs = []

    def epoch(self, config, history):
        self.epochs.append((config.stage, len(history.epochs)))


def train(files, out, config="baseline", **more):
    settings = {**SMALL, "epochs": 2, **more.pop("settings", {})}
    return corelax.train(
        config, train=files / "train.conll", dev=files / "dev.conll", out=out, settings=settings,
        device="cpu", **more,
    )  # fmt: skip


def test_the_package_is_also_the_function(files, tmp_path):
    progress, notes = Counter(), []
    trained = train(files, tmp_path, progress=progress, note=notes.append)
    assert trained.folder == tmp_path / "baseline"
    stored = json.loads((trained.folder / "config.json").read_text())["training"]
    assert trained.scores["dev"] == stored["scores"]
    assert trained.training["epoch"] == stored["epoch"]
    assert progress.epochs[-2:] == [("baseline", 1), ("baseline", 2)]
    assert notes[-1].startswith("baseline: ")
    gold = corelax.read(files / "dev.conll")
    predicted = [r.document for r in resolve_documents(trained.folder, gold, device="cpu")]
    report = corelax.score(gold=gold, system=predicted, singletons="drop")
    assert report.as_dict() == trained.scores["dev"]


def test_names_of_the_package_can_still_be_imported():
    from corelax.train import AdaGrad
    from corelax.train.optim import AdaGrad as same

    assert AdaGrad is same
    assert corelax.train.stage_chain is stage_chain
    assert "AdaGrad" in dir(corelax.train)
    with pytest.raises(AttributeError, match="no attribute 'adagrad'"):
        _ = corelax.train.adagrad


def test_a_finished_run_is_taken_as_it_is(files, tmp_path):
    first = train(files, tmp_path, seed=3)
    assert first.training["config"]["seed"] == 3
    progress = Counter()
    again = train(files, tmp_path, seed=3, progress=progress)
    assert progress.epochs == []
    assert again.model.digest == first.model.digest


def test_a_file_may_name_its_corpus(files, tmp_path):
    (tmp_path / "mine.toml").write_text(
        'extends = "anaphoricity"\n[ranker]\nhidden_mention = 8\nhidden_pair = 12\n'
        '[corpora.made]\ntrain = ["train.conll"]\ndev = ["dev.conll"]\n'
        "[stages.anaphoricity]\nepochs = 1\n"
    )
    by_file = corelax.train(tmp_path / "mine.toml", data=files, out=tmp_path / "a", device="cpu")
    by_arguments = corelax.train(
        "anaphoricity", train=files / "train.conll", dev=files / "dev.conll", out=tmp_path / "b",
        settings={"hidden_mention": 8, "hidden_pair": 12, "epochs": 1}, device="cpu",
    )  # fmt: skip
    assert by_file.model.digest == by_arguments.model.digest
    with pytest.raises(ArgumentError, match="needs data"):
        corelax.train(tmp_path / "mine.toml", out=tmp_path / "c")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"config": "lea", "train": "t"}, "config 'lea' needs dev"),
        ({"config": "lea", "train": "t", "dev": "d", "encoder": "e"}, "cannot use encoder"),
        ({"config": "lea", "train": "t", "dev": "d", "int8": True}, "cannot use int8"),
        ({"config": "own", "train": "t", "dev": "d"}, "config 'own' needs encoder"),
        ({"config": "small", "encoder": "e"}, "config 'small' needs data"),
        ({"config": "small", "encoder": "e", "data": "d", "train": "t"}, "cannot use train"),
    ],
)
def test_arguments_that_do_not_go_together(tmp_path, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        corelax.train(**arguments, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_place_of_the_folder_is_named(files, tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(CorelaxError, match="out: is a file; name a folder"):
        train(files, tmp_path / "out")
