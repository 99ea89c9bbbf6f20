"""WinoBias and Winogender: sentences worked by hand, rows that are wrong, and the released files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corelax import Clustering, CorelaxError, Document, Span, io
from corelax.challenges import (
    WinoBiasCounts,
    read_winogender,
    winobias_counts,
    winobias_report,
    winogender_report,
)
from corelax.core.errors import FormatError
from tests.shared_corpora import DATA

WORDS = "The guard called the cook because she left her key .".split()
GUARD, COOK, SHE, HER = (0, 2), (3, 5), (6, 7), (8, 9)


def sentence(*clusters: list[tuple[int, int]], id: str = "d") -> Document:
    return Document.from_sentences(id, [WORDS], clusters=clusters)


@pytest.mark.parametrize(
    ("predicted", "linked", "correct"),
    [
        ([[GUARD, SHE]], 1, 1),
        ([[GUARD, SHE, HER]], 1, 1),  # a pronoun that is not annotated does no harm
        ([[GUARD, SHE], [COOK, HER]], 1, 1),
        ([[GUARD, COOK, SHE]], 1, 0),
        ([[COOK, SHE]], 0, 0),
        ([[(1, 2), SHE]], 0, 0),  # "guard" is not the mention "The guard"
        ([[GUARD], [SHE]], 0, 0),
        ([], 0, 0),
    ],
)
def test_winobias_sentences(
    predicted: list[list[tuple[int, int]]], linked: int, correct: int
) -> None:
    counts = winobias_counts(gold=[sentence([GUARD, SHE])], system=[sentence(*predicted)])
    assert counts == WinoBiasCounts(1, linked, correct)


def test_all_annotated_mentions_must_be_linked() -> None:
    gold = sentence([GUARD, SHE, HER])
    assert winobias_counts(gold=[gold], system=[sentence([GUARD, SHE])]).linked == 0
    assert winobias_counts(gold=[gold], system=[gold]) == WinoBiasCounts(1, 1, 1)


def test_the_gap_is_pro_minus_anti() -> None:
    right, wrong = sentence([GUARD, SHE], id="a"), sentence([COOK, SHE], id="b")
    gold = [right, sentence([GUARD, SHE], id="b")]
    pro = winobias_counts(gold=gold, system=gold)
    anti = winobias_counts(gold=gold, system=[wrong, right])  # any order
    report = winobias_report(pro=pro, anti=anti)
    assert (report.pro.accuracy, report.anti.accuracy, report.gap) == (1, 0.5, 0.5)
    assert report.as_dict()["link_gap"] == 0.5
    assert str(report).splitlines()[-1].split() == ["Gap", "50.00", "50.00"]


def test_linking_everything_hides_the_gap_in_links_but_not_in_accuracy() -> None:
    report = winobias_report(pro=WinoBiasCounts(4, 4, 3), anti=WinoBiasCounts(4, 4, 1))
    assert (report.link_gap, report.gap) == (0, 0.5)


def test_what_is_no_winobias_is_refused() -> None:
    with pytest.raises(CorelaxError, match="'The guard' is annotated alone"):
        winobias_counts(gold=[sentence([GUARD])], system=[sentence()])
    with pytest.raises(CorelaxError, match="document d is in gold but not in system"):
        winobias_counts(gold=[sentence([GUARD, SHE])], system=[])
    with pytest.raises(CorelaxError, match="anti: no annotated entity"):
        winobias_report(pro=WinoBiasCounts(1, 1, 1), anti=WinoBiasCounts())


@pytest.mark.shared_data
@pytest.mark.parametrize("kind", [1, 2])
def test_released_winobias(kind: int) -> None:
    pro, anti = (
        io.read(DATA / "winobias" / f"dev_type{kind}_{side}_stereotype.v4_auto_conll.gz")
        for side in ("pro", "anti")
    )
    report = winobias_report(
        pro=winobias_counts(gold=pro, system=pro), anti=winobias_counts(gold=anti, system=anti)
    )
    assert report.pro == report.anti == WinoBiasCounts(396, 396, 396)
    assert report.gap == 0
    everything = [
        replace(doc, clusters=Clustering([[*doc.clusters.mentions, Span(0, len(doc.words))]]))
        for doc in pro
    ]
    assert winobias_counts(gold=pro, system=everything) == WinoBiasCounts(396, 396, 0)


HEADER = "sentid\tsentence\n"
ROWS = (
    "guard.cook.0.male.txt\tThe guard told the cook that he was early.\n"
    "guard.cook.0.female.txt\tThe guard told the cook that she was early.\n"
    "guard.someone.1.neutral.txt\tSomeone asked the guard to open their door.\n"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "all_sentences.tsv"
    path.write_text(HEADER + ROWS)
    return path


def test_winogender_items_know_who_is_meant(file: Path) -> None:
    items = read_winogender(file)
    found = [
        (
            item.gender,
            *(item.text[slice(*span)] for span in (item.pronoun, item.referent, item.other)),
        )
        for item in items
    ]
    assert found == [
        ("male", "he", "guard", "cook"),
        ("female", "she", "guard", "cook"),
        ("neutral", "their", "Someone", "guard"),
    ]


def test_winogender_accuracy_by_gender(file: Path) -> None:
    items = read_winogender(file)
    he, she, they = items
    guard, cook = (0, 9), (15, 23)
    assert [he.text[slice(*span)] for span in (guard, cook)] == ["The guard", "the cook"]
    right = [[guard, he.pronoun]]
    too_much = [[guard, cook, she.pronoun]]
    wrong = [[they.other, they.pronoun]]
    report = winogender_report(items, [right, too_much, wrong])
    assert report.accuracy == {"male": 1, "female": 0, "neutral": 0}
    assert report.overall == pytest.approx(1 / 3)
    assert report.as_dict()["male"] == 1
    assert str(report).splitlines()[2].split() == ["Overall", "33.33"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("guard.cook.0.txt\tThe guard left.", "sentid must be"),
        ("guard.cook.2.male.txt\tThe guard told the cook he left.", "sentid must be"),
        ("guard.cook.0.male.txt\tThe guard told the cook to go.", "'he' or 'him' or 'his' must"),
        ("guard.cook.0.male.txt\tThe guard told the cooks he left.", "'cook' must come once"),
        ("guard.cook.0.male.txt\tThe guard told the cook he hid his hat.", "not 2 times"),
        (ROWS.splitlines()[0], "comes a second time"),
        ("guard.cook.0.male.txt", "1 cells, but 2 columns"),
    ],
)
def test_a_wrong_winogender_row_is_named_with_its_line(file: Path, row: str, message: str) -> None:
    file.write_text(HEADER + ROWS + row + "\n")
    with pytest.raises(FormatError, match=message) as caught:
        read_winogender(file)
    assert caught.value.line == 5


@pytest.mark.shared_data
def test_released_winogender() -> None:
    items = read_winogender(DATA / "winogender" / "all_sentences.tsv.gz")
    assert len(items) == 720
    gold = [[[item.referent, item.pronoun]] for item in items]
    assert winogender_report(items, gold).counts == dict.fromkeys(
        ("male", "female", "neutral"), (240, 240)
    )
    wrong = [[[item.other, item.pronoun]] for item in items]
    assert winogender_report(items, wrong).overall == 0
