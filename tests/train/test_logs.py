"""Logs of training for other programs, and the callbacks they are made of."""

import csv
import json

import pytest

import corelax
from corelax import CorelaxError
from corelax.train import logs
from corelax.train.loop import Progress
from tests.train.sparse.training_runs import documents

SMALL = {"hidden_mention": 8, "hidden_pair": 12}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("CORELAX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CORELAX_LEXICONS", "none")
    corelax.write(documents(3, mentions=15), tmp_path / "train.conll")
    corelax.write(documents(2, seed=9, mentions=15), tmp_path / "dev.conll")
    return tmp_path


class Interrupting(Progress):
    """Stops after an epoch."""

    def __init__(self, after):
        self.after = after

    def epoch(self, _, history):
        if len(history.epochs) == self.after:
            raise KeyboardInterrupt


def train(files, **more):
    return corelax.train(
        "anaphoricity",
        train=files / "train.conll",
        dev=files / "dev.conll",
        out=files / "runs",
        settings={**SMALL, "epochs": 3},
        device="cpu",
        **more,
    )


def interrupted_and_continued(files, log):
    with pytest.raises(KeyboardInterrupt):
        train(files, log=log, progress=Interrupting(after=2))
    train(files, log=log, resume=True)


def test_a_csv_log_has_the_epochs_of_the_log(files):
    interrupted_and_continued(files, "csv")
    folder = files / "runs" / "anaphoricity"
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    with (folder / "log.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row.pop("criterion") for row in rows] == ["F1"] * 3
    assert rows == [{name: str(value) for name, value in line.items()} for line in lines]


def test_an_unknown_log_is_an_error_before_training(files):
    with pytest.raises(CorelaxError, match="log must be 'csv', not 'wandb'"):
        train(files, log="wandb")
    assert not (files / "runs").exists()


def test_callbacks_are_called_in_order_from_beginning_to_end(files):
    heard = []

    class Listener(Progress):
        def __init__(self, name):
            self.name = name

        def begin(self, config, folder, history):
            heard.append((self.name, "begin", config.stage, folder.name, len(history.epochs)))

        def end(self, config, training):
            heard.append((self.name, "end", config.stage, training["finished"]))

    train(files, progress=logs.Callbacks([Listener("a"), Listener("b")]))
    begin, end = ("begin", "anaphoricity", "anaphoricity", 0), ("end", "anaphoricity", True)
    assert heard == [("a", *begin), ("b", *begin), ("a", *end), ("b", *end)]
