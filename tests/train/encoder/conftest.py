"""Files to train from, and what two workers make of them when nothing happens to either."""

from __future__ import annotations

import pytest

from tests.train.encoder.running import TORCHRUN, arguments, run, write_files


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Documents and an encoder."""
    return write_files(tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="module")
def trained(files):
    """By two workers."""
    out = files / "two"
    done = run([*TORCHRUN, "-m", "corelax", *arguments(files, out)])
    assert done.code == 0, done.err
    return out
