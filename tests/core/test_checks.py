from __future__ import annotations

import math

import numpy as np
import pytest

from corelax.core.checks import check_below, check_number, check_path_name
from corelax.core.errors import CorelaxError


@pytest.mark.parametrize("number", [2.5, 2.0, True, "2", None, math.inf, 0, -1])
def test_a_count_must_be_a_whole_number_above_zero(number: object) -> None:
    with pytest.raises(CorelaxError, match="batch_size must be a whole number and at least 1, not"):
        check_number("batch_size", number, at_least=1, integer=True)  # type: ignore[call-overload]


@pytest.mark.parametrize("number", [1, 7, np.int64(3)])
def test_whole_numbers_of_any_kind_are_counts(number: int) -> None:
    assert check_number("batch_size", number, at_least=1, integer=True) is number


@pytest.mark.parametrize("number", [True, False, "1", math.nan, math.inf, -0.5])
def test_truth_values_words_and_infinities_are_not_numbers(number: object) -> None:
    with pytest.raises(CorelaxError, match="margin must be finite and at least 0, not"):
        check_number("margin", number)  # type: ignore[call-overload]


def test_a_number_without_a_limit_may_be_negative() -> None:
    assert check_number("weight", -2.5, at_least=-math.inf) == -2.5


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../x", "/abs", "a/b", "a\\b", "C:x", ".hidden", " a", "a\x1b", "a" * 300],
)
def test_a_name_that_is_more_than_one_part_of_a_path_is_refused(name: str) -> None:
    with pytest.raises(CorelaxError, match="stage"):
        check_path_name("stage", name)


@pytest.mark.parametrize("name", ["../a.conll", "/etc/passwd", "a/../../b", "C:\\a.conll", "..\\a"])
def test_a_file_above_its_folder_is_refused(name: str) -> None:
    with pytest.raises(CorelaxError, match="not below"):
        check_below("corpus a", name, "--data")


def test_a_file_in_a_subfolder_is_below() -> None:
    assert check_below("corpus a", "news/..a/b.conll", "--data") == "news/..a/b.conll"
