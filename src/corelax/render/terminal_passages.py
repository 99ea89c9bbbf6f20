"""Passages on a terminal: versions side by side where there is room, else below each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from corelax.core.printable import on_one_line, printable, shortened
from corelax.render.marked_text import MISSED, Mark
from corelax.render.passages import Passage, Passages, Version
from corelax.render.terminal import PALETTE, can_encode
from corelax.render.views import SUBSCRIPTS

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

COLUMN = 36  # characters that a version needs at least to be read in a column
_LEFT_OUT, _ERROR = "color(245)", "bold color(160)"


def print_passages(item: Passages, console: Console) -> None:
    """Prints passages with their mentions in brackets, coloured and numbered by entity.

    >>> from rich.console import Console
    >>> from corelax.render.marked_text import ShownMention
    >>> ann, she = ShownMention(0, 1, entity=0), ShownMention(2, 3, entity=1, error="false_new")
    >>> words = ["Ann", "said", "she", "left"]
    >>> passage = Passage("d", "1 error", words, [Version("lea", [ann, she], "1 false new")])
    >>> print_passages(Passages("p", "Passages", "", [passage]), Console())
    Passages. Numbers tell entities apart; * marks an error. A mention without a number was left out.
    <BLANKLINE>
    d: 1 error
      lea (1 false new): [Ann]₁ said [she]₂* left
    """
    from rich.text import Text

    heading = Text(f"{item.title}.", style="bold")
    _print(heading.append(f" {item.legend}", style="not bold"), console)
    for passage in item.passages:
        console.print()
        title = Text(shortened(passage.document, 200), style="bold")
        _print(title.append(f": {on_one_line(passage.note)}", style="not bold"), console)
        if console.is_terminal and console.width >= COLUMN * len(passage.versions):
            _print_columns(passage, console)
        else:
            for version in passage.versions:
                line = Text("  ").append(_label(version)).append(": ")
                _print(line.append(_marked(passage, version, console)), console)


def _print(text: Text, console: Console) -> None:
    console.print(text, soft_wrap=not console.is_terminal, highlight=False)


def _print_columns(passage: Passage, console: Console) -> None:
    from rich.table import Table

    table = Table.grid(padding=(0, 2), expand=True)
    for _ in passage.versions:
        table.add_column(ratio=1)
    table.add_row(*(_label(version) for version in passage.versions))
    table.add_row(*(_marked(passage, version, console) for version in passage.versions))
    console.print(table, highlight=False)


def _label(version: Version) -> Text:
    from rich.text import Text

    label = Text(on_one_line(version.label), style="bold")
    return label.append(f" ({on_one_line(version.note)})", "not bold") if version.note else label


def _marked(passage: Passage, version: Version, console: Console) -> Text:
    from rich.text import Text

    text = Text()
    _append(text, passage.pieces(version), "", subscripts=can_encode("₁", console))
    return text


def _append(text: Text, pieces: Sequence[Mark | str], style: str, *, subscripts: bool) -> None:
    """Adds pieces. What lies in several mentions has the colour of the innermost."""
    for piece in pieces:
        if isinstance(piece, str):
            text.append(printable(piece), style=style)
            continue
        entity, error = piece.mention.entity, piece.mention.error
        colour = _LEFT_OUT if entity == MISSED else f"color({PALETTE[entity % len(PALETTE)]})"
        text.append("[", style=f"dim {colour}")
        _append(text, piece.inside, colour, subscripts=subscripts)
        text.append("]" if piece.is_last else " …]", style=f"dim {colour}")
        if piece.is_last and entity != MISSED:
            number = str(entity + 1)
            text.append(number.translate(SUBSCRIPTS) if subscripts else number, f"bold {colour}")
        if piece.is_last and error:
            text.append("*", style=_ERROR)
