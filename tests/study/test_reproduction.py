"""A study from tuning to test documents: what is chosen, on what, and when."""

from __future__ import annotations

import re
import shutil
import time
from statistics import mean

import pytest

from corelax import CorelaxError
from corelax.io import write
from corelax.study import runner as runner_module
from corelax.study.folder import StudyFolder
from corelax.study.plan import Study, StudyRow, Unit, quick_study
from corelax.study.reproduction import Reproduction
from corelax.study.runner import Runner, check_failed
from corelax.study.systems import PAPER
from tests.study.study_runs import (
    alone,  # noqa: F401  (a fixture for all tests here)
    documents,
    files_in,
    in_this_process,
    invented_training,
    make_files,
    make_runner,
    record_of,
    results_of,
    times_of,
)

RATES = ((0.05, 0.002), (2.0, 0.5), (0.3, 0.05))
GRID = [Unit(f"ce_{v:g}", "entity_ce", {"dropout": v}, "ce_0") for v in (0.0, 0.5)]
GRID_NAMES = ("ce_0", "ce_0.5")
STUDY = Study(
    units=[
        Unit("baseline", "baseline", {}, "baseline"),
        *GRID,
        Unit("continued", "continued", {}, "baseline"),
        Unit("margin2015", "margin2015"),
    ],
    rows=[
        StudyRow("baseline", "Baseline", PAPER, ("baseline",)),
        StudyRow("dropout", "Dropout", PAPER, GRID_NAMES),
        StudyRow("any", "Any", PAPER, ("continued", *GRID_NAMES)),
    ],
    tuned=("baseline", "ce_0"),
    learning_rates=RATES,
)
NAMES = [unit.name for unit in STUDY.units]
CANDIDATES = [f"{name}_rates_{a:g}_{b:g}" for name in STUDY.tuned for a, b in RATES]
SEEDS = (1, 2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    make_files(folder, test=False)
    return folder


def reproduction(out, folder, study=STUDY, seeds=SEEDS, **more):
    return Reproduction(study, make_runner(out, files_in(folder), **more), seeds)


@pytest.fixture(scope="module")
def done(folder, tmp_path_factory):
    """A study whose test documents come only when all is trained: (folder, runs before, runs after)."""
    out = tmp_path_factory.mktemp("study")
    with in_this_process() as jobs:
        early = reproduction(out, folder)
        assert not early.run()
        with pytest.raises(CorelaxError, match=r"test\.conll: no such file"):
            check_failed(early.failed)
        before = len(jobs)
        assert not list(out.rglob("*.test.*"))
        write(documents(3, seed=3), folder / "test.conll")
        assert reproduction(out, folder).run()
        return out, jobs[:before], jobs[before:]


def by_hand(out, name):
    """The learning rates of a tuned unit with the best record; of several, those first in the grid."""
    scores = [record_of(out, f"{name}_rates_{a:g}_{b:g}", SEEDS[0])["dev"] for a, b in RATES]
    return RATES[scores.index(max(scores))]


def rates_in(record, stage):
    [config] = [config for config in record["chain"] if config["stage"] == stage]
    return config["learning_rate"], config["output_learning_rate"]


# Tuning


def test_candidates_are_tried_with_the_first_seed_only(done):
    out = done[0]
    for name in CANDIDATES:
        assert (out / "results" / "seed1" / f"{name}.json").exists()
        assert not (out / "results" / "seed2" / f"{name}.json").exists()
        first, second = map(float, name.split("_")[-2:])
        assert rates_in(record_of(out, name), name) == (first, second)


@pytest.mark.parametrize("seed", SEEDS)
def test_units_take_the_rates_that_are_best_on_dev(done, seed):
    out = done[0]
    baseline, entity = by_hand(out, "baseline"), by_hand(out, "ce_0")
    assert rates_in(record_of(out, "baseline", seed), "baseline") == baseline
    for name in GRID_NAMES:
        record = record_of(out, name, seed)
        assert (rates_in(record, "baseline"), rates_in(record, name)) == (baseline, entity)
    record = record_of(out, "continued", seed)
    assert (rates_in(record, "baseline"), rates_in(record, "continued")) == (baseline, baseline)


def test_the_candidates_of_what_starts_from_the_baseline_start_from_the_best_one(done):
    for rates in RATES:
        record = record_of(done[0], f"ce_0_rates_{rates[0]:g}_{rates[1]:g}")
        assert rates_in(record, "baseline") == by_hand(done[0], "baseline")


def test_rates_that_are_not_tuned_stay_as_published(done):
    assert rates_in(record_of(done[0], "margin2015"), "margin2015") == (0.1, 0.002)


# Rows


def chosen_by_hand(out, row):
    means = [mean(record_of(out, name, seed)["dev"] for seed in SEEDS) for name in row.units]
    return row.units[means.index(max(means))]


def test_test_documents_are_predicted_by_chosen_units_only(done):
    out = done[0]
    wanted = {
        f"seed{seed}/{chosen_by_hand(out, row)}.test.links.json"
        for row in STUDY.rows
        for seed in SEEDS
    }
    found = {str(path.relative_to(out / "results")) for path in out.rglob("*.test.*")}
    assert found == wanted
    assert len(wanted) < 2 * (len(SEEDS) * len(NAMES))


# Test documents


def test_the_test_documents_are_asked_for_when_all_is_trained(done):
    out, before, after = done
    of_test = [any(part == "test" for part, _ in job.predict) for job in before]
    assert any(of_test)
    assert of_test == sorted(of_test)
    trained = {job.stage for job, is_test in zip(before, of_test, strict=True) if not is_test}
    assert set(NAMES) | set(CANDIDATES) <= trained
    assert all(any(part == "test" for part, _ in job.predict) for job in after)
    first = min(path.stat().st_mtime_ns for path in out.rglob("*.test.*"))
    assert max(path.stat().st_mtime_ns for path in out.rglob("model.safetensors")) < first


def test_other_test_documents_change_no_record_and_no_choice(done, folder, tmp_path):
    shutil.copytree(folder, tmp_path / "files")
    write(documents(2, seed=77), tmp_path / "files" / "test.conll")
    with in_this_process():
        assert reproduction(tmp_path / "out", tmp_path / "files").run()
    ours, theirs = results_of(done[0]), results_of(tmp_path / "out")
    assert set(ours) == set(theirs)
    of_test = {name for name in ours if ".test." in name}
    assert {name for name in ours if ours[name] != theirs[name]} == of_test


# Again, and elsewhere


def test_a_finished_study_is_left_alone(done, folder):
    before = times_of(done[0])
    with in_this_process() as jobs:
        assert reproduction(done[0], folder).run()
    assert jobs == []
    assert times_of(done[0]) == before


def test_a_run_that_is_missing_pretrains_only_what_it_starts_from(done, folder, tmp_path):
    """Results outlive the models, which may be on a machine that is gone."""
    out = tmp_path / "out"
    shutil.copytree(done[0], out, ignore=shutil.ignore_patterns("runs"))
    for path in (out / "results" / "seed2").glob("margin2015.*"):
        path.unlink()
    with in_this_process() as jobs:
        assert reproduction(out, folder).run()
    trained = {(job.stage, job.seed) for job in jobs}
    assert trained == {(n, 2) for n in ("anaphoricity2015", "antecedent2015", "margin2015")}


CHOICE = Study([Unit("baseline", "baseline"), *GRID], STUDY.rows[:2])


def until(monkeypatch, file):
    """Time is up as soon as there is this file."""
    clock = time.monotonic()
    monkeypatch.setattr(runner_module.time, "monotonic", lambda: clock + 60_001 * file.exists())


def predicted_in(out):
    return {(path.name.partition(".")[0], path.parent.name) for path in out.rglob("*.test.*")}


def of_seeds(*names):
    return {(name, f"seed{seed}") for name in names for seed in SEEDS}


@pytest.mark.usefixtures("done")  # which writes the test documents
@pytest.mark.parametrize("is_here", [True, False])
def test_when_time_is_up_models_that_are_here_predict_what_no_other_run_can_change(
    folder, tmp_path, monkeypatch, is_here
):
    with invented_training(lambda *_: []) as jobs:
        study = reproduction(tmp_path, folder, CHOICE, minutes=1000)
        monkeypatch.setattr(
            StudyFolder, "is_finished", lambda *_: is_here or not study.runner.out_of_time
        )
        until(monkeypatch, tmp_path / "results" / "seed1" / "ce_0.json")
        assert not study.run()
        # ce_0.5 may yet be better than ce_0
        assert predicted_in(tmp_path) == ({("baseline", "seed1")} if is_here else set())
        monkeypatch.undo()
        before = len(jobs)
        assert reproduction(tmp_path, folder, CHOICE).run()
    assert len(jobs) > before
    assert predicted_in(tmp_path) == of_seeds("baseline", "ce_0")


def test_all_is_trained_with_the_first_seed_before_anything_with_the_second(done):
    """So that a study whose time is up can compare its rows."""
    seeds = [job.seed for job in done[1] if not any(part == "test" for part, _ in job.predict)]
    assert seeds == sorted(seeds)
    assert set(seeds) == set(SEEDS)


@pytest.fixture(scope="module")
def two_seeds(folder, tmp_path_factory):
    """A quick study whose seeds were trained in folders of their own."""
    outs = [tmp_path_factory.mktemp(f"seed{seed}") for seed in SEEDS]
    with in_this_process():
        for out, seed in zip(outs, SEEDS, strict=True):
            assert reproduction(out, folder, quick_study(), (seed,)).run()
    return outs


def test_seeds_made_in_two_folders_are_one_study(two_seeds, folder, tmp_path):
    for out in two_seeds:
        shutil.copytree(out / "results", tmp_path / "results", dirs_exist_ok=True)
    before = times_of(tmp_path)
    with in_this_process() as jobs:
        study = reproduction(tmp_path, folder, quick_study())
        assert study.run()
    assert [(job.stage, job.seed) for job in jobs] == []
    (tmp_path / "study.json").unlink()
    assert times_of(tmp_path) == {p: t for p, t in before.items() if p.name != "study.json"}
    assert results_of(tmp_path) == results_of(two_seeds[0]) | results_of(two_seeds[1])


def test_predictions_of_another_test_file_are_refused_in_one_line(done, folder, tmp_path):
    shutil.copytree(folder, tmp_path / "files")
    write(documents(3, seed=78), tmp_path / "files" / "test.conll")
    before = times_of(done[0])
    with in_this_process() as jobs, pytest.raises(CorelaxError) as error:
        reproduction(done[0], tmp_path / "files").run()
    line = str(error.value)
    assert re.match(rf"{re.escape(str(done[0]))}/results/seed\d/\w+\.test\.links\.json: ", line)
    assert "another test file" in line
    assert "\n" not in line
    assert jobs == []
    assert times_of(done[0]) == before


@pytest.mark.parametrize("lost", ["record", "predictions"])
def test_what_is_lost_is_made_again_and_the_rest_left_alone(two_seeds, folder, tmp_path, lost):
    out = tmp_path / "out"
    shutil.copytree(two_seeds[0], out)
    whole, before = results_of(out), times_of(out)
    results = out / "results" / "seed1"
    gone = results / ("lea.json" if lost == "record" else "lea.test.links.json")
    gone.unlink()
    with in_this_process() as jobs:
        assert reproduction(out, folder, quick_study(), (1,)).run()
    assert {job.stage for job in jobs} == {"lea"}
    assert results_of(out) == whole
    after = times_of(out)
    changed = {path for path in before if after[path] != before[path]}
    of_unit = {gone}
    if lost == "record":  # predictions without a record may be of an earlier model
        of_unit |= {results / f"lea.{part}.links.json" for part in ("dev", "test")}
    assert changed == of_unit


def test_a_wrong_setting_of_any_unit_is_an_error_before_anything_is_trained(folder, tmp_path):
    files = files_in(folder)
    with in_this_process() as jobs:
        settings = {"epochs": 1, "lea.epohcs": 1}
        runner = Runner(StudyFolder(tmp_path / "out", files, settings), device="cpu")
        with pytest.raises(CorelaxError, match=re.escape("epohcs")):
            Reproduction(quick_study(), runner, (1,)).run()
    assert jobs == []
