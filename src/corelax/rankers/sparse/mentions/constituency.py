"""Mentions from constituency trees and named entities, as the paper has them: CoNLL-2012 columns.

Trees are bracket pieces of a column: `(TOP(S(NP*)`, `*`, `*))`. Only what the features need is kept: the
governor of each token, and where the noun phrases are. Heads are percolated while brackets close, by the head
rules of Wiseman et al. 2016 and Le & Titov 2017, so no tree is ever built.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.rankers.sparse.mentions.analysis import (
    NO_TAG,
    PRONOUN_TAGS,
    Analysis,
    Mention,
    name_chunks,
    name_spans,
    name_types,
    one_per_head,
    outside,
    sentence_numbers,
    speakers,
)

UNLABELLED = "ROOT"
ROOT = -1


def analyse(doc: Document) -> Analysis:
    """Noun phrases, pronouns and names of a document with `pos` and `parse` layers."""
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


class Trees(NamedTuple):
    """The trees of a document.

    Attributes:
        governors: [token] the token that governs it, −1 at the root of a sentence.
        phrases: (start, end) of the nodes labelled NP, those of a sentence one after the other.
    """

    governors: list[int]
    phrases: list[tuple[int, int]]


class _Open(NamedTuple):
    label: str
    start: int
    children: list[Child]


def read_trees(doc: Document, tags: Sequence[str]) -> Trees:
    """The governors and noun phrases of a document with a `parse` layer."""
    pieces = doc.layer("parse", "*")
    governors = [ROOT] * len(doc.words)
    phrases: list[tuple[int, int]] = []
    for number, (first, last) in enumerate(doc.sentence_bounds):
        # The outermost bracket is ours: a sentence may have several trees, or none.
        stack = [_Open(UNLABELLED, first, [])]
        for token in range(first, last):
            before, star, after = (pieces[token] or "*").partition("*")
            if before:
                if before[0] != "(" or not star:
                    raise _broken(doc, number, token)
                for name in before[1:].split("("):
                    stack.append(_Open(name.strip() or UNLABELLED, token, []))
            stack[-1].children.append(Child(tags[token], token, True))
            closing = after.count(")")
            if closing != len(after) or closing >= len(stack):
                raise _broken(doc, number, token)
            for _ in range(closing):
                node = stack.pop()
                stack[-1].children.append(Child(node.label, _close(node, governors), False))
                if node.label == "NP":
                    phrases.append((node.start, token + 1))
        if len(stack) > 1:
            raise _broken(doc, number, last - 1)
        if last > first:
            _close(stack[0], governors)
    return Trees(governors, phrases)


def _close(node: _Open, governors: list[int]) -> int:
    """The head token of a node; the heads of its other children are governed by it."""
    children = node.children
    head = (
        children[head_child(node.label, children)].head if len(children) > 1 else children[0].head
    )
    for child in children:
        if child.head != head:
            governors[child.head] = head
    return head


def _broken(doc: Document, sentence: int, token: int) -> CorelaxError:
    piece = doc.layer("parse")[token]
    return CorelaxError(
        f"document {doc.key}, sentence {sentence + 1}: the brackets of its parse do not match "
        f"(at {doc.words[token]!r}: {piece!r}); correct the column or leave it empty"
    )


class Child(NamedTuple):
    """A child of a tree node: its label, its head token, and whether it is a part of speech over a word."""

    label: str
    head: int
    is_tag: bool


class Rule(NamedTuple):
    """One way to find the head among children; the rules of a label are tried in order.

    Modes: "left", for each category in turn the leftmost child that has it; "right", the rightmost;
    "rightdis", the first child from the right that has any of them. The last rule falls back on the leftmost
    ("left") or rightmost child.
    """

    mode: str
    categories: tuple[str, ...]


def _rules(table: str) -> dict[str, tuple[Rule, ...]]:
    rules: dict[str, tuple[Rule, ...]] = {}
    for line in table.strip().splitlines():
        label, mode, *categories = line.split()
        rules[label] = (*rules.get(label, ()), Rule(mode, tuple(categories)))
    return rules


RULES = _rules("""
ADJP   left     NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB
ADVP   right    RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN
CONJP  right    CC RB IN
FRAG   right
INTJ   left
LST    right    LS :
NAC    left     NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW
NP     rightdis NN NNP NNPS NNS NX JJR
NP     left     NP
NP     rightdis $ ADJP PRN
NP     right    CD
NP     rightdis JJ JJS RB QP
NX     left
PP     right    IN TO VBG VBN RP FW
PRN    left
PRT    right    RP
QP     left     $ IN NNS NN JJ RB DT CD NCD QP JJR JJS
RRC    right    VP NP ADVP ADJP PP
S      left     TO IN VP S SBAR ADJP UCP NP
SBAR   left     WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG
SBARQ  left     SQ S SINV SBARQ FRAG
SINV   left     VBZ VBD VBP VB MD VP S SINV ADJP NP
SQ     left     VBZ VBD VBP VB MD VP SQ
TOP    left
TYPO   left
UCP    right
VP     left     TO VBD VBN MD VBZ VB VBG VBP AUX AUXG VP ADJP NN NNS NP
WHADJP left     CC WRB JJ ADJP
WHADVP right    CC WRB
WHNP   left     WDT WP WP$ WHADJP WHPP WHNP
WHPP   right    IN TO FW
X      right
""")
RULES["NML"] = RULES["NP"]

PUNCTUATION = frozenset(["''", "``", "-LRB-", "-RRB-", ".", ":", ","])
COORDINATION = "CC"

_FUNCTION_TAG = re.compile(r"[-=^].*")


@lru_cache(maxsize=4096)
def plain_label(label: str) -> str:
    """A label without its function tags."""
    return label if label.startswith("-") else _FUNCTION_TAG.sub("", label)


def head_child(label: str, children: Sequence[Child]) -> int:
    """Which child is the head of a node.

    >>> head_child("VP", [Child("MD", 0, True), Child("VP", 1, False)])  # "will go": the auxiliary
    0
    >>> head_child("NP", [Child("NP", 0, False), Child("CC", 1, True), Child("NP", 2, False)])
    0
    """
    if len(children) == 1:
        return 0
    labels = [plain_label(child.label) for child in children]
    head = _by_rules(RULES.get(plain_label(label), ()), labels)
    # "A and B" is headed by A. Only what stands right before the conjunction is looked at.
    if head >= 2 and labels[head - 1] == COORDINATION:
        before = children[head - 2]
        if not (before.is_tag and before.label in PUNCTUATION):
            head -= 2
    return head


def _by_rules(rules: tuple[Rule, ...], labels: list[str]) -> int:
    last = len(labels) - 1
    for mode, categories in rules:
        if mode == "rightdis":
            for position in range(last, -1, -1):
                if labels[position] in categories:
                    return position
        else:
            for category in categories:
                if category in labels:
                    if mode == "left":
                        return labels.index(category)
                    return last - labels[::-1].index(category)
    return 0 if rules and rules[-1].mode == "left" else last


def span_head(governors: Sequence[int], start: int, end: int) -> int:
    """The head of any span: its last token that is governed from outside."""
    for token in range(end - 1, start - 1, -1):
        if not start <= governors[token] < end:
            return token
    return end - 1
