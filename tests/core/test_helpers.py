"""Helper processes: results and errors come back, and nothing is left behind."""

import os
import signal
import time
from operator import methodcaller

import pytest

from corelax.core.errors import CorelaxError
from corelax.core.helpers import Helpers
from corelax.core.workers import WorkerEnded


def is_running(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


class Unreadable(Exception):
    """Can be sent, but not be read: it needs two arguments."""

    def __init__(self, one, two):
        super().__init__(one)
        self.two = two


def failing():
    def work(_):
        raise Unreadable(1, 2)

    return work


def refusing():
    raise CorelaxError("no work today")


def test_results_are_those_of_their_tasks_and_processes_end():
    with Helpers(2, methodcaller, ("upper",)) as helpers:
        futures = [helpers.submit(letter) for letter in "abcdef"]
        assert [future.result() for future in futures] == list("ABCDEF")
        processes = [process.pid for process in helpers._processes]
    assert not any(map(is_running, processes))


def test_errors_come_back_and_the_helper_goes_on():
    with Helpers(1, methodcaller, ("upper",)) as helpers:
        with pytest.raises(AttributeError, match="upper"):
            helpers.submit(3).result()
        with pytest.raises(Exception, match="pickle"):
            helpers.submit(lambda: 0).result()
        assert helpers.submit("a").result() == "A"


def test_what_cannot_be_made_is_told_with_each_task():
    with Helpers(1, refusing) as helpers, pytest.raises(CorelaxError, match="no work today"):
        helpers.submit(1).result()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal here")
def test_a_helper_that_was_killed_is_told():
    with Helpers(1, methodcaller, ("upper",)) as helpers:
        assert helpers.submit("a").result() == "A"
        os.kill(helpers._processes[0].pid, signal.SIGKILL)
        with pytest.raises(WorkerEnded, match="use fewer workers"):
            helpers.submit("b").result(timeout=20)


def test_leaving_in_the_middle_of_work_does_not_wait_for_it():
    began = time.monotonic()
    with Helpers(1, methodcaller, ("__call__",)) as helpers:
        for _ in range(3):
            helpers.submit(SleepLong())
    assert time.monotonic() - began < 20


class SleepLong:
    """Takes a minute."""

    def __call__(self):
        time.sleep(60)


def test_a_helper_that_ends_at_once_is_told(monkeypatch):
    monkeypatch.setattr("sys.executable", "/bin/false")
    more_than_a_pipe_holds = ("x" * 5_000_000,)
    with Helpers(1, methodcaller, more_than_a_pipe_holds) as helpers, pytest.raises(WorkerEnded):
        helpers.submit("a").result(timeout=60)


def test_an_answer_that_cannot_be_read_is_told():
    with Helpers(1, failing) as helpers, pytest.raises(WorkerEnded):
        helpers.submit("a").result(timeout=60)


def test_nothing_is_imported_from_the_working_directory(tmp_path, monkeypatch):
    (tmp_path / "pickle.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    with Helpers(1, methodcaller, ("upper",)) as helpers:
        assert helpers.submit("a").result(timeout=60) == "A"
