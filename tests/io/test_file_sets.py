"""Which files are partners, and what is said of those that have none."""

from __future__ import annotations

from pathlib import Path

import pytest

from corelax import CorelaxError
from corelax.io import annotated_files, match_files, suffix_format
from corelax.io.formats import ALIASES, FORMATS


def folder(root: Path, name: str, *files: str) -> Path:
    for file in files:
        path = root / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return root / name


def test_files_of_folders_are_matched_without_suffix_below_the_folder(tmp_path: Path) -> None:
    gold = folder(tmp_path, "g", "en/a.conllu", "de/a.conllu.gz", "README.md", ".hidden.conll")
    system = folder(tmp_path, "s", "de/a.jsonl", "en/a.conll")
    assert match_files(gold=[gold], system=[system]) == {
        "de/a": (str(gold / "de/a.conllu.gz"), str(system / "de/a.jsonl")),
        "en/a": (str(gold / "en/a.conllu"), str(system / "en/a.conll")),
    }


def test_the_layers_in_suffixes_of_ontonotes_do_not_matter() -> None:
    pairs = match_files(
        gold=["g/a.v4_gold_conll", "g/b.v4_gold_conll"],
        system=["s/b.v4_auto_conll", "s/a.v4_auto_conll"],
    )
    assert pairs == {
        "a": ("g/a.v4_gold_conll", "s/a.v4_auto_conll"),
        "b": ("g/b.v4_gold_conll", "s/b.v4_auto_conll"),
    }


def test_two_single_files_need_no_common_name() -> None:
    assert list(match_files(gold=["key"], system=["response"]).values()) == [("key", "response")]


@pytest.mark.parametrize(
    ("gold", "system", "message"),
    [
        (["a.conll", "b.conll"], ["a.conll"], "^b.conll: in GOLD, but SYSTEM has no file of that"),
        (["a.conll"], ["a.jsonl", "b.jsonl"], "^b.jsonl: in SYSTEM, but GOLD has no file of that"),
        (list("abcdef"), ["z"], "^a, b, c and 3 more: in GOLD"),
        (["x/a.conll", "y/a.jsonl"], ["a.conll", "b.conll"], "both have the name a"),
        (["-", "a.conll"], ["a.conll", "b.conll"], "standard input has no name"),
    ],
)
def test_files_without_partner_are_named(gold: list[str], system: list[str], message: str) -> None:
    with pytest.raises(CorelaxError, match=message):
        match_files(gold=gold, system=system)


def test_a_folder_without_annotated_files_is_said(tmp_path: Path) -> None:
    empty = folder(tmp_path, "e", "notes.txt")
    message = r"no annotated file \(.conll, .conllu, .conllua, .jsonl\)"
    with pytest.raises(CorelaxError, match=message):
        annotated_files(empty)


def test_the_suffixes_that_are_said_are_those_of_all_formats() -> None:
    assert {suffix_format(f"a.{name}") for name in ALIASES} == set(FORMATS)
