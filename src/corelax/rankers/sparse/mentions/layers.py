"""What all providers read alike: which tags a document has, and who speaks."""

from __future__ import annotations

from collections.abc import Iterable

from corelax.document import Document

NO_TAG = "-"
NO_SPEAKER = "-"
PRONOUN_TAGS = frozenset(["PRP", "PRP$"])

# Not NN and DT: the tag sets for German, Swedish and Chinese have them too.
_PENN_ONLY = frozenset(["NNS", "NNP", "NNPS", "PRP", "PRP$", "VBD", "VBG", "VBN", "VBP", "VBZ"])


def are_penn(tags: Iterable[str | None]) -> bool:
    """Whether the tags of a document are those of the Penn Treebank.

    >>> are_penn(["PRP", "VBD", "."]), are_penn(["PPER", "VVFIN", "$."])
    (True, False)
    """
    return not _PENN_ONLY.isdisjoint(tags)


def speakers(doc: Document) -> tuple[str, ...]:
    """[token] who speaks, as one word, or `-`.

    >>> speakers(Document(id="d", words=("Hi", "!"), layers={"speaker": ("Bob Lee", None)}))
    ('Bob_Lee', '-')
    """
    named = doc.layer("speaker")
    return tuple("_".join(name.split()) if name else NO_SPEAKER for name in named)
