"""Logs of training for other programs, and the callbacks they are made of."""

import csv
import json
import sys
from types import SimpleNamespace
from typing import ClassVar

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


class Writer:
    """What a log of TensorBoard is told."""

    made: ClassVar[list["Writer"]] = []

    def __init__(self, folder, purge_step):
        self.folder, self.first, self.scalars, self.closed = folder, purge_step, [], False
        Writer.made.append(self)

    def add_scalar(self, name, value, step):
        self.scalars.append((step, name, value))

    def flush(self):
        pass

    def close(self):
        self.closed = True


def test_tensorboard_gets_each_epoch_once_also_of_a_continued_run(files, monkeypatch):
    monkeypatch.setattr(Writer, "made", [])
    monkeypatch.setitem(
        sys.modules, "torch.utils.tensorboard", SimpleNamespace(SummaryWriter=Writer)
    )
    interrupted_and_continued(files, ["tensorboard"])
    first, second = Writer.made
    assert {w.folder for w in (first, second)} == {str(files / "runs/tensorboard/anaphoricity")}
    assert (first.first, second.first, second.closed) == (
        None,
        1,
        True,
    )  # the second replaces the first
    lines = (files / "runs/anaphoricity/log.jsonl").read_text().splitlines()
    dev = [(e["epoch"], "dev F1", e["dev"]) for e in map(json.loads, lines)]
    assert [scalar for scalar in second.scalars if scalar[1] == "dev F1"] == dev
    assert {name for _, name, _ in second.scalars} == {"loss", "dev F1", "temperature", "seconds"}


class Run:
    """What a run of Weights & Biases is told."""

    def __init__(self, options, step):
        self.options, self.step = options, step
        self.lines, self.summary, self.finished = [], {}, False

    def log(self, values, step):
        self.lines.append((step, values))

    def finish(self):
        self.finished = True


def test_weights_and_biases_take_up_the_run_that_was_interrupted(files, monkeypatch):
    runs = []

    def init(**options):
        runs.append(Run(options, step=2 if runs else 0))  # interrupted before it heard of epoch 2
        return runs[-1]

    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=init))
    monkeypatch.delenv("WANDB_PROJECT", raising=False)
    interrupted_and_continued(files, "wandb")
    first, second = runs
    assert first.options["id"] == second.options["id"]
    assert (first.options["project"], first.options["name"]) == ("corelax", "runs/anaphoricity")
    assert second.options["resume"] == "allow"
    assert second.options["config"]["epochs"] == 3
    assert [step for step, _ in first.lines + second.lines] == [1, 2, 3]
    assert second.finished
    assert second.summary["kept epoch"] in (1, 2, 3)


@pytest.mark.parametrize("log", ["tensorboard", "wandb"])
def test_a_log_whose_package_is_missing_is_an_error_before_training(files, monkeypatch, log):
    missing = {"tensorboard": "torch.utils.tensorboard", "wandb": "wandb"}[log]
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(
        CorelaxError, match=rf"--log {log} needs {log}: pip install 'corelax\[{log}"
    ):
        train(files, log=log)
    assert not (files / "runs").exists()


def test_logs_do_not_change_the_weights(files):
    plain = train(files).folder / "model.safetensors"
    weights = plain.read_bytes()
    for file in sorted((files / "runs/anaphoricity").iterdir()):
        file.unlink()
    train(files, log="csv")
    assert plain.read_bytes() == weights


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
