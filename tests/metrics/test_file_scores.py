"""Several files: each by itself, pooled, and the plain mean over files."""

from __future__ import annotations

from pathlib import Path

import pytest

from corelax import CorelaxError, Document
from corelax.io import write
from corelax.metrics import FilesReport, score_file_sets

TEXT = [["Ann", "saw", "Bo", "and", "him", "too", "she", "said"]]
ENTITIES = [[(0, 1), (6, 7)], [(2, 3), (4, 5)]]


def save(path: Path, names: str, clusters: list) -> None:
    path.parent.mkdir(exist_ok=True)
    write([Document.from_sentences(name, TEXT, clusters=clusters) for name in names], path)


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    """`right` has one document, all right; `half` has three, in each one of two entities."""
    gold, system = tmp_path / "gold", tmp_path / "system"
    save(gold / "right.conllu", "a", ENTITIES)
    save(system / "right.jsonl", "a", ENTITIES)
    save(gold / "half.conllu", "abc", ENTITIES)
    save(system / "half.conll", "abc", ENTITIES[:1])
    return gold, system


def test_worked_case(sides: tuple[Path, Path]) -> None:
    """Recall of mentions: 4 of 4 and 6 of 12, so 10 of 16 pooled and 3/4 in the mean."""
    report = score_file_sets(gold=sides[0], system=sides[1])
    assert isinstance(report, FilesReport)
    assert report["mentions"].recall == 10 / 16
    assert report.macro("mentions").recall == 0.75
    # CoNLL of `half`: recall 1/2, precision 1, F1 2/3 in all three metrics.
    assert report.files["half"].conll == pytest.approx(2 / 3)
    assert report.macro_conll == pytest.approx((1 + 2 / 3) / 2)


def test_json_has_the_pooled_scores_first_then_files_and_means(sides: tuple[Path, Path]) -> None:
    report = score_file_sets(gold=sides[0], system=sides[1], per_document=True)
    plain = report.as_dict()
    assert plain["mentions"]["recall"] == 10 / 16
    assert list(plain["files"]["half"]["documents"]) == ["a", "b", "c"]
    assert plain["macro"]["mentions"]["recall"] == 0.75
    assert plain["macro"]["conll"] == report.macro_conll
    assert "documents" not in plain


def test_beta_holds_for_all_of_them(sides: tuple[Path, Path]) -> None:
    report = score_file_sets(gold=sides[0], system=sides[1], beta=2.0)
    assert report.macro("muc").beta == report["muc"].beta == 2
    assert not report.has_conll
    assert "conll" not in report.as_dict()["macro"]


def test_an_error_in_one_file_names_it(sides: tuple[Path, Path]) -> None:
    (sides[1] / "right.jsonl").write_text("{")
    with pytest.raises(CorelaxError, match=r"right\.jsonl:1"):
        score_file_sets(gold=sides[0], system=sides[1])
