"""Forks after torch has computed: the child would wait for threads that only its parent has.

A fork copies one thread. OpenMP, which torch computes with, still counts on the others, and the first
parallel computation of the child never ends. With a single thread it needs none of them.
"""

from __future__ import annotations

import os
from functools import cache

import torch


@cache
def survive_forks() -> None:
    """From now on, processes that are forked from this one compute with one thread.

    >>> survive_forks()
    """
    if hasattr(os, "register_at_fork"):  # where there are forks
        os.register_at_fork(after_in_child=_compute_with_one_thread)


def _compute_with_one_thread() -> None:
    torch.set_num_threads(1)
