"""`corelax resolve` with a resolver that links equal words."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.cli.equal_words import EqualWords, Run


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> type[EqualWords]:
    module = ModuleType("corelax.resolve.resolver")
    monkeypatch.setattr(module, "Resolver", EqualWords, raising=False)
    monkeypatch.setitem(sys.modules, "corelax.resolve.resolver", module)
    return EqualWords


@pytest.fixture
def run(
    resolver: type[EqualWords],  # noqa: ARG001  (takes the place of the real one)
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    return Run(monkeypatch, capsys)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_text("Ann saw Bo.\n\nBo saw Cy, not Ann.\n", encoding="utf-8")
    return path
