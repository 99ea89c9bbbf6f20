"""Head rules for Penn Treebank trees (features of Wiseman et al. 2016 and Le & Titov 2017).

A rule is a mode and a list of categories:

    left      for each category in turn, the leftmost child that has it
    right     for each category in turn, the rightmost child that has it
    rightdis  the first child from the right that has any of them

The rules of a label are tried in order; the last falls back on the leftmost (left) or rightmost child.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple


class Child(NamedTuple):
    """A child of a tree node: its label, its head token, and whether it is a part of speech over a word."""

    label: str
    head: int
    is_tag: bool


class Rule(NamedTuple):
    """One way to find the head among children."""

    mode: str
    categories: tuple[str, ...]


def _rules(table: str) -> dict[str, tuple[Rule, ...]]:
    """`LABEL mode category ...` a line; the lines of one label in order."""
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
    """A label without its function tags.

    >>> plain_label("NP-SBJ"), plain_label("-LRB-")
    ('NP', '-LRB-')
    """
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
    """The head of any span: its last token that is governed from outside.

    >>> span_head([1, -1, 1], 1, 3)  # [token] governors
    1
    """
    for token in range(end - 1, start - 1, -1):
        if not start <= governors[token] < end:
            return token
    return end - 1
