"""Commands from functions: their annotated parameters become options, which click reads.

A parameter is `Annotated[TYPE, Option(...)]`, `Annotated[TYPE, Argument(...)]` or an options class (see
`core.options`), whose fields stand in its place. TYPE is str, int, float, bool, Path, a Literal, a list or
tuple of one of these, perhaps `| None`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

import click

from corelax.core.errors import CorelaxError
from corelax.core.options import Argument, Option, OptionField, option_field, option_fields

if TYPE_CHECKING:
    PathParameter = click.ParamType[Path]
else:  # older versions of click have no types here
    PathParameter = click.ParamType

BadParameter, Exit = click.BadParameter, click.exceptions.Exit


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
    parameters: list[click.Parameter] = []
    spread: dict[str, tuple[type, list[str]]] = {}  # fields of each parameter that is an object
    for name, parameter in inspect.signature(function).parameters.items():
        if isinstance(hints[name], type) and is_dataclass(hints[name]):
            own = [
                _parameter(field, field.about)
                for field in option_fields(hints[name])
                if not isinstance(field.about, str)
            ]
            spread[name] = hints[name], [str(each.name) for each in own]
            parameters += own
        else:
            default = parameter.default
            default = MISSING if default is inspect.Parameter.empty else default
            field = option_field(name, hints[name], default)
            if field is None or isinstance(field.about, str):
                raise TypeError(f"{name} is neither an option nor an options class")
            parameters.append(_parameter(field, field.about))

    def called(**values: Any) -> Any:
        for name, (kind, names) in spread.items():
            values[name] = kind(**{field: values.pop(field) for field in names})
        return function(**values)

    return _Command(
        function.__name__.strip("_"),
        params=parameters,
        callback=called,
        help=inspect.getdoc(function),
        epilog="\b\nExample:\n  " + example.replace("\n", "\n  ") if example else None,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )


class _Command(click.Command):
    """A command whose help also says what its arguments are."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(p.make_metavar(ctx), p.about) for p in self.params if isinstance(p, _Argument)]
        if any(about for _, about in rows):
            with formatter.section("Arguments"):
                formatter.write_dl(rows)
        super().format_options(ctx, formatter)


class _Argument(click.Argument):
    """An argument with a help text, which click's own has not."""

    def __init__(self, names: list[str], *, about: str, **options: Any) -> None:
        super().__init__(names, **options)
        self.about = about


def _parameter(field: OptionField, about: Option | Argument) -> click.Parameter:
    name, default = field.name, field.default
    kind, several = field.kind, get_origin(field.kind)
    if several in (list, tuple):
        kind = get_args(kind)[0]
    else:
        several = None
    # Some versions of click take None for a default, and then nothing is missing.
    given: dict[str, Any] = {} if default is MISSING else {"default": default}
    given |= {"required": default is MISSING, "metavar": about.metavar}
    if isinstance(about, Argument):
        return _Argument(
            [name],
            about=about.help,
            type=_click_type(kind),
            nargs=-1 if several else 1,
            callback=_callback(several, None),
            **given,
        )
    flag = "--" + name.replace("_", "-")
    if default is True:
        flag = f"{flag}/--no-{flag.removeprefix('--')}"
    show_default = about.show_default and all(
        default is not unshown for unshown in (None, False, ())
    )
    if about.bare is not None:
        given["flag_value"] = about.bare
    return click.Option(
        [name, *(about.names or (flag,))],
        type=None if kind is bool else _click_type(kind, about),
        is_flag=kind is bool,
        multiple=several is not None,
        help=about.help,
        show_default=show_default,
        callback=_callback(several, about.check),
        **given,
    )


def _callback(
    several: type | None, check: Callable[[Any], Any] | None
) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Makes a list or tuple of several values, and checks what is given."""

    def called(_ctx: click.Context, parameter: click.Parameter, value: Any) -> Any:
        if several is not None:
            value = several(value) if value else None if parameter.default is None else several()
        if check is None or value is None:
            return value
        try:
            return check(value)
        except CorelaxError as error:
            raise BadParameter(str(error)) from None

    return called


def _click_type(kind: Any, about: Option | None = None) -> Any:
    if get_origin(kind) is Literal:
        return click.Choice([str(choice) for choice in get_args(kind)])
    low, high = (about.min, about.max) if about is not None else (None, None)
    if kind in (int, float) and (low is not None or high is not None):
        ranged: Any = click.IntRange if kind is int else click.FloatRange
        return ranged(low, high)
    types = {str: click.STRING, int: click.INT, float: click.FLOAT, Path: _PATH}
    return types[kind]


class _PathType(PathParameter):
    name = "path"

    def convert(self, value: Any, _param: Any, _ctx: Any) -> Path:
        return Path(value)


_PATH = _PathType()
