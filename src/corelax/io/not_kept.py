"""What a format cannot hold of a document, in words that a conversion can show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from corelax.document import Document

_NAMES = {
    "conllu.comments": "CoNLL-U comments",
    "conllu.global_entity": "names of the entity fields",
    "conllu.mentions": "entity types and other fields of mentions",
    "conllu.multiword": "multiword tokens",
    "jsonlines.fields": "other JSON fields",
    "split_antecedents": "split antecedents",
    "ua.columns": "names of columns",
    "ua.mentions": "attributes of markables",
    "ua.pseudo": "markables that do not refer",
}


def lost_data(
    doc: Document,
    *,
    layers: Collection[str] | None = None,
    extra: str | tuple[str, ...] = "-",
    nodes: bool = False,
) -> Counter[str]:
    """Layers beyond those named (None: any can be held), extras that do not begin with `extra`, and unless
    `nodes` are held empty ones and the heads of mentions."""
    lost: Counter[str] = Counter()
    if not nodes:
        lost.update({"empty nodes": bool(doc.empty_nodes), "heads": bool(doc.mention_heads)})
    if layers is not None:
        lost.update(f"layer {name}" for name in doc.layers if name not in layers)
    lost.update(_NAMES.get(name, name) for name in doc.extra if not name.startswith(extra))
    return +lost


def lost_sentences(doc: Document) -> Counter[str]:
    """Sentences without words, which formats with a row for each word do not have."""
    return +Counter({"empty sentences": sum(start == end for start, end in doc.sentence_bounds)})


def lost_mentions(doc: Document) -> Counter[str]:
    """Mentions that are not one stretch of tokens."""
    lost: Counter[str] = Counter()
    for cluster in doc.clusters:
        stretches = {(mention.start, mention.end) for mention in cluster}
        lost["mentions that fall together with another of their entity"] += len(cluster) - len(
            stretches
        )
    for mention in doc.clusters.mentions:
        lost["discontinuous mentions (written as one stretch)"] += bool(mention.parts)
        if mention.start == mention.end:
            lost["mentions of no token (left out)"] += 1
        else:
            lost["empty nodes at the edges of mentions"] += bool(mention.empty)
    return +lost
