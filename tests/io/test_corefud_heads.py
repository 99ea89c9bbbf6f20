"""The heads of mentions in CorefUD files: how they are read, and that what is written has them."""

from pathlib import Path

import pytest

from corelax import Clustering, Document, FormatError, Span, io
from corelax.document import EmptyId
from tests.io.io_helpers import conllu, save

HEADER = "# global.Entity = eid-etype-head-other"


def read_one(folder: Path, *rows: tuple[str, str, str] | str) -> Document:
    [doc] = io.read(save(folder, conllu("# newdoc id = d", HEADER, *rows), "a.conllu"))
    return doc


@pytest.mark.parametrize(
    ("fields", "head"),
    [
        ("-person-1", 0),
        ("-person-3-x-2", EmptyId(0, 2, 1)),
        ("--4", 2),
        ("", 0),  # no field: the first node
        ("-person", 0),
        ("-person--x", 0),
        ("-person-0", 0),
    ],
)
def test_a_head_is_a_number_among_the_nodes(tmp_path: Path, fields: str, head: object) -> None:
    doc = read_one(
        tmp_path,
        ("1", "a", f"Entity=(e1{fields}"),
        ("2", "b", "_"),
        ("2.1", "_", "_"),
        ("3", "c", "Entity=e1)"),
    )
    assert doc.mention_heads == {("e1", Span(0, 3)): (head,)}
    assert next(io.stream(tmp_path / "a.conllu", layers=False)).mention_heads == doc.mention_heads


@pytest.mark.parametrize("head", ["3", "x", "99999999999", "1,2", "²"])
def test_a_head_that_is_no_node_is_an_error(tmp_path: Path, head: str) -> None:
    with pytest.raises(FormatError, match="the head of a mention of entity 'e1' is") as caught:
        read_one(tmp_path, ("1", "a", f"Entity=(e1-{head}-{head}"), ("2", "b", "Entity=e1)"))
    assert caught.value.line == 4


def test_a_mention_of_one_node_is_its_own_head_whatever_the_field_says(tmp_path: Path) -> None:
    doc = read_one(tmp_path, ("1", "a", "Entity=(e1--7)"), ("1.1", "_", "Entity=(e1--x)"))
    assert doc.mention_heads == {}
    assert [doc.head_of("e1", span) for span in doc.clusters[0]] == [0, EmptyId(0, 1, 1)]


@pytest.mark.parametrize(
    ("first", "last", "head"),
    [("-x-1", "-x-3", 3), ("-x-3", "", 0), ("-x-1", "-x-2", 1), ("-person", "-x-3", 3)],
)
def test_the_last_part_of_a_mention_says_the_head(tmp_path: Path, first, last, head) -> None:
    doc = read_one(
        tmp_path,
        ("1", "a", f"Entity=(e1[1/2]{first}"),
        ("2", "b", "Entity=e1[1/2])"),
        ("3", "c", "_"),
        ("4", "d", f"Entity=(e1[2/2]{last})"),
    )
    assert doc.mention_heads == {("e1", Span(0, 4, parts=((0, 2), (3, 4)))): (head,)}
    io.write([doc], tmp_path / "b.conllu")
    assert io.read(tmp_path / "b.conllu") == [doc]


def test_a_mention_that_is_there_twice_keeps_both_heads(tmp_path: Path) -> None:
    doc = read_one(tmp_path, ("1", "a", "Entity=(e1(e1--2(e2--2"), ("2", "b", "Entity=e2)e1)e1)"))
    assert doc.clusters == Clustering([[Span(0, 2)], [Span(0, 2)]])
    assert doc.mention_heads == {("e1", Span(0, 2)): (1, 0), ("e2", Span(0, 2)): (1,)}


def written_cells(folder: Path, doc: Document) -> list[str]:
    io.write([doc], folder / "b.conllu")
    rows = (folder / "b.conllu").read_text().splitlines()
    return [row.split("\t")[9] for row in rows if "\t" in row]


def test_heads_are_written_from_the_tree(tmp_path: Path) -> None:
    doc = Document(
        id="d",
        words=("the", "old", "dog", "barked", "and", "it", "ran"),
        clusters=Clustering([[Span(0, 3), Span(5, 6)]], labels=["e1"]),
        layers={"head": (2, 2, 3, -1, 6, 6, 3)},
    )
    assert written_cells(tmp_path, doc) == [
        "Entity=(e1--3",
        "_",
        "Entity=e1)",
        *"__",
        "Entity=(e1--1)",
        "_",
    ]
    [again] = io.read(tmp_path / "b.conllu")
    assert again.head_of("e1", Span(0, 3)) == 2


def test_heads_that_were_given_are_written_and_others_left_open(tmp_path: Path) -> None:
    doc = Document(id="d", words=tuple("abcdef"))
    doc = doc.with_clusters(Clustering([[Span(0, 2), Span(3, 5)]]), heads={Span(0, 2): 1})
    assert written_cells(tmp_path, doc) == [
        "Entity=(0--2",
        "Entity=0)",
        "_",
        "Entity=(0",
        "Entity=0)",
        "_",
    ]


def test_the_head_of_a_mention_in_parts_is_written_with_every_part(tmp_path: Path) -> None:
    span = Span(0, 4, parts=((0, 2), (3, 4)))
    doc = Document(id="d", words=tuple("abcd"), clusters=Clustering([[span]], labels=["e"]))
    doc = doc.with_clusters(doc.clusters, heads={span: 3})
    assert written_cells(tmp_path, doc)[::3] == ["Entity=(e[1/2]--3", "Entity=(e[2/2]--3)"]
    assert io.read(tmp_path / "b.conllu")[0].mention_heads == doc.mention_heads
