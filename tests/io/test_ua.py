"""Universal Anaphora: what its markables mean, and that they survive being written."""

from pathlib import Path

import pytest

from corelax import Clustering, Document, FormatError, Span, io
from corelax.document import EmptyId
from corelax.document.gold import SPLIT, UA_PSEUDO
from tests.io.io_helpers import save

HEADER = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING"


def ua(*cells: str, header: str = HEADER) -> str:
    """A document of a token for each cell of IDENTITY; "" ends a sentence, "0.1 x" is an empty node."""
    lines, number = [header, "# newdoc id = d"], 0
    for cell in cells:
        id, _, identity = cell.rpartition(" ")
        number += not id and bool(cell)
        lines.append("\t".join([id or str(number), "w", *["_"] * 8, identity, "_"]) if cell else "")
    return "\n".join([*lines, "", ""])


def read_one(folder: Path, *cells: str, **options: str) -> Document:
    [doc] = io.read(save(folder, ua(*cells, **options), "a.conllua"))
    return doc


def m(entity: str, markable: str, more: str = "") -> str:
    return f"(EntityID={entity}|MarkableID={markable}{more}"


@pytest.mark.parametrize(
    ("cells", "clusters"),
    [
        ([m("1", "a") + ")", "_", m("1", "b") + ")"], [[(0, 1), (2, 3)]]),
        ([m("1", "a") + m("2", "b") + ")", ")"], [[(0, 2)], [(0, 1)]]),
        ([m("1", "a") + "@" + m("2", "b"), "_", "))"], [[(0, 3)], [(0, 3)]]),
        ([m("1", "a"), m("2", "b") + "))"], [[(0, 2)], [(1, 2)]]),
        ([m("1", "a"), ")" + m("1", "b"), ")"], [[(0, 2), (1, 3)]]),
        ([m("1", "a"), m("2", "b"), "a)", "b)"], [[(0, 3)], [(1, 4)]]),
        ([m("1", "a"), "", ")"], [[(0, 2)]]),
        (["(EntityId=1|Markable_ID=a)"], [[(0, 1)]]),
        (["(EntityID=1)", "(EntityID=1)"], [[(0, 1), (1, 2)]]),
    ],
)
def test_brackets_nest_or_name_what_they_close(tmp_path: Path, cells, clusters) -> None:
    doc = read_one(tmp_path, *cells)
    assert doc.clusters == Clustering([[Span(*mention) for mention in c] for c in clusters])


def test_markables_of_one_id_are_parts_of_a_mention(tmp_path: Path) -> None:
    doc = read_one(tmp_path, m("1", "a") + ")", "_", m("1", "a"), ")")
    assert doc.clusters == Clustering([[Span(0, 4, parts=((0, 1), (2, 4)))]])


def test_zeros_are_empty_nodes(tmp_path: Path) -> None:
    doc = read_one(
        tmp_path, "_", "1.1 " + m("1", "a") + ")", "_", "", "_", "3.1 " + m("1", "b") + ")"
    )
    assert doc.words == ("w",) * 3
    assert doc.clusters == Clustering(
        [[Span(1, 1, empty=(EmptyId(0, 1, 1),)), Span(3, 3, empty=(EmptyId(1, 1, 1),))]]
    )


def test_what_does_not_refer_is_in_no_entity(tmp_path: Path) -> None:
    doc = read_one(tmp_path, m("1-Pseudo", "a") + ")", m("2", "b") + ")", m("3_Pseudo", "c") + ")")
    assert doc.clusters == Clustering([[Span(1, 2)]])
    assert [span for span, _ in doc.extra[UA_PSEUDO]] == [(0, 1), (2, 3)]


def test_a_minimal_span_of_one_word_is_the_head(tmp_path: Path) -> None:
    doc = read_one(tmp_path, m("1", "a", "|Min=2"), ")", m("1", "b", "|Min=3,4"), ")")
    assert doc.mention_heads == {("1", Span(0, 2)): (1,)}


SPLIT_COLUMN = HEADER.replace("BRIDGING", "SPLIT")


@pytest.mark.parametrize("column", [False, True])
def test_split_antecedents_are_kept_and_reported(tmp_path: Path, column: bool) -> None:
    more = "" if column else "|ElementOf=3,4"
    text = ua(
        m("1", "a", more) + ")", m("2", "b", more) + ")", m("3", "c") + ")", m("4", "d") + ")"
    )
    if column:
        text = text.replace("BRIDGING", "SPLIT").replace("=a)\t_", "=a)\tEntityID=1|ElementOf=3,4")
        text = text.replace("=b)\t_", "=b)\tEntityID=2|ElementOf=3,4")
    path = save(tmp_path, text, "a.conllua")
    [doc] = io.read(path)
    assert doc.extra[SPLIT] == {"3": ("1", "2"), "4": ("1", "2")}
    assert [(p.line, p.is_error) for p in io.validate(path).items] == [(3, False)]
    io.write([doc], tmp_path / "b.conllua")
    assert io.read(tmp_path / "b.conllua") == [doc]


