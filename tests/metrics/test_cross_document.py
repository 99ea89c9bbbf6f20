"""Topics of several documents that are scored as one."""

from pathlib import Path

import pytest

from corelax import Clustering, CorelaxError, Document, Span
from corelax.document import EmptyId, EmptyNode
from corelax.io import join_topics, topic_rule
from corelax.metrics import evaluate
from corelax.metrics.scoring import score_files


def conll(**documents: list[str]) -> str:
    lines = []
    for name, cells in documents.items():
        lines.append(f"#begin document ({name}); part 000")
        lines += [f"{name}\t0\t{i}\tw{i}\t{cell}" for i, cell in enumerate(cells)]
        lines += ["", "#end document"]
    return "\n".join([*lines, ""])


GOLD = conll(t1_a=["(7)", "-", "(8)"], t1_b=["(7)", "(8)"], t2_a=["(7)", "(9)", "(9)"])
SYSTEM = conll(t1_a=["(1)", "-", "(2)"], t1_b=["(1)", "(3)"], t2_a=["(1)", "(4)", "(4)"])


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    paths = {"gold": tmp_path / "gold.conll", "system": tmp_path / "system.conll"}
    paths["gold"].write_text(GOLD)
    paths["system"].write_text(SYSTEM)
    return paths


def test_a_topic_is_scored_as_one_document(files) -> None:
    report = score_files(**files, cross_document="_", per_document=True)
    first = evaluate(gold=[["a0", "b0"], ["a2", "b1"]], system=[["a0", "b0"], ["a2"], ["b1"]])
    assert list(report.documents) == ["t1", "t2"]
    for name in ("muc", "b_cubed", "ceaf_e", "lea", "blanc"):
        assert report.documents["t1"][name] == first[name]
        assert report.documents["t2"][name].f1 == 1


def test_a_file_may_say_the_topics(files, tmp_path: Path) -> None:
    topics = tmp_path / "topics.tsv"
    topics.write_text("t1_a\tone\nt1_b\tone\n\nt2_a\ttwo\n")
    report = score_files(**files, cross_document=topics, per_document=True)
    assert list(report.documents) == ["one", "two"]
    topics.write_text("t1_a\tone\n")
    with pytest.raises(CorelaxError, match=r"topics\.tsv: document t1_b has no topic"):
        score_files(**files, cross_document=topics)
    topics.write_text("t1_a one\n")
    with pytest.raises(CorelaxError, match=r"topics\.tsv:1: a document, a tab and its topic"):
        score_files(**files, cross_document=topics)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("/", "document t1_a has no '/' after the name of a topic"),
        ("", "a topic is told by"),
        ("topics.tsv", "topics.tsv: no such file of documents and topics"),
    ],
)
def test_a_rule_that_does_not_fit_is_an_error(files, rule: str, message: str) -> None:
    with pytest.raises(CorelaxError, match=message):
        score_files(**files, cross_document=rule)


def test_formats_without_names_of_entities_have_no_topics(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"doc_key": "t_1", "sentences": [["a"]], "clusters": [[[0, 0]]]}\n')
    with pytest.raises(CorelaxError, match="jsonlines has no names of entities"):
        score_files(gold=path, system=path, cross_document="_")


def test_zeros_gaps_and_heads_move_with_their_document() -> None:
    zero = EmptyId(0, 1, 1)
    gap = Span(0, 3, parts=((0, 1), (2, 3)))
    docs = [
        Document(
            id=f"t_{name}",
            words=tuple("abc"),
            clusters=Clustering([[Span(1, 1, empty=(zero,)), gap]], ["e"]),
            empty_nodes=(EmptyNode(zero, ("_",) * 9),),
            mention_heads={("e", gap): (2,)},
        )
        for name in "xy"
    ]
    [topic] = join_topics(docs, topic_rule("_"))
    moved = EmptyId(1, 1, 1)
    later = Span(3, 6, parts=((3, 4), (5, 6)))
    assert [node.id for node in topic.empty_nodes] == [zero, moved]
    assert topic.clusters[0] == (docs[0].clusters[0][0], gap, Span(4, 4, empty=(moved,)), later)
    assert topic.mention_heads == {("e", gap): (2,), ("e", later): (5,)}


def test_entities_that_each_document_numbers_by_itself_are_not_joined() -> None:
    doc = Document(id="t1_a", words=("Ann",), extra={"conllu.global_entity": "GRP-etype-minspan"})
    with pytest.raises(CorelaxError, match="t1_a: its entities are numbered by themselves"):
        list(join_topics([doc], lambda name: name))
