"""An option exists once: a field of a frozen dataclass, with its type, default, check and description.

    @dataclass(frozen=True, slots=True, kw_only=True)
    class ScoreOptions:
        beta: Annotated[float, Option(min=0, help="β of the F-measure.")] = 1.0
        pool: Annotated[Literal["all", "each"] | None, Option(help="Whether …")] = None
        cache: Annotated[Cache | None, "Only from Python: a description without an option."] = None

        def __post_init__(self) -> None:
            check_options(self)

Keyword arguments of Python fill it, `cli.parameters` makes the options of a command from it, and `described`
the pages. What several jobs take is an alias: `threads: Threads = None`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from inspect import get_annotations
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from corelax.core.checks import check_choice, check_number
from corelax.core.errors import CorelaxError

First = TypeVar("First")
Second = TypeVar("Second")
MOST_WORKERS = 1024  # processes, or threads: more than that are a slip of the pen
MOST_THREADS = max(64, os.cpu_count() or 1)  # far more end the program where threads are limited


class Option:
    """What is given by name: `--beta 2`.

    Args:
        names: Such as "--format" and "--to"; else the name of the field.
        help: What it is.
        metavar: How help calls the value.
        min: The smallest number.
        max: The largest number on a command line.
        show_default: Whether help names the default.
        bare: What `--ray` alone stands for, if the value may be left out.
        check: Takes a value that is not None, and returns it as it should be, or raises a `CorelaxError`.
    """

    def __init__(
        self,
        *names: str,
        help: str = "",
        metavar: str | None = None,
        min: float | None = None,
        max: float | None = None,
        show_default: bool = True,
        bare: str | None = None,
        check: Callable[[Any], Any] | None = None,
    ) -> None:
        self.names, self.help, self.metavar = names, help, metavar
        self.min, self.max, self.check = min, max, check
        self.show_default, self.bare = show_default, bare


@dataclass(frozen=True, slots=True)
class Argument:
    """What is given by its place."""

    metavar: str | None = None
    help: str = ""
    show_default: bool = True


# The formats of annotated files and their other names (`corelax.io.FORMATS`, `ALIASES`).
FormatName = Literal[
    "conll2012", "corefud", "ua", "jsonlines", "conll", "conllu", "conllua", "jsonl"
]
Threads = Annotated[
    int | None,
    Option(min=1, max=MOST_THREADS, metavar="N", help="Threads; else as many as there are cores."),
]


@dataclass(frozen=True, slots=True)
class OptionField:
    """A field of an options class.

    Attributes:
        name: Its name.
        kind: Its type without `| None`.
        optional: Whether it may be None.
        default: What it is unless it is given; `MISSING` if it must be.
        about: Its option or argument; only a description if commands do not have it.
    """

    name: str
    kind: Any
    optional: bool
    default: Any
    about: Option | Argument | str


def option_fields(kind: type) -> tuple[OptionField, ...]:
    """The fields of an options class that are described."""
    return _option_fields(kind)


@cache
def _option_fields(kind: type) -> tuple[OptionField, ...]:
    hints = {
        name: hint
        for base in reversed(kind.__mro__)
        for name, hint in get_annotations(base).items()
        for hint in [_evaluated(hint, base)]
    }
    described = (
        option_field(
            field.name,
            hints[field.name],
            field.default if field.default_factory is MISSING else field.default_factory(),
        )
        for field in fields(kind)
        if hints.get(field.name) is not None
    )
    return tuple(field for field in described if field is not None)


def option_field(name: str, hint: Any, default: Any) -> OptionField | None:
    """A field or parameter whose type is `Annotated`; None if it is not."""
    if get_origin(hint) is not Annotated:
        return None
    plain, about = get_args(hint)[:2]
    kind, optional = plain, False
    if get_origin(plain) in (Union, UnionType) and NoneType in get_args(plain):
        kind = Union[tuple(part for part in get_args(plain) if part is not NoneType)]  # noqa: UP007
        optional = True
    return OptionField(name, kind, optional, default, about)


def _evaluated(hint: Any, base: type) -> Any:
    if not isinstance(hint, str):
        return hint
    try:
        return eval(hint, vars(sys.modules[base.__module__]))  # as typing.get_type_hints does
    except NameError:  # a type that is imported for type checkers only; no option has one
        return None


def check_options(options: Any) -> None:
    """Checks every field by its type, limits and `check`; for `__post_init__`.

    >>> @dataclass(frozen=True)
    ... class Settings:
    ...     jobs: Annotated[int, Option(min=1, help="Processes.")] = 1
    ...     __post_init__ = check_options
    >>> Settings(jobs=0)
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: jobs must be a whole number and at least 1, not 0
    """
    for field in option_fields(type(options)):
        value, about = getattr(options, field.name), field.about
        if value is None and field.optional:
            continue
        if get_origin(field.kind) is Literal:
            check_choice(field.name, value, get_args(field.kind))
        elif field.kind is bool and not isinstance(value, bool):
            raise CorelaxError(f"{field.name} must be True or False, not {value!r}")
        if isinstance(about, Option) and about.min is not None:
            if field.kind is int:
                check_number(field.name, value, at_least=about.min, integer=True)
            else:
                check_number(field.name, value, at_least=about.min)
        if isinstance(about, Option) and about.check is not None:
            object.__setattr__(options, field.name, about.check(value))


def described(kind: type) -> Iterator[tuple[str, str]]:
    """The names of the fields of an options class, and what they are."""
    for field in option_fields(kind):
        yield field.name, field.about if isinstance(field.about, str) else field.about.help


def split_options(
    given: Mapping[str, Any], kind: type[First], other: type[Second]
) -> tuple[First, Second]:
    """Keyword arguments as the fields of two options classes; an unknown one is missed by the first."""
    names = {field.name for field in fields(other)}  # type: ignore[arg-type]
    own = {name: value for name, value in given.items() if name not in names}
    return kind(**own), other(**{name: given[name] for name in given if name in names})
