"""Mentions from constituency trees and named entities, as the paper has them: CoNLL-2012 columns."""

from __future__ import annotations

from corelax.document import Document
from corelax.rankers.sparse.mentions.analysis import Analysis, Mention
from corelax.rankers.sparse.mentions.grouping import (
    name_spans,
    one_per_head,
    outside,
    sentence_numbers,
)
from corelax.rankers.sparse.mentions.heads import span_head
from corelax.rankers.sparse.mentions.layers import (
    NO_TAG,
    PRONOUN_TAGS,
    name_chunks,
    name_types,
    speakers,
)
from corelax.rankers.sparse.mentions.trees import read_trees


def analyse(doc: Document) -> Analysis:
    """Noun phrases, pronouns and names of a document with `pos` and `parse` layers.

    >>> doc = Document(
    ...     id="d",
    ...     words=("Tom", "sold", "his", "car"),
    ...     layers={"pos": ("NNP", "VBD", "PRP$", "NN"),
    ...             "parse": ("(TOP(S(NP*)", "(VP*", "(NP*", "*))))")},
    ... )
    >>> [doc.words[m.start : m.end] for m in analyse(doc).mentions]
    [('Tom',), ('his',), ('his', 'car')]
    """
    tags = tuple(tag or NO_TAG for tag in doc.layer("pos", NO_TAG))
    governors, phrases = read_trees(doc, tags)
    sentence = sentence_numbers(doc)
    chunks = name_chunks(doc)
    names = name_spans(chunks, doc.words, sentence)
    is_pronoun = tuple(tag in PRONOUN_TAGS for tag in tags)
    pronouns = [(token, token + 1) for token, yes in enumerate(is_pronoun) if yes]
    spans = {*names, *outside(phrases + pronouns, names)}

    def head_of(start: int, end: int) -> tuple[int, int]:
        head = span_head(governors, start, end)
        return head, head

    candidates = [Mention(sentence[a], a, b, *head_of(a, b)) for a, b in spans]
    return Analysis(
        document=doc,
        mentions=one_per_head(candidates, tags, sentence),
        head_of=head_of,
        tags=tags,
        governors=tuple(governors),
        names=name_types(len(doc.words), chunks),
        speakers=speakers(doc),
        pronouns=is_pronoun,
    )
