"""What a study found, against `corelax.score` on documents with the predicted entities written out."""

from __future__ import annotations

import shutil
from statistics import mean

import pytest

import corelax
from corelax import CorelaxError
from corelax.io import read, write
from corelax.metrics import METRICS
from corelax.study.plan import Study, StudyRow, Unit
from corelax.study.reproduction import Reproduction
from corelax.study.results import Results
from corelax.study.systems import PAPER
from tests.study.study_runs import (
    alone,  # noqa: F401  (a fixture for all tests here)
    damaged,
    documents,
    files_in,
    invented_training,
    make_files,
    make_runner,
    record_of,
    system_of,
)

SEEDS = (1, 2, 3)
VALUES = (0.8, 1.0, 1.4, 1.8)
UNITS = [Unit(f"lea_{value:g}", "lea", {"beta_squared": value}) for value in VALUES]
GRID_NAMES = tuple(unit.name for unit in UNITS)
GRID = StudyRow("lea_beta", "LEA", PAPER, GRID_NAMES, VALUES)
OTHER = StudyRow("b3_beta", "B³", PAPER, ("b3_1", "b3_1.4"), (1.0, 1.4))
STUDY = Study(
    units=[Unit("baseline", "baseline"), Unit("entity_ce", "entity_ce"), *UNITS],
    rows=[
        StudyRow("baseline", "Baseline", PAPER, ("baseline",)),
        StudyRow("entity_ce", "Entities", PAPER, ("entity_ce",)),
        GRID,
    ],
)
SHARES = {  # of mentions that a unit gets wrong
    "baseline": 0.4,
    "entity_ce": 0.3,
    "lea_0.8": 0.5,
    "lea_1": 0.35,
    "lea_1.4": 0.1,
    "lea_1.8": 0.2,
}


