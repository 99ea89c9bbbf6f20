"""A node of a Ray cluster is killed in the middle of resolving."""

from __future__ import annotations

import os
import signal

import pytest

from corelax import CorelaxError
from corelax.core.workers import WorkerEnded
from corelax.scale import resolve_shards
from corelax.scale.cluster import Cluster, connected, map_on_cluster
from tests.scale.ray_nodes import killed_at_work, ray_cluster
from tests.scale.scale_inputs import contents, write_texts

ray = pytest.importorskip("ray")
# Ray warns of itself, and closes what it has opened when it likes.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def cluster():
    """A head; each test adds a node and kills it."""
    with ray_cluster() as started:
        yield started


@pytest.fixture
def joined(cluster):
    """The address, connected, with a second node."""
    node = cluster.second()
    with connected(Cluster(cluster.address)) as connection:
        cluster.wait_for(connection, 2)
        try:
            yield Cluster(cluster.address, workers=2), node
        finally:
            node.kill()
            cluster.wait_for(connection, 1)


def test_shards_of_a_lost_node_are_resolved_once_more(joined, tmp_path):
    texts = write_texts(tmp_path / "texts", 40)
    options = {"shard_size": 2, "device": "cpu"}
    resolve_shards([texts], str(tmp_path / "one"), jobs=1, **options)
    where, node = joined
    with killed_at_work(node, "submit"):
        given = {"ray": where.address, "jobs": where.workers}
        report = resolve_shards([texts], str(tmp_path / "lost"), **given, **options)
    assert (report.shards, report.documents, report.bad) == (20, 40, 0)
    assert contents(tmp_path / "lost") == contents(tmp_path / "one")


def working(name):
    def work(item):
        if item == name == "memory":
            os.kill(os.getpid(), signal.SIGKILL)  # as the system does where memory ends
        if item == name == "fault":
            raise CorelaxError("a.txt: not a text")
        return item.upper()

    return work


def test_what_goes_wrong_in_a_worker_is_told_in_one_line(cluster):
    where = Cluster(cluster.address, workers=1)
    with pytest.raises(CorelaxError, match=r"^a.txt: not a text$"):
        list(map_on_cluster(["a", "fault"], where, working, ("fault",)))
    with pytest.raises(WorkerEnded, match=r"^a worker ended 4 times .*too little memory"):
        list(map_on_cluster(["a", "memory"], where, working, ("memory",)))
    with pytest.raises(CorelaxError, match="a worker needs 3 CPU; the cluster has 1 CPU, 0 GPU"):
        list(map_on_cluster(["a"], where._replace(cpus=3), working, ("",)))
    results = sorted(map_on_cluster(["a", "b"], where, working, ("",)))
    assert results == [(0, "A"), (1, "B")]
