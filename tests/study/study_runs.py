"""Small studies: invented documents, tiny networks, in this process or in others that can be killed.

As a program it runs units in processes of their own, as its one argument says (JSON); see `begin`.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path

import pytest
import torch

import corelax
from corelax import Clustering, Span
from corelax.core.files import file_digest
from corelax.io import read, write
from corelax.study.files import Files, uses_vectors
from corelax.study.folder import StudyFolder, predicted_path, record_path
from corelax.study.plan import Unit
from corelax.study.records import Predicted, Record, load_predicted, save
from corelax.study.runner import Runner
from corelax.study.work import RunWorker
from corelax.synthetic import Shape, generate

COMMON = {
    "hidden_mention": 8,
    "hidden_pair": 8,
    "features.lexical_cutoff": 2,
    "epochs": 2,
    "anaphoricity.epochs": 1,
    "antecedent.epochs": 1,
    "anaphoricity2015.epochs": 1,
    "antecedent2015.epochs": 1,
}
ASTRAY = {"learning_rate": 1e38, "output_learning_rate": 1e38}  # the scores become NaN
SECONDS = 300  # more than any of these runs may need for one step, on a busy machine too
ROOT = Path(__file__).parents[2]


def documents(number, *, seed, mentions=15):
    """Documents that have entities."""
    shape = Shape.conll2012().scaled(mentions)
    every = generate(4 * number, seed=seed, shape=shape)
    return [doc for doc in every if len(doc.clusters) > 1][:number]


def make_files(folder, *, test=True):
    """Training, dev and test documents."""
    folder.mkdir(parents=True, exist_ok=True)
    write(documents(5, seed=1), folder / "train.conll")
    write(documents(3, seed=2), folder / "dev.conll")
    if test:
        write(documents(3, seed=3), folder / "test.conll")
    return files_in(folder)


def files_in(folder):
    return Files(*(str(folder / f"{part}.conll") for part in ("train", "dev", "test")))


@contextmanager
def surroundings(folder: Path) -> Iterator[None]:
    """A cache of its own, no word lists, and one thread for every process."""
    threads = torch.get_num_threads()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment(folder).items():
            patch.setenv(name, value)
        torch.set_num_threads(1)
        yield
        torch.set_num_threads(threads)


@pytest.fixture(scope="module", autouse=True)
def alone(tmp_path_factory):
    with surroundings(tmp_path_factory.mktemp("surroundings")):
        yield


def environment(folder):
    return {
        "CORELAX_CACHE": str(folder / "cache"),
        "CORELAX_LEXICONS": "none",
        "OMP_NUM_THREADS": "1",
    }


@contextmanager
def in_this_process():
    """Gives the list of the runs that are done in this process from now on."""
    runs, do = [], RunWorker.do

    def recorded(worker, run):
        runs.append(run)
        do(worker, run)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunWorker, "do", recorded)
        yield runs


@contextmanager
def invented_training(answer):
    """Nothing is trained: a unit predicts what `answer(doc, unit, seed, decoding)` says, as clusters."""
    data = {}

    def invent(worker, run):
        config, out, files = run.chain[-1], worker._out, worker._files
        key = (files, uses_vectors(config))
        if key not in data:
            data[key] = files.load(config).identity
        for part, decoding in run.predict:
            file = getattr(files, part)
            gold, system = made_up(file, answer, run.stage, run.seed, decoding)
            path = predicted_path(out, run.stage, run.seed, part, decoding)
            save(path, predicted_of(file, gold, system))
        gold, system = made_up(files.dev, answer, run.stage, run.seed, "links")
        dev = corelax.score(gold=gold, system=system, singletons="drop").conll
        epochs = [
            {"epoch": n, "dev": dev * n / config.epochs, "documents": 5, "seconds": n + run.seed}
            for n in range(1, config.epochs + 1)
        ]
        record = Record(
            chain=[asdict(config) for config in run.chain],
            data=data[key],
            epochs=epochs,
            epoch=config.epochs,
            dev=dev,
            seconds=sum(epoch["seconds"] for epoch in epochs),
            device="CPU",
        )
        save(record_path(out, run.stage, run.seed), record)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunWorker, "do", invent)
        patch.setattr(StudyFolder, "is_finished", lambda *_: True)  # what others start from
        with in_this_process() as runs:
            yield runs


gold_documents = cache(read)


def made_up(file, answer, unit, seed, decoding):
    """The documents of a file, and what a unit is said to make of them."""
    gold = gold_documents(file)
    return gold, [doc.with_clusters(Clustering(answer(doc, unit, seed, decoding))) for doc in gold]


def predicted_of(file, gold, system):
    """Predictions as a unit writes them."""
    report = corelax.score(gold=gold, system=system, singletons="drop", per_document=True)
    counts = {
        metric: [
            [float(n) for n in report.documents[doc.name].counts[metric].as_tuple()] for doc in gold
        ]
        for metric in report
    }
    entities = [[[[m.start, m.end] for m in entity] for entity in doc.clusters] for doc in system]
    names = [doc.key for doc in gold]
    return Predicted(digest=file_digest(file), documents=names, counts=counts, entities=entities)


def damaged(doc, seed, *, missed=0.0, moved=0.0, added=0.0):
    """Gold entities, but for some shares of the mentions; a larger share spoils more of the same ones."""
    chance = random.Random(f"{doc.key} {seed}")
    entities = [list(entity) for entity in doc.clusters]
    places = [(number, mention) for number, entity in enumerate(entities) for mention in entity]
    taken = {mention for _, mention in places}
    free = [Span(n, n + 1) for n in range(len(doc.words)) if Span(n, n + 1) not in taken]
    chance.shuffle(places)
    chance.shuffle(free)
    others = [chance.randrange(len(entities)) for _ in places]
    for (number, mention), other in list(zip(places, others, strict=True))[
        : round(moved * len(places))
    ]:
        entities[number].remove(mention)
        entities[other].append(mention)
    for _, mention in places[len(places) - round(missed * len(places)) :]:
        next(entity for entity in entities if mention in entity).remove(mention)
    for mention, other in zip(free[: round(added * len(places))], others, strict=False):
        entities[other].append(mention)
    return [entity for entity in entities if len(entity) > 1]


def system_of(out, gold, unit, seed, part, decoding="links"):
    """The documents with what a unit predicted."""
    clusters = load_predicted(predicted_path(out, unit, seed, part, decoding)).clusters()
    return [doc.with_clusters(clusters[doc.key]) for doc in gold]


def make_runner(out, files, common=None, **more):
    """A runner that has looked at its files; it works in this process unless it is told otherwise."""
    folder = StudyFolder(out, files, {**COMMON, **(common or {})})
    folder.prepare(folder.chain(Unit("baseline", "baseline"), 1)[-1])
    return Runner(folder, device="cpu", **{"workers": 1, **more})


def runs_of(runner, *units, seeds=(1,), predict=(("dev", "links"),)):
    return [runner.folder.run(unit, seed, *predict) for seed in seeds for unit in units]


def begin(out, files, units, *, common=None, seeds=(1,), workers=2, cache):
    """Another process that trains units, in a group of its own; what it says goes to `stderr` in `out`.

    Interrupts reach it even where this process ignores them, as one does that was started in the background.
    """
    order = {
        "out": str(out),
        "files": files,
        "units": [[unit.name, unit.preset, dict(unit.settings)] for unit in units],
        "common": common or {},
        "seeds": list(seeds),
        "workers": workers,
    }
    with (out / "stderr").open("w") as errors:  # not a pipe, whose end a worker could hold open
        return subprocess.Popen(
            [sys.executable, "-m", "tests.study.study_runs", json.dumps(order)],
            cwd=ROOT,
            env={**os.environ, **environment(cache)},
            start_new_session=True,
            stderr=errors,
        )


def wait_until(what, process=None):
    """Waits for something, and fails if it does not come, or if the process ends before."""
    end = time.monotonic() + SECONDS
    while not what():
        assert time.monotonic() < end, "it takes too long"
        assert process is None or process.poll() is None, "it ended before"
        time.sleep(0.002)


def kill_group(process):
    """Ends a process of `begin` and its workers at once, as when the power fails."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(SECONDS)


