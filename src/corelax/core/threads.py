"""The threads by which torch computes on a CPU: how they wait for each other, and what forks do to them."""

from __future__ import annotations

import os
from functools import cache

SPINS = "1000"  # some microseconds, in which the next operation of a loss or a short text is there


def spin_briefly() -> None:
    """Lets waiting threads spin for a moment and then sleep, unless the environment says otherwise.

    Threads that go on spinning make torch many times slower where others use the processor too; threads that
    sleep at once make small operations twice as slow where nobody does. It is read when torch is loaded.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
        os.environ.setdefault("GOMP_SPINCOUNT", SPINS)  # of libgomp, where it comes first


@cache
def survive_forks() -> None:
    """From now on, processes that are forked from this one compute with one thread.

    A fork copies one thread. OpenMP still counts on the others, and the first parallel computation of the
    child would never end. With a single thread it needs none of them.
    """
    if hasattr(os, "register_at_fork"):  # where there are forks
        os.register_at_fork(after_in_child=_compute_with_one_thread)


def _compute_with_one_thread() -> None:
    import torch

    torch.set_num_threads(1)
