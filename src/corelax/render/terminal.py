"""A resolved text on a terminal: mentions in brackets, coloured and numbered by entity, then the entities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from corelax.core.printable import shortened
from corelax.render.marked_text import ZERO, Closing, Opening, marked_text
from corelax.render.views import (
    SUBSCRIPTS,
    ResolutionView,
    entity_colours,
    mention_count,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

# Of 256, in the order of the page's; each can be read on white and on black.
PALETTE = (33, 166, 35, 134, 136, 168, 37, 99, 137)
_SINGLE = "color(245)"
_NAME_WIDTH = 48


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

    blocks = [_marked(resolution, subscripts=can_encode("₁", console))]
    if title:
        blocks.insert(0, Text(shortened(title, 200), style="bold"))
    if resolution.entities:
        blocks += [Text(), *_entity_lines(resolution)]
    for block in blocks:
        console.print(block, soft_wrap=not console.is_terminal, highlight=False)


def _marked(resolution: ResolutionView, *, subscripts: bool) -> Text:
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
        _SINGLE if colour is None else f"color({PALETTE[colour]})"
        for colour in entity_colours(resolution)
    ]


def can_encode(character: str, console: Console) -> bool:
    """Whether a console can show a character."""
    try:
        character.encode(console.encoding)
    except UnicodeEncodeError:
        return False
    return True
