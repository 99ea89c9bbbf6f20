"""How the threads of OpenMP, by which torch computes on a CPU, wait for each other."""

from __future__ import annotations

import os

SPINS = "1000"  # some microseconds, in which the next operation of a loss or a short text is there


def spin_briefly() -> None:
    """Lets waiting threads spin for a moment and then sleep, unless the environment says otherwise.

    Threads that go on spinning make torch many times slower where others use the processor too; threads that
    sleep at once make small operations twice as slow where nobody does. It is read when torch is loaded.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
        os.environ.setdefault("GOMP_SPINCOUNT", SPINS)  # of libgomp, where it comes first