def children(pid):
    """The processes that a process has begun and that have not ended."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            state = _state(int(folder.name))
            if state and state[1] == pid:
                found.append(int(folder.name))
    return found


def is_running(pid):
    return _state(pid) is not None


def is_worker(pid):
    """Whether a process is one of a pool, and not the one that looks after its resources."""
    try:
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _state(pid):
    """(state, parent) of a process; None if it has ended."""
    try:
        rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if rest[0] in "ZX" else (rest[0], int(rest[1]))


def times_of(folder):
    """When each file was written."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def results_of(out):
    """What a study found, but for how long it took: records as objects, predictions as bytes."""
    found = {}
    for path in (out / "results").rglob("*.json"):
        content = json.loads(path.read_bytes())
        if "epochs" in content:
            content["seconds"] = None
            content["epochs"] = [{**epoch, "seconds": None} for epoch in content["epochs"]]
        else:
            content = path.read_bytes()
        found[str(path.relative_to(out))] = content
    return found


def record_of(out, unit, seed=1):
    return json.loads((out / "results" / f"seed{seed}" / f"{unit}.json").read_text())


def main(order):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    runner = make_runner(
        Path(order["out"]), Files(*order["files"]), order["common"], workers=order["workers"]
    )
    units = [Unit(*unit) for unit in order["units"]]
    sys.exit(not runner.run(runs_of(runner, *units, seeds=order["seeds"])))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
