"""Resolved texts as one HTML page that needs nothing else; mentions light up with their entity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup, escape

from corelax.core.printable import shortened
from corelax.render.marked_text import ZERO, Closing, Opening, marked_text
from corelax.render.templates import template
from corelax.render.views import ResolutionView, entity_colours, mention_count

_MAX_HEIGHT = 3  # mentions inside mentions for which the style sheet makes room
_CARD_WIDTH = 120  # characters of a mention on its card
_NAME_WIDTH = 60  # and in the list of entities
_FRAME = (
    '<iframe title="Entities" srcdoc="{}" '
    'style="border: 0; height: 28rem; resize: vertical; width: 100%"></iframe>'
)


def resolutions_html(resolutions: Sequence[ResolutionView]) -> str:
    """A page with the texts below each other, each with a list of its entities.

    Light or dark as the reader's system is. Without script it still has all texts, numbers and lists.

    >>> from corelax.document import Document, Span
    >>> from corelax.decode import Decision
    >>> from corelax.resolve import resolution_of
    >>> doc = Document(id="d", words=("<Ann>", "left"))
    >>> page = resolutions_html([resolution_of(doc, [Decision(Span(0, 1), 0, None, 1, 1, 1)])])
    >>> "&lt;Ann&gt;<sup>1</sup></span> left" in page
    True
    """
    texts = [_text(number, resolution) for number, resolution in enumerate(resolutions)]
    title = texts[0]["name"] if len(texts) == 1 else f"{len(texts):,} texts"
    return template("resolution.html").render(
        title=title, texts=texts, cards=[_cards(resolution) for resolution in resolutions]
    )


def notebook_html(resolution: ResolutionView) -> str:
    """The page in a frame, so that its styles are not those of the notebook.

    >>> from corelax.document import Document
    >>> from corelax.resolve import resolution_of
    >>> notebook_html(resolution_of(Document(id="d", words=()), []))[:23]
    '<iframe title="Entities'
    """
    return _FRAME.format(escape(resolutions_html([resolution])))


def _text(number: int, resolution: ResolutionView) -> dict[str, Any]:
    """What the template shows of a text."""
    place_of = {mention.span: place for place, mention in enumerate(resolution.mentions)}
    entities = [
        {
            "key": f"{number}.{place}",
            "number": place + 1,
            "colour": colour,
            "name": shortened(entity.name, _NAME_WIDTH) or ZERO,
            "mentions": mention_count(len(entity.mentions)),
            "probability": f"{entity.probability:.0%}",
            "first": f"m{number}.{place_of[entity.mentions[0].span]}",
        }
        for place, (entity, colour) in enumerate(
            zip(resolution.entities, entity_colours(resolution), strict=True)
        )
    ]
    words = len(resolution.document.words)
    noun = "entity" if len(entities) == 1 else "entities"
    return {
        "number": number,
        "name": shortened(resolution.document.key, 200),
        "size": f"{words:,} word{'' if words == 1 else 's'}, "
        f"{mention_count(len(resolution.mentions))} of {len(entities):,} {noun}",
        "content": Markup("").join(_spans(number, resolution)),
        "entities": [entity for entity in entities if entity["colour"] is not None],
        "singles": [entity for entity in entities if entity["colour"] is None],
    }


def _spans(number: int, resolution: ResolutionView) -> Iterator[str]:
    """The text as HTML; a text with mentions a thousand deep may not be left to a template."""
    shades = entity_colours(resolution)
    for piece in marked_text(resolution):
        if isinstance(piece, str):
            yield escape(piece)
            continue
        entity = resolution.mentions[piece.mention].entity
        if isinstance(piece, Opening):
            colour = "single" if shades[entity] is None else f"entity-{shades[entity]}"
            key = f"{number}.{piece.mention}"
            id = f' id="m{key}"' if piece.is_first else ""
            yield Markup(
                f'<span class="mention {colour} height-{min(piece.height, _MAX_HEIGHT)}"{id} '
                f'data-m="{key}" data-e="{number}.{entity}" tabindex="0">'
            )
        elif isinstance(piece, Closing):
            yield Markup(f"<sup>{entity + 1}</sup></span>" if piece.is_last else "</span>")


def _cards(resolution: ResolutionView) -> dict[str, Any]:
    """What the cards say, as short as can be: a text may have thousands of mentions."""
    return {
        "entities": [
            [shortened(entity.name, _CARD_WIDTH) or ZERO, len(entity.mentions)]
            for entity in resolution.entities
        ],
        "mentions": [
            [
                shortened(m.text, _CARD_WIDTH) or ZERO,
                m.antecedent,
                *(round(p, 3) for p in (m.probability, m.link_probability, m.entity_probability)),
            ]
            for m in resolution.mentions
        ],
    }
