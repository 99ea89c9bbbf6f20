"""Work on a Ray cluster: connecting to it, and items spread over its workers by Ray Data."""

from __future__ import annotations

import logging
import os
import pickle
import socket
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from corelax.core.errors import CorelaxError
from corelax.core.version import VERSION
from corelax.core.workers import Maker, WorkerEnded

LOCAL = "local"  # the address that stands for a Ray of this command's own, on this machine
RETRIES = 3  # of an item whose worker has died; what is sent to a lost node comes back as well
OBJECT_STORE = 1 << 30  # bytes, of a Ray that is started here
TIMEOUT = 5.0  # seconds to wait for an answer at an address
# What Ray would print of itself.
QUIET = {"RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "RAY_BACKEND_LOG_LEVEL": "fatal"}
START = "start one with `ray start --head`, or leave out the address for a Ray of this machine"


class Cluster(NamedTuple):
    """Where work is done, and what each worker gets.

    Attributes:
        address: "local" for a Ray of our own on this machine, "auto" for the one that runs here, or
            HOST:PORT of its head.
        workers: How many workers at most; None is as many as the cluster has room for.
        cpus: Cores for each worker.
        gpus: GPUs for each worker; 0.25 lets four share one.
    """

    address: str = LOCAL
    workers: int | None = None
    cpus: float = 1
    gpus: float = 0

    def room(self, resources: Mapping[str, float]) -> int:
        """How many workers find room in what a cluster has, as Ray tells it.

        >>> Cluster(gpus=0.25).room({"CPU": 16, "GPU": 2})
        8
        """
        most = resources.get("CPU", 0) / self.cpus
        if self.gpus:
            most = min(most, resources.get("GPU", 0) / self.gpus)
        room = int(min(most, self.workers or most) + 1e-9)  # 3 x 0.1 GPU is room for 3
        if room < 1:
            has = ", ".join(f"{resources.get(name, 0):g} {name}" for name in ("CPU", "GPU"))
            needed = f"{self.cpus:g} CPU" + (f", {self.gpus:g} GPU" if self.gpus else "")
            raise CorelaxError(f"{self.address}: a worker needs {needed}; the cluster has {has}")
        return room


@contextmanager
def connected(cluster: Cluster) -> Iterator[Any]:
    """The module `ray`, connected; the connection ends with the block, unless there was one before."""
    import ray

    if ray.is_initialized():
        yield ray
        return
    _check_answers(cluster.address)
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    here: dict[str, Any] = {}
    if cluster.address == LOCAL:
        here = {"include_dashboard": False, "object_store_memory": OBJECT_STORE}
        if cluster.workers is not None and not cluster.gpus:
            here["num_cpus"] = -int(-cluster.workers * cluster.cpus // 1)
    try:
        with _quiet_errors():
            ray.init(
                address=cluster.address, logging_level=logging.ERROR, log_to_driver=False, **here
            )
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        if isinstance(error.__cause__, ray.exceptions.AuthenticationError):
            raise CorelaxError(
                f"{cluster.address}: the Ray cluster wants its token; set RAY_AUTH_MODE=token, and "
                "RAY_AUTH_TOKEN where `ray start` has left none in ~/.ray"
            ) from None
        raise CorelaxError(
            f"{cluster.address}: no connection to Ray ({_first_line(error)}); {START}"
        ) from None
    try:
        yield ray
    finally:
        ray.shutdown()


@contextmanager
def _quiet_errors() -> Iterator[None]:
    """Keeps what the libraries below Python write to standard error from the terminal."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _check_answers(address: str) -> None:
    """An error if nobody listens at an address: Ray itself would try for minutes."""
    if address in (LOCAL, "auto"):
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        raise CorelaxError(
            f"{address}: not the address of a Ray cluster; needed is HOST:PORT, or auto (--ray=ADDRESS)"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), TIMEOUT).close()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CorelaxError(f"{address}: no Ray cluster answers ({reason}); {START}") from None


def map_on_cluster(
    items: Sequence[Any], cluster: Cluster, make: Maker, arguments: tuple[Any, ...] = ()
) -> Iterator[tuple[int, Any]]:
    """What workers on a cluster make of items: (number of the item, result), as they are ready.

    Ray Data starts workers as there is room, gives them items no faster than results are taken, and repeats
    what was in the hands of a node that is lost. Each result comes once.

    Args:
        items: What can be pickled.
        cluster: The cluster, where this version of corelax must be installed on every node.
        make: A function of a module, called once for each worker.
        arguments: The arguments of `make`.
    """
    if not items:
        return
    with connected(cluster) as ray:
        ray.data.DataContext.get_current().enable_progress_bars = False
        logging.getLogger("ray.data").setLevel(logging.CRITICAL)
        workers = cluster.room(ray.cluster_resources())
        attempts = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(_Attempts)
        rows = [{"number": n, "item": pickle.dumps(item)} for n, item in enumerate(items)]
        results = ray.data.from_items(rows, override_num_blocks=len(rows)).map_batches(
            _Worker,
            fn_constructor_args=(attempts.remote(), make, arguments, str(Path.cwd()), VERSION),
            batch_size=1,
            compute=ray.data.ActorPoolStrategy(size=min(workers, len(items))),
            num_cpus=cluster.cpus,
            num_gpus=cluster.gpus or None,
        )
        try:
            for row in results.iter_rows():
                result = pickle.loads(row["result"])
                if isinstance(result, Exception):
                    raise result
                yield int(row["number"]), result
        except ray.exceptions.RayError as error:  # of Ray itself, or the cluster is lost
            raise WorkerEnded(f"the Ray cluster has failed ({_first_line(error)})") from None


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


class _Worker:
    """A worker as Ray Data knows it: from a batch of one item to a batch of one result."""

    def __init__(
        self, attempts: Any, make: Maker, arguments: tuple[Any, ...], folder: str, version: str
    ) -> None:
        self._attempts, self._make, self._arguments = attempts, make, arguments
        self._folder, self._version = folder, version  # those of the command
        self._work: Callable[[Any], Any] | None = None

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        try:
            result = self._result(int(batch["number"][0]), pickle.loads(batch["item"][0]))
        except Exception as error:  # Ray would wrap it up
            result = error
        try:
            content = pickle.dumps(result)
        except Exception as error:
            content = pickle.dumps(RuntimeError(f"{result!r} cannot be sent ({error})"))
        return {"number": batch["number"], "result": [content]}

    def _result(self, number: int, item: Any) -> Any:
        import ray

        if ray.get(self._attempts.begin.remote(number)) > RETRIES:
            raise WorkerEnded(
                f"a worker ended {RETRIES + 1} times in the middle of the same piece (too little "
                "memory?); use fewer --jobs"
            )
        if self._work is None:
            if self._version != VERSION:
                raise CorelaxError(
                    f"a node has corelax {VERSION}, not {self._version}; install the same on all"
                )
            if Path(self._folder).is_dir():  # else only whole paths and addresses can be read
                os.chdir(self._folder)
            self._work = self._make(*self._arguments)
        return self._work(item)


class _Attempts:
    """Counts how often each item was begun: a worker that dies cannot tell."""

    def __init__(self) -> None:
        self._begun: Counter[int] = Counter()

    def begin(self, number: int) -> int:
        self._begun[number] += 1
        return self._begun[number] - 1
