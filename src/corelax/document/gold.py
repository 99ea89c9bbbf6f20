"""What a document says about its entities beside its clusters, so that it can be left out with them.

Formats keep what they know of entities in a few places: fields of mentions, attributes of tokens such as
`Bridge=`, comments, JSON fields. A document with other entities must have none of them: they would be gold
annotation in the output of a system.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

# Names in `Document.extra`.
COMMENTS, MULTIWORD = "conllu.comments", "conllu.multiword"
GLOBAL_ENTITY, MENTIONS = "conllu.global_entity", "conllu.mentions"
JSON_FIELDS = "jsonlines.fields"
UA_COLUMNS, UA_MENTIONS, UA_PSEUDO = "ua.columns", "ua.mentions", "ua.pseudo"
SPLIT = "split_antecedents"  # by the label of an entity, the labels of its antecedents
_ABOUT_ENTITIES = (GLOBAL_ENTITY, MENTIONS, SPLIT, UA_COLUMNS, UA_MENTIONS, UA_PSEUDO)

# Attributes in the last column of CoNLL-U, those of CorefUD before 1.0 too.
_ATTRIBUTE = re.compile(
    r"(?:Entity|Bridge|SplitAnte|Cluster(?:Id|Type|Misc)|Mention(?:Span|Text|Head|Misc))(?:\[\d+\])?="
)
# Names of JSON fields, and what is before the `=` of a comment.
_NAME = re.compile(
    r"antecedent|anaphor|bridg|centering|cluster|coref|entit|head2span|mention|salien|singleton|transition",
    re.IGNORECASE,
)


def without_entity_layers(layers: Mapping[str, tuple[Any, ...]]) -> Mapping[str, tuple[Any, ...]]:
    """Layers of tokens without attributes of entities.

    >>> without_entity_layers({"misc": ("Bridge=e1<e2|SpaceAfter=No", "SplitAnte=e1<e3")})
    {'misc': ('SpaceAfter=No', None)}
    """
    return with_plain_misc(
        {name: values for name, values in layers.items() if not name.startswith("ua.")}
    )


def with_plain_misc(layers: Mapping[str, tuple[Any, ...]]) -> Mapping[str, tuple[Any, ...]]:
    """Layers of tokens in which the attributes of CoNLL-U name no entities; the others stay.

    >>> with_plain_misc({"misc": ("SplitAnte=e1<e3", None), "ua.min": (1, 2)})
    {'ua.min': (1, 2)}
    """
    cells = layers.get("misc", ())
    left = tuple(without_attributes(cell) if isinstance(cell, str) else cell for cell in cells)
    rest = {name: values for name, values in layers.items() if name != "misc"}
    return rest | ({"misc": left} if any(cell is not None for cell in left) else {})


def without_attributes(misc: str) -> str | None:
    """A cell of attributes without those of entities; None if nothing is left."""
    if not _ATTRIBUTE.search(misc):
        return misc
    return "|".join(item for item in misc.split("|") if not _ATTRIBUTE.match(item)) or None


def without_entity_extra(extra: Mapping[str, Any]) -> dict[str, Any]:
    """What formats know of a document without what they know of its entities.

    >>> without_entity_extra({"jsonlines.fields": {"genre": "nw", "word_clusters": [[0, 2]]}})
    {'jsonlines.fields': {'genre': 'nw'}}
    """
    rest = {name: v for name, v in extra.items() if name not in _ABOUT_ENTITIES}
    if COMMENTS in rest:
        rest[COMMENTS] = tuple(
            tuple(comment for comment in sentence if not _NAME.search(comment.partition("=")[0]))
            for sentence in rest[COMMENTS]
        )
    if MULTIWORD in rest:
        rest[MULTIWORD] = tuple(
            token._replace(columns=without_entity_columns(token.columns))
            for token in rest[MULTIWORD]
        )
    if JSON_FIELDS in rest:
        rest[JSON_FIELDS] = {n: v for n, v in rest[JSON_FIELDS].items() if not _NAME.search(n)}
    return {name: value for name, value in rest.items() if value}


def without_entity_columns(columns: Iterable[str]) -> tuple[str, ...]:
    """The columns of a node of CoNLL-U, of which the last one holds attributes."""
    *before, misc = columns
    return (*before, without_attributes(misc) or "_")
