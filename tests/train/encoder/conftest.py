"""Files to train from, and what two workers make of them when nothing happens to either."""

from __future__ import annotations

import pytest

from tests.train.encoder.running import COMMAND, arguments, run, write_files


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Documents and an encoder."""
    return write_files(tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="module")
def trained(files):
    """By two workers of one machine."""
    out = files / "two"
    done = run([*COMMAND, *arguments(files, out, "--workers", 2)])
    assert done.code == 0, done.err
    return out
