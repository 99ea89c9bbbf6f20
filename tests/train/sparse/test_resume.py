"""A run that is killed at any moment, also while it writes, ends as if it had not been."""

import json
import shutil
import signal

import pytest

from corelax.io import write
from tests.command_server import server
from tests.train.sparse.training_runs import documents

SETTINGS = [
    "hidden_mention=8", "hidden_pair=12", "anaphoricity.epochs=2", "antecedent.epochs=1", "epochs=3",
]  # fmt: skip
STAGES = ["anaphoricity", "antecedent", "baseline"]
# A stage writes config and vocabulary; checkpoint and log after each epoch, weights after good ones; and
# config, card and config at its end. The chain has at least so many writes:
WRITES = sum(2 + 2 * epochs + 1 + 3 for epochs in (2, 1, 3))


@pytest.fixture(scope="module", autouse=True)
def surroundings(tmp_path_factory):
    """A cache of its own, no word lists, and one thread."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CORELAX_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("CORELAX_LEXICONS", "none")
        patch.setenv("OMP_NUM_THREADS", "1")
        yield


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    found = [doc for doc in documents(8, mentions=20) if doc.clusters]
    write(found[:4], folder / "train.conll")
    write(documents(2, seed=9, mentions=20), folder / "dev.conll")
    return folder


@pytest.fixture(scope="module")
def train(files):
    def run(out, *more, config="baseline", settings=SETTINGS, **what):
        options = [part for setting in settings for part in ("--set", setting)]
        corpora = ["--train", files / "train.conll", "--dev", files / "dev.conll"]
        return server().run(
            "train", *corpora, "--out", out, "--config", config, *options, *more, **what
        )

    return run


@pytest.fixture(scope="module")
def whole(train, tmp_path_factory):
    """What a run that nobody disturbs leaves."""
    out = tmp_path_factory.mktemp("whole")
    done = train(out)
    assert done.code == 0, done.err
    return content(out)


def content(out):
    """All that stages left, but for how long they took."""
    found = {}
    for stage in STAGES:
        for file in (out / stage).iterdir():
            if file.name == "log.jsonl":
                lines = map(json.loads, file.read_text().splitlines())
                found[stage, file.name] = [{**line, "seconds": None} for line in lines]
            elif not file.name.startswith(".corelax-"):  # temporary names of what was killed
                found[stage, file.name] = file.read_bytes()
    return found


def assert_same(found, whole):
    assert sorted(found) == sorted(whole)
    assert [name for name in whole if found[name] != whole[name]] == []


def last_line(text):
    return text.splitlines()[-1]


KILLS = [
    *[("replace", k) for k in range(1, WRITES + 1)],
    *[("fsync", k) for k in range(3, WRITES + 1, 5)],
    *[("unlink", k) for k in (1, 2, 3)],
    *[("document", k) for k in (1, 4, 8, 12, 17)],
]


ALWAYS = {("replace", 6), ("replace", 13), ("fsync", 8), ("unlink", 2), ("document", 8)}


@pytest.mark.parametrize(
    "kill",
    [pytest.param(kill, marks=[] if kill in ALWAYS else pytest.mark.slow) for kill in KILLS],
    ids=lambda kill: f"{kill[0]}-{kill[1]}",
)
def test_a_killed_run_ends_as_if_it_had_not_been(train, whole, tmp_path, kill):
    killed = train(tmp_path, kill=kill)
    assert killed.code == -signal.SIGKILL
    done = train(tmp_path, "--resume")
    assert (done.code, done.err.count("Traceback")) == (0, 0)
    assert_same(content(tmp_path), whole)


def test_a_run_that_is_killed_again_and_again_comes_to_the_same_end(train, whole, tmp_path):
    times = 0
    while train(tmp_path, "--resume", kill=("replace", 7)).code != 0:
        times += 1
        assert times < WRITES
    assert times >= 3
    assert_same(content(tmp_path), whole)


def test_files_are_never_seen_half_written(train, tmp_path):
    for k in (1, 2, 5, 8):
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
        train(tmp_path / "run", kill=("fsync", k))
        for file in (tmp_path / "run").rglob("*.json"):
            if not file.name.startswith("."):
                json.loads(file.read_text())


def test_going_on_must_be_asked_for(train, tmp_path):
    train(tmp_path, kill=("document", 6))
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    done = train(tmp_path)
    assert done.code == 1
    assert done.err.splitlines() == [
        f"{tmp_path / 'anaphoricity'}: holds an unfinished run; continue with --resume or delete the folder"
    ]
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


def test_an_interrupt_keeps_finished_epochs(train, whole, tmp_path):
    done = train(tmp_path, interrupt=6)  # four documents an epoch: in the second
    assert done.code == 130
    assert "--resume" in last_line(done.err)
    assert "Traceback" not in done.err
    log = (tmp_path / "anaphoricity" / "log.jsonl").read_text().splitlines()
    assert [json.loads(line)["epoch"] for line in log] == [1]
    resumed = train(tmp_path, "--resume")
    assert resumed.code == 0
    assert_same(content(tmp_path), whole)


@pytest.mark.parametrize("file", ["model.safetensors", "checkpoint.safetensors"])
def test_a_full_disk_is_one_line_and_training_goes_on_when_there_is_room(
    train, whole, tmp_path, file
):
    train(tmp_path, interrupt=2 * 4 + 4 + 6)  # in the second epoch of the baseline
    folder = tmp_path / "baseline"
    checkpoint = (folder / "checkpoint.safetensors").read_bytes()
    model = (folder / "model.safetensors").stat().st_size
    room = model - 1 if file.startswith("model") else model + 100
    assert room > (folder / "vocabulary.json").stat().st_size
    done = train(tmp_path, "--resume", largest_file=room)
    assert done.code == 1
    line = last_line(done.err)
    assert line.startswith(str(folder / file)) or file.startswith("model")
    assert line.startswith(str(folder))
    assert "too large" in line.lower()
    assert "Traceback" not in done.err
    assert not list(folder.glob(".corelax-*"))
    if file.startswith("checkpoint"):
        assert (folder / "checkpoint.safetensors").read_bytes() == checkpoint
    assert train(tmp_path, "--resume").code == 0
    assert_same(content(tmp_path), whole)


def test_a_damaged_checkpoint_is_one_line(train, tmp_path):
    train(tmp_path, kill=("document", 6))
    path = tmp_path / "anaphoricity" / "checkpoint.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    done = train(tmp_path, "--resume")
    assert done.code == 1
    assert len(done.err.splitlines()) == 1
    assert done.err.startswith(f"{path}: ")


def test_a_folder_that_cannot_be_written_to_is_one_line(train, tmp_path):
    (tmp_path / "out").write_text("a file")
    done = train(tmp_path / "out")
    assert done.code == 1
    assert len(done.err.splitlines()) == 1
    assert str(tmp_path / "out") in done.err
