"""Units trained in processes of their own: in order, once, resumed, and ended with their parent."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time

import pytest

from corelax import CorelaxError
from corelax.study import runner as runner_module
from corelax.study.executors import Processes
from corelax.study.runner import Progress, Wish
from corelax.study.units import Unit
from tests.study.study_runs import (
    ASTRAY,
    COMMON,
    SECONDS,
    begin,
    children,
    files_in,
    in_this_process,
    is_running,
    is_worker,
    kill_group,
    make_files,
    make_runner,
    record_of,
    results_of,
    surroundings,
    times_of,
    wait_until,
)

BASELINE, LEA, ENTITY = (Unit(name, name) for name in ("baseline", "lea", "entity_ce"))
BROKEN = Unit("broken", "entity_ce", ASTRAY)
UNITS = [LEA, ENTITY, BASELINE]
STAGES = ["anaphoricity", "antecedent", "baseline", "lea", "entity_ce"]
LONG = {"epochs": 100_000}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    make_files(folder, test=False)
    return folder


@pytest.fixture(scope="module", autouse=True)
def alone(folder):
    with surroundings(folder):
        yield


@pytest.fixture(scope="module")
def files(folder):
    return files_in(folder)


class Pool(Processes):
    """Processes, and a list of what they were given to do."""

    def __init__(self, workers):
        super().__init__(workers)
        self.jobs = []

    def submit(self, job):
        self.jobs.append(job)
        super().submit(job)


class Watcher(Progress):
    def __init__(self):
        self.seen = []

    def update(self, done, wanted, running):
        self.seen.append((done, wanted, list(running)))


@pytest.fixture(scope="module")
def run(files, tmp_path_factory):
    """Two processes, three units and one that goes astray, nobody disturbs them."""
    out = tmp_path_factory.mktemp("whole")
    notes, watcher, pool = [], Watcher(), Pool(2)
    runner = make_runner(out, files, executor=pool, note=notes.append, progress=watcher)
    with pytest.raises(CorelaxError) as error:
        runner.run(lambda: [Wish(unit, 1) for unit in (BROKEN, *UNITS)])
    return out, pool.jobs, notes, watcher.seen, str(error.value)


@pytest.fixture(scope="module")
def whole(run):
    """What an undisturbed run leaves."""
    return results_of(run[0])


def test_units_and_what_they_start_from_are_trained(run):
    out = run[0]
    assert {unit.name for unit in UNITS} == {
        path.name.partition(".")[0] for path in (out / "results" / "seed1").iterdir()
    }
    for stage in STAGES:
        settings = json.loads((out / "runs" / "seed1" / stage / "config.json").read_text())
        assert settings["training"]["finished"]
        log = (out / "runs" / "seed1" / stage / "log.jsonl").read_text().splitlines()
        assert len(log) == COMMON.get(f"{stage}.epochs", COMMON["epochs"])


def test_every_stage_is_trained_once_and_after_those_it_starts_from(run):
    out, jobs, *_ = run
    assert sorted(job.stage for job in jobs if job.predict) == sorted(
        unit.name for unit in (BROKEN, *UNITS)
    )
    others = [job.stage for job in jobs if not job.predict]  # the baseline is one of them:
    assert sorted(others) == ["anaphoricity", "antecedent", "baseline"]  # lea was wished for first
    begun = {job.stage: number for number, job in reversed([*enumerate(jobs)])}
    written = {
        stage: (out / "runs" / "seed1" / stage / "model.safetensors").stat().st_mtime_ns
        for stage in STAGES
    }
    for job in jobs:
        for config in job.chain[:-1]:
            assert begun[config.stage] < begun[job.stage]
        first = (out / "runs" / "seed1" / job.stage / "vocabulary.json").stat().st_mtime_ns
        assert all(written[config.stage] < first for config in job.chain[:-1])


def test_stages_that_only_others_need_leave_no_record(run):
    assert not list((run[0] / "results" / "seed1").glob("an*"))


def test_a_unit_that_fails_does_not_stop_the_others_and_is_named_at_the_end(run):
    out, _, notes, _, error = run
    assert error.startswith("broken, seed 1: ")
    assert "learning_rate" in error
    assert "\n" not in error
    assert [note for note in notes if note.startswith("broken")] == [error]
    assert not list((out / "results").rglob("broken*"))
    assert all(record_of(out, unit.name)["epochs"] for unit in UNITS)


def test_progress_is_told(run):
    seen = run[3]
    assert seen[0] == (0, 4, [])
    assert seen[-1] == (3, 4, [])
    assert [done for done, *_ in seen] == sorted(done for done, *_ in seen)
    assert {name for *_, running in seen for name in running} <= {
        f"{stage} 1" for stage in [*STAGES, "broken"]
    }
    assert max(len(running) for *_, running in seen) >= 2


def test_what_is_done_is_not_done_again(run, files):
    out = run[0]
    before = times_of(out)
    pool = Pool(2)
    runner = make_runner(out, files, executor=pool)
    assert runner.run(lambda: [Wish(unit, 1) for unit in UNITS])
    assert pool.jobs == []  # and so no process was begun
    assert times_of(out) == before


def test_a_unit_that_failed_is_tried_again_and_again_named(run, files):
    before = times_of(run[0] / "results")
    with in_this_process() as jobs, pytest.raises(CorelaxError, match=r"^broken, seed 1: "):
        make_runner(run[0], files).run(lambda: [Wish(unit, 1) for unit in (*UNITS, BROKEN)])
    assert [job.stage for job in jobs] == ["broken"]
    assert times_of(run[0] / "results") == before


def test_one_process_finds_the_same_as_two(files, whole, tmp_path):
    with in_this_process():
        assert make_runner(tmp_path, files).run(lambda: [Wish(unit, 1) for unit in UNITS])
    assert results_of(tmp_path) == whole


def test_what_starts_from_a_failed_stage_is_left_out(files, tmp_path):
    common = {f"baseline.{key}": value for key, value in ASTRAY.items()}
    other = Unit("cm_heuristic", "cm_heuristic")
    with in_this_process() as jobs, pytest.raises(CorelaxError, match=r"^baseline, seed 1: "):
        make_runner(tmp_path, files, common).run(lambda: [Wish(LEA, 1), Wish(other, 1)])
    assert sorted(job.stage for job in jobs) == [
        "anaphoricity",
        "antecedent",
        "baseline",
        "cm_heuristic",
    ]
    assert len(record_of(tmp_path, "cm_heuristic")["epochs"]) == COMMON["epochs"]
    assert not (tmp_path / "runs" / "seed1" / "lea").exists()


def test_wishes_for_one_unit_are_one(run, files, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(run[0], out)
    wishes = [Wish(LEA, 1, (("dev", decoding),)) for decoding in ("entities", "links")]
    with in_this_process() as jobs:
        assert make_runner(out, files).run(lambda: [*wishes, *wishes])
    assert [job.stage for job in jobs] == ["lea"]
    assert (out / "results" / "seed1" / "lea.dev.entities.json").exists()
    assert times_of(out / "runs") == {
        out / path.relative_to(run[0]): written
        for path, written in times_of(run[0] / "runs").items()
    }


def test_wishes_can_follow_from_what_was_found(files, tmp_path):
    runner = make_runner(tmp_path, files)

    def wishes():
        yield Wish(BASELINE, 1)
        if record := runner.record(BASELINE, 1):
            yield Wish(Unit("next", "baseline", {"epochs": record.epoch}), 1)

    with in_this_process():
        assert runner.run(wishes)
    assert len(record_of(tmp_path, "next")["epochs"]) == record_of(tmp_path, "baseline")["epoch"]


def test_without_time_nothing_is_begun(files, tmp_path):
    out = tmp_path / "out"
    with in_this_process() as jobs:
        assert make_runner(out, files, minutes=0).run(lambda: [Wish(LEA, 1)]) is False
    assert jobs == []
    assert not out.exists()


def test_without_time_what_is_done_is_done(run, files):
    assert make_runner(run[0], files, minutes=0).run(lambda: [Wish(LEA, 1)]) is True


def test_when_the_time_is_up_what_runs_is_finished(files, tmp_path, monkeypatch):
    with in_this_process() as jobs:
        runner = make_runner(tmp_path, files, minutes=1000)
        clock = time.monotonic()
        monkeypatch.setattr(
            runner_module.time, "monotonic", lambda: clock + 60_001 * (len(jobs) >= 2)
        )
        assert runner.run(lambda: [Wish(LEA, 1)]) is False
        monkeypatch.undo()
    assert [job.stage for job in jobs] == ["anaphoricity", "antecedent"]
    for job in jobs:
        settings = json.loads((tmp_path / "runs" / "seed1" / job.stage / "config.json").read_text())
        assert settings["training"]["finished"]


# Ended from outside


@pytest.mark.slow
def test_killed_again_and_again_and_resumed_it_finds_the_same(folder, files, whole, tmp_path):
    runs = tmp_path / "runs" / "seed1"
    moments = [
        lambda: (runs / "antecedent" / "config.json").exists(),
        lambda: (runs / "baseline" / "checkpoint.safetensors").exists(),
        lambda: list((tmp_path / "results").rglob("*.links.json")),
    ]
    for moment in moments:
        process = begin(tmp_path, files, UNITS, cache=folder)
        wait_until(moment, process)
        kill_group(process)
        assert len(list((tmp_path / "results").rglob("*.json"))) < 2 * len(UNITS)
    process = begin(tmp_path, files, UNITS, cache=folder)
    assert process.wait(SECONDS) == 0
    assert (tmp_path / "stderr").read_text() == ""
    assert results_of(tmp_path) == whole


def began(process):
    return [pid for pid in children(process.pid) if is_worker(pid)]


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["at once", "in training"])
def test_workers_end_when_their_parent_is_killed(folder, files, tmp_path, moment):
    process = begin(tmp_path, files, [BASELINE], common=LONG, cache=folder)
    try:
        log = tmp_path / "runs" / "seed1" / "baseline" / "log.jsonl"
        wait_until(log.exists if moment == "in training" else lambda: began(process), process)
        workers = began(process)
        assert workers
        process.kill()
        process.wait(SECONDS)
        wait_until(lambda: not any(map(is_running, workers)))
    finally:
        kill_group(process)


@pytest.mark.slow
@pytest.mark.parametrize("group", [False, True])
def test_an_interrupt_ends_the_workers_too(folder, files, tmp_path, group):
    process = begin(tmp_path, files, [BASELINE], common=LONG, cache=folder)
    try:
        wait_until((tmp_path / "runs" / "seed1" / "baseline" / "log.jsonl").exists, process)
        workers = began(process)
        assert workers
        (os.killpg if group else os.kill)(process.pid, signal.SIGINT)
        assert process.wait(SECONDS) != 0
        errors = (tmp_path / "stderr").read_text()
        assert errors.strip().endswith("KeyboardInterrupt")
        assert errors.count("Traceback") == 1  # that of this program; workers say nothing
        wait_until(lambda: not any(map(is_running, workers)))
    finally:
        kill_group(process)


@pytest.mark.slow
def test_a_worker_that_is_killed_is_one_line(folder, files, tmp_path):
    process = begin(tmp_path, files, [BASELINE], common=LONG, cache=folder)
    try:
        wait_until((tmp_path / "runs" / "seed1" / "baseline" / "log.jsonl").exists, process)
        for pid in began(process):
            os.kill(pid, signal.SIGKILL)
        assert process.wait(SECONDS) == 1
        last = (tmp_path / "stderr").read_text().strip().splitlines()[-1]
        assert "CorelaxError: a process ended in the middle of baseline, seed 1" in last
    finally:
        kill_group(process)
