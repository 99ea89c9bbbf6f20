from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from corelax.core.errors import CorelaxError, FormatError
from corelax.rankers.sparse.mentions import lexicons as module
from corelax.rankers.sparse.mentions.lexicons import (
    EMPTY,
    GenderCounts,
    Lexicons,
    lexicons_of,
    load_lexicons,
    normalise,
)
from tests.shared_corpora import LEXICONS

HEADER = "# phrase\tmasculine\tfeminine\tneuter\tplural\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one file of each newer kind."""
    rows = "company 0 1 9 2,bill_smith 7 0 0 0,smith 3 3 0 0,old_smith 0 0 0 0,#s 0 0 1 8,"
    rows = rows.replace(" ", "\t").replace("_", " ").replace(",", "\n")
    (tmp_path / "bergsma_lin_gender.tsv").write_text(HEADER + rows)
    senses = (
        "# lemma\tfirst_sense\tperson_senses\ndoctor\tperson\t1\ndog\tanimal\t0\ncar\tother\t0\n"
    )
    with gzip.open(tmp_path / "wordnet_animacy.tsv.gz", "wt") as file:
        file.write(senses + "sports_car\tother\t0\nsports_fan\tperson\t1\n")
    return tmp_path


@pytest.fixture
def shipped() -> Lexicons:
    return load_lexicons("shipped")


# Where lists come from


def test_a_folder_given_wins_over_the_variable(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORELAX_LEXICONS", "none")
    assert load_lexicons(folder).name == folder.name


def test_the_variable_names_the_lists(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORELAX_LEXICONS", str(folder))
    assert load_lexicons() is load_lexicons(folder)
    monkeypatch.setenv("CORELAX_LEXICONS", "shipped")
    assert load_lexicons().name == "shipped tables"
    monkeypatch.setenv("CORELAX_LEXICONS", "none")
    assert load_lexicons() is EMPTY


def test_without_the_variable_the_shipped_tables_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CORELAX_LEXICONS", raising=False)
    assert load_lexicons() is load_lexicons("shipped")


def test_the_digest_follows_the_content(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "bergsma_lin_gender.tsv").write_text(HEADER + "company\t0\t1\t9\t3\n")
    digests = {load_lexicons(which).digest for which in (folder, other, "shipped", "none")}
    assert len(digests) == 4


# GenderCounts


def test_the_whole_phrase_comes_before_its_head(folder: Path) -> None:
    lists = load_lexicons(folder)
    assert lists.counts_of(["Bill", "Smith"], "Smith") == GenderCounts(7, 0, 0, 0)
    assert lists.counts_of(["Ann", "Smith"], "Smith") == GenderCounts(3, 3, 0, 0)
    assert lists.counts_of(["Ann", "Jones"], "Jones") == GenderCounts(0, 0, 0, 0)


@pytest.mark.parametrize(
    ("word", "normal"),
    [("1990s", "#s"), ("B-52", "b-#"), ("3.14", "#.#"), ("٣", "٣"), ("Été", "été")],
)
def test_digits_become_one_sign(word: str, normal: str) -> None:
    assert normalise(word) == normal


def test_the_original_file_has_no_header_and_repeated_phrases_are_summed(tmp_path: Path) -> None:
    rows = b"# years\t1 0 2 30\nbill\t5 0 0 0\nbill\t4 1 0 2\njos\xe9\t3 0 0 0\nzo\xc3\xab\t0 3 0 0"
    (tmp_path / "gender.data.gz").write_bytes(gzip.compress(rows))
    lists = load_lexicons(tmp_path)
    assert lists.counts_of(["20", "years"], "years") == GenderCounts(1, 0, 2, 30)
    assert lists.count_of_word("Bill") == GenderCounts(9, 1, 0, 2)
    assert [lists.count_of_word(name).masculine for name in ("José", "Zoë")] == [3, 0]
    assert len(lists.counts) == 4


# Animacy


def test_lists_of_lemmas_are_asked_for_lemmas_or_for_heads_as_written(folder: Path) -> None:
    lists = load_lexicons(folder)
    assert lists.animate == {"doctor", "dog"}
    assert lists.inanimate == {"car"}
    words = ("doctor", "Doctor", "doctors", "car")
    as_written = [lists.animacy(word, as_written=True) for word in words]
    assert as_written == ["ANIMATE", "UNKNOWN", "UNKNOWN", "INANIMATE"]
    assert [*map(lists.animacy, words)] == ["ANIMATE", "ANIMATE", "ANIMATE", "INANIMATE"]


def test_unigram_lists_keep_their_case_and_go_before_wordnet(folder: Path) -> None:
    (folder / "animate.unigrams.txt").write_text("Smith\nteacher\n\n")
    lists = load_lexicons(folder)
    words = ("Smith", "smith", "teacher", "doctor", "car")
    values = ["ANIMATE", "UNKNOWN", "ANIMATE", "UNKNOWN", "UNKNOWN"]
    assert [*map(lists.animacy, words)] == values


def test_without_lists_nothing_is_known() -> None:
    assert EMPTY.counts_of(["Mary"], "Mary") == GenderCounts(0, 0, 0, 0)
    assert EMPTY.animacy("Mary") == "UNKNOWN"


# The shipped tables


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("masculine", "John father Yossarian"),  # the last from fiction
        ("feminine", "Mary woman Sherise"),  # the last from the census
        ("neuter", "company car"),
        ("plural", "children people"),
    ],
)
def test_shipped_counts_know_plain_words(shipped: Lexicons, kind: str, words: str) -> None:
    for word in words.split():
        counts = shipped.counts_of(["that", word], word)
        assert (getattr(counts, kind), sum(counts)) == (10, 10), word


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("ANIMATE", "doctor Doctors women children policewomen people staff individuals"),
        ("INANIMATE", "car boxes cities feet glass glasses"),
        ("UNKNOWN", "he xyzzy"),
    ],
)
def test_shipped_animacy_knows_plain_words(shipped: Lexicons, value: str, words: str) -> None:
    assert {word: shipped.animacy(word) for word in words.split()} == dict.fromkeys(
        words.split(), value
    )


