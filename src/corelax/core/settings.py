"""Settings: keys that exist, and values of the type that a key takes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from types import MappingProxyType
from typing import Any, get_type_hints

from corelax.core.errors import CorelaxError


def suggestion(name: str, known: Iterable[str]) -> str:
    """What may have been meant by a name that does not exist.

    >>> suggestion("epoch", ["epochs", "seed"]), suggestion("xyzzy", ["epochs", "seed"])
    ("did you mean 'epochs'?", 'there are epochs, seed')
    """
    known = list(known)
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"


def field_types(kind: type) -> Mapping[str, Any]:
    """The type of each setting of a class."""
    return _field_types(kind)


@cache  # reading annotations is slow
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
        raise CorelaxError(f"unknown setting {key!r}; {suggestion(key, known)}")


def read_value(key: str, value: Any, wanted: Any) -> Any:
    """A value as the type that a key takes; text is read.

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
        kind = str if wanted == tuple[str, ...] else float
        return tuple(kind(str(item).strip()) for item in items if str(item).strip())
    except (ValueError, KeyError, TypeError):
        raise _wrong_kind(key, value, wanted) from None


def read_table(
    table: Mapping[str, Any], kind: type, leave_out: Sequence[str] = ()
) -> dict[str, Any]:
    """Keys and values as the fields of a dataclass take them; unknown ones are errors."""
    types = field_types(kind)
    known = [field.name for field in fields(kind) if field.name not in leave_out]
    for key in table:
        check_key(key, known)
    return {key: read_value(key, value, types[key]) for key, value in table.items()}


def check_types(settings: Any) -> None:
    """An error if a field that takes whole numbers, truth values or words holds something else.

    True is not taken for 1, nor 2.5 for a whole number.
    """
    types = field_types(type(settings))
    for field in fields(settings):
        value, wanted = getattr(settings, field.name), types[field.name]
        if wanted == tuple[str, ...]:
            if not (isinstance(value, tuple) and all(isinstance(word, str) for word in value)):
                raise CorelaxError(f"{field.name} must be a tuple of words, not {value!r}")
        elif wanted in (int, bool, str) and type(value) is not wanted:
            raise _wrong_kind(field.name, value, wanted)


def _wrong_kind(key: str, value: Any, wanted: Any) -> CorelaxError:
    kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}
    several = "words" if wanted == tuple[str, ...] else "numbers"
    kind = kinds.get(wanted, f"{several} with commas between")
    return CorelaxError(f"{key} must be {kind}, not {value!r}")


def parse_settings(items: Sequence[str]) -> dict[str, str]:
    """`key=value` as given on the command line.

    >>> parse_settings(["epochs=3"])
    {'epochs': '3'}
    """
    settings = {}
    for item in items:
        key, equals, value = item.partition("=")
        if not equals or not key:
            raise CorelaxError(f"--set takes key=value, not {item!r}")
        settings[key.strip()] = value.strip()
    return settings
