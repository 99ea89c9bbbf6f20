"""A short run of every target, and all cases that ever failed."""

from pathlib import Path

import pytest

from corelax import io
from tests.fuzz.engine import FOUND, failure_of, run, shrink
from tests.fuzz.seeds import SEEDS
from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS

SECONDS = 0.6  # for each target
SEED = 0  # the same cases each time, so that what fails is the fault of a change; `make fuzz` draws others
pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("name", TARGETS)
def test_random_cases_keep_what_is_promised(name: str) -> None:
    *_, outcome = run([TARGETS[name]], SECONDS, SEED)
    assert outcome.tried[name]
    for fault in outcome.faults.values():
        pytest.fail(
            f"{fault.trace}\nseed {SEED}, case {fault.number}: {fault.case!r}\n"
            f"Keep it: python -m tests.fuzz --seed {SEED} --targets {name} --seconds 60"
        )


@pytest.mark.parametrize("path", sorted(FOUND.glob("*.*")), ids=lambda path: path.name)
def test_what_failed_once_passes(path: Path) -> None:
    failure = failure_of(TARGETS[path.name.split(".")[0]], path.read_bytes())
    assert failure is None, failure


@pytest.mark.parametrize("suffix", SEEDS)
def test_the_files_to_be_damaged_are_good(tmp_path: Path, suffix: str) -> None:
    for text in SEEDS[suffix]:
        (tmp_path / f"seed.{suffix}").write_bytes(text)
        assert io.read(tmp_path / f"seed.{suffix}")


def refuse_x(case: bytes, _: Path) -> None:
    if b"x" in case:
        raise ValueError("x")


FRAGILE = Target(
    name="fragile",
    suffix=".txt",
    make=lambda rng: b"a\nbxc\nd\n" * rng.randint(0, 2),
    check=refuse_x,
)


def test_a_fault_is_found_made_smaller_and_kept(tmp_path: Path) -> None:
    *_, outcome = run([FRAGILE], 0.2, seed=1)
    [fault] = outcome.faults.values()
    assert fault.case == b"x"
    assert fault.save(tmp_path).read_bytes() == b"x"
    assert 0 < outcome.failed["fragile"] < outcome.tried["fragile"]


def test_a_check_that_hangs_is_a_fault() -> None:
    def hang(*_: object) -> None:
        while True:
            pass

    target = Target(name="slow", suffix=".txt", make=lambda _: b"", check=hang, seconds=0.1)
    failure = failure_of(target, b"")
    assert failure is not None
    assert "TooSlow" in failure[0]


def test_a_case_that_fails_otherwise_is_not_taken_for_the_same_fault() -> None:
    def check(case: bytes, _: Path) -> None:
        if not case:
            raise KeyError("empty")
        refuse_x(case, _)

    target = Target(name="two", suffix=".txt", make=lambda _: b"", check=check)
    failure = failure_of(target, b"axb")
    assert failure is not None
    assert shrink(target, b"axb", failure[0]) == b"x"