def test_shipped_lists_are_disjoint_and_small(shipped: Lexicons) -> None:
    assert not shipped.animate & shipped.inanimate
    assert set(shipped.irregular.values()) <= shipped.animate | shipped.inanimate
    assert module._TABLES.stat().st_size < 600_000


# Errors


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("gender.data", "bill\t1 2 3 4\nann\t1 2 3\n", 2),
        ("gender.data", "bill\t1 2 3 4\n\nann\t1 2 3 4\n", 2),
        ("gender.data", "bill\tann\t1 2 3 4\n", 1),
        ("gender.data", "bill\t1 2 3 4\nann\t1 2 -3 4", 2),
        ("bergsma_lin_gender.tsv", HEADER + "bill\t1\t2\t3\t4\nann\t1\t2\tx\t4\n", 3),
        ("wordnet_animacy.tsv", "# lemma\tfirst_sense\ndog\n", 2),
        ("animate.unigrams.txt", "man\nwoman\t5\n", 2),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, name: str, text: str, line: int) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FormatError, match="expected ") as error:
        load_lexicons(tmp_path)
    assert str(error.value).startswith(f"{tmp_path / name}:{line}: ")


def test_a_gzip_file_cut_short_is_named(tmp_path: Path) -> None:
    packed = gzip.compress(b"bill\t1 2 3 4\n" * 1000)
    (tmp_path / "gender.data.gz").write_bytes(packed[:-20])
    with pytest.raises(FormatError, match="cut short"):
        load_lexicons(tmp_path)


def test_a_folder_must_exist_and_hold_lists(tmp_path: Path) -> None:
    with pytest.raises(CorelaxError, match="no such folder"):
        load_lexicons(tmp_path / "absent")
    with pytest.raises(CorelaxError, match=r"no word lists here; looked for gender\.data, "):
        load_lexicons(tmp_path)


# The full lists


@pytest.mark.shared_data
def test_the_full_lists_have_the_known_sizes() -> None:
    if not LEXICONS.is_dir():
        pytest.skip("CORELAX_LEXICONS names no folder")
    lists = load_lexicons(LEXICONS)
    assert (len(lists.animate), len(lists.inanimate)) == (15_824, 41_682)
    assert len(lists.counts) == 315_068
    assert sum(phrase.startswith("#") for phrase in lists.counts) == 619
    assert lists.animacy("he", as_written=True) == "INANIMATE"
    assert lists.animacy("He", as_written=True) == "UNKNOWN"
    assert lists.counts_of(["Bill", "Clinton"], "Clinton") == GenderCounts(8150, 70, 42, 82)


@pytest.mark.parametrize("name", ["gender.data", "animate.unigrams.txt", "wordnet_animacy.tsv"])
@pytest.mark.parametrize("content", ["", "\n\n"])
def test_an_empty_word_list_is_refused(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    with pytest.raises(CorelaxError, match=f"{name}: the word list is empty"):
        load_lexicons(str(tmp_path))


def test_lists_of_a_model_are_found_whatever_is_set_up(tmp_path, monkeypatch):
    (tmp_path / "animate.unigrams.txt").write_text("plumber\n")
    own = load_lexicons(tmp_path)
    monkeypatch.setenv("CORELAX_LEXICONS", str(tmp_path))
    for lists in (own, load_lexicons("shipped"), load_lexicons("none")):
        assert lexicons_of(lists.digest, "model").digest == lists.digest
    monkeypatch.setenv("CORELAX_LEXICONS", "none")
    with pytest.raises(
        CorelaxError, match=r"^model: was trained with other .*set CORELAX_LEXICONS to"
    ):
        lexicons_of(own.digest, "model")


def test_a_model_that_does_not_say_its_lists_takes_those_that_are_set_up(monkeypatch):
    monkeypatch.setenv("CORELAX_LEXICONS", "none")
    assert lexicons_of("", "model") is load_lexicons()
