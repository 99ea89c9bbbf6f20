"""Documents without trees: heads of given mentions, and noun chunks where there are Penn tags.

These are rules of thumb. A document without tags has no detected mentions; its annotated ones can be taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from corelax.document import Document
from corelax.rankers.sparse.mentions.analysis import Analysis, Mention
from corelax.rankers.sparse.mentions.chunks import phrases
from corelax.rankers.sparse.mentions.grouping import (
    POSSESSIVE,
    name_spans,
    one_per_head,
    outside,
    sentence_numbers,
)
from corelax.rankers.sparse.mentions.layers import (
    NO_TAG,
    PRONOUN_TAGS,
    Chunk,
    are_penn,
    name_chunks,
    name_types,
    speakers,
)

# What follows the head: "the man | who ...", "the road | to town".
AFTER_THE_HEAD = frozenset(
    "of , who that which in with to for on at from by ( ; : -- — about into whose where when".split()
)
GOVERNING = ("IN", "TO", "VB", "MD")  # and VBD, VBZ, ...


def analyse(doc: Document) -> Analysis:
    """Noun chunks, pronouns and names of a document with Penn tags in its `pos` layer; without them, none.

    >>> doc = Document(id="d", words=("Tom", "sold", "his", "car"),
    ...                layers={"pos": ("NNP", "VBD", "PRP$", "NN")})
    >>> [doc.words[m.start : m.end] for m in analyse(doc).mentions]
    [('Tom',), ('his',), ('his', 'car')]
    >>> analyse(Document(id="d", words=doc.words)).mentions
    ()
    """
    tags = tuple(tag or NO_TAG for tag in doc.layer("pos"))
    penn = are_penn(tags)
    chunks = name_chunks(doc)

    def head_of(start: int, end: int) -> tuple[int, int]:
        head = span_head(doc.words, start, end)
        return head, head

    return Analysis(
        document=doc,
        mentions=_mentions(doc, tags, chunks) if penn else (),
        head_of=head_of,
        tags=tags if "pos" in doc.layers else None,
        governors=_governors(doc, tags) if penn else None,
        names=name_types(len(doc.words), chunks),
        speakers=speakers(doc),
        pronouns=tuple(tag in PRONOUN_TAGS for tag in tags),
    )


def span_head(words: Sequence[str], start: int, end: int) -> int:
    """The last word before the first one that can only follow a head, or the last but a possessive mark.

    (This agrees with the heads of Universal Dependencies for 88 % of the mentions of GUM with several words.)

    >>> span_head(["the", "king", "of", "Spain"], 0, 4), span_head(["that", "old", "king"], 0, 3)
    (1, 2)
    """
    for token in range(start + 1, end):
        if words[token].lower() in AFTER_THE_HEAD:
            return token - 1
    return end - 2 if end - start > 1 and words[end - 1] == POSSESSIVE else end - 1


def _mentions(doc: Document, tags: Sequence[str], chunks: Sequence[Chunk]) -> tuple[Mention, ...]:
    sentence = sentence_numbers(doc)
    names = name_spans(chunks, doc.words, sentence)
    candidates = phrases(doc, tags)
    heads = {span: candidates[span] for span in outside(candidates, names)}
    heads.update({span: span_head(doc.words, *span) for span in names})
    mentions = [Mention(sentence[a], a, b, head, head) for (a, b), head in heads.items()]
    return one_per_head(mentions, tags, sentence)


def _governors(doc: Document, tags: Sequence[str]) -> tuple[int, ...]:
    """[token] the nearest verb or preposition before it in its sentence."""
    governors = []
    for start, end in doc.sentence_bounds:
        nearest = -1
        for token in range(start, end):
            governors.append(nearest)
            if tags[token].startswith(GOVERNING):
                nearest = token
    return tuple(governors)
