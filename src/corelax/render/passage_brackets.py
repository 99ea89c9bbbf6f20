"""Text with mentions in Markdown: `[Ann]₁ said [she]₁ left`."""

from __future__ import annotations

from collections.abc import Sequence

from corelax.render.markup import escaped_markdown
from corelax.render.passage_text import MISSED, Mark

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def bracketed(pieces: Sequence[Mark | str]) -> str:
    """Mentions in brackets with their numbers, counted from 1, and `*` for an error.

    `[words …]` is a piece of a mention that goes on behind the mention it crosses.

    >>> from corelax.render.passage_text import ShownMention, nested
    >>> left_out = ShownMention(1, 3, entity=MISSED, error="false_new")
    >>> print(bracketed(nested(["saw", "his", "mother"], [ShownMention(1, 2, entity=0), left_out])))
    saw [[his]₁ mother]\\*
    """
    return "".join(
        escaped_markdown(piece) if isinstance(piece, str) else _mark(piece) for piece in pieces
    )


def _mark(mark: Mark) -> str:
    text = bracketed(mark.inside)
    if not mark.is_last:
        return f"[{text} …]"
    entity, error = mark.mention.entity, mark.mention.error
    index = "" if entity == MISSED else str(entity + 1).translate(_SUBSCRIPTS)
    return f"[{text}]{index}" + (r"\*" if error else "")
