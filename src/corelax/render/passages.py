"""Passages with the mentions of several systems, coloured by entity, as Le & Titov (2017) show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from corelax.render.marked_text import SUBSCRIPTS, Mark, ShownMention, brackets, nested_text
from corelax.render.markup import escaped_markdown, template

LEGEND = "Numbers tell entities apart; * marks {}. A mention without a number was left out."


class Version(NamedTuple):
    """The mentions of a passage as one side has them."""

    label: str
    mentions: Sequence[ShownMention]
    note: str = ""


class Passage(NamedTuple):
    """A few sentences of a document, with the mentions of gold and of each system.

    `start` is the place of its first word in the document.
    """

    document: str
    note: str
    words: Sequence[str]
    versions: Sequence[Version]
    start: int = 0

    def pieces(self, version: Version) -> list[Mark | str]:
        """The text with the mentions of a version, as nested pieces."""
        return nested_text(self.words, version.mentions)


class Passages(NamedTuple):
    """Passages to be shown together; `key` is a name for links, `marked` says what the marks stand for."""

    key: str
    title: str
    caption: str
    passages: Sequence[Passage]
    marked: str = "an error"

    @property
    def legend(self) -> str:
        """How to read the numbers and marks of plain text."""
        return LEGEND.format(self.marked)


def passages_html(item: Passages) -> str:
    """The passages as a fragment of HTML; `templates/passages.css` has its looks.

    >>> ann = Version("gold", [ShownMention(0, 1, entity=0)])
    >>> page = passages_html(Passages("p", "Title", "Caption", [Passage("d", "", ["Ann"], [ann])]))
    >>> '<span class="mention entity-0 height-0">Ann<sup>1</sup></span>' in page
    True
    """
    macro = template("passages.html").module.passages  # type: ignore[attr-defined]
    return str(macro(item))


def passages_markdown(item: Passages) -> str:
    """The passages as Markdown: mentions in brackets, with the numbers of their entities.

    >>> ann, she = ShownMention(0, 1, entity=0), ShownMention(2, 3, entity=1, error="false_new")
    >>> passage = Passage("d", "", ["Ann", "said", "she", "left"], [Version("lea", [ann, she])])
    >>> print(passages_markdown(Passages("p", "Title", "Caption.", [passage])).splitlines()[-1])
    - **lea**: [Ann]₁ said [she]₂\\* left
    """
    blocks = [
        f"### {escaped_markdown(item.title)}",
        escaped_markdown(item.caption),
        escaped_markdown(item.legend),
    ]
    for passage in item.passages:
        heading = f"**{escaped_markdown(passage.document)}**"
        blocks.append(f"{heading} ({escaped_markdown(passage.note)})" if passage.note else heading)
        lines = []
        for version in passage.versions:
            note = f" ({escaped_markdown(version.note)})" if version.note else ""
            text = _bracketed(passage.pieces(version))
            lines.append(f"- **{escaped_markdown(version.label)}**{note}: {text}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def _bracketed(pieces: Sequence[Mark | str]) -> str:
    """Mentions in brackets with their numbers and `*` for an error; `[words …]` goes on behind another."""
    text = ""
    for piece in brackets(pieces):
        if isinstance(piece, str):
            text += escaped_markdown(piece)
        elif piece.opens:
            text += "["
        elif piece.is_last:
            error = r"\*" if piece.mention.error else ""
            text += f"]{piece.mention.number.translate(SUBSCRIPTS)}{error}"
        else:
            text += " …]"
    return text
