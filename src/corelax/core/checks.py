"""Checks of arguments: each returns what is right, or raises an error that names the argument."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real

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


def check_number(name: str, number: float, *, at_least: float = 0.0) -> float:
    """A finite number.

    >>> check_number("margin", -1)
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: margin must be finite and at least 0, not -1
    """
    if not (isinstance(number, Real) and math.isfinite(number) and number >= at_least):
        limit = "" if at_least == -math.inf else f" and at least {at_least:g}"
        raise CorelaxError(f"{name} must be finite{limit}, not {number!r}")
    return number


def check_beta(beta: float) -> float:
    """β, which divides precision from recall."""
    if not (isinstance(beta, Real) and 0 < beta < math.inf):
        raise CorelaxError(f"beta must be a positive number, not {beta!r}")
    return beta


def check_temperature(temperature: float, *, at_most: float = math.inf) -> float:
    """T, which is divided by."""
    number = isinstance(temperature, Real) and math.isfinite(temperature)
    if not (number and 0 < temperature <= at_most):
        limit = "" if at_most == math.inf else f" and at most {at_most:g}"
        raise CorelaxError(f"temperature must be a number above 0{limit}, not {temperature!r}")
    return temperature
