"""The examples of docstrings leave the user's cache alone."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Features of documents are kept in a temporary folder."""
    monkeypatch.setenv("CORELAX_CACHE", str(tmp_path / "cache"))
