"""Units trained in processes of their own: in order, once, resumed, and ended with their parent."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time

import pytest
import torch

from corelax import CorelaxError
from corelax.study import runner as runner_module
from corelax.study.plan import Unit
from corelax.study.runner import check_failed
from corelax.study.work import RunWorker
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
    runs_of,
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


def wish(runner, *units, **more):
    """Does units with a runner; an error if one fails."""
    is_done = runner.run(runs_of(runner, *units, **more))
    check_failed(runner.failed)
    return is_done


@pytest.fixture(scope="module")
def run(files, tmp_path_factory):
    """Two processes, three units and one that goes astray, nobody disturbs them."""
    out = tmp_path_factory.mktemp("whole")
    notes, seen = [], []
    runner = make_runner(
        out, files, workers=2, note=notes.append, update=lambda *state: seen.append(state)
    )
    with pytest.raises(CorelaxError) as error:
        wish(runner, BROKEN, *UNITS)
    return out, notes, seen, str(error.value)


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


def test_every_stage_is_trained_once_and_after_those_it_starts_from(run, files):
    out, _, seen, _ = run
    begun = list(dict.fromkeys(name for *_, names in seen for name in names))
    assert sorted(begun) == sorted(f"{stage} 1" for stage in [*STAGES, "broken"])
    runs = runs_of(make_runner(out, files), *UNITS)
    written = {
        stage: (out / "runs" / "seed1" / stage / "model.safetensors").stat().st_mtime_ns
        for stage in STAGES
    }
    for one in runs:
        first = (out / "runs" / "seed1" / one.stage / "vocabulary.json").stat().st_mtime_ns
        assert all(written[config.stage] < first for config in one.chain[:-1])


def test_a_unit_that_fails_does_not_stop_the_others_and_is_named_at_the_end(run):
    out, notes, _, error = run
    assert error.startswith("broken, seed 1: ")
    assert "learning_rate" in error
    assert "\n" not in error
    assert [note for note in notes if note.startswith("broken")] == [error]
    assert not list((out / "results").rglob("broken*"))
    assert not list((out / "results" / "seed1").glob("an*"))  # which only others need
    assert all(record_of(out, unit.name)["epochs"] for unit in UNITS)


def test_progress_is_told(run):
    seen = run[2]
    assert seen[0] == (0, 6, [])
    assert seen[-1] == (5, 6, [])
    assert [done for done, *_ in seen] == sorted(done for done, *_ in seen)
    assert max(len(running) for *_, running in seen) >= 2


def test_what_is_done_is_not_done_again(run, files):
    before = times_of(run[0])
    with in_this_process() as runs:
        assert wish(make_runner(run[0], files), *UNITS)
    assert runs == []
    assert times_of(run[0]) == before


def test_one_process_finds_the_same_as_two(files, whole, tmp_path):
    assert wish(make_runner(tmp_path, files), *UNITS)
    assert results_of(tmp_path) == whole


def test_what_starts_from_a_failed_stage_is_left_out(files, tmp_path):
    common = {f"baseline.{key}": value for key, value in ASTRAY.items()}
    other = Unit("cm_heuristic", "cm_heuristic")
    with in_this_process() as runs, pytest.raises(CorelaxError, match=r"^baseline, seed 1: "):
        wish(make_runner(tmp_path, files, common), LEA, other)
    stages = ["anaphoricity", "antecedent", "baseline", "cm_heuristic"]
    assert sorted(one.stage for one in runs) == stages
    assert len(record_of(tmp_path, "cm_heuristic")["epochs"]) == COMMON["epochs"]
    assert not (tmp_path / "runs" / "seed1" / "lea").exists()


def test_runs_of_one_unit_are_one(run, files, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(run[0], out)
    runner = make_runner(out, files)
    twice = [
        one
        for decoding in ("entities", "links", "entities")
        for one in runs_of(runner, LEA, predict=[("dev", decoding)])
    ]
    with in_this_process() as runs:
        assert runner.run(twice)
    assert [one.stage for one in runs] == ["lea"]
    assert (out / "results" / "seed1" / "lea.dev.entities.json").exists()
    before = times_of(run[0] / "runs")
    expected = {out / path.relative_to(run[0]): written for path, written in before.items()}
    assert times_of(out / "runs") == expected


def test_without_time_nothing_is_begun_and_what_is_done_is_done(run, files, tmp_path):
    out = tmp_path / "out"
    with in_this_process() as runs:
        assert wish(make_runner(out, files, minutes=0), LEA) is False
    assert runs == []
    assert not out.exists()
    assert wish(make_runner(run[0], files, minutes=0), LEA) is True


def test_when_the_time_is_up_what_runs_is_finished(files, tmp_path, monkeypatch):
    with in_this_process() as runs:
        runner = make_runner(tmp_path, files, minutes=1000)
        clock = time.monotonic()
        monkeypatch.setattr(
            runner_module.time, "monotonic", lambda: clock + 60_001 * (len(runs) >= 2)
        )
        assert wish(runner, LEA) is False
        monkeypatch.undo()
    assert [one.stage for one in runs] == ["anaphoricity", "antecedent"]
    for one in runs:
        settings = json.loads((tmp_path / "runs" / "seed1" / one.stage / "config.json").read_text())
        assert settings["training"]["finished"]


def test_an_interrupt_is_not_an_error_of_a_run(files, tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(RunWorker, "do", interrupt)
    runner = make_runner(tmp_path, files)
    with pytest.raises(KeyboardInterrupt):
        wish(runner, BASELINE)
    assert runner.failed == {}


def test_a_run_has_one_thread_and_loads_documents_once(files, tmp_path, monkeypatch):
    from corelax.study import files as module

    loaded, threads, load_data = [], [], module.load_data

    def counted(*arguments, **options):
        loaded.append(arguments)
        threads.append(torch.get_num_threads())
        return load_data(*arguments, **options)

    runner = make_runner(tmp_path, files)
    monkeypatch.setattr(module, "load_data", counted)
    torch.set_num_threads(2)
    assert wish(runner, Unit("antecedent", "antecedent"), seeds=(1, 2))
    assert (len(loaded), threads, torch.get_num_threads()) == (1, [1], 2)
    torch.set_num_threads(1)


def test_one_command_at_a_time_works_in_a_folder(files, tmp_path, monkeypatch):
    do, errors = RunWorker.do, []

    def nested(worker, run):
        with pytest.raises(CorelaxError) as error:
            wish(make_runner(tmp_path, files), BASELINE)
        errors.append(str(error.value))
        do(worker, run)

    monkeypatch.setattr(RunWorker, "do", nested)
    assert wish(make_runner(tmp_path, files), Unit("antecedent", "antecedent"))
    assert ["another command is at work in this folder" in error for error in errors] == [True]


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
