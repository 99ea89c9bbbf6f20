"""Checks of arguments: each returns what is right, or raises an error that names the argument."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from numbers import Integral, Real
from pathlib import PurePosixPath, PureWindowsPath
from typing import Literal, TypeVar, overload

from corelax.core.errors import CorelaxError

LONGEST_NAME = 200  # bytes; file systems allow 255, with what is put after a name
MIN_TEMPERATURE, MAX_TEMPERATURE = 1e-30, 1e30
Item = TypeVar("Item")


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
    """T, which scores are divided by: above 0, and 1 / T is neither infinite nor 0 in float32.

    >>> check_temperature(1e-39)
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: temperature must be at least 1e-30, not 1e-39
    """
    number = isinstance(temperature, Real) and math.isfinite(temperature)
    if not (number and 0 < temperature <= at_most):
        limit = "" if at_most == math.inf else f" and at most {at_most:g}"
        raise CorelaxError(f"temperature must be a number above 0{limit}, not {temperature!r}")
    if temperature < MIN_TEMPERATURE:
        raise CorelaxError(f"temperature must be at least {MIN_TEMPERATURE:g}, not {temperature!r}")
    if temperature > MAX_TEMPERATURE:
        raise CorelaxError(f"temperature must be at most {MAX_TEMPERATURE:g}, not {temperature!r}")
    return temperature


def check_path_name(what: str, name: str) -> str:
    """A name that becomes the name of one file or folder, in the folder that it is meant for.

    >>> check_path_name("stage", "lea_epochs=3")
    'lea_epochs=3'
    >>> check_path_name("stage", "../lea")
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: stage '../lea': a name that becomes a folder has no / ...
    """
    is_usual = isinstance(name, str) and name.isprintable() and not re.search(r"[/\\:]", name)
    if not is_usual or name != name.strip() or name.startswith(".") or not name:
        raise CorelaxError(
            f"{what} {name!r:.100}: a name that becomes a folder has no / or \\ or :, no control characters, "
            "and does not begin with a dot"
        )
    if len(name.encode()) > LONGEST_NAME:
        raise CorelaxError(f"{what} {name[:40]!r}…: is longer than {LONGEST_NAME} bytes")
    return name


def check_below(what: str, name: str, folder: str) -> str:
    """A path that stays below the folder that it is relative to.

    >>> check_below("corpus news: train", "../secret.conll", "--data")
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: corpus news: train: '../secret.conll' is not below the folder of --data
    """
    paths = PurePosixPath(name), PureWindowsPath(name)
    if any(path.is_absolute() or path.drive or ".." in path.parts for path in paths):
        raise CorelaxError(f"{what}: {name!r} is not below the folder of {folder}")
    return name


def check_items(name: str, items: Iterable[Item]) -> list[Item]:
    """The items of a list, an iterator or anything else that can be gone through; not the letters of a text.

    >>> check_items("mentions", iter([(0, 3)]))
    [(0, 3)]
    >>> check_items("must_link", None)
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: must_link must be a list or another iterable, not None
    """
    if isinstance(items, (str, bytes)) or not hasattr(type(items), "__iter__"):
        raise CorelaxError(f"{name} must be a list or another iterable, not {items!r}")
    return list(items)
