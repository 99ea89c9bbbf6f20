"""`benchmarks/stages.py`: stages side by side are those that `corelax train` trains."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from corelax.core.folders import WEIGHTS
from corelax.io import write
from corelax.train.encoder import RecipeRun, read_recipe
from tests.train.encoder.tiny_encoder import RECIPE, made, save_encoder

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "stages.py"
MORE = """
[stages.other]
like = "second"

[stages.late]
like = "second"
start = ["second"]
"""

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    documents = {"a": made(3, mentions=12), "b": made(2, seed=5, mentions=12)}
    for name, some in documents.items():
        write(some, folder / f"{name}.conll")
    write(made(2, seed=9, mentions=12), folder / "dev.conll")
    save_encoder(folder / "encoder", [each for some in documents.values() for each in some])
    (folder / "mine.toml").write_text(RECIPE + MORE)
    return folder


def side_by_side(data, out):
    command = [
        sys.executable, SCRIPT, data / "mine.toml", "--encoder", data / "encoder", "--data", data,
        "--out", out, "--at-once", "2", "--device", "cpu",
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_stages_are_those_of_one_process(data, tmp_path):
    done = side_by_side(data, tmp_path / "out")
    assert done.returncode == 0, done.stderr
    RecipeRun(
        recipe=read_recipe(data / "mine.toml"),
        out=tmp_path / "one",
        encoder=data / "encoder",
        data=data,
    ).train()
    for stage in ("first", "second", "other", "late", "metric"):
        weights = [(tmp_path / out / stage / WEIGHTS).read_bytes() for out in ("out", "one")]
        assert weights[0] == weights[1]
        assert f"\n{stage}" in done.stdout
    alike = [(tmp_path / "out" / stage / WEIGHTS).read_bytes() for stage in ("second", "other")]
    assert alike[0] != alike[1]  # runs, whose mean a stage may start from


@pytest.mark.slow
def test_what_needs_a_stage_that_has_failed_is_left_out(data, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "second").write_text("in the way")
    done = side_by_side(data, tmp_path / "out")
    assert done.returncode == 1
    assert "second: has failed" in done.stdout
    assert (tmp_path / "out" / "other" / WEIGHTS).exists()
    assert not (tmp_path / "out" / "late").exists()
