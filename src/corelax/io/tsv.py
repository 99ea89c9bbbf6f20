"""Tables with tabs and a line of names, as challenge sets are released."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from corelax.core.errors import FormatError
from corelax.core.files import open_text, shown


class Item(Protocol):
    @property
    def id(self) -> str:
        """A name that no other item of the file has."""


T = TypeVar("T", bound=Item)


def read_items(
    path: str | os.PathLike[str],
    columns: Sequence[str],
    parse: Callable[[Mapping[str, str]], T],
    noun: str,
) -> list[T]:
    """The items of a file, in its order; an error names the file and the line.

    Args:
        path: The file, gzipped or not.
        columns: The names that its first line must have.
        parse: From the cells of a row to an item; raises a ValueError that says what is wrong with the row.
        noun: What an id is called in messages.
    """
    items: dict[str, T] = {}
    for line, cells in read_rows(path, columns):
        try:
            item = parse(cells)
            if item.id in items:
                raise ValueError(f"the {noun} {item.id} comes a second time")
        except ValueError as error:
            raise FormatError(str(error), path=shown(os.fspath(path)), line=line) from None
        items[item.id] = item
    return list(items.values())


def read_rows(
    path: str | os.PathLike[str], columns: Sequence[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """(line number, cells by the name of their column), without empty lines; gzipped or not.

    Quotation marks are characters like others.

    >>> from pathlib import Path; from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.tsv").write_text("ID\\tText\\nx\\tAnn ran.\\n")
    ...     list(read_rows(Path(folder, "a.tsv"), ["ID", "Text"]))
    [(2, {'ID': 'x', 'Text': 'Ann ran.'})]
    """
    name = shown(os.fspath(path))
    with open_text(path) as file:
        header = file.readline().rstrip("\n").split("\t")
        if missing := [column for column in columns if column not in header]:
            message = f"no column {missing[0]!r}; the first line must name {', '.join(columns)}"
            raise FormatError(message, path=name, line=1)
        empty = True
        for number, line in enumerate(file, 2):
            if not line.strip():
                continue
            cells = line.rstrip("\n").split("\t")
            if len(cells) != len(header):
                message = f"{len(cells)} cells, but {len(header)} columns"
                raise FormatError(message, path=name, line=number)
            empty = False
            yield number, dict(zip(header, cells, strict=True))
        if empty:
            raise FormatError("no item in this file", path=name)
