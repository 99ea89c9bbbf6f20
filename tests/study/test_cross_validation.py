"""Cross-validation: folds as studies of their own, pooled in one report."""

from __future__ import annotations

import json
import shutil

import pytest

import corelax
from corelax import CorelaxError
from corelax.io import read, write
from corelax.study import api, reproduce
from corelax.study.plan import Study, StudyRow, Unit
from corelax.study.records import load_predicted
from corelax.study.systems import PAPER
from corelax.study.work import RunWorker
from tests.study.study_runs import (
    COMMON,
    alone,  # noqa: F401  (a fixture for all tests here)
    damaged,
    documents,
    in_this_process,
    invented_training,
    results_of,
    times_of,
)

SEEDS = 2
VALUES = (1.0, 1.4, 4.0)
GRID = [Unit(f"lea_{value:g}", "lea", {"beta_squared": value}) for value in VALUES]
GRID_NAMES = tuple(unit.name for unit in GRID)
STUDY = Study(
    [Unit("baseline", "baseline"), Unit("entity_ce", "entity_ce"), *GRID],
    [
        StudyRow("baseline", "Baseline", PAPER, ("baseline",)),
        StudyRow("entity_ce", "L_ec", PAPER, ("entity_ce",)),
        StudyRow("lea_beta", "L_β,LEA, β on dev", PAPER, GRID_NAMES, VALUES),
    ],
)
SETTINGS = {key: value for key, value in COMMON.items() if "2015" not in key}
OPTIONS = {"folds": 3, "seeds": SEEDS, "tune": False, "settings": SETTINGS,
           "device": "cpu", "examples": 0}  # fmt: skip


def answer(doc, unit, seed, _):
    """Units differ, and which β is best differs from document to document."""
    return damaged(doc, seed, moved=(len(unit) * 7 + len(doc.words)) % 5 / 10)


@pytest.fixture(scope="module", autouse=True)
def small_study():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(api, "full_study", lambda **_: STUDY)
        yield


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    docs = documents(8, seed=5, mentions=25)
    write(docs[:5], folder / "train.conll")
    write(docs[5:], folder / "dev.conll")
    return {part: str(folder / f"{part}.conll") for part in ("train", "dev")}


def cross(out, files, **more):
    return reproduce(out, **{**OPTIONS, "workers": 1, **files, **more})


@pytest.fixture(scope="module")
def run(files, tmp_path_factory):
    """A whole run of three folds, and the jobs that it took."""
    out = tmp_path_factory.mktemp("whole")
    with invented_training(answer) as jobs:
        study = cross(out, files)
        return study, out, list(jobs)


@pytest.fixture(scope="module")
def gold(files):
    return {doc.key: doc for part in files.values() for doc in read(part)}


# What is run


def test_every_document_is_tested_once_and_the_report_is_about_all(run, gold):
    study, out, _ = run
    assert study.is_done
    for outcome in study.results.outcomes:
        for seed in (1, 2):
            assert sorted(outcome.predicted["test"][seed].documents) == sorted(gold)
    difference = study.results.difference(study.results.outcome("lea_beta"))
    assert (difference.documents, difference.seeds) == (len(gold), SEEDS)
    assert (out / "report" / "report.html").exists()


def test_rows_with_word_vectors_can_be_added_to_rows_without(files, tmp_path, monkeypatch):
    deep = Study(
        [*STUDY.units, Unit("deep_heuristic", "deep_heuristic")],
        [*STUDY.rows, StudyRow("deep_heuristic", "Deep", PAPER, ("deep_heuristic",))],
    )
    monkeypatch.setattr(api, "full_study", lambda **_: deep)
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("the 1 2\nof 2 1\n")
    settings = {
        **SETTINGS,
        "word_size": "2",
        "deep_all_pairs.epochs": "1",
    }  # of no stage of the first rows
    more = {"vectors": vectors, "settings": settings}
    for order in (["entity_ce", "deep_heuristic"], ["deep_heuristic", "entity_ce"]):
        out = tmp_path / order[0]
        with invented_training(answer) as jobs:
            for row in order:
                jobs.clear()
                assert cross(out, files, rows=[row], **more).is_done
                assert {job.stage for job in jobs} - {"baseline"} == {row}


def test_scores_are_those_of_all_documents_together(run, gold):
    """Against `corelax.score` on the predicted documents of all folds."""
    for outcome in run[0].results.outcomes:
        for seed, found in zip((1, 2), outcome.scores("test", "conll"), strict=True):
            clusters = {}
            for number, unit in enumerate(outcome.units, 1):
                path = run[1] / f"fold{number}/results/seed{seed}/{unit}.test.links.json"
                clusters |= load_predicted(path).clusters()
            system = [doc.with_clusters(clusters[key]) for key, doc in gold.items()]
            score = corelax.score(gold=[*gold.values()], system=system, singletons="drop")
            assert found.f1 == pytest.approx(score.conll)


