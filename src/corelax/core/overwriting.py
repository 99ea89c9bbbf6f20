"""No command writes over its input, whatever the names and links to it are."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from corelax.core.errors import CorelaxError
from corelax.core.files import STANDARD, shown


def is_same_file(name: str, other: str) -> bool:
    """Whether two names are those of one file that is there.

    >>> is_same_file("README.md", "./README.md"), is_same_file("README.md", "nowhere.md")
    (True, False)
    """
    try:
        return STANDARD not in (name, other) and Path(name).samefile(other)
    except OSError:
        return False


def check_not_input(
    target: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str] | None]
) -> None:
    """An error if a command would write over one of its inputs, whatever the names and links to it are.

    Args:
        target: The file, or the folder with all that is in it, that is going to be written; `-` is standard
            output.
        inputs: Files that are read; None and names that are no files are skipped. `-` is standard input,
            which can be a file as well.

    >>> check_not_input("./README.md", ["README.md"])
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: README.md: is an input, and ./README.md would write over it; ...
    """
    output = os.fspath(target)
    if output == STANDARD:
        return
    for name in (os.fspath(each) for each in inputs if each is not None):
        if _is_standard_input(output) if name == STANDARD else _is_inside(name, output):
            raise CorelaxError(
                f"{shown(name)}: is an input, and {output} would write over it; name another place to write"
            )


def _is_inside(name: str, output: str) -> bool:
    """Whether a file is another one, or lies in that folder."""
    if Path(output).is_dir():
        return Path(output).resolve() in Path(name).resolve().parents
    return is_same_file(name, output)


def _is_standard_input(output: str) -> bool:
    try:
        is_same = os.path.samestat(os.fstat(sys.stdin.fileno()), Path(output).stat())
    except (OSError, AttributeError, ValueError):  # no such file; standard input is none
        return False
    return is_same and Path(output).is_file()
