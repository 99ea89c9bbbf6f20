"""Several files on two sides: which gold file goes with which system file.

A folder stands for the annotated files in it and in its subfolders. Files are matched by their names without
suffix, so that `gold/en.conllu` and `system/en.jsonl.gz` are partners.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from corelax.core.errors import CorelaxError
from corelax.core.files import STANDARD
from corelax.io.formats import ALIASES, FORMATS, suffix_format

MOST_LISTED = 3  # names in a message
_LAYERS = re.compile(r"\.v\d+_(gold|auto)$")


def annotated_files(folder: str | os.PathLike[str]) -> list[Path]:
    """The annotated files of a folder and its subfolders, by their suffixes.

    >>> [path.name for path in annotated_files("examples/data")][:2]
    ['gold.conll', 'system.conll']
    """
    found = sorted(
        path
        for path in Path(folder).rglob("*")
        if not path.name.startswith(".") and suffix_format(path) is not None and path.is_file()
    )
    if not found:
        suffixes = ", ".join(f".{name}" for name in ALIASES)
        raise CorelaxError(f"{folder}: no annotated file ({suffixes}) in this folder")
    return found


def match_files(
    *, gold: Sequence[str | os.PathLike[str]], system: Sequence[str | os.PathLike[str]]
) -> dict[str, tuple[str, str]]:
    """(gold file, system file) by their common name; an error if a file has no partner.

    Two single files belong together whatever their names are.

    Args:
        gold: Files and folders.
        system: Files and folders, of the same names without suffix.

    >>> match_files(gold=["gold/en.conllu", "gold/de.conllu"], system=["out/de.jsonl", "out/en.jsonl"])
    {'en': ('gold/en.conllu', 'out/en.jsonl'), 'de': ('gold/de.conllu', 'out/de.jsonl')}
    """
    sides = [[os.fspath(path) for path in side] for side in (gold, system)]
    if all(len(side) == 1 and not Path(side[0]).is_dir() for side in sides):
        return {_stem(sides[0][0]): (sides[0][0], sides[1][0])}
    if STANDARD in (*sides[0], *sides[1]):
        raise CorelaxError("standard input has no name to be matched by; name files only")
    ours, theirs = (_by_name(side) for side in sides)
    _check_partners(ours, theirs, "GOLD", "SYSTEM")
    _check_partners(theirs, ours, "SYSTEM", "GOLD")
    return {name: (path, theirs[name]) for name, path in ours.items()}


def _by_name(paths: Sequence[str]) -> dict[str, str]:
    """The files by the names that they are matched by: those below a folder, or the last part of a path."""
    named: list[tuple[str, str]] = []
    for path in paths:
        if Path(path).is_dir():
            found = annotated_files(path)
            named += [(_stem(file.relative_to(path).as_posix()), str(file)) for file in found]
        else:
            named.append((_stem(Path(path).name), path))
    files: dict[str, str] = {}
    for name, path in named:
        if files.setdefault(name, path) != path:
            raise CorelaxError(
                f"{files[name]} and {path} both have the name {name}, by which files are matched"
            )
    return files


def _check_partners(
    files: Mapping[str, str], others: Mapping[str, str], side: str, other: str
) -> None:
    if missing := [path for name, path in files.items() if name not in others]:
        more = f" and {len(missing) - MOST_LISTED} more" if len(missing) > MOST_LISTED else ""
        listed = ", ".join(missing[:MOST_LISTED])
        raise CorelaxError(
            f"{listed}{more}: in {side}, but {other} has no file of that name "
            "(files are matched by name without suffix)"
        )


def _stem(path: str) -> str:
    """A path without the suffix of its format; those of OntoNotes say which layers are gold.

    >>> _stem("dev/en.conllu.gz"), _stem("a.v4_gold_conll"), _stem("a.b")
    ('dev/en', 'a', 'a.b')
    """
    plain = path.removesuffix(".gz")
    known = suffix_format(plain)
    return plain if known is None else _LAYERS.sub("", FORMATS[known].suffix.sub("", plain))
