"""`corelax validate FILE...`: every problem, with file and line."""

from __future__ import annotations

from typing import Annotated

import typer

from corelax.cli.options import AsJson, InputFormat, note, plural, print_json


def validate(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files to look at.")],
    json: AsJson = False,
    format: InputFormat = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Errors only, no oddities.")] = False,
) -> None:
    """List everything that is wrong or odd in annotated files.

    Errors stop other commands; oddities are unusual but have a clear meaning. The exit code is 1 if
    any file has an error.
    """
    from dataclasses import asdict

    from corelax.core.errors import CorelaxError
    from corelax.io import Problem, Problems
    from corelax.io import validate as problems_of

    found: list[Problem] = []
    for path in files:
        try:
            problems = problems_of(path, format)
        except CorelaxError as error:  # cannot be opened; the other files still can
            problems = Problems(path, strict=False)
            problems.error(None, str(error).removeprefix(f"{path}: "))
        found += problems.errors if quiet else problems.items
    errors = sum(problem.is_error for problem in found)
    if json:
        print_json({"errors": errors, "problems": [asdict(problem) for problem in found]})
    else:
        for problem in found:
            print(f"{problem}" if problem.is_error else f"{problem} (odd)")
        odd = len(found) - errors
        note(
            f"{plural(len(files), 'file')}: {plural(errors, 'error')}, {plural(odd, 'oddity', 'oddities')}"
        )
    if errors:
        raise typer.Exit(1)
