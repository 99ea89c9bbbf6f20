"""Training on a Ray cluster: Ray Train starts the workers, and starts them anew after one was lost."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from corelax.core.clusters import Cluster, Home, connected
from corelax.core.device import check_device
from corelax.core.errors import CorelaxError
from corelax.core.exchange import LostWorker
from corelax.train.checkpoint import History
from corelax.train.joining import NCCL, RESUMED
from corelax.train.loop import Progress
from corelax.train.settings import StageSettings
from corelax.train.stage import Note
from corelax.train.team import FollowerEnded, is_follower

RESTARTS = 3  # after lost workers
REFRESH = 0.2  # seconds
STATE = ".ray"  # what Ray Train writes, in the folder of the models while it trains
NOTE, END, ERROR = "note", "trained", "error"


class Board:
    """Messages from the leader to the program that has asked for training. An actor of Ray."""

    def __init__(self) -> None:
        self._messages: list[tuple[str, tuple[Any, ...]]] = []
        self._starts = 0

    def start(self) -> int:
        """How many times the leader has started, this time included."""
        self._starts += 1
        return self._starts

    def put(self, name: str, *arguments: Any) -> None:
        """Adds a message."""
        self._messages.append((name, arguments))

    def take(self) -> list[tuple[str, tuple[Any, ...]]]:
        """The messages since the last time."""
        messages, self._messages = self._messages, []
        return messages


def train_on_ray(
    arguments: Mapping[str, Any],
    *,
    address: str,
    workers: int,
    device: str,
    progress: Progress | None,
    note: Note,
) -> Path:
    """Trains on a cluster; the model folder of the last stage.

    Args:
        arguments: Those of `corelax.train`, which the workers call.
        address: See `Cluster`.
        workers: How many workers train, each with a CPU or a GPU.
        device: "cpu", "cuda" or "auto", which is a GPU if the cluster has one for each worker.
        progress: Progress callbacks.
        note: Receives messages.
    """
    if check_device(device) not in ("auto", "cpu", "cuda"):
        raise CorelaxError(f"device {device}: Ray chooses the GPUs; use --device cuda")
    cluster = Cluster(address, workers, gpus=float(device != "cpu"))
    with connected(cluster) as ray:
        from ray.train import FailureConfig, RunConfig, ScalingConfig, TrainingFailedError
        from ray.train.torch import TorchConfig, TorchTrainer
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        gpus = int(ray.cluster_resources().get("GPU", 0))
        use_gpu = device == "cuda" or (device == "auto" and gpus >= workers)
        has = gpus if use_gpu else int(ray.cluster_resources().get("CPU", 0))
        if has < workers:
            kind = "GPUs" if use_gpu else "CPUs"
            note(f"Ray has {has} {kind} for {workers} workers; waiting until it has more")
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        board = ray.remote(num_cpus=0, scheduling_strategy=here)(Board).remote()
        storage = Path(arguments["out"]).resolve() / STATE
        trainer = TorchTrainer(
            _work,
            train_loop_config={
                "arguments": dict(arguments),
                "board": board,
                "home": Home.of_this_process(),
                "device": "cuda" if use_gpu else "cpu",
            },
            torch_config=TorchConfig(backend=NCCL if use_gpu else "gloo"),
            scaling_config=ScalingConfig(num_workers=workers, use_gpu=use_gpu),
            run_config=RunConfig(
                name="train",
                storage_path=str(storage),
                failure_config=FailureConfig(max_failures=RESTARTS),
            ),
        )
        heard = _Listener(ray, board, progress or Progress(), note)
        try:
            with heard:
                trainer.fit()
        except TrainingFailedError:
            if not heard.results:  # the last thing that the leader has said
                raise LostWorker(f"workers were lost {RESTARTS + 1} times; {RESUMED}") from None
        finally:
            shutil.rmtree(storage, ignore_errors=True)
            with suppress(OSError):
                storage.parent.rmdir()  # if nothing was trained
    if ERROR in heard.results:
        raise CorelaxError(heard.results[ERROR])
    return Path(heard.results[END])


class _Listener:
    """Passes messages on to callbacks, in a thread, while Ray trains."""

    def __init__(self, ray: Any, board: Any, progress: Progress, note: Note) -> None:
        self.results: dict[str, str] = {}
        self._ray, self._board, self._progress, self._note = ray, board, progress, note
        self._is_done = threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._is_done.set()
        self._thread.join()
        with suppress(self._ray.exceptions.RayError):
            self._pass_on()

    def _listen(self) -> None:
        with suppress(self._ray.exceptions.RayError):
            while not self._is_done.wait(REFRESH):
                self._pass_on()

    def _pass_on(self) -> None:
        for name, arguments in self._ray.get(self._board.take.remote()):
            if name in (END, ERROR):
                self.results[name] = arguments[0]
            elif name == NOTE:
                self._note(*arguments)
            else:
                getattr(self._progress, name)(*arguments)


class _SentProgress(Progress):
    """Sends what callbacks are told; of documents a few each second."""

    def __init__(self, board: Any) -> None:
        self._board, self._sent = board, 0.0

    def begin(self, config: StageSettings, folder: Path, history: History) -> None:
        """Before the first epoch of a stage."""
        self._board.put.remote("begin", config, folder, history)

    def document(self, stage: str, epoch: int, epochs: int, done: int, documents: int) -> None:
        """After a training document."""
        now = time.monotonic()
        if done in (1, documents) or now - self._sent >= REFRESH:
            self._sent = now
            self._board.put.remote("document", stage, epoch, epochs, done, documents)

    def epoch(self, config: StageSettings, history: History) -> None:
        """After an epoch."""
        self._board.put.remote("epoch", config, history)

    def end(self, config: StageSettings, training: Mapping[str, Any]) -> None:
        """After a stage."""
        self._board.put.remote("end", config, dict(training))


def _work(given: Mapping[str, Any]) -> None:
    """What each worker does. Only a lost worker is an error for Ray, which then starts all anew."""
    import ray

    from corelax.train.api import train

    arguments, board = {**given["arguments"], "device": given["device"]}, given["board"]

    def note(text: str) -> None:
        board.put.remote(NOTE, text)

    try:
        given["home"].enter()
        if is_follower():
            train(**arguments)
            return
        arguments["resume"] |= ray.get(board.start.remote()) > 1
        trained = train(**arguments, progress=_SentProgress(board), note=note)
        result = (END, str(trained.folder))
    except LostWorker:
        raise
    except FollowerEnded:  # the leader tells why
        return
    except CorelaxError as error:
        result = (ERROR, str(error))
        if is_follower():  # the leader waits for it, and must be ended
            ray.get(board.put.remote(*result))
            raise
    ray.get(board.put.remote(*result))
