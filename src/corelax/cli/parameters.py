"""Commands from functions: the types and annotations of parameters become options, which click reads.

A parameter is `Annotated[TYPE, Option(...)]` or `Annotated[TYPE, Argument(...)]`. TYPE is str, int, float,
bool, Path, a Literal, an Enum, a list of one of these, perhaps `| None`; its default is the function’s own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

import click

if TYPE_CHECKING:
    Choice = click.Choice[Any]
    PathParameter = click.ParamType[Path]
else:  # older versions of click have no types here
    Choice, PathParameter = click.Choice, click.ParamType

BadParameter, Exit = click.BadParameter, click.exceptions.Exit


@dataclass(frozen=True, slots=True)
class Argument:
    """What is given by its place.

    Attributes:
        metavar: How help calls it.
        help: What it is.
        show_default: Whether help names the default.
    """

    metavar: str | None = None
    help: str = ""
    show_default: bool = True


class Option:
    """What is given by name: `--beta 2`; the name is that of the parameter unless others are given.

    Args:
        names: Such as "--format" and "--to".
        help: What it is.
        metavar: How help calls the value.
        min: The smallest number.
        max: The largest number.
        show_default: Whether help names the default.
        hidden: Whether help leaves it out.
        bare: What `--ray` alone stands for, if the value may be left out.
        callback: Takes the value, and returns what the function gets.
    """

    def __init__(
        self,
        *names: str,
        help: str = "",
        metavar: str | None = None,
        min: float | None = None,
        max: float | None = None,
        show_default: bool = True,
        hidden: bool = False,
        bare: str | None = None,
        callback: Callable[[Any], Any] | None = None,
    ) -> None:
        self.names, self.help, self.metavar = names, help, metavar
        self.min, self.max = min, max
        self.show_default, self.hidden, self.callback = show_default, hidden, callback
        self.bare = bare


def command_of(function: Callable[..., Any], *, example: str = "") -> click.Command:
    """A function as a command; the help is its docstring, with an example below.

    >>> from typing import Annotated
    >>> def double(number: Annotated[int, Option(min=0)] = 1) -> None:
    ...     '''Print twice the number.'''
    ...     print(2 * number)
    >>> command_of(double).main(["--number", "4"], standalone_mode=False)
    8
    """
    hints = get_type_hints(function, include_extras=True)
    parameters = [
        _parameter(name, hints[name], parameter.default)
        for name, parameter in inspect.signature(function).parameters.items()
    ]
    return _Command(
        function.__name__.strip("_"),
        params=parameters,
        callback=function,
        help=inspect.getdoc(function),
        epilog="\b\nExample:\n  " + example.replace("\n", "\n  ") if example else None,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )


class _Command(click.Command):
    """A command whose help also says what its arguments are."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Arguments, then options."""
        rows = [(p.make_metavar(ctx), p.about) for p in self.params if isinstance(p, _Argument)]
        if any(about for _, about in rows):
            with formatter.section("Arguments"):
                formatter.write_dl(rows)
        super().format_options(ctx, formatter)


def _parameter(name: str, hint: Any, default: Any) -> click.Parameter:
    plain, about = get_args(hint)[:2]
    is_required = default is inspect.Parameter.empty
    # Some versions of click take None for a default, and then nothing is missing.
    given = {} if is_required else {"default": default}
    kind, is_list = _without_none(plain), False
    if get_origin(kind) is list:
        [kind], is_list = get_args(kind), True
    if isinstance(about, Argument):
        return _Argument(
            [name],
            about=about.help,
            type=_click_type(kind),
            nargs=-1 if is_list else 1,
            required=is_required,
            **given,
            metavar=about.metavar,
            callback=_as_list if is_list else None,
        )
    flag = "--" + name.replace("_", "-")
    if default is True:
        flag = f"{flag}/--no-{flag.removeprefix('--')}"
    show_default = about.show_default and default is not None and default is not False
    return click.Option(
        [name, *(about.names or (flag,))],
        type=None if kind is bool else _click_type(kind, about),
        is_flag=kind is bool,
        **({} if about.bare is None else {"flag_value": about.bare}),
        multiple=is_list,
        required=is_required,
        **given,
        help=about.help,
        metavar=about.metavar,
        show_default=show_default,
        hidden=about.hidden,
        callback=_callback(is_list, about.callback),
    )


class _Argument(click.Argument):
    """An argument with a help text, which click's own has not."""

    def __init__(self, names: list[str], *, about: str, **options: Any) -> None:
        super().__init__(names, **options)
        self.about = about


def _callback(is_list: bool, wanted: Callable[[Any], Any] | None) -> Callable[..., Any] | None:
    if wanted is None:
        return _as_list if is_list else None

    def called(ctx: click.Context, parameter: click.Parameter, value: Any) -> Any:
        return wanted(_as_list(ctx, parameter, value) if is_list else value)

    return called


def _as_list(_ctx: click.Context, parameter: click.Parameter, value: Any) -> list[Any] | None:
    return list(value) if value else (None if parameter.default is None else [])


def _without_none(hint: Any) -> Any:
    """A type without `| None`."""
    if get_origin(hint) in (Union, UnionType):
        [hint] = [part for part in get_args(hint) if part is not NoneType]
    return hint


def _click_type(kind: Any, about: Option | None = None) -> Any:
    if get_origin(kind) is Literal:
        return click.Choice([str(choice) for choice in get_args(kind)])
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _EnumType(kind)
    low, high = (about.min, about.max) if about is not None else (None, None)
    if kind in (int, float) and (low is not None or high is not None):
        ranged: Any = click.IntRange if kind is int else click.FloatRange
        return ranged(low, high)
    types = {str: click.STRING, int: click.INT, float: click.FLOAT, Path: _PATH}
    return types[kind]


class _EnumType(Choice):
    """The values of an enumeration."""

    def __init__(self, kind: type[Enum]) -> None:
        super().__init__([str(each.value) for each in kind])
        self._kind = kind

    def convert(self, value: Any, param: Any, ctx: Any) -> Enum:
        return value if isinstance(value, Enum) else self._kind(super().convert(value, param, ctx))


class _PathType(PathParameter):
    name = "path"

    def convert(self, value: Any, _param: Any, _ctx: Any) -> Path:
        return Path(value)


_PATH = _PathType()
