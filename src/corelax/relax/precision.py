"""Relaxations compute in float32 at least, whatever precision the model around them uses."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

import torch
from torch import Tensor

Function = TypeVar("Function", bound=Callable[..., Any])


def full_precision(function: Function) -> Function:
    """Leaves autocast and half precision: 1 − p has no digits left in either, solves do not exist there.

    Gradients come back in the precision of the argument. float64 stays float64.

    >>> from corelax.relax import link_probs
    >>> link_probs(torch.zeros(2, 2, dtype=torch.bfloat16)).dtype
    torch.float32
    """

    first = next(iter(inspect.signature(function).parameters))

    @wraps(function)
    def in_full_precision(*args: Any, **kwargs: Any) -> Any:
        if not args and first in kwargs:
            args = (kwargs.pop(first),)
        if not args or not isinstance(args[0], Tensor):  # let the function name what is wrong
            return function(*args, **kwargs)
        tensor, *rest = args
        if tensor.dtype in (torch.float16, torch.bfloat16):
            tensor = tensor.float()
        with torch.autocast(device_type=tensor.device.type, enabled=False):
            return function(tensor, *rest, **kwargs)

    return in_full_precision  # type: ignore[return-value]


_unchecked = ContextVar("unchecked", default=False)


@contextmanager
def unchecked() -> Iterator[None]:
    """Leaves out checks of values on a GPU, each of which waits until all work so far is done.

    For training loops that look at the loss themselves: what is not a number makes the loss not a number.

    >>> with unchecked():
    ...     can_check(torch.zeros(1))  # on a CPU there is nothing to wait for
    True
    """
    token = _unchecked.set(True)
    try:
        yield
    finally:
        _unchecked.reset(token)


def can_check(tensor: Tensor) -> bool:
    """Whether values can be looked at now: not while a CUDA graph or a compiler records operations."""
    if torch.compiler.is_compiling():
        return False
    # A compiler cannot read the variable.
    return not (tensor.is_cuda and (torch.cuda.is_current_stream_capturing() or _unchecked.get()))


def is_plain_cpu(tensor: Tensor) -> bool:
    """Whether operations run one by one on a CPU, where gradients written by hand save time."""
    return tensor.device.type == "cpu" and not torch.compiler.is_compiling()