def test_each_fold_chooses_its_own_beta_and_the_row_says_which(run):
    results = run[0].results
    units = results.outcome("lea_beta").units
    for number, unit in enumerate(units, 1):
        folder = run[1] / f"fold{number}/results"
        devs = {
            name: sum(
                json.loads((folder / f"seed{s}/{name}.json").read_text())["dev"] for s in (1, 2)
            )
            for name in results.outcome("lea_beta").row.units
        }
        assert devs[unit] == max(devs.values())
    assert len(set(units)) > 1  # or the next lines would show little
    text = (run[1] / "report" / "report.md").read_text()
    for unit in set(units):
        assert unit.removeprefix("lea_") in text.partition("L\\_β,LEA, β on dev: ")[2][:60]


def test_two_folds_are_two_studies(files, tmp_path):
    """Trained for real: every document is resolved as in a single study of the files of its fold."""
    with in_this_process():
        pooled = cross(tmp_path / "folds", files, folds=2, seeds=1).results
        singles = []
        for number in (1, 2):
            folder = tmp_path / "folds" / "data" / f"fold{number}"
            parts = {part: str(folder / f"{part}.conll") for part in ("train", "dev", "test")}
            singles.append(cross(tmp_path / f"single{number}", parts, folds=None, seeds=1).results)
    for row in STUDY.rows:
        runs = [one.outcome(row.name).predicted["test"][1] for one in (pooled, *singles)]
        found, *expected = [dict(zip(r.documents, r.entities, strict=True)) for r in runs]
        assert found == expected[0] | expected[1]
        assert len(found) == sum(map(len, expected))


# Again


def test_a_finished_run_is_left_alone(run, files):
    before = {
        p: t
        for p, t in times_of(run[1]).items()
        if "report" not in p.parts and "data" not in p.parts
    }
    with invented_training(answer) as jobs:
        again = cross(run[1], files)
    assert jobs == []
    assert again.summary() == run[0].summary()
    after = times_of(run[1])
    assert {path: after[path] for path in before} == before


def test_some_folds_make_a_report_that_says_so(run, files, tmp_path):
    shutil.copytree(run[1], tmp_path, dirs_exist_ok=True)
    shutil.rmtree(tmp_path / "fold3")
    with invented_training(answer) as jobs:
        some = cross(tmp_path, files, minutes=0)
    assert jobs == []
    assert not some.is_done
    assert len(some.results.folds) == 2
    assert "2 of 3 folds" in some.page.with_suffix(".md").read_text()
    assert "2 of 3 folds" not in (run[1] / "report" / "report.md").read_text()


def test_before_a_fold_is_done_there_is_nothing_to_report(files, tmp_path):
    with invented_training(answer):
        none = cross(tmp_path, files, minutes=0)
    assert (none.page, none.is_done) == (None, False)
    with pytest.raises(CorelaxError, match="no results to report yet"):
        _ = none.results


@pytest.mark.parametrize("jobs_before", [12])
def test_what_was_interrupted_continues(run, files, tmp_path, jobs_before):
    left = jobs_before
    with invented_training(answer):
        work = RunWorker.do

        def stopped(worker, job):
            nonlocal left
            if left == 0:
                raise KeyboardInterrupt
            left -= 1
            work(worker, job)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(RunWorker, "do", stopped)
            with pytest.raises(KeyboardInterrupt):
                cross(tmp_path, files)
        study = cross(tmp_path, files)
    assert study.is_done
    assert study.summary() == run[0].summary()
    for number in (1, 2, 3):
        assert results_of(tmp_path / f"fold{number}") == results_of(run[1] / f"fold{number}")


# Refusals


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"folds": 99}, "--folds 99: too many for 8 documents"),
        ({"folds": 1}, "folds must be a whole number and at least 2"),
        ({"hold_out": 2}, "leave out --test and --hold-out"),
        ({"train": None, "dev": None}, "name documents with --train"),
    ],
)
def test_a_wrong_call_is_one_line_and_writes_nothing(files, tmp_path, options, words):
    with pytest.raises(CorelaxError) as error:
        cross(tmp_path / "out", {**files, **options})
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_a_folder_with_folds_is_not_taken_for_another_study(run, files):
    with invented_training(answer), pytest.raises(CorelaxError, match="other settings or files"):
        cross(run[1], files, folds=None)
    with invented_training(answer), pytest.raises(CorelaxError, match=r"\(folds\)"):
        cross(run[1], files, folds=2)
    other = {**SETTINGS, "epochs": 9}
    with invented_training(answer), pytest.raises(CorelaxError, match=r"\(epochs\)"):
        cross(run[1], files, settings=other)
