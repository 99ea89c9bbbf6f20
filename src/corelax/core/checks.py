"""Checks of arguments: each returns what is right, or raises an error that names the argument."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Literal, overload

from corelax.core.errors import CorelaxError


def check_choice(name: str, value: str, choices: Iterable[str]) -> str:
    """One of a few words.

    >>> check_choice("pool", "all", ["document", "batch"])
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: pool must be 'document' or 'batch', not 'all'
    """
    choices = list(choices)
    if value not in choices:
        raise CorelaxError(f"{name} must be {' or '.join(map(repr, choices))}, not {value!r}")
    return value


@overload
def check_number(name: str, number: float, *, at_least: float = 0.0) -> float: ...
@overload
def check_number(
    name: str, number: int, *, at_least: float = 0.0, integer: Literal[True]
) -> int: ...
def check_number(
    name: str, number: float, *, at_least: float = 0.0, integer: bool = False
) -> float:
    """A finite number; a whole one if `integer` is set. True and False are not numbers.

    >>> check_number("margin", -1)
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: margin must be finite and at least 0, not -1
    >>> check_number("batch_size", 2.5, at_least=1, integer=True)
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: batch_size must be a whole number and at least 1, not 2.5
    """
    is_number = isinstance(number, Integral if integer else Real) and not isinstance(number, bool)
    if not (is_number and math.isfinite(number) and number >= at_least):
        kind = "a whole number" if integer else "finite"
        limit = "" if at_least == -math.inf else f" and at least {at_least:g}"
        raise CorelaxError(f"{name} must be {kind}{limit}, not {number!r}")
    return number


def check_beta(beta: float) -> float:
    """β, the weight of recall against precision: above 0."""
    if not (isinstance(beta, Real) and 0 < beta < math.inf):
        raise CorelaxError(f"beta must be a positive number, not {beta!r}")
    return beta


def check_temperature(temperature: float, *, at_most: float = math.inf) -> float:
    """T, which scores are divided by: above 0."""
    number = isinstance(temperature, Real) and math.isfinite(temperature)
    if not (number and 0 < temperature <= at_most):
        limit = "" if at_most == math.inf else f" and at most {at_most:g}"
        raise CorelaxError(f"temperature must be a number above 0{limit}, not {temperature!r}")
    return temperature
