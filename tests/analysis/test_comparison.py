"""Systems side by side: what a comparison says, held against scoring, scipy and the report of a study."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import corelax
from corelax import Clustering, CorelaxError, Document
from corelax.analysis import compare_outputs, count_errors
from corelax.analysis.significance import DocumentCounts, paired_difference
from corelax.metrics import METRICS
from corelax.synthetic import Shape, generate
from tests.study.study_runs import damaged

TEXT = [["Ann", "saw", "Bo"], ["He", "waved"], ["She", "smiled"]]
ANN, BO, HE, SHE = (0, 1), (2, 3), (3, 4), (5, 6)
GOLD = [[ANN, SHE], [BO, HE]]
SWAPPED = [[ANN, HE], [BO, SHE]]  # the same mentions, no link right


def doc(name: str, clusters: Sequence[Sequence[tuple[int, int]]]) -> Document:
    return Document.from_sentences(name, TEXT, clusters=clusters)


def docs(names: str, clusters: Sequence[Sequence[tuple[int, int]]] = GOLD) -> list[Document]:
    return [doc(name, clusters) for name in names]


@pytest.fixture(scope="module")
def gold() -> list[Document]:
    every = generate(60, seed=4, shape=Shape.conll2012().scaled(25))
    return [doc for doc in every if len(doc.clusters) > 1][:24]


def spoilt(gold: Sequence[Document], seed: int, **shares: float) -> list[Document]:
    return [doc.with_clusters(Clustering(damaged(doc, seed, **shares))) for doc in gold]


def test_scores_and_differences_are_those_of_scoring(gold: list[Document]) -> None:
    a, b = spoilt(gold, 1, moved=0.3), spoilt(gold, 2, moved=0.2, missed=0.1)
    comparison = corelax.compare(gold, {"a": a, "b": b}, resamples=20)
    alone = {name: corelax.score(gold=gold, system=run) for name, run in {"a": a, "b": b}.items()}
    for metric in METRICS:
        for name, report in alone.items():
            assert comparison.score(name, metric) == pytest.approx(report[metric])
        expected = alone["b"][metric].f1 - alone["a"][metric].f1
        assert comparison.differences["b"][metric].mean == pytest.approx(expected)
    assert comparison.score("b", "conll").f1 == pytest.approx(alone["b"].conll)
    assert comparison.metrics == (*METRICS, "conll")
    assert comparison.baseline == "a"


def test_holm_is_over_all_metrics_and_systems_of_the_table() -> None:
    """Six documents, all better: each p is 2/64, and the smallest of 2 x 2 is multiplied by 4."""
    systems = {"base": docs("abcdef", SWAPPED), "x": docs("abcdef"), "y": docs("abcdef")}
    result = corelax.compare(docs("abcdef"), systems, metrics=["b_cubed", "conll"])
    for name in ("x", "y"):
        for metric in ("b_cubed", "conll"):
            assert result.differences[name][metric].p_value == 2 / 64
            assert result.adjusted[name][metric] == 4 * 2 / 64
    alone = corelax.compare(docs("abcdef"), systems, metrics=["conll"])
    assert alone.adjusted["x"]["conll"] == 2 * 2 / 64


def test_worked_case_of_two_documents() -> None:
    """In one document all is right and in the other no link is, for one system; MUC is 2 of 4."""
    gold = docs("ab")
    half = [doc("a", GOLD), doc("b", SWAPPED)]
    result = corelax.compare(gold, {"half": half, "all": gold}, metrics=["muc"])
    difference = result.differences["all"]["muc"]
    assert result.score("half", "muc").f1 == 0.5
    assert (difference.mean, difference.low, difference.high) == (0.5, 0.0, 1.0)
    assert difference.p_value == 1.0  # exchanging b, or a, or both: always 0.5 apart
    assert result.notes == ["with 2 documents no p value is below 0.5"]


def test_one_document_is_compared_and_not_tested() -> None:
    result = corelax.compare(docs("a"), {"x": docs("a", SWAPPED), "y": docs("a")})
    assert not result.is_tested
    assert "two documents or more" in result.notes[0]
    as_json = result.as_dict()["systems"]["y"]["differences"]["muc"]
    assert as_json["difference"] == 1.0
    assert as_json["low"] is as_json["p"] is as_json["p_holm"] is None


def test_runs_of_systems_are_compared_in_pairs(gold: list[Document]) -> None:
    a = [spoilt(gold, seed, moved=0.3) for seed in (1, 2)]
    b = [spoilt(gold, seed, moved=0.2) for seed in (3, 4)]
    result = corelax.compare(gold, {"a": a, "b": b}, metrics=["muc"], resamples=500)
    reports = [
        [corelax.score(gold=gold, system=run, metrics=["muc"], per_document=True) for run in runs]
        for runs in (a, b)
    ]
    means = [np.mean([report["muc"].f1 for report in runs]) for runs in reports]
    assert result.differences["b"]["muc"].mean == pytest.approx(means[1] - means[0])
    assert result.differences["b"]["muc"] == paired_difference(
        system=DocumentCounts.of(reports[1]),
        baseline=DocumentCounts.of(reports[0]),
        metric="muc",
        resamples=500,
    )
    wrong = [count_errors(gold=gold, system=run).number("wrong_link") for run in b]
    assert result.errors["b"].number("wrong_link") == sum(wrong) / 2


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ({"x": docs("ab")}, "two systems or more"),
        ({"x": docs("ab"), "y": docs("a")}, "^y: document b is in gold but not in system"),
        ({"x": docs("ab"), "y": docs("abc")}, "^y: document c is in system but not in gold"),
        ({"x": docs("ab"), "y": []}, "y has no documents"),
        ({"x": docs("ab"), "y": "out.conll"}, "y must be a list of documents"),
        ({"x": docs("ab"), "y": 3}, "y must be a list of documents"),
        ({"x": docs("ab"), "y": docs("ab")[0]}, "y must be a list of documents"),
        ({"x": docs("ab"), "y": [docs("ab"), docs("ab")]}, "y and x have 2 and 1 runs"),
    ],
)
def test_what_cannot_be_compared_is_said_in_a_line(systems: dict, message: str) -> None:
    with pytest.raises(CorelaxError, match=message):
        corelax.compare(docs("ab"), systems)


def test_other_words_are_an_error_that_names_the_system() -> None:
    other = Document.from_sentences("a", [["Ann", "saw", "Ed"]])
    with pytest.raises(CorelaxError, match=r"^y: document a: token 2 is 'Bo' in gold and 'Ed'"):
        corelax.compare(docs("a"), {"x": docs("a"), "y": [other]})


def test_beta_is_no_option_since_differences_are_of_f1() -> None:
    with pytest.raises(TypeError, match="beta"):
        corelax.compare([], {}, beta=2.0)


def test_unknown_metrics_are_named() -> None:
    with pytest.raises(CorelaxError, match="unknown metric 'bleu'"):
        corelax.compare(docs("a"), {"x": docs("a"), "y": docs("a")}, metrics=["bleu"])


# Without gold.


def test_differences_are_marked_on_both_sides() -> None:
    x, y = [doc("a", GOLD)], [doc("a", [[ANN, SHE], [BO, (1, 2)]])]
    [passage] = compare_outputs({"x": x, "y": y}).passages
    marks = [
        {(m.start + passage.start, m.end + passage.start): m.error for m in version.mentions}
        for version in passage.versions
    ]
    assert marks[0][HE] == "linked_only_here"
    assert marks[1][HE] == "not_linked_here"
    assert marks[0][BO] == "not_linked_here"  # y links it to `saw`
    assert marks[1][BO] == "linked_only_here"
    assert passage.note == "2 differences"


def test_a_difference_in_a_very_long_sentence_is_shown() -> None:
    words = [["Ann", *["and"] * 200, "she"]]
    x = Document.from_sentences("a", words, clusters=[[(0, 1), (201, 202)]])
    y = Document.from_sentences("a", words)
    [passage] = compare_outputs({"x": [x], "y": [y]}).passages
    assert len(passage.words) == 202
