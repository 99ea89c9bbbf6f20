"""Files of training and dev documents: one, several, or all of a folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from corelax.core.errors import CorelaxError
from corelax.core.files import check_file
from corelax.io.file_sets import annotated_files

PathLike = str | os.PathLike[str]
Paths = PathLike | Sequence[PathLike]


def path_names(paths: Paths) -> tuple[str, ...]:
    paths = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    return tuple(os.fspath(path) for path in paths)


def document_files(paths: Paths) -> tuple[str, ...]:
    """The files that are named, a folder standing for the annotated files in it and in its subfolders.

    Args:
        paths: A file, a folder, or several of them. Folders are read in the order of names.

    Raises:
        CorelaxError: A file cannot be read or comes twice, or a folder has none.

    >>> document_files("examples/data/gold.conll")
    ('examples/data/gold.conll',)
    """
    named = path_names(paths)
    if not named:
        raise CorelaxError("name at least one file of documents")
    files: list[str] = []
    for path in named:
        if Path(path).is_dir():
            files += map(str, annotated_files(path))
        else:
            files.append(path)
    seen: set[Path] = set()
    for file in files:
        if (known := check_file(file).resolve()) in seen:
            raise CorelaxError(f"{file}: is named twice")
        seen.add(known)
    return tuple(files)