def answer(doc, unit, seed, decoding):
    """The units in the order of their shares, a little different for each seed and decoding."""
    share = SHARES[unit] + 0.02 * seed - (0.1 if decoding == "entities" else 0)
    return damaged(doc, seed, moved=share, missed=0.1, added=share / 4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    make_files(folder)
    write(documents(5, seed=20, mentions=40), folder / "dev.conll")
    write(documents(4, seed=30, mentions=40), folder / "test.conll")
    return folder


def reproduction(out, folder, study=STUDY, seeds=SEEDS):
    return Reproduction(study, make_runner(out, files_in(folder)), seeds)


@pytest.fixture(scope="module")
def out(folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("study")
    with invented_training(answer):
        assert reproduction(out, folder).run()
    return out


@pytest.fixture(scope="module")
def results(out, folder):
    return Results([reproduction(out, folder)])


def report_of(out, folder, unit, seed, part, decoding="links"):
    gold = read(folder / f"{part}.conll")
    system = system_of(out, gold, unit, seed, part, decoding)
    return corelax.score(gold=gold, system=system, singletons="drop")


@pytest.mark.parametrize("part", ["dev", "test"])
@pytest.mark.parametrize("metric", METRICS)
def test_scores_are_those_of_the_predicted_documents(out, folder, results, part, metric):
    assert [outcome.row.name for outcome in results.outcomes] == [row.name for row in STUDY.rows]
    for outcome in results.outcomes:
        found = outcome.scores(part, metric)
        for seed, score in zip(SEEDS, found, strict=True):
            report = report_of(out, folder, outcome.units[0], seed, part)
            assert score == pytest.approx(report[metric])
    assert len({score.f1 for o in results.outcomes for score in o.scores(part, metric)}) > 1


def test_a_row_of_several_units_is_the_one_that_is_best_on_dev(out, folder, results):
    means = {
        unit: mean(report_of(out, folder, unit, seed, "dev").conll for seed in SEEDS)
        for unit in GRID_NAMES
    }
    outcome = results.outcome("lea_beta")
    assert outcome.units[0] == max(means, key=means.get) == "lea_1.4"
    devs = {seed: record_of(out, "lea_1.4", seed)["dev"] for seed in SEEDS}
    assert {seed: record.dev for seed, [record] in outcome.records.items()} == devs


def conll(out, folder, unit, seed, part, decoding="links"):
    return report_of(out, folder, unit, seed, part, decoding).conll


@pytest.mark.parametrize("part", ["dev", "test"])
def test_a_difference_is_that_of_the_means(out, folder, results, part):
    base = mean(conll(out, folder, "baseline", seed, part) for seed in SEEDS)
    for outcome in results.outcomes:
        ours = mean(conll(out, folder, outcome.units[0], seed, part) for seed in SEEDS)
        found = results.difference(outcome, part=part)
        assert found.mean == pytest.approx(ours - base)
        assert found.low <= found.mean <= found.high
        assert (found.seeds, found.documents) == (3, {"dev": 5, "test": 4}[part])


def test_points_are_the_dev_scores_of_all_seeds(out, folder, results):
    points = results.points(GRID)
    assert list(points) == list(GRID.values)
    for value, scores in points.items():
        for seed, score in zip(SEEDS, scores, strict=True):
            report = report_of(out, folder, f"lea_{value:g}", seed, "dev")
            three = [report[metric] for metric in ("muc", "b_cubed", "ceaf_e")]
            assert score == pytest.approx([mean(values) for values in zip(*three, strict=True)])


def test_the_best_value_is_compared_with_1_on_dev(out, folder, results):
    means = {
        value: mean(conll(out, folder, f"lea_{value:g}", seed, "dev") for seed in SEEDS)
        for value in GRID.values
    }
    gains = results.beta_gains(GRID)
    for value, gain in gains.items():
        assert gain.mean == pytest.approx(means[value] - means[1.0])
    assert max(gains, key=lambda value: gains[value].mean) == max(means, key=means.get) == 1.4
    assert results.beta_gains(OTHER) == {}  # of which nothing is done


# Studies that are not finished


@pytest.fixture
def unfinished(out, tmp_path):
    shutil.copytree(out, tmp_path / "out")
    return tmp_path / "out"


def remove(out, unit, *seeds, what=".*"):
    for seed in seeds:
        for path in (out / "results" / f"seed{seed}").glob(f"{unit}{what}json"):
            path.unlink()


@pytest.mark.parametrize("what", [".test.links.", ".*"])
def test_a_row_without_predictions_is_left_out(unfinished, folder, results, what):
    remove(unfinished, "entity_ce", *SEEDS, what=what)
    found = Results([reproduction(unfinished, folder)])
    assert [outcome.row.name for outcome in found.outcomes] == ["baseline", "lea_beta"]
    assert found.outcome("entity_ce") is None
    for outcome in found.outcomes:
        whole = results.outcome(outcome.row.name)
        assert found.difference(outcome) == results.difference(whole)
        assert outcome.scores("test", "lea") == whole.scores("test", "lea")


def test_a_row_is_compared_over_the_seeds_that_are_done(unfinished, folder, results):
    remove(unfinished, "entity_ce", 2)
    found = Results([reproduction(unfinished, folder)])
    outcome = found.outcome("entity_ce")
    assert outcome.seeds("test") == [1, 3]
    pairs = [
        [conll(unfinished, folder, unit, seed, "test") for seed in (1, 3)]
        for unit in ("entity_ce", "baseline")
    ]
    gain = found.difference(outcome)
    assert gain.mean == pytest.approx(mean(pairs[0]) - mean(pairs[1]))
    assert gain.seeds == 2
    of_all = results.outcome("entity_ce").scores("test", "lea")
    assert outcome.scores("test", "lea") == [of_all[0], of_all[2]]


def test_points_and_the_best_value_of_a_grid_that_is_not_finished(unfinished, folder, results):
    remove(unfinished, "lea_0.8", *SEEDS)
    remove(unfinished, "lea_1.4", 2)
    found = Results([reproduction(unfinished, folder)])
    points = found.points(GRID)
    assert list(points) == [1.0, 1.4, 1.8]
    of_all = results.points(GRID)
    assert points[1.4] == [of_all[1.4][0], of_all[1.4][2]]
    # Seeds that all values have are compared.
    means = {
        b: mean([conll(unfinished, folder, f"lea_{b:g}", s, "dev") for s in (1, 3)]) for b in points
    }
    for value, gain in found.beta_gains(GRID).items():
        assert (gain.seeds, gain.mean) == (2, pytest.approx(means[value] - means[1.0]))
    remove(unfinished, "lea_1", *SEEDS)
    assert Results([reproduction(unfinished, folder)]).beta_gains(GRID) == {}


def test_rows_with_other_seeds_than_the_baseline_are_not_paired(unfinished, folder):
    remove(unfinished, "baseline", 1)
    remove(unfinished, "entity_ce", 2, 3)
    found = Results([reproduction(unfinished, folder)])
    assert [outcome.row.name for outcome in found.outcomes] == ["baseline", "lea_beta"]


def test_without_the_baseline_there_is_nothing_to_report(unfinished, folder):
    remove(unfinished, "baseline", *SEEDS)
    with pytest.raises(CorelaxError, match="nothing to report") as error:
        Results([reproduction(unfinished, folder)])
    assert str(error.value).startswith(f"{unfinished}: ")
