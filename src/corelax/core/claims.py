"""Folders that belong to one piece of work: the same command continues it, another one is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from corelax.core.errors import CorelaxError


def check_claim(
    out: object, present: Mapping[str, Any], wanted: Mapping[str, Any], noun: str
) -> None:
    """An error that names what differs, if a folder holds work on something else.

    Args:
        out: The folder.
        present: What it says it is for.
        wanted: What it is to be for. Tables in it are compared setting by setting.
        noun: What the work is, in the message.

    >>> check_claim("out", {"seed": 1}, {"seed": 2}, "a study")
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: out: has a study with other settings or files (seed); use another --out
    """
    names = differences(present, as_json(wanted))
    differs = [name.partition(".")[2] or name for name in names]
    if differs:
        raise CorelaxError(
            f"{out}: has {noun} with other settings or files ({', '.join(differs)}); use another --out"
        )


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """The names of values that are not the same, as "documents.ontogum".

    >>> differences({"config": {"epochs": 3, "seed": 1}}, {"config": {"epochs": 4, "seed": 1}})
    ['config.epochs']
    """
    names = []
    for key, value in new.items():
        before = old.get(key)
        if isinstance(value, Mapping) and isinstance(before, Mapping):
            inside = differences(before, {**dict.fromkeys(before), **value})
            names += [f"{key}.{name}" for name in inside]
        elif before != value:
            names.append(key)
    return names


def as_json(values: Mapping[str, Any]) -> dict[str, Any]:
    """As JSON returns them, where tuples have become lists.

    >>> as_json({"start": ("first",)})
    {'start': ['first']}
    """
    plain: dict[str, Any] = json.loads(json.dumps(values))
    return plain
