"""Where a network is computed: a device of torch, or the threads of this machine."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Annotated

from corelax.core.errors import CorelaxError
from corelax.core.options import Option

_NAMES = re.compile(r"auto|cpu|cuda(:\d+)?|mps")


def check_device(device: str) -> str:
    """The name of a device, or an error.

    >>> check_device("tpu")
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: device must be auto, cpu, cuda, cuda:1 (and so on) or mps, not 'tpu'
    """
    if not isinstance(device, str) or not _NAMES.fullmatch(device):
        raise CorelaxError(
            f"device must be auto, cpu, cuda, cuda:1 (and so on) or mps, not {device!r}"
        )
    return device


Device = Annotated[
    str,
    Option(
        metavar="NAME", help="Where to compute: auto, cpu, cuda, cuda:1 …, mps.", check=check_device
    ),
]


def choose_device(device: str) -> str:
    """`auto` is a GPU if there is one.

    >>> choose_device("cpu")
    'cpu'
    """
    import torch

    check_device(device)
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device.startswith("cuda"):
        if not gpus:
            raise CorelaxError(f"device {device}: there is no GPU that torch can use")
        number = int(device.partition(":")[2] or 0)
        if number >= gpus:
            raise CorelaxError(f"device {device}: there are {gpus} GPUs, from cuda:0 on")
    if device == "mps" and not torch.backends.mps.is_available():
        raise CorelaxError("device mps: there is no Apple GPU that torch can use")
    return ("cuda" if gpus else "cpu") if device == "auto" else device


def may_have_gpu() -> bool:
    """Whether torch could find a GPU of NVIDIA or AMD; on Linux files tell, and torch need not be imported.

    >>> may_have_gpu() in (True, False)
    True
    """
    if sys.platform == "linux":
        devices = Path("/dev")
        return any(devices.glob("nvidia[0-9]*")) or any(
            (devices / name).exists() for name in ("kfd", "dxg")
        )
    return sys.platform == "win32"


def available_threads() -> int:
    """How many threads can run at once: the cores that this process may use, of a container its share.

    >>> available_threads() >= 1
    True
    """
    allowed = getattr(os, "sched_getaffinity", None)
    cores = len(allowed(0)) if allowed is not None else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        cores = min(cores, -(-int(quota) // int(period)))
    except (OSError, ValueError):  # not in a container, or without a limit ("max")
        pass
    return max(cores, 1)
