"""`corelax compare` on the outputs of a study has the intervals and p values of the study's report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corelax.io import read, write
from corelax.study.folder import predicted_path
from corelax.study.plan import quick_study
from corelax.study.report.page import study_page
from corelax.study.reproduction import Reproduction
from corelax.study.results import Results
from tests.study.study_runs import (
    alone,  # noqa: F401  (a fixture for all tests here)
    damaged,
    documents,
    files_in,
    invented_training,
    make_files,
    make_runner,
    system_of,
)

SHARES = {
    "baseline": {"moved": 0.3, "added": 0.1},
    "entity_ce": {"moved": 0.28, "added": 0.1},
    "b3": {"moved": 0.25},
    "lea": {"moved": 0.1, "missed": 0.1},
}
DIFFERENCE = "to baseline [95 %]"


def answer(doc, unit, seed, _decoding):
    return damaged(doc, seed, **SHARES[unit])


@pytest.fixture(scope="module", params=[(1,), (1, 2)], ids=["one seed", "two seeds"])
def seeds(request):
    return request.param


@pytest.fixture(scope="module")
def study(tmp_path_factory, seeds):
    """The folder with test.conll, that of the study, and the rows of its table of scores by unit."""
    folder, out = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("study")
    make_files(folder)
    write(documents(16, seed=30, mentions=30), folder / "test.conll")
    with invented_training(answer):
        reproduction = Reproduction(quick_study(), make_runner(out, files_in(folder)), seeds)
        assert reproduction.run()
    results = Results([reproduction])
    page = study_page(results, title="A study", examples=2)
    [table] = [table for table in page.tables if table.key == "scores"]
    units = {outcome.row.name: outcome.units[0] for outcome in results.outcomes}
    rows = [cells for _, group in table.groups for cells in group]
    reported = {
        units[cells[0].title]: dict(zip(table.columns, cells, strict=True)) for cells in rows
    }
    return folder, out, reported


def compared(corelax, study, seeds, path_of):
    folder, _, reported = study
    systems = [
        f"{unit}={','.join(str(path_of(unit, seed)) for seed in seeds)}" for unit in reported
    ]
    gold = folder / "test.conll"
    done = corelax("compare", gold, *systems, "--json", "--metric", "conll", "--singletons", "drop")
    assert done.code == 0, done.err
    return json.loads(done.out)


def check(result, reported):
    assert list(result["systems"]) == list(reported)
    for unit, cells in reported.items():
        system = result["systems"][unit]
        assert 100 * system["scores"]["conll"]["f1"] == pytest.approx(cells["CoNLL"].values["mean"])
        if unit == "baseline":
            continue
        found, expected = system["differences"]["conll"], cells[DIFFERENCE].values
        assert 100 * found["difference"] == pytest.approx(expected["mean"], rel=1e-12)
        assert 100 * found["low"] == pytest.approx(expected["low"], rel=1e-12)
        assert 100 * found["high"] == pytest.approx(expected["high"], rel=1e-12)
        assert found["p"] == cells["p"].values["value"]
        assert found["p_holm"] == cells["p (Holm)"].values["value"]
    p_values = [
        found["differences"]["conll"]["p"] for found in list(result["systems"].values())[1:]
    ]
    assert len(set(p_values)) == 3  # or an agreement would show little


def test_files_of_a_study_have_the_figures_of_its_report(corelax, study, seeds, tmp_path):
    folder, out, reported = study
    gold = read(folder / "test.conll")

    def path_of(unit: str, seed: int) -> Path:
        path = tmp_path / f"{unit}{seed}.conll"
        write(system_of(out, gold, unit, seed, "test"), path)
        return path

    check(compared(corelax, study, seeds, path_of), reported)


def test_results_of_a_study_can_be_named_as_they_are(corelax, study, seeds):
    _, out, reported = study

    def path_of(unit: str, seed: int) -> Path:
        return predicted_path(out, unit, seed, "test", "links")

    check(compared(corelax, study, seeds, path_of), reported)


def test_a_result_of_other_documents_is_refused(corelax, study):
    folder, out, _ = study
    paths = [predicted_path(out, unit, 1, "test", "links") for unit in ("baseline", "lea")]
    done = corelax("compare", folder / "dev.conll", *paths)
    assert done.code == 1
    assert f"{paths[0]}: document " in done.err
    assert len(done.err.splitlines()) == 1
