"""`corelax stats FILE...`: the size of corpora."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from corelax.cli.options import AsJson, InputFormat, print_json


def stats(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files to count.")],
    json: AsJson = False,
    format: InputFormat = None,
) -> None:
    """Count documents, sentences, tokens, mentions and entities.

    Mentions are the different spans of each entity; "single" is the share of entities of one mention.
    """
    from corelax.core.text_table import format_table
    from corelax.document.statistics import Statistics, count
    from corelax.io import stream

    found = {path: count(stream(path, format, layers=False)) for path in files}
    if json:
        print_json({path: size.as_dict() for path, size in found.items()})
        return
    # The folder that all files are in would only push the figures off the screen.
    folder = os.path.dirname(os.path.commonprefix(list(found)))  # noqa: PTH120, RUF071 (of strings)
    rows = [
        (path.removeprefix(folder).lstrip("/") if folder else path, size)
        for path, size in found.items()
    ]
    if len(rows) > 1:
        rows.append(("all", sum(found.values(), Statistics())))
    table = [
        [
            path,
            *(f"{n:,}" for n in (s.documents, s.sentences, s.tokens, s.mentions, s.entities)),
            f"{s.singleton_share:.1%}",
        ]
        for path, s in rows
    ]
    header = ["", "docs", "sentences", "tokens", "mentions", "entities", "single"]
    print(format_table(header, table, gaps_before=[len(found)]))
