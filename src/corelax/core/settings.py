"""Settings given as text: keys that exist, and values of the type that a key takes."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, get_type_hints

from corelax.core.errors import CorelaxError


def field_types(kind: type) -> Mapping[str, Any]:
    """The type of each setting of a class. Reading annotations is slow, and a class keeps its own.

    >>> class Settings:
    ...     epochs: int
    >>> dict(field_types(Settings))
    {'epochs': <class 'int'>}
    """
    return _field_types(kind)


@cache
def _field_types(kind: type) -> Mapping[str, Any]:
    return MappingProxyType(get_type_hints(kind))


def check_key(key: str, known: Sequence[str]) -> None:
    """An error with a hint if there is no such setting.

    >>> check_key("epoch", ["epochs", "seed"])
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: unknown setting 'epoch'; did you mean 'epochs'?
    """
    if key not in known:
        near = difflib.get_close_matches(key, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
        raise CorelaxError(f"unknown setting {key!r}; {hint}")


def read_value(key: str, value: Any, wanted: Any) -> Any:
    """A value as the type that a key takes.

    >>> read_value("costs", "0.1, 3, 1", tuple[float, ...])
    (0.1, 3.0, 1.0)
    """
    truths = {"true": True, "false": False}
    try:
        if isinstance(value, bool) and wanted in (int, float):
            raise TypeError
        if wanted is bool:
            return truths[str(value).lower()]
        if wanted is int:
            return int(str(value))
        if wanted is float:
            return float(value)
        if wanted is str:
            if not isinstance(value, str):
                raise TypeError
            return value
        items = value.split(",") if isinstance(value, str) else value
        one = str if wanted == tuple[str, ...] else float
        return tuple(one(str(item).strip()) for item in items if str(item).strip())
    except (ValueError, KeyError, TypeError):
        kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}
        raise CorelaxError(
            f"{key} must be {kinds.get(wanted, 'numbers or words with commas between')}, not {value!r}"
        ) from None
