"""Studies and sweeps as functions: one call, results back, nothing printed."""

from __future__ import annotations

import json

import pytest

from corelax import CorelaxError
from corelax.study import reproduce, sweep
from tests.study.study_runs import (
    COMMON,
    alone,  # noqa: F401  (a fixture for all tests here)
    damaged,
    files_in,
    invented_training,
    make_files,
)

SHARES = {"baseline": 0.4, "entity_ce": 0.3}


def answer(doc, unit, seed, _):
    return damaged(doc, seed, moved=SHARES.get(unit, 0.1 + len(unit) / 100))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    make_files(folder)
    return files_in(folder)


@pytest.fixture(scope="module")
def run(files, tmp_path_factory):
    """A study, its summary, and the progress that was told."""
    out = tmp_path_factory.mktemp("study")
    progress = []
    with invented_training(answer):
        study = reproduce(
            out, train=files.train, dev=files.dev, test=files.test, seeds=2,
            tune=False, settings=COMMON, workers=1, device="cpu", examples=0,
            title="Mine", command="by hand", update=lambda *state: progress.append(state),
        )  # fmt: skip
    return study, study.summary(), progress


def test_it_returns_results_and_a_report(run):
    study, summary, progress = run
    assert study.is_done
    assert study.failed == {}
    study.check()
    assert study.page.read_text().count("Mine") > 0
    assert "by hand" in study.page.with_suffix(".md").read_text()
    scores = json.loads((study.page.parent / "tables" / "scores.json").read_text())
    assert f"{scores[0]['CoNLL']['mean']:.2f}" in summary.splitlines()[2]
    assert progress[-1][0] == progress[-1][1] > 0


def test_a_second_call_does_nothing_but_the_report(run, files, capsys):
    study = run[0]
    out = study.page.parents[1]
    with invented_training(answer) as jobs:
        again = reproduce(
            out, train=files.train, dev=files.dev, test=files.test, seeds=2,
            tune=False, settings=COMMON, device="cpu", examples=0, workers=1,
        )  # fmt: skip
    assert jobs == []
    assert again.summary() == run[1]
    assert capsys.readouterr() == ("", "")


def test_a_wrong_call_writes_nothing(files, tmp_path):
    for options, words in (
        ({"quick": True, "train": files.train}, "leave out the files"),
        ({"train": files.train, "dev": files.dev, "settings": {"epohcs": 1}}, "did you mean"),
        ({"train": files.train, "dev": files.dev, "examples": -1}, "examples must be"),
        ({"quick": True, "tune": False}, "leave out --no-tune"),
    ):
        with pytest.raises(CorelaxError, match=words):
            reproduce(tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


TINY = {"hidden_mention": 8, "hidden_pair": 8, "anaphoricity.epochs": 1, "antecedent.epochs": 1,
        "baseline.epochs": 1, "epochs": 1}  # fmt: skip


def test_a_sweep_takes_numbers_and_returns_rows(files, tmp_path, capsys):
    swept = sweep(
        tmp_path, train=files.train, dev=files.dev, grid={"beta_squared": [1, 4.0]}, settings=TINY,
        workers=1, device="cpu",
    )  # fmt: skip
    assert (swept.is_done, swept.done, swept.wanted) == (True, 2, 2)
    assert sorted(row.settings["beta_squared"] for row in swept.rows) == [1.0, 4.0]
    assert swept.rows[0].mean >= swept.rows[1].mean
    assert (swept.best / "model.safetensors").exists()
    assert swept.as_dict()["runs"] == {"done": 2, "wanted": 2}
    table = json.loads((tmp_path / "sweep.json").read_text())
    assert [row["CoNLL F1"]["mean"] for row in table] == [100 * row.mean for row in swept.rows]
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("values", [[1, 1.0], [1, "1.0"], []])
def test_values_of_a_grid_are_all_different(files, tmp_path, values):
    with pytest.raises(CorelaxError):
        sweep(tmp_path / "out", train=files.train, dev=files.dev, grid={"beta_squared": values})
    assert not (tmp_path / "out").exists()
