"""How a process joins a team: torchrun or Ray has started it, or it starts followers of its own."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import distributed as dist
from torch.distributed import FileStore, PrefixStore  # type: ignore[attr-defined]
from torch.distributed.rendezvous import rendezvous

from corelax.core.device import available_threads, choose_device
from corelax.core.errors import CorelaxError
from corelax.core.exchange import LostWorker, reaching_workers
from corelax.core.workers import interrupts_blocked, work_for
from corelax.train.team import FAIL, FollowerEnded, Team, follow, is_follower

INTERFACE = "GLOO_SOCKET_IFNAME"
LOOPBACK = {"linux": "lo", "darwin": "lo0"}  # the name of the network inside a machine
RESUMED = "finished epochs are kept: the same command with --resume continues"
EXITING = 20.0  # seconds that a process may take from its last word to its end
NCCL = "cpu:gloo,cuda:nccl"


@contextmanager
def joined(device: str = "auto", workers: int = 1) -> Iterator[Team]:
    """The team that this process trains in; on the leader, an error tells what has become of a lost worker.

    Args:
        device: "cpu", "cuda" (each worker of a machine has its own GPU), "cuda:0" (they share it), or "auto".
        workers: How many processes train on this machine, unless torchrun or Ray has started them.

    >>> with joined("cpu") as team:
    ...     team.size
    1
    """
    started = _started_by_torchrun()
    if workers > 1 and started > 1:
        raise CorelaxError(f"torchrun has started {started} workers; leave out --workers")
    processes: list[BaseProcess] = []
    with ExitStack() as stack:
        if dist.is_available() and dist.is_initialized():
            team = Team.of_group(choose_device(device))
        elif started > 1:
            team = _team_of_torchrun(device, stack)
        elif workers > 1:
            team = _team_of_machine(device, workers, processes, stack)
        else:
            team = Team(device=choose_device(device))
        if team.leads and team.size > 1:
            stack.enter_context(_told(team, processes))
        yield team


def was_restarted() -> bool:
    """Whether torchrun has started this worker once more, after one was lost."""
    return _restarts() != "0"


def _restarts() -> str:
    return os.environ.get("TORCHELASTIC_RESTART_COUNT") or "0"


@contextmanager
def _told(team: Team, processes: list[BaseProcess]) -> Iterator[None]:
    """Followers learn of errors of the leader, and the leader tells those of followers."""
    try:
        yield
    except LostWorker:
        if message := team.reported():
            raise CorelaxError(message) from None
        raise LostWorker(f"{_lost(processes)}; {RESUMED}") from None
    except CorelaxError as error:
        with suppress(LostWorker):
            team.call(FAIL, str(error))
        raise
    except KeyboardInterrupt:  # torchrun ends the leader when a follower has ended
        if message := team.reported():
            raise CorelaxError(message) from None
        raise


def _lost(processes: list[BaseProcess]) -> str:
    """Which worker was lost, if that can be known."""
    ended = wait([process.sentinel for process in processes], timeout=EXITING) if processes else []
    for rank, process in enumerate(processes, start=1):
        if process.sentinel in ended:
            process.join(EXITING)  # the sentinel is told a moment before there is a code
        code = process.exitcode
        if code is not None:
            how = f"was ended by signal {-code}" if code < 0 else f"has ended with code {code}"
            return f"worker {rank} {how}"
    return "a worker was lost"


def _started_by_torchrun() -> int:
    """How many workers torchrun has started; 1 without it."""
    size = os.environ.get("WORLD_SIZE", "")
    return int(size) if size.isdecimal() and "MASTER_ADDR" in os.environ else 1


def _team_of_torchrun(device: str, stack: ExitStack) -> Team:
    local, here = int(os.environ["LOCAL_RANK"]), int(os.environ["LOCAL_WORLD_SIZE"])
    try:
        name = _own_device(device, local, here)
    except CorelaxError as error:
        if local:  # torchrun would end the first worker, which tells, as soon as this one has ended
            time.sleep(EXITING)
            raise FollowerEnded(str(error)) from None
        raise
    stack.callback(_leave_group)
    try:
        with reaching_workers():
            store, rank, size = next(rendezvous("env://"))
            # What lost workers have left in the store is of no use to those that are started anew.
            store = PrefixStore(f"corelax/{_restarts()}", store)
            dist.init_process_group(_backend(name), store=store, rank=rank, world_size=size)
        return Team.of_group(name)
    except LostWorker as error:
        if is_follower():
            raise FollowerEnded(str(error)) from None
        raise


def _team_of_machine(
    device: str, workers: int, processes: list[BaseProcess], stack: ExitStack
) -> Team:
    """Starts followers as processes of this machine. They are reached by a file and over loopback."""
    name = _own_device(device, 0, workers)
    threads = torch.get_num_threads()
    each = max(1, available_threads() // workers)
    torch.set_num_threads(each)
    stack.callback(torch.set_num_threads, threads)
    path = Path(stack.enter_context(TemporaryDirectory(prefix="corelax-"))) / "workers"
    make = get_context("spawn").Process  # a fork would copy threads that do not run
    for rank in range(1, workers):
        arguments = (os.getpid(), str(path), rank, workers, device, each)
        process = make(target=_follow_here, args=arguments, daemon=True)
        with interrupts_blocked():
            process.start()
        processes.append(process)
    stack.callback(_end, processes)
    store = FileStore(str(path), workers)
    while not store.check([f"ready{rank}" for rank in range(1, workers)]):
        if ended := [process for process in processes if process.exitcode is not None]:
            raise CorelaxError(f"a worker could not start (code {ended[0].exitcode})")
        time.sleep(0.05)
    stack.callback(_leave_group)
    return _joined_here(store, 0, workers, name)


def _follow_here(
    parent: int, path: str, rank: int, workers: int, device: str, threads: int
) -> None:
    """A follower that the leader has started, from its start to its end."""
    work_for(parent)
    torch.set_num_threads(threads)
    store = FileStore(path, workers)
    name = _own_device(device, rank, workers)
    store.set(f"ready{rank}", "")
    try:
        follow(_joined_here(store, rank, workers, name))
    except FollowerEnded:
        sys.exit(1)
    finally:
        _leave_group()


def _joined_here(store: Any, rank: int, workers: int, device: str) -> Team:
    network, before = LOOPBACK.get(sys.platform), os.environ.get(INTERFACE)
    if network is not None:
        os.environ[INTERFACE] = network
    try:
        with reaching_workers():
            dist.init_process_group(_backend(device), store=store, rank=rank, world_size=workers)
        return Team.of_group(device)
    finally:
        os.environ.pop(INTERFACE, None)
        if before is not None:
            os.environ[INTERFACE] = before


def _own_device(device: str, worker: int, workers: int) -> str:
    """The device of one of the workers of a machine."""
    name = choose_device(device)
    if name == "mps":
        raise CorelaxError("device mps: an Apple GPU has one worker; use --device cpu for several")
    if name == "cuda":
        gpus = torch.cuda.device_count()
        if workers > gpus:
            raise CorelaxError(
                f"{workers} workers and {gpus} GPUs; start {gpus}, or share one with --device cuda:0"
            )
        torch.cuda.set_device(worker)
    elif name.startswith("cuda"):
        torch.cuda.set_device(name)
    return name


def _backend(device: str) -> str:
    """NCCL where each worker has a GPU of its own; it refuses workers that share one."""
    return NCCL if device == "cuda" else "gloo"


def _leave_group() -> None:
    if dist.is_initialized():
        dist.destroy_process_group()


def _end(processes: list[BaseProcess]) -> None:
    """Followers end by themselves when the leader has; those that do not are ended."""
    wait_until = time.monotonic() + 5
    for process in processes:
        process.join(max(0.0, wait_until - time.monotonic()))
        if process.is_alive():
            process.terminate()
