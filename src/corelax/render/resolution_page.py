"""Resolved texts as one HTML page that needs nothing else, to read and to correct.

The page builds itself in the browser (templates/resolution/*.js) of the data that `page_data` gives. Without
script it has the texts and their entities as lists.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from markupsafe import escape

from corelax.core.printable import printable, shortened
from corelax.render.marked_text import ZERO
from corelax.render.markup import template
from corelax.render.views import ResolutionView, mention_count

_NAME_WIDTH = 60  # characters of an entity's name in the list without script
_FRAME = (
    '<iframe title="Entities" srcdoc="{}" '
    'style="border: 0; height: 28rem; resize: vertical; width: 100%"></iframe>'
)


def resolutions_html(resolutions: Sequence[ResolutionView]) -> str:
    """A page with the texts and their entities, one text at a time.

    Entities are listed by size, doubtful links are marked, a card has the probabilities of a mention, and
    entities can be corrected and saved. Light or dark as the reader's system is.

    >>> from corelax.document import Document, Span
    >>> from corelax.decode import Decision
    >>> from corelax.resolve import resolution_of
    >>> doc = Document(id="d", words=("<Ann>", "left"))
    >>> page = resolutions_html([resolution_of(doc, [Decision(Span(0, 1), 0, None, 1, 1, 1)])])
    >>> "&lt;Ann&gt; left" in page, "<Ann>" in page
    (True, False)
    """
    names = [shortened(resolution.document.key, 200) for resolution in resolutions]
    title = names[0] if len(names) == 1 else f"{len(names):,} texts"
    texts = [_plain(name, item) for name, item in zip(names, resolutions, strict=True)]
    data = [page_data(resolution) for resolution in resolutions]
    return template("resolution.html").render(title=title, texts=texts, resolutions=data)


def page_data(resolution: ResolutionView) -> dict[str, Any]:
    """What the page shows of a text: `as_dict()`, and what it needs to save the text as a file.

    Tokens are pairs of characters where they are slices of the text.
    """
    document, data = resolution.document, resolution.as_dict()
    if data["entities"] and isinstance(data["entities"][0]["mentions"][0], dict):
        data.pop("mentions", None)  # they are in their entities
    data["tokens"] = [
        [start, end] if word == resolution.text[start:end] else [start, end, word]
        for word, (start, end) in zip(document.words, document.layer("offsets"), strict=True)
    ]
    layers = {name: values for name, values in document.layers.items() if name != "offsets"}
    return {
        **data,
        "part": document.part,
        "sentence_starts": document.sentence_starts,
        "layers": {name: values for name, values in layers.items() if _is_json(values)},
    }


def notebook_html(resolution: ResolutionView) -> str:
    """The page in a frame, so that its styles are not those of the notebook."""
    return _FRAME.format(escape(resolutions_html([resolution])))


def _plain(name: str, resolution: ResolutionView) -> dict[str, Any]:
    entities = sorted(resolution.entities, key=lambda entity: -len(entity.mentions))
    return {
        "name": name,
        "content": printable(resolution.text),
        "entities": [
            f"{shortened(entity.name, _NAME_WIDTH) or ZERO}: {mention_count(len(entity.mentions))}"
            for entity in entities
        ],
    }


def _is_json(values: tuple[Any, ...]) -> bool:
    """Whether a layer can be written as JSON; programs may put anything into one."""
    try:
        json.dumps(values)
    except (TypeError, ValueError, RecursionError):
        return False
    return True
