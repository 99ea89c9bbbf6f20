"""`corelax train --ray`: a real cluster on loopback, one of whose workers or nodes is killed."""

from __future__ import annotations

import os
import signal

import pytest

from tests.scale.ray_nodes import ray_cluster
from tests.train.encoder.running import (
    COMMAND,
    arguments,
    losses,
    run,
    started,
    wait_for,
    weights,
)

pytest.importorskip("ray")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster():
    """A head and a node with a CPU each."""
    with ray_cluster() as cluster:
        cluster.second()
        yield cluster


@pytest.fixture
def command(cluster, files, tmp_path):
    options = ["--ray", cluster.address, "--workers", 2]
    return [*COMMAND, *arguments(files, tmp_path / "out", *options)]


def test_bad_input_is_told_in_one_line(command, tmp_path):
    done = run([*command, "--dev", "nowhere.conll"])
    assert (done.code, done.out) == (1, "")
    waited = "Ray has 1 CPUs for 2 workers; waiting until it has more"  # the second node is new
    assert [line for line in done.err.splitlines() if line != waited] == [
        "nowhere.conll: no such file"
    ]
    assert not (tmp_path / "out").exists()


def kill_worker(cluster):
    workers = [
        pid
        for node in cluster.nodes
        for pid, name in node.processes().items()
        if "RayTrainWorker" in name
    ]
    assert len(workers) == 2
    os.kill(workers[1], signal.SIGKILL)


def kill_node(cluster):
    """Another one takes its place."""
    cluster.nodes.pop().kill()
    cluster.second()


@pytest.mark.parametrize("kill", [kill_worker, kill_node])
def test_after_a_loss_training_continues(kill, cluster, command, trained, tmp_path):
    with started(command, tmp_path) as process:
        wait_for("likelihood 2/6", tmp_path, process)
        kill(cluster)
        process.wait()
    assert process.returncode == 0, (tmp_path / "stderr").read_text()
    assert weights(tmp_path / "out") == weights(trained)
    assert len(losses(tmp_path / "out")) == 8
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["likelihood", "metric"]


def test_an_address_where_nobody_answers_is_told(files, tmp_path):
    done = run([*COMMAND, *arguments(files, tmp_path / "out", "--ray", "127.0.0.1:9")])
    assert (done.code, done.out) == (1, "")
    [line] = done.err.splitlines()
    assert line.startswith("127.0.0.1:9: no Ray cluster answers")
