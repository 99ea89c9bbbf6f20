from __future__ import annotations

from pathlib import Path

import pytest
import torch

from corelax import CorelaxError, Document, FormatError, score, write
from corelax.metrics import evaluate
from corelax.metrics.scoring import score_files

TEXT = [["Ann", "saw", "Bo", "and", "waved", "to", "him"]]


def make(
    id: str = "d", clusters=(((2, 3), (6, 7)), ((0, 1),)), part: int | None = 0, text=TEXT
) -> Document:
    return Document.from_sentences(id, text, clusters=clusters, part=part)


OTHER = (((0, 1), (6, 7)), ((2, 3),))


@pytest.fixture
def files(tmp_path: Path):
    def save(gold: list[Document], system: list[Document], suffixes=(".conll", ".conll")):
        paths = tmp_path / f"gold{suffixes[0]}", tmp_path / f"system{suffixes[1]}"
        write(gold, paths[0])
        write(system, paths[1])
        return {"gold": paths[0], "system": paths[1]}

    return save


@pytest.mark.parametrize("ours", [".conll", ".conllu", ".jsonl"])
@pytest.mark.parametrize("theirs", [".conll.gz", ".conllu.gz", ".jsonl.gz"])
def test_formats_can_be_mixed(files, ours: str, theirs: str) -> None:
    paths = files([make("a"), make("b")], [make("a", OTHER), make("b")], (ours, theirs))
    # Of document a, recall is 1/1 (Ann) + 1/2 (him) + 1/2 (Bo) and precision the same; b is right.
    assert score_files(**paths)["b_cubed"].f1 == pytest.approx((3 + 2) / 6)


def test_a_part_number_and_a_jsonlines_key_are_the_same_document() -> None:
    conll = make("nw/x", part=2)
    assert score(gold=[conll], system=[make("nw/x_2", part=None)]).conll == 1


def test_different_texts_can_be_scored_all_the_same() -> None:
    other = make(text=[[*TEXT[0], "."]])
    assert score(gold=[make()], system=[other], check_text=False).conll == 1


def test_dropping_singletons_takes_them_off_both_sides() -> None:
    gold = make(clusters=(((2, 3), (6, 7)),))
    report = score(gold=[gold], system=[make()], singletons="drop")
    assert report["mentions"].precision == 1


def test_f_beta_is_never_called_f1() -> None:
    report = score(gold=[make()], system=[make(clusters=OTHER)], beta=2, per_document=True)
    with pytest.raises(CorelaxError, match="beta=2: use f; f1 is F1 only"):
        _ = report["muc"].f1
    assert set(report.as_dict()["muc"]) == {"recall", "precision", "f"}
    assert report.as_dict()["beta"] == 2
    assert "F2" in report.table()
    assert "F1" not in report.table() + report.documents_table()


def test_the_conll_score_is_refused_for_another_beta() -> None:
    report = score(gold=[make()], system=[make(clusters=OTHER)], beta=2, per_document=True)
    with pytest.raises(CorelaxError, match="CoNLL score is a mean of F1; this report has beta=2"):
        _ = report.conll
    assert "conll" not in report.as_dict()
    assert "CoNLL" not in report.table() + report.documents_table()


def test_only_the_metrics_asked_for_are_computed() -> None:
    report = score(gold=[make()], system=[make()], metrics=["lea"])
    assert list(report) == ["lea"]
    with pytest.raises(CorelaxError, match="needs muc, b_cubed, ceaf_e"):
        _ = report.conll


def test_an_unknown_metric_is_named_with_the_valid_ones() -> None:
    with pytest.raises(CorelaxError, match="unknown metric 'bleu'; choose from muc"):
        score(gold=[make()], system=[make()], metrics=["bleu"])


def test_a_mention_in_two_entities_is_scored_and_reported(files) -> None:
    double = make(clusters=(((0, 1), (2, 3)), ((0, 1), (6, 7))))
    report = score_files(**files([double], [make()]))
    assert any("one mention is in two entities" in line for line in report.oddities)


def test_the_normal_profile_gives_the_reference_values_on_clean_files(files) -> None:
    paths = files([make("a"), make("b")], [make("a", OTHER), make("b")])
    normal, reference = score_files(**paths), score_files(**paths, profile="reference")
    for name in normal:
        assert normal[name] == pytest.approx(reference[name])


def test_errors_name_the_file_and_the_line(files) -> None:
    paths = files([make()], [make()])
    broken = paths["system"].read_text().replace("(0)", "0)")
    paths["system"].write_text(broken)
    with pytest.raises(FormatError) as caught:
        score_files(**paths)
    assert str(caught.value) == f"{paths['system']}:4: entity 0 closes but was never opened"


@pytest.mark.parametrize("gold", ["gold.conll", Path("gold.conll"), make()])
def test_what_is_no_list_of_documents_is_refused(gold: object) -> None:
    with pytest.raises(CorelaxError, match="gold must be a list of documents"):
        score(gold=gold, system=[make()])  # type: ignore[arg-type]


def test_mentions_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(
        CorelaxError, match=r"gold: mention \[0, 1\] is a list; make mentions tuples"
    ):
        evaluate(gold=[[[0, 1]]], system=[])  # type: ignore[list-item]
    with pytest.raises(CorelaxError, match="system: mentions are tensors"):
        evaluate(gold=[], system=torch.tensor([[0, 1]]))


def test_an_empty_node_more_in_one_file_does_not_change_which_zeros_are_the_same(tmp_path) -> None:
    head = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n"
    row = "{}\t{}" + "\t_" * 7 + "\t{}\n"
    words = [row.format(1, "a", "Entity=(e1--1)"), row.format(2, "b", "_"), row.format(3, "c", "_")]
    zero = row.format("3.1", "_", "Entity=(e1--1)")
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(head + "".join([*words, zero]) + "\n")
    system.write_text(
        head + "".join([words[0], row.format("1.1", "_", "_"), *words[1:], zero]) + "\n"
    )
    assert score_files(gold=gold, system=system).conll == 1


@pytest.mark.parametrize(
    ("row", "hinted"), [("d\t0\t1\tb\tx\t-", True), ("d", True), ("d\t0\t1\tb\t0)", False)]
)
def test_an_error_names_the_profile_that_would_read_the_file(tmp_path, row, hinted) -> None:
    path = tmp_path / "a.conll"
    path.write_text(f"#begin document (d); part 000\nd\t0\t0\ta\t-\n{row}\n\n#end document\n")
    with pytest.raises(FormatError) as caught:
        score_files(gold=path, system=path)
    assert ("--profile reference" in str(caught.value)) == hinted
    assert caught.value.line == 3
    if hinted:
        score_files(gold=path, system=path, profile="reference")
