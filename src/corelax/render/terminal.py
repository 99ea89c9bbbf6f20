"""Resolved texts and passages on a terminal: mentions in brackets, coloured and numbered by entity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from corelax.core.printable import on_one_line, printable, shortened
from corelax.render.marked_text import MISSED, ZERO, Closing, Mark, Opening, marked_text
from corelax.render.views import (
    SUBSCRIPTS,
    ResolutionView,
    entity_colours,
    mention_count,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from corelax.render.passages import Passage, Passages, Version

# Of 256, in the order of the page's; each can be read on white and on black.
PALETTE = (33, 166, 35, 134, 136, 168, 37, 99, 137)
_GREY, _ERROR = "color(245)", "bold color(160)"
_NAME_WIDTH = 48
COLUMN = 36  # characters that a version of a passage needs at least to be read in a column


def print_resolution(resolution: ResolutionView, console: Console, *, title: str = "") -> None:
    """Prints a text and its entities.

    Lines are folded on a terminal only; elsewhere they are those of the text.

    >>> from rich.console import Console
    >>> from corelax.document import Document, Span
    >>> from corelax.decode import Decision
    >>> from corelax.resolve import resolution_of
    >>> doc = Document(id="d", words=("Ann", "said", "she", "left"))
    >>> ann, she = Decision(Span(0, 1), 0, None, 1, 1, 1), Decision(Span(2, 3), 0, 0, 1, 0.9, 0.9)
    >>> print_resolution(resolution_of(doc, [ann, she]), Console())
    [Ann]₁ said [she]₁ left
    <BLANKLINE>
    1  Ann  2 mentions  0.95
    """
    from rich.text import Text

    blocks = [_marked_resolution(resolution, subscripts=_can_encode("₁", console))]
    if title:
        blocks.insert(0, Text(shortened(title, 200), style="bold"))
    if resolution.entities:
        blocks += [Text(), *_entity_lines(resolution)]
    for block in blocks:
        _print(block, console)


def _marked_resolution(resolution: ResolutionView, *, subscripts: bool) -> Text:
    """The text. What lies in several mentions has the colour of the innermost."""
    from rich.text import Text

    styles = _styles(resolution)
    open_: list[str] = []
    text = Text()
    for piece in marked_text(resolution):
        if isinstance(piece, str):
            text.append(piece, style=open_[-1] if open_ else None)
            continue
        entity = resolution.mentions[piece.mention].entity
        if isinstance(piece, Opening):
            open_.append(styles[entity])
            text.append("[", style=f"dim {styles[entity]}")
        elif isinstance(piece, Closing):
            open_.pop()
            number = str(entity + 1)
            number = number.translate(SUBSCRIPTS) if subscripts else number
            text.append("]" if piece.is_last else " …]", style=f"dim {styles[entity]}")
            text.append(number if piece.is_last else "", style=f"bold {styles[entity]}")
    text.rstrip()
    return text


def _entity_lines(resolution: ResolutionView) -> Iterator[Text]:
    """Number, name, mentions and probability of each entity, below each other."""
    from rich.cells import cell_len
    from rich.text import Text

    names = [shortened(e.name, _NAME_WIDTH) or ZERO for e in resolution.entities]
    counts = [mention_count(len(entity.mentions)) for entity in resolution.entities]
    width, room = max(map(cell_len, names)), max(map(len, counts))
    digits = len(str(len(names)))
    rows = zip(names, counts, resolution.entities, _styles(resolution), strict=True)
    for number, (name, count, entity, style) in enumerate(rows, 1):
        line = Text(f"{number:>{digits}}", style=f"bold {style}")
        line.append(f"  {name}{' ' * (width - cell_len(name))}", style=f"not bold {style}")
        line.append(f"  {count:<{room}}  {entity.probability:.2f}", style="not bold default")
        yield line


def _styles(resolution: ResolutionView) -> list[str]:
    return [
        _GREY if colour is None else f"color({PALETTE[colour]})"
        for colour in entity_colours(resolution)
    ]


def print_passages(item: Passages, console: Console) -> None:
    """Prints passages with their mentions in brackets, coloured and numbered by entity.

    >>> from rich.console import Console
    >>> from corelax.render import Passage, Passages, ShownMention, Version
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
    _append(text, passage.pieces(version), "", subscripts=_can_encode("₁", console))
    return text


def _append(text: Text, pieces: Sequence[Mark | str], style: str, *, subscripts: bool) -> None:
    """Adds pieces. What lies in several mentions has the colour of the innermost."""
    for piece in pieces:
        if isinstance(piece, str):
            text.append(printable(piece), style=style)
            continue
        entity, error = piece.mention.entity, piece.mention.error
        colour = _GREY if entity == MISSED else f"color({PALETTE[entity % len(PALETTE)]})"
        text.append("[", style=f"dim {colour}")
        _append(text, piece.inside, colour, subscripts=subscripts)
        text.append("]" if piece.is_last else " …]", style=f"dim {colour}")
        if piece.is_last and entity != MISSED:
            number = str(entity + 1)
            text.append(number.translate(SUBSCRIPTS) if subscripts else number, f"bold {colour}")
        if piece.is_last and error:
            text.append("*", style=_ERROR)


def _can_encode(character: str, console: Console) -> bool:
    try:
        character.encode(console.encoding)
    except UnicodeEncodeError:
        return False
    return True
