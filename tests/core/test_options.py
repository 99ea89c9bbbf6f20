"""Options are fields of dataclasses; commands, checks and descriptions are made from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import pytest

from corelax.cli.parameters import command_of
from corelax.core.device import Device
from corelax.core.errors import CorelaxError
from corelax.core.options import Argument, Option, check_options, described

if TYPE_CHECKING:
    from decimal import Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """What two jobs share."""

    device: Device = "auto"
    jobs: Annotated[int | None, Option(min=1, help="Processes.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring(Running):
    """One of each kind."""

    files: Annotated[tuple[str, ...], Argument(help="What is scored.")] = ()
    pool: Annotated[Literal["all", "each"] | None, Option(help="What is pooled.")] = None
    names: Annotated[tuple[str, ...] | None, Option("--name", help="Names.")] = None
    strict: Annotated[bool, Option(help="Errors for oddities.")] = False
    rounded: Annotated[list[int], "Only from Python."] = ()  # type: ignore[assignment]
    price: Decimal | None = None

    def __post_init__(self) -> None:
        check_options(self)


def resolved(*words: str) -> tuple[Scoring, bool]:
    def score(options: Scoring, as_json: Annotated[bool, Option("--json")] = False) -> None:
        answers.append((options, as_json))

    answers: list[tuple[Scoring, bool]] = []
    score.__annotations__ = {"options": Scoring, "as_json": Annotated[bool, Option("--json")]}
    command_of(score).main(list(words), standalone_mode=False)
    return answers[0]


def test_a_command_fills_the_fields():
    assert resolved() == (Scoring(), False)
    given = Scoring(
        device="cpu", jobs=2, files=("a", "b"), pool="each", names=("x", "y"), strict=True
    )
    words = "--device cpu --jobs 2 a b --pool each --name x --name y --strict --json".split()
    assert resolved(*words) == (given, True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"device": "tpu"}, "device must be auto, cpu"),
        ({"jobs": 0}, "jobs must be a whole number and at least 1, not 0"),
        ({"pool": "some"}, "pool must be 'all' or 'each', not 'some'"),
        ({"strict": 1}, "strict must be True or False, not 1"),
    ],
)
def test_python_is_told_what_is_wrong(given, message):
    with pytest.raises(CorelaxError, match=message):
        Scoring(**given)


@pytest.mark.parametrize("words", [["--device", "tpu"], ["--jobs", "0"], ["--pool", "some"]])
def test_a_command_refuses_the_same(words):
    from corelax.cli.parameters import BadParameter

    with pytest.raises(BadParameter):
        resolved(*words)


def test_every_field_is_described_once():
    names = [name for name, _ in described(Scoring)]
    assert names == ["device", "jobs", "files", "pool", "names", "strict", "rounded"]
    assert dict(described(Scoring))["rounded"] == "Only from Python."
