"""`corelax errors GOLD SYSTEM...`: what systems get wrong, side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corelax.cli.options import AsJson, InputFormat, print_json
from corelax.core.errors import CorelaxError, one_line

if TYPE_CHECKING:
    from corelax.analysis import ErrorCounts

STANDARD = "-"
NO_PERCENT = " " * 7  # keeps counts below counts where only some have a percentage
MAX_TEXT = 60  # characters of a mention in an example


def errors(
    gold: Annotated[
        str, typer.Argument(metavar="GOLD", help="The right answers; - is standard input.")
    ],
    systems: Annotated[
        list[str], typer.Argument(metavar="SYSTEM", help="The answers of one or more systems.")
    ],
    json: AsJson = False,
    examples: Annotated[
        int, typer.Option(min=0, metavar="N", help="Also show N errors of each kind and system.")
    ] = 0,
    format: InputFormat = None,
) -> None:
    """Count the errors of systems by kind and by type of mention.

    False anaphor: linked, but first in its gold entity or in none. False new: has an earlier gold
    mention, but starts an entity or is left out. Wrong link: the closest earlier mention of its system
    entity is of another gold entity, or of none. Percentages are of the anaphoric gold mentions of a type.
    """
    from corelax.analysis import count_errors
    from corelax.io import stream

    if [gold, *systems].count(STANDARD) > 1:
        raise CorelaxError("only one of GOLD and SYSTEM can be standard input")
    named = dict(zip(system_names(systems), systems, strict=True))
    gold_docs = list(stream(gold, format))
    found = {
        name: count_errors(
            gold=gold_docs,
            system=stream(path, format, layers=False),
            examples=examples,
            path=name if path == STANDARD else path,
        )
        for name, path in named.items()
    }
    if json:
        print_json({name: counts.as_dict() for name, counts in found.items()})
        return
    print(errors_table(found))
    for name, counts in found.items():
        for line in _example_lines(name, counts):
            print(line)


def system_names(paths: Sequence[str]) -> list[str]:
    """Files without folders and suffixes; as given where that would not tell them apart.

    >>> system_names(["out/lea.conll.gz", "out/b3.conll"]), system_names(["1/out.conll", "2/out.conll"])
    (['lea', 'b3'], ['1/out.conll', '2/out.conll'])
    """
    if again := [path for path, times in Counter(paths).items() if times > 1]:
        raise CorelaxError(f"{again[0]}: this system is named twice")
    stems = ["<stdin>" if p == STANDARD else Path(p.removesuffix(".gz")).stem for p in paths]
    times = Counter(stems)
    return [stem if times[stem] == 1 else path for stem, path in zip(stems, paths, strict=True)]


def errors_table(found: Mapping[str, ErrorCounts]) -> str:
    """Kinds below each other, in each a row for every system; types beside each other.

    >>> from corelax.analysis import ErrorCounts
    >>> counts = ErrorCounts({("false_anaphor", "nominal"): 1, ("wrong_link", "proper"): 2})
    >>> print(errors_table({"lea": counts}))
                         Proper   Nominal  Pronominal     Total
    ───────────────────────────────────────────────────────────
    False anaphor      0         1           0         1
    False new          0   0.0%  0   0.0%    0   0.0%  0   0.0%
    Wrong link         2 100.0%  0   0.0%    0   0.0%  2 100.0%
    Correct link       0   0.0%  0   0.0%    0   0.0%  0   0.0%
    <BLANKLINE>
    Anaphoric in gold  2         0           0         2
    """
    from corelax.analysis.decisions import CORRECT_LINK, ERRORS, TYPES
    from corelax.core.text_table import format_table

    columns = (*TYPES, None)
    rows: list[list[str]] = []
    gaps: list[int] = []
    for kind in (*ERRORS, CORRECT_LINK):
        if len(found) > 1:
            gaps.append(len(rows))
            rows.append([_title(kind), *("" for _ in columns)])
        for name, counts in found.items():
            label = f"  {name}" if len(found) > 1 else _title(kind)
            rows.append([label, *(_cell(counts, kind, type) for type in columns)])
    first = next(iter(found.values()))
    gaps.append(len(rows))
    anaphoric = (f"{first.anaphoric(type):,}{NO_PERCENT}" for type in columns)
    rows.append(["Anaphoric in gold", *anaphoric])
    header = ["", *(type.capitalize() for type in TYPES), "Total"]
    return format_table(header, rows, gaps_before=[gap for gap in gaps if gap])


def _title(kind: str) -> str:
    return kind.replace("_", " ").capitalize()


def _cell(counts: ErrorCounts, kind: str, type: str | None) -> str:
    from corelax.analysis.decisions import OF_ANAPHORIC

    percent = f" {counts.share(kind, type):6.1%}" if kind in OF_ANAPHORIC else NO_PERCENT
    return f"{counts.number(kind, type):,}{percent}"


def _example_lines(name: str, counts: ErrorCounts) -> Iterator[str]:
    """The examples of one system, kind by kind."""
    from corelax.analysis.decisions import ERRORS

    for kind in ERRORS:
        shown = [error for error in counts.examples if error.kind == kind]
        if shown:
            yield f"\n{name}: {_title(kind).lower()}, {len(shown)} of {counts.number(kind):,}"
        for error in shown:
            links = (error.gold_antecedent, error.system_antecedent)
            gold, system = ("–" if link is None else one_line(link, MAX_TEXT) for link in links)
            text = one_line(error.text, MAX_TEXT)
            yield f"  {text} ({error.type}; gold: {gold}; system: {system}) in {error.document}"
            yield f"    {one_line(error.sentence)}"