@pytest.mark.parametrize(
    "formats", [("conllu", "conllua"), ("jsonl", "conllu"), ("conllua", "jsonl")]
)
def test_split_antecedents_go_from_format_to_format(tmp_path: Path, formats) -> None:
    clusters = Clustering([[Span(0, 1)], [Span(1, 2)], [Span(2, 3), Span(3, 4)]])
    doc = Document(id="d", words=tuple("abcd"), clusters=clusters, extra={SPLIT: {"2": ("0", "1")}})
    for suffix in formats:
        assert "split antecedents" not in io.write([doc], tmp_path / f"a.{suffix}")
        [doc] = io.read(tmp_path / f"a.{suffix}")
        assert (doc.clusters, doc.extra[SPLIT]) == (clusters, {"2": ("0", "1")})
    assert io.write([doc], tmp_path / "a.conll")["split antecedents"] == 1


@pytest.mark.parametrize(
    "cells",
    [
        [m("1", "a", "|Min=1|SemType=dn") + m("2", "b") + ")", "_", ")" + m("1-Pseudo", "c") + ")"],
        [m("1", "a"), m("2", "b"), "a)", "b)"],
        [m("1", "a") + ")", "_", "", m("1", "a") + ")", m("1", "x|Min=4,5"), ")"],
        ["0.1 " + m("1", "z") + ")", m("1", "a") + ")", "1.1 _", "1.2 " + m("2", "y") + ")", "_"],
    ],
    ids=["nested", "crossing", "discontinuous", "zeros"],
)
def test_a_file_read_and_written_reads_the_same(tmp_path: Path, cells: list[str]) -> None:
    doc = read_one(tmp_path, *cells)
    io.write([doc], tmp_path / "b.conllua")
    assert io.read(tmp_path / "b.conllua") == [doc]


def test_other_columns_come_back(tmp_path: Path) -> None:
    bridging = "(MarkableID=b|Rel=poss|MentionAnchor=a|EntityAnchor=1)"
    text = ua(m("1", "a") + ")", m("2", "b") + ")").replace("=b)\t_", f"=b)\t{bridging}")
    [doc] = io.read(save(tmp_path, text, "a.conllua"))
    assert doc.layers["ua.bridging"] == (None, bridging)
    io.write([doc], tmp_path / "b.conllua")
    assert io.read(tmp_path / "b.conllua") == [doc]


def test_words_are_numbered_over_the_document(tmp_path: Path) -> None:
    doc = Document.from_sentences("d", [["a", "b"], ["c"]], clusters=[[(0, 2), (2, 3)]])
    io.write([doc], tmp_path / "a.conllua")
    rows = [row.split("\t") for row in (tmp_path / "a.conllua").read_text().splitlines()]
    assert [(row[0], row[10]) for row in rows if len(row) > 1] == [
        ("1", "(EntityID=0|MarkableID=markable_1"),
        ("2", ")"),
        ("3", "(EntityID=0|MarkableID=markable_2|Min=3)"),
    ]


@pytest.mark.parametrize("name", ["a.conllua", "a.CONLL", "a.conllu", "a.txt"])
def test_the_format_is_told_by_its_header_whatever_the_suffix(tmp_path: Path, name: str) -> None:
    path = save(tmp_path, ua(m("1", "a") + ")").replace("\t", "  "), name)  # blanks between columns
    assert io.read(path)[0].clusters == Clustering([[Span(0, 1)]])


@pytest.mark.parametrize(
    ("cells", "line", "message"),
    [
        ([")"], 3, "a markable closes but was never opened"),
        (["_", "x)"], 4, "markable 'x' closes but was never opened"),
        ([m("1", "a"), "_"], 3, "markable 'a' opens but is never closed"),
        (["(MarkableID=a)"], 3, "a markable needs EntityID"),
        (["(EntityID=1|MarkableID=a)x"], 3, "cannot read the markables"),
        ([m("1", "a") + ")", m("2", "a") + ")"], 4, "markable 'a' is in two entities"),
        (["7 _"], 3, "word number '7'; 1 was expected"),
        (["1-3 _", "_", "_"], 5, "a multiword token runs past the end of its sentence"),
        (["1-2 _", "_", "2-3 _", "_", "_"], 5, "'2-3' stands in the wrong place"),
        (["x _"], 3, "a word number and 11 columns are needed"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, cells, line, message) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        read_one(tmp_path, *cells)
    assert caught.value.line == line
