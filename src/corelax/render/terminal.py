"""Resolved texts and passages on a terminal: mentions in brackets, coloured and numbered by entity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import cycle
from typing import TYPE_CHECKING

from corelax.core.printable import on_one_line, printable, shortened
from corelax.render.marked_text import MISSED, SUBSCRIPTS, ZERO, Bracket, brackets, marked_text
from corelax.render.views import ResolutionView, mention_count

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

    styles = _styles(resolution)
    blocks = [_marked(marked_text(resolution), styles.__getitem__, console)]
    blocks[0].rstrip()
    if title:
        blocks.insert(0, Text(shortened(title, 200), style="bold"))
    if resolution.entities:
        blocks += [Text(), *_entity_lines(resolution, styles)]
    for block in blocks:
        _print(block, console)


def _entity_lines(resolution: ResolutionView, styles: list[str]) -> Iterator[Text]:
    """Number, name, mentions and probability of each entity, below each other."""
    from rich.cells import cell_len
    from rich.text import Text

    names = [shortened(e.name, _NAME_WIDTH) or ZERO for e in resolution.entities]
    counts = [mention_count(len(entity.mentions)) for entity in resolution.entities]
    width, room = max(map(cell_len, names)), max(map(len, counts))
    digits = len(str(len(names)))
    rows = zip(names, counts, resolution.entities, styles, strict=True)
    for number, (name, count, entity, style) in enumerate(rows, 1):
        line = Text(f"{number:>{digits}}", style=f"bold {style}")
        line.append(f"  {name}{' ' * (width - cell_len(name))}", style=f"not bold {style}")
        line.append(f"  {count:<{room}}  {entity.probability:.2f}", style="not bold default")
        yield line


def _styles(resolution: ResolutionView) -> list[str]:
    """A colour for each entity, different for neighbours; grey for those of one mention."""
    colours = cycle(PALETTE)
    return [
        f"color({next(colours)})" if len(entity.mentions) > 1 else _GREY
        for entity in resolution.entities
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
                _print(line.append(_marked_version(passage, version, console)), console)


def _print(text: Text, console: Console) -> None:
    console.print(text, soft_wrap=not console.is_terminal, highlight=False)


def _print_columns(passage: Passage, console: Console) -> None:
    from rich.table import Table

    table = Table.grid(padding=(0, 2), expand=True)
    for _ in passage.versions:
        table.add_column(ratio=1)
    table.add_row(*(_label(version) for version in passage.versions))
    table.add_row(*(_marked_version(passage, version, console) for version in passage.versions))
    console.print(table, highlight=False)


def _label(version: Version) -> Text:
    from rich.text import Text

    label = Text(on_one_line(version.label), style="bold")
    return label.append(f" ({on_one_line(version.note)})", "not bold") if version.note else label


def _marked_version(passage: Passage, version: Version, console: Console) -> Text:
    return _marked(brackets(passage.pieces(version)), _passage_style, console)


def _passage_style(entity: int) -> str:
    return _GREY if entity == MISSED else f"color({PALETTE[entity % len(PALETTE)]})"


def _marked(
    pieces: Iterable[str | Bracket], style_of: Callable[[int], str], console: Console
) -> Text:
    """A text with its mentions. What lies in several has the colour of the innermost."""
    from rich.text import Text

    subscripts = _can_encode("₁", console)
    text = Text()
    styles = [""]  # of the mentions that are open
    for piece in pieces:
        if isinstance(piece, str):
            text.append(printable(piece), style=styles[-1])
            continue
        style = style_of(piece.mention.entity)
        if piece.opens:
            styles.append(style)
            text.append("[", style=f"dim {style}")
            continue
        styles.pop()
        text.append("]" if piece.is_last else " …]", style=f"dim {style}")
        if piece.is_last:
            number = piece.mention.number
            text.append(number.translate(SUBSCRIPTS) if subscripts else number, f"bold {style}")
            text.append("*" if piece.mention.error else "", style=_ERROR)
    return text


def _can_encode(character: str, console: Console) -> bool:
    try:
        character.encode(console.encoding)
    except UnicodeEncodeError:
        return False
    return True
