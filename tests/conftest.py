from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.command_server import Done
from tests.shared_corpora import DATA

# Before torch is loaded: waiting threads sleep, as those of the command do. Tests have small tensors and run
# in as many processes as there are cores, so that more threads only get in each other's way.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Processes share the cores, and a first example may import a library: time says nothing of a law.
settings.register_profile("corelax", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("corelax")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--few-examples", action="store_true", help="a quarter of the random examples of each law"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests marked shared_data are skipped where the corpora are absent."""
    if config.getoption("--few-examples"):
        for test in {item.obj for item in items if getattr(item, "obj", None)}:
            if getattr(test, "is_hypothesis_test", False):
                _give_fewer_examples(getattr(test, "__func__", test))
    if DATA.is_dir():
        return
    for item in items:
        if item.get_closest_marker("shared_data"):
            item.add_marker(pytest.mark.skip(reason="CORELAX_DATA names no folder"))


def _give_fewer_examples(test: Any) -> None:
    """Changes the settings of a test; a profile of Hypothesis would not change those written beside it."""
    name = "_hypothesis_internal_use_settings"  # where Hypothesis looks for them
    before = getattr(test, name, None) or settings.default
    setattr(test, name, settings(before, max_examples=max(5, before.max_examples // 4)))


@pytest.fixture
def examples() -> Path:
    return Path(__file__).parents[1] / "examples"


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """For tests with many small tensors, which several threads only slow down."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def corelax(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Done]:
    """Runs a command in this process."""
    from corelax.cli import main

    def run(*arguments: object, stdin: str = "") -> Done:
        monkeypatch.setattr(sys, "argv", ["corelax", *map(str, arguments)])
        monkeypatch.setattr(
            sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin.encode())))
        )
        capsys.readouterr()
        code, message = 0, ""
        try:
            main()
        except SystemExit as error:
            if isinstance(error.code, str):
                code, message = 1, error.code + "\n"
            else:
                code = error.code or 0
        out, err = capsys.readouterr()
        return Done(code, out, err + message)

    return run
