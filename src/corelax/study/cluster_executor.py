"""Jobs of a study on a Ray cluster. All nodes must see the folder of the study and its documents."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import torch

from corelax.core.clusters import RETRIES, Cluster, Home, connected
from corelax.core.errors import CorelaxError
from corelax.study.executors import GPU_WORKERS, Ended
from corelax.study.work import Job, Worker


class OnCluster:
    """Runs jobs as tasks of Ray; those of a lost node are repeated and go on from their last epoch.

    The results are the same as those of `Processes`, bit for bit.

    Args:
        cluster: The cluster, and what each job gets of it.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._stack = ExitStack()
        self._ray: Any = None
        self._task: Any = None
        self._running: dict[Any, Job] = {}

    @property
    def capacity(self) -> int:
        """One job more than there is room for, so that no worker waits for its next job."""
        ray = self._connected()
        return 1 + max(1, self._cluster.room(ray.cluster_resources()))

    def submit(self, job: Job) -> None:
        """Gives a job to the cluster."""
        self._connected()
        self._running[self._task.remote(job, Home.of_this_process(), self._cluster.cpus)] = job

    def wait(self) -> Sequence[Ended]:
        """Waits until a job has ended."""
        done, _ = self._ray.wait(list(self._running), num_returns=1)
        return [self._ended(ref) for ref in done]

    def _ended(self, ref: Any) -> Ended:
        job = self._running.pop(ref)
        try:
            error = self._ray.get(ref)
        except self._ray.exceptions.RayError as lost:
            line = next(iter(str(lost).splitlines()), type(lost).__name__)
            raise CorelaxError(
                f"the cluster lost {job.stage}, seed {job.seed}, {RETRIES + 1} times ({line}); the same "
                "command continues"
            ) from None
        return Ended(job, error)

    def shutdown(self, *, cancel: bool = False) -> None:
        """Ends the connection, and a Ray that was started for it."""
        if cancel and self._ray is not None:
            for ref in self._running:
                self._ray.cancel(ref, force=True)
        self._running.clear()
        self._ray = self._task = None
        self._stack.close()

    def _connected(self) -> Any:
        if self._ray is None:
            self._ray = self._stack.enter_context(connected(self._cluster))
            self._task = self._ray.remote(
                num_cpus=self._cluster.cpus, num_gpus=self._cluster.gpus, max_retries=RETRIES
            )(_run)
        return self._ray


def study_cluster(cluster: Cluster, device: str) -> Cluster:
    """A cluster whose jobs share GPUs as processes on one machine do, unless a share is given.

    >>> study_cluster(Cluster(), "cuda").gpus
    0.25
    """
    if cluster.gpus or not device.startswith("cuda"):
        return cluster
    return cluster._replace(gpus=1 / GPU_WORKERS)


_worker: Worker | None = None  # of a process of the cluster, which runs one job after another


def _run(job: Job, home: Home, threads: float) -> BaseException | None:
    """Runs a job; returns its error, which Ray would wrap up."""
    global _worker
    try:
        if _worker is None:
            home.enter()
            torch.set_num_threads(max(1, int(threads)))
            _worker = Worker()
        _worker.run(job)
    except Exception as error:
        return error
    return None
