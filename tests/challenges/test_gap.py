"""GAP: items worked by hand, rows that are wrong, and the released files."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corelax import CorelaxError
from corelax.challenges import GapItem, gap_answers, gap_report, gap_tsv, read_gap
from corelax.core.errors import FormatError
from corelax.io.gap import COLUMNS
from tests.shared_corpora import DATA

ROW = {
    "ID": "x-1",
    "Text": "Ann Lee saw the tall Bea Fox when she left.",
    "Pronoun": "she",
    "Pronoun-offset": "34",
    "A": "Ann Lee",
    "A-offset": "0",
    "A-coref": "TRUE",
    "B": "Bea Fox",
    "B-offset": "21",
    "B-coref": "FALSE",
    "URL": "http://example.org",
}


def item_of(text: str, pronoun: str, a: str, b: str, *, yes: str, id: str = "x") -> GapItem:
    def place(words: str) -> tuple[int, int]:
        assert text.count(words) == 1
        return text.index(words), text.index(words) + len(words)

    return GapItem(
        id=id,
        text=text,
        pronoun=place(pronoun),
        a=place(a),
        b=place(b),
        a_coref="a" in yes,
        b_coref="b" in yes,
    )


def spans(text: str, *entities: list[str]) -> list[list[tuple[int, int]]]:
    return [[(text.index(w), text.index(w) + len(w)) for w in entity] for entity in entities]


def written(path: Path, *rows: dict[str, str]) -> Path:
    lines = ["\t".join([*COLUMNS, "URL"]), *("\t".join(row.values()) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


SHE = item_of(
    "Ann Lee met the tall Bea Fox. She left.", "She", "Ann Lee", "Bea Fox", yes="a", id="she"
)
HE = item_of("Bob Orr met Cy Dow and his dog.", "his", "Bob Orr", "Cy Dow", yes="b", id="he")


def test_a_file_is_read(tmp_path: Path) -> None:
    [item] = read_gap(written(tmp_path / "gap.tsv", ROW))
    assert item == GapItem(
        id="x-1",
        text=ROW["Text"],
        pronoun=(34, 37),
        a=(0, 7),
        b=(21, 28),
        a_coref=True,
        b_coref=False,
    )
    assert item.gender == "feminine"
    assert item.clusters == [[(0, 7), (34, 37)]]


def test_a_gzipped_file_is_read_and_quotation_marks_are_characters(tmp_path: Path) -> None:
    row = ROW | {"Text": '"Ann Lee saw the tall Bea Fox when she left.', "Pronoun-offset": "35"}
    row |= {"A-offset": "1", "B-offset": "22", "Pronoun": "she"}
    plain = written(tmp_path / "gap.tsv", row, row | {"ID": "x-2"})
    packed = tmp_path / "gap.tsv.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert [item.id for item in read_gap(packed)] == ["x-1", "x-2"]
    assert read_gap(packed) == read_gap(plain)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Pronoun-offset": "33"}, "Pronoun is 'she', but character 33"),
        ({"A-offset": "-1"}, "A-offset must be a number"),
        ({"B-offset": "x"}, "B-offset must be a number"),
        ({"B-offset": "400"}, "B is 'Bea Fox', but character 400"),
        ({"A-coref": "yes"}, "A-coref must be TRUE or FALSE, not 'yes'"),
        ({"Pronoun": "when", "Pronoun-offset": "29"}, "the pronoun must be one of he, him"),
        ({"A": ""}, "A is ''"),
        ({"URL": "a\tb"}, "12 cells, but 11 columns"),
        ({"ID": "x-1"}, "the ID x-1 comes a second time"),
    ],
)
def test_a_wrong_row_is_named_with_its_line(
    tmp_path: Path, change: dict[str, str], message: str
) -> None:
    path = written(tmp_path / "gap.tsv", ROW, ROW | {"ID": "x-2"} | change)
    with pytest.raises(FormatError) as caught:
        read_gap(path)
    assert str(caught.value).startswith(f"{path}:3: {message}")


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "gap.tsv"
    path.write_text("sentid\tsentence\n")
    with pytest.raises(FormatError, match=r"gap.tsv:1: no column 'ID'"):
        read_gap(path)
    with pytest.raises(FormatError, match="no item in this file"):
        read_gap(written(path))
    with pytest.raises(CorelaxError, match="no such file"):
        read_gap(tmp_path / "other.tsv")


@pytest.mark.parametrize(
    ("mention", "matches"),
    [
        ("Zoe Hall", "exact head nested"),
        ("the actress Zoe Hall", "head nested"),
        ("Hall", "head nested"),
        ("Zoe", "nested"),
        ("Zoe Hall's", "head nested"),
        ("Zoe Hall's mother", "nested"),
        ("actress Zoe", ""),
        ("Eve Ray", ""),
    ],
)
@pytest.mark.parametrize("match", ["exact", "head", "nested"])
def test_which_mentions_count_as_the_name(mention: str, matches: str, match: str) -> None:
    text = "Today the actress Zoe Hall's mother met Eve Ray before she left."
    item = item_of(text, "she", "Zoe Hall", "Eve Ray", yes="a")
    [(a, _)] = gap_answers([item], [spans(text, [mention, "she"])], match=match)
    assert a is (match in matches.split())


def test_a_possessive_pronoun_names_its_owner_whatever_the_apostrophe() -> None:
    text = "James’ wife met Eve’s son and his dog."
    item = item_of(text, "his", "James", "Eve", yes="a")
    assert gap_answers([item], [spans(text, ["James’", "Eve’s", "his"])]) == [(True, True)]


def test_the_pronoun_itself_must_be_found() -> None:
    text = HE.text
    assert gap_answers([HE], [spans(text, ["Cy Dow", "his dog"])]) == [(False, False)]


def test_name_and_pronoun_in_two_entities_are_not_linked() -> None:
    entities = spans(HE.text, ["Cy Dow", "dog"], ["Bob Orr", "his"])
    assert gap_answers([HE], [entities]) == [(True, False)]


def test_a_report_worked_by_hand() -> None:
    both = [[SHE.a, SHE.b, SHE.pronoun]]  # A rightly, B wrongly
    wrong = [[HE.a, HE.pronoun]]
    report = gap_report([SHE, HE, SHE, HE], [both, wrong, SHE.clusters, HE.clusters])
    # feminine: 2 of 2 found, 3 given; masculine: 1 of 2 found, 2 given
    assert report.feminine.scores() == pytest.approx((1, 2 / 3, 0.8))
    assert report.masculine.scores() == pytest.approx((1 / 2, 1 / 2, 1 / 2))
    assert report.overall.scores() == pytest.approx((3 / 4, 3 / 5, 2 / 3))
    assert report.bias == pytest.approx(1.6)
    assert str(report).splitlines()[2].split() == ["Overall", "75.00", "60.00", "66.67"]
    assert str(report).splitlines()[-1] == "Bias (F/M): 1.60; names matched by head"
    assert report.as_dict()["overall"]["f1"] == pytest.approx(2 / 3)


def test_bias_is_undefined_where_a_gender_scores_nothing() -> None:
    report = gap_report([SHE, HE], [SHE.clusters, []])
    assert report.bias is None
    assert "Bias (F/M): -" in str(report)


def test_an_item_that_refers_to_neither_counts_wrong_links_only() -> None:
    neither = item_of(HE.text, "his", "Bob Orr", "Cy Dow", yes="")
    assert neither.clusters == []
    assert gap_report([neither], [HE.clusters]).overall.as_tuple() == (0, 0, 0, 1)


def test_answers_for_the_released_scorer() -> None:
    answers = gap_answers([SHE, HE], [SHE.clusters, []])
    assert gap_tsv([SHE, HE], answers) == "she\tTRUE\tFALSE\nhe\tFALSE\tFALSE\n"


@pytest.mark.parametrize("answers", [[], [[]], [[], [], []]])
def test_each_item_needs_an_answer(answers: list[list[list[tuple[int, int]]]]) -> None:
    with pytest.raises(CorelaxError, match=f"there are 2 items but {len(answers)} answers"):
        gap_report([SHE, HE], answers)


@pytest.mark.parametrize("mention", [(5, 5), (-1, 3), (0, 10_000)])
def test_mentions_outside_the_text_are_an_error(mention: tuple[int, int]) -> None:
    with pytest.raises(CorelaxError, match="item she: mention"):
        gap_report([SHE], [[[mention]]])


def test_an_unknown_way_to_match_is_an_error() -> None:
    with pytest.raises(CorelaxError, match="match must be 'head' or 'exact' or 'nested'"):
        gap_report([SHE], [SHE.clusters], match="overlap")


@given(st.lists(st.tuples(st.sampled_from([SHE, HE]), st.booleans(), st.booleans())))
def test_reports_of_parts_add(given_answers: list[tuple[GapItem, bool, bool]]) -> None:
    items = [item for item, _, _ in given_answers]
    answers = [
        [[name for name, yes in ((item.a, a), (item.b, b)) if yes] + [item.pronoun]]
        for item, a, b in given_answers
    ]
    half = len(items) // 2
    parts = gap_report(items[:half], answers[:half]) + gap_report(items[half:], answers[half:])
    assert parts == gap_report(items, answers)


@pytest.mark.shared_data
@pytest.mark.parametrize(("split", "number"), [("development", 2000), ("validation", 454)])
def test_the_released_files(split: str, number: int) -> None:
    items = read_gap(DATA / "gap" / f"gap-{split}.tsv.gz")
    assert len(items) == number
    genders = [item.gender for item in items]
    assert genders.count("feminine") == genders.count("masculine")  # how GAP was sampled
    for match in ("exact", "head", "nested"):
        report = gap_report(items, [item.clusters for item in items], match=match)
        assert report.overall.scores() == (1, 1, 1)
        assert report.bias == 1
    nothing = gap_report(items, [[]] * number)
    assert nothing.overall.scores() == (0, 0, 0)
    assert nothing.overall.recall_den == sum(item.a_coref + item.b_coref for item in items)
