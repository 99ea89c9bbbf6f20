"""Whatever a document holds comes back from each format, or `write` says what does not."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax import Clustering, Document, Span, io
from tests.io.io_helpers import documents

FORMATS = {"conll2012": "conll", "corefud": "conllu", "jsonlines": "jsonl"}

corpora = st.lists(documents(), min_size=1, max_size=3, unique_by=lambda doc: doc.name)
many = settings(max_examples=30, deadline=None)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("round_trips")


@pytest.mark.parametrize("name", FORMATS)
@given(docs=corpora)
@many
def test_what_was_read_comes_back_in_every_field(
    folder: Path, name: str, docs: list[Document]
) -> None:
    path = folder / f"a.{FORMATS[name]}"
    io.write(docs, path)
    once = io.read(path)
    assert [(doc.name, doc.words, doc.sentence_starts, doc.layers) for doc in once] == [
        (doc.name, doc.words, doc.sentence_starts, doc.layers) for doc in docs
    ]
    assert not io.write(once, path)
    assert io.read(path) == once


@pytest.mark.parametrize("name", FORMATS)
def test_empty_sentences_come_back_or_are_counted_as_lost(tmp_path: Path, name: str) -> None:
    doc = Document.from_sentences("d", [["a"], [], ["b"]])
    path = tmp_path / f"a.{FORMATS[name]}"
    lost = io.write([doc], path)
    assert lost or io.read(path)[0].sentence_starts == (0, 1, 1)


@pytest.mark.parametrize("name", FORMATS)
def test_documents_without_words_come_back(tmp_path: Path, name: str) -> None:
    empty = [Document(id=name, words=(), sentence_starts=()) for name in "ab"]
    docs = [*empty, Document(id="c", words=("w",))]
    path = tmp_path / f"a.{FORMATS[name]}"
    io.write(docs, path)
    assert [(doc.name, doc.words) for doc in io.read(path)] == [
        ("a", ()),
        ("b", ()),
        ("c", ("w",)),
    ]


@pytest.mark.parametrize("name", FORMATS)
def test_a_mention_that_an_entity_has_twice_comes_back_once(tmp_path: Path, name: str) -> None:
    doc = Document(id="d", words=("a",), clusters=Clustering([[Span(0, 1), Span(0, 1)]]))
    path = tmp_path / f"a.{FORMATS[name]}"
    io.write([doc], path)
    assert io.read(path)[0].clusters == Clustering([[Span(0, 1)]])


SPLIT = """# newdoc id = d
# global.Entity = eid-etype-head-other
# sent_id = 1
1\tAnn\t_\t_\t_\t_\t0\troot\t_\tEntity=(e7--1)
2\tBo\t_\t_\t_\t_\t1\tdep\t_\tEntity=(e8--1)
3\tthey\t_\t_\t_\t_\t1\tdep\t_\tBridge=e7<e9|Entity=(e9--1)|SplitAnte=e7<e9,e8<e9|SpaceAfter=No

"""


def test_attributes_never_name_entities_that_have_other_names_now(tmp_path):
    first, lines, last = (tmp_path / name for name in ("a.conllu", "a.jsonl", "b.conllu"))
    first.write_text(SPLIT, encoding="utf-8")
    assert io.write(io.read(first), lines)["bridging"] == 1
    io.write(io.read(lines), last)
    [row] = [line for line in last.read_text().splitlines() if line.startswith("3\tthey")]
    assert sorted(row.split("\t")[9].split("|")) == [
        "Entity=(2--1)", "SpaceAfter=No", "SplitAnte=0<2,1<2",
    ]  # fmt: skip


def test_split_antecedents_without_mentions_are_odd(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(SPLIT.replace("e8<e9", "e5<e9"), encoding="utf-8")
    messages = [problem.message for problem in io.validate(path).oddities]
    assert any("name entity 'e5', which has no mention" in message for message in messages)
