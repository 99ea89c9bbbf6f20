"""Commands on annotated files: `corelax convert`, `corelax validate`, `corelax stats`."""

from __future__ import annotations

import os
from typing import Annotated

from corelax.cli.options import (
    AsJson,
    InputFormat,
    SourceFormat,
    TargetFormat,
    note,
    note_lost,
    plural,
    print_json,
)
from corelax.cli.parameters import Argument, Exit, Option


def convert(
    source: Annotated[str, Argument(metavar="IN", help="File to read; - is standard input.")],
    target: Annotated[str, Argument(metavar="OUT", help="File to write; .gz packs it.")],
    format: TargetFormat = None,
    input_format: SourceFormat = None,
) -> None:
    """Convert annotated files between formats.

    What OUT's format cannot hold is listed on standard error. OUT appears when all of it is written.
    """
    from corelax.core.files import check_not_input
    from corelax.io import stream, write

    check_not_input(target, [source])
    note_lost(write(stream(source, input_format), target, format))


def validate(
    files: Annotated[list[str], Argument(metavar="FILE...", help="Files to look at.")],
    json: AsJson = False,
    format: InputFormat = None,
    quiet: Annotated[bool, Option("--quiet", "-q", help="Errors only, no oddities.")] = False,
) -> None:
    """List everything that is wrong or odd in annotated files.

    Errors stop other commands; oddities are unusual but have a clear meaning. The exit code is 1 if
    any file has an error.
    """
    from dataclasses import asdict

    from corelax.core.errors import CorelaxError
    from corelax.core.files import shown
    from corelax.io import Problem, Problems
    from corelax.io import validate as problems_of

    listed: list[Problem] = []
    for path in files:
        try:
            problems = problems_of(path, format)
        except CorelaxError as error:  # cannot be opened; the other files still can
            problems = Problems(shown(path), strict=False)
            problems.error(None, str(error).removeprefix(f"{shown(path)}: "))
        listed += problems.errors if quiet else problems.items
    errors = sum(problem.is_error for problem in listed)
    if json:
        print_json({"errors": errors, "problems": [asdict(problem) for problem in listed]})
    else:
        for problem in listed:
            print(f"{problem}" if problem.is_error else f"{problem} (odd)")
        odd = len(listed) - errors
        note(
            f"{plural(len(files), 'file')}: {plural(errors, 'error')}, {plural(odd, 'oddity', 'oddities')}"
        )
    if errors:
        raise Exit(1)


def stats(
    files: Annotated[list[str], Argument(metavar="FILE...", help="Files to count.")],
    json: AsJson = False,
    format: InputFormat = None,
) -> None:
    """Count documents, sentences, tokens, mentions and entities.

    Mentions are the different spans of each entity; "single" is the share of entities of one mention.
    """
    from corelax.core.text_table import format_table
    from corelax.document.statistics import Statistics, count
    from corelax.io import stream

    sizes = {path: count(stream(path, format, layers=False)) for path in files}
    if json:
        print_json({path: size.as_dict() for path, size in sizes.items()})
        return
    # The folder that all files are in would only push the figures off the screen.
    folder = os.path.dirname(os.path.commonprefix(list(sizes)))  # noqa: PTH120, RUF071 (of strings)
    rows = [
        (path.removeprefix(folder).lstrip("/") if folder else path, size)
        for path, size in sizes.items()
    ]
    if len(rows) > 1:
        rows.append(("all", sum(sizes.values(), Statistics())))
    table = [
        [
            path,
            *(f"{n:,}" for n in (s.documents, s.sentences, s.tokens, s.mentions, s.entities)),
            f"{s.singleton_share:.1%}",
        ]
        for path, s in rows
    ]
    header = ["", "docs", "sentences", "tokens", "mentions", "entities", "single"]
    print(format_table(header, table, gaps_before=[len(sizes)]))
