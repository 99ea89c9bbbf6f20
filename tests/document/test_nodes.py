"""Empty nodes have a place among the tokens, mentions have nodes and heads."""

from __future__ import annotations

import pytest

from corelax import Clustering, CorelaxError, Document, Span
from corelax.document import EmptyId, EmptyNode, tree_head


def empty(sentence: int, word: int, number: int, deps: str = "_") -> EmptyNode:
    return EmptyNode(EmptyId(sentence, word, number), (*["_"] * 7, deps, "_"))


# 0.1 a 1.1 1.2 b 2.1 | 0.1 c 1.1 d
NODES = (
    *(empty(0, *at) for at in ((0, 1), (1, 1), (1, 2), (2, 1))),
    empty(1, 0, 1),
    empty(1, 1, 1),
)
DOC = Document(id="d", words=tuple("abcd"), sentence_starts=(0, 2), empty_nodes=NODES)


def shown(span: Span) -> list[str]:
    return [
        DOC.words[node] if isinstance(node, int) else f"{node.sentence}:{node}"
        for node in DOC.nodes(span)
    ]


@pytest.mark.parametrize(
    ("span", "nodes"),
    [
        (Span(0, 1), ["a"]),
        (Span(0, 2), ["a", "0:1.1", "0:1.2", "b"]),
        (Span(1, 1, empty=(EmptyId(0, 1, 2),)), ["0:1.2"]),
        (Span(0, 1, empty=(EmptyId(0, 0, 1), EmptyId(0, 1, 1))), ["0:0.1", "a", "0:1.1"]),
        (Span(1, 2, empty=(EmptyId(0, 2, 1),)), ["b", "0:2.1"]),
        (Span(2, 3, empty=(EmptyId(1, 0, 1),)), ["1:0.1", "c"]),
        (Span(1, 3), ["b", "0:2.1", "1:0.1", "c"]),
        (Span(0, 4, parts=((0, 1), (2, 4))), ["a", "c", "1:1.1", "d"]),
        (Span(0, 4, parts=((0, 2), (3, 4))), ["a", "0:1.1", "0:1.2", "b", "d"]),
    ],
)
def test_the_nodes_of_a_mention_are_its_tokens_and_the_empty_nodes_between(span, nodes) -> None:
    assert shown(span) == nodes


def test_a_mention_without_a_known_head_has_its_first_node() -> None:
    span = Span(1, 3)
    doc = DOC.with_clusters(Clustering([[span, Span(3, 4)]], labels=["e7"]), heads={span: 2})
    assert doc.head_of("e7", span) == 2
    assert doc.head_of("e7", Span(3, 4)) == 3
    assert doc.with_clusters(doc.clusters).head_of("e7", span) == 1


@pytest.mark.parametrize(
    ("deps", "parents"),
    [
        ("_", ()),
        ("0:root", ((0, 0, "root"),)),
        ("3:nsubj:pass|12.10:conj", ((3, 0, "nsubj:pass"), (12, 10, "conj"))),
        ("x:y|nsubj|2:", ((2, 0, ""),)),
    ],
)
def test_deps_are_parents_with_relations(deps: str, parents: tuple) -> None:
    assert empty(0, 0, 1, deps).deps == parents


@pytest.mark.parametrize(
    "nodes",
    [
        (empty(0, 1, 2), empty(0, 1, 1)),
        (empty(0, 1, 1), empty(0, 1, 1)),
        (empty(1, 0, 1), empty(0, 1, 1)),
        (empty(0, 3, 1),),
        (empty(2, 0, 1),),
        (empty(-1, 0, 1),),
    ],
)
def test_empty_nodes_out_of_order_or_place_are_refused(nodes: tuple[EmptyNode, ...]) -> None:
    with pytest.raises(CorelaxError, match=r"document d: empty node"):
        Document(id="d", words=tuple("abcd"), sentence_starts=(0, 2), empty_nodes=nodes)


# She said " the dog ran " .
PARENTS = (1, -1, 1, 4, 5, 1, 1, 1)
RELATIONS = ("nsubj", "root", "punct", "det", "nsubj", "ccomp", "punct", "punct")


@pytest.mark.parametrize(
    ("span", "head"),
    [
        (Span(3, 5), 4),  # the dog
        (Span(2, 7), 5),  # quotation marks have a parent outside too
        (Span(0, 2), 1),
        (Span(3, 4), 3),
        (Span(2, 3), 2),
        (Span(0, 5, parts=((0, 1), (3, 5))), 0),  # two tops: the first one
        (Span(3, 6, parts=((3, 4), (5, 6))), 3),
        (Span(2, 2, empty=(EmptyId(0, 2, 1),)), None),
    ],
)
def test_the_head_is_the_token_whose_parent_lies_outside(span: Span, head: int | None) -> None:
    layers = {"head": PARENTS, "relation": RELATIONS}
    words = ("She", "said", '"', "the", "dog", "ran", '"', ".")
    assert tree_head(Document(id="d", words=words, layers=layers), span) == head
    assert tree_head(Document(id="d", words=words), span) is None
