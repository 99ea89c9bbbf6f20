"""`corelax errors GOLD SYSTEM...`: what systems get wrong, side by side."""

from __future__ import annotations

from typing import Annotated

from corelax.cli.options import AsJson, InputFormat, print_json
from corelax.core.options import Argument, Option


def errors(
    gold: Annotated[str, Argument(metavar="GOLD", help="The right answers; - is standard input.")],
    systems: Annotated[
        list[str], Argument(metavar="SYSTEM", help="The answers of one or more systems.")
    ],
    json: AsJson = False,
    examples: Annotated[
        int,
        Option(
            min=0, max=1_000_000, metavar="N", help="Also show N errors of each kind and system."
        ),
    ] = 0,
    format: InputFormat = None,
) -> None:
    """Count the errors of systems by kind and by type of mention.

    False anaphor: linked, but first in its gold entity or in none. False new: has an earlier gold
    mention, but starts an entity or is left out. Wrong link: the closest earlier mention of its system
    entity is of another gold entity, or of none. Percentages are of the anaphoric gold mentions of a type.
    """
    from corelax.analysis import count_errors_of_files, error_examples, errors_table

    counts = count_errors_of_files(gold=gold, systems=systems, examples=examples, format=format)
    if json:
        print_json({name: of_system.as_dict() for name, of_system in counts.items()})
        return
    print(errors_table(counts))
    for name, of_system in counts.items():
        for line in error_examples(name, of_system):
            print(line)
