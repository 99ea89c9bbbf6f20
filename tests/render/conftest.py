"""The browser for the tests of pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.chromium import Chromium

from tests.render.page_reader import Reader


@pytest.fixture(scope="module")
def tab() -> Iterator[Chromium]:
    """One browser for the tests of a file."""
    with Chromium() as tab:
        yield tab


@pytest.fixture
def reader(tab: Chromium, tmp_path: Path) -> Iterator[Reader]:
    """A reader; nothing may go wrong in the page meanwhile."""
    reader = Reader(tab, tmp_path)
    yield reader
    assert tab.errors == []
