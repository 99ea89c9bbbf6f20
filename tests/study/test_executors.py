"""Where jobs run: in this process, in others, or wherever an executor of one's own puts them."""

from __future__ import annotations

import pytest
import torch

from corelax import CorelaxError
from corelax.study import InProcess, Processes, Unit, Wish
from corelax.study import executors as module
from corelax.study.executors import Ended, make_executor
from corelax.study.work import Job, Worker
from tests.study.study_runs import (
    alone,  # noqa: F401  (a fixture for all tests here)
    files_in,
    make_files,
    make_runner,
    results_of,
)

BASELINE = Unit("baseline", "baseline")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    make_files(folder, test=False)
    return files_in(folder)


def job(tmp_path, files, seed=1):
    runner = make_runner(tmp_path, files)
    return Job(tuple(runner.chain(Unit("antecedent", "antecedent"), seed)), tmp_path, files, "cpu")


def test_one_worker_is_this_process_and_several_are_others():
    assert isinstance(make_executor(1), InProcess)
    several = make_executor(3)
    assert isinstance(several, Processes)
    assert several.workers == 3


def test_a_job_has_its_own_number_of_threads(tmp_path, files, monkeypatch):
    seen = []
    monkeypatch.setattr(Worker, "run", lambda *_: seen.append(torch.get_num_threads()))
    before = torch.get_num_threads()
    executor = InProcess(threads=before + 2)
    executor.submit(job(tmp_path, files))
    [ended] = executor.wait()
    assert (ended.error, seen, torch.get_num_threads()) == (None, [before + 2], before)


def test_a_failed_job_is_returned_with_its_error(tmp_path, files, monkeypatch):
    def fail(*_):
        raise CorelaxError("no memory")

    monkeypatch.setattr(Worker, "run", fail)
    executor, wanted = InProcess(), job(tmp_path, files)
    executor.submit(wanted)
    [ended] = executor.wait()
    assert (ended.job, str(ended.error)) == (wanted, "no memory")


def test_an_interrupt_is_not_an_error_of_a_job(tmp_path, files, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Worker, "run", interrupt)
    runner = make_runner(tmp_path, files)
    with pytest.raises(KeyboardInterrupt):
        runner.run(lambda: [Wish(BASELINE, 1)])
    assert runner.failed == {}


def test_documents_are_loaded_once_for_several_jobs(tmp_path, files, monkeypatch):
    from corelax.study import files as module

    loaded, load_data = [], module.load_data

    def counted(*arguments, **options):
        loaded.append(arguments)
        return load_data(*arguments, **options)

    jobs = [job(tmp_path, files, seed) for seed in (1, 2)]
    monkeypatch.setattr(module, "load_data", counted)
    worker = Worker()
    for one in jobs:
        worker.run(one)
    assert len(loaded) == 1


class LastFirst:
    """Takes up to three jobs, and runs the one that came last."""

    capacity = 3

    def __init__(self):
        self.jobs, self.order, self.most, self.worker, self.ends = [], [], 0, Worker(), []

    def submit(self, job):
        self.jobs.append(job)
        self.most = max(self.most, len(self.jobs))

    def wait(self):
        job = self.jobs.pop()
        self.order.append((job.stage, job.seed))
        self.worker.run(job)
        return [Ended(job)]

    def shutdown(self, *, cancel=False):
        self.ends.append(cancel)


def test_an_executor_of_ones_own_gives_the_same_results(tmp_path, files):
    wishes = [Wish(BASELINE, seed) for seed in (1, 2, 3)]
    assert make_runner(tmp_path / "plain", files).run(lambda: wishes)
    executor = LastFirst()
    assert make_runner(tmp_path / "own", files, executor=executor).run(lambda: wishes)
    assert executor.order[0][1] == 3  # the last that was submitted
    assert (executor.most, executor.ends) == (3, [False])
    assert results_of(tmp_path / "own") == results_of(tmp_path / "plain")


def test_an_executor_is_cancelled_when_something_goes_wrong(tmp_path, files):
    class Broken(LastFirst):
        def wait(self):
            raise CorelaxError("the cluster is gone")

    executor = Broken()
    with pytest.raises(CorelaxError, match="the cluster is gone"):
        make_runner(tmp_path, files, executor=executor).run(lambda: [Wish(BASELINE, 1)])
    assert executor.ends == [True]


def test_one_command_at_a_time_works_in_a_folder(tmp_path, files):
    class Nested(LastFirst):
        def wait(self):
            with pytest.raises(CorelaxError, match="another command is at work in this folder"):
                make_runner(tmp_path, files).run(lambda: [Wish(BASELINE, 1)])
            return super().wait()

    wishes = [Wish(Unit("antecedent", "antecedent"), 1, ())]
    assert make_runner(tmp_path, files, executor=Nested()).run(lambda: wishes)


def test_jobs_are_refused_in_a_process_that_is_no_worker(tmp_path, files):
    with pytest.raises(RuntimeError, match="_start_worker"):
        module._run(job(tmp_path, files))
