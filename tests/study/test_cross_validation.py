"""Cross-validation: folds as studies of their own, in one run or in pieces, pooled in one report."""

from __future__ import annotations

import json
import shutil

import pytest

import corelax
from corelax import CorelaxError
from corelax.io import read, write
from corelax.study import api, reproduce
from corelax.study.plan import PAPER, Grid, Row, Study
from corelax.study.records import load_predicted
from corelax.study.units import Unit
from corelax.study.work import Worker
from tests.study.study_runs import (
    COMMON,
    Recorded,
    alone,  # noqa: F401  (a fixture for all tests here)
    damaged,
    documents,
    in_this_process,
    invented_training,
    results_of,
    times_of,
)

SEEDS = 2
GRID = Grid("lea", "lea", "beta_squared", (1.0, 1.4, 4.0), "", {})
STUDY = Study(
    [Unit("baseline", "baseline"), Unit("entity_ce", "entity_ce"), *GRID.units()],
    [
        Row("baseline", "Baseline", PAPER, ("baseline",)),
        Row("entity_ce", "L_ec", PAPER, ("entity_ce",)),
        Row("lea_beta", "L_β,LEA, β on dev", PAPER, GRID.names, symbol="β²"),
    ],
    [GRID],
)
SETTINGS = {key: value for key, value in COMMON.items() if "2015" not in key}
OPTIONS = {"folds": 3, "seeds": SEEDS, "paper_only": True, "tune": False, "settings": SETTINGS,
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
    return reproduce(out, **{**OPTIONS, "executor": Recorded(), **files, **more})


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


def test_rows_can_be_added_later_in_the_same_folder(files, tmp_path):
    with invented_training(answer) as jobs:
        first = cross(tmp_path, files, rows=["entity_ce"])
        assert [outcome.row.name for outcome in first.results.outcomes] == ["baseline", "entity_ce"]
        assert not any("lea" in job.stage for job in jobs)
        jobs.clear()
        every = cross(tmp_path, files)
    assert every.is_done
    assert len(every.results.outcomes) == len(STUDY.rows)
    assert {job.stage for job in jobs} == set(GRID.names)


def test_rows_with_word_vectors_can_be_added_to_rows_without(files, tmp_path, monkeypatch):
    deep = Study(
        [*STUDY.units, Unit("deep_heuristic", "deep_heuristic")],
        [*STUDY.rows, Row("deep_heuristic", "Deep", PAPER, ("deep_heuristic",))],
        [GRID],
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


def test_no_test_document_is_trained_or_tuned_on_in_its_fold(run):
    for number in (1, 2, 3):
        folder = run[1] / "data" / f"fold{number}"
        parts = [{doc.key for doc in read(folder / f"{p}.conll")} for p in ("train", "dev", "test")]
        assert not parts[2] & (parts[0] | parts[1])
        assert not parts[0] & parts[1]


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


# Again, and in pieces


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


@pytest.fixture(scope="module")
def pieces(files, tmp_path_factory):
    """A folder for each fold, and one for each seed of the last."""
    made = []
    with invented_training(answer):
        for name, options in {
            "first": {"only_folds": [1]},
            "second": {"only_folds": [2]},
            "third, seed 1": {"only_folds": [3], "only_seeds": [1]},
            "third, seed 2": {"only_folds": [3], "only_seeds": [2]},
        }.items():
            out = tmp_path_factory.mktemp(name.replace(", ", "-").replace(" ", ""))
            piece = cross(out, files, **options, report=False)
            assert (piece.page, piece.is_done, piece.summary()) == (None, True, "")
            made.append(out)
    return made


def test_a_piece_holds_only_its_fold_and_seed(pieces):
    for out, fold in zip(pieces, (1, 2, 3, 3), strict=True):
        assert {path.name for path in out.glob("fold*")} == {f"fold{fold}"}
        assert not (out / "report").exists()
    assert {path.name for path in (pieces[3] / "fold3/results").iterdir()} == {"seed2"}


def test_merged_pieces_are_the_whole_run(pieces, run, files, tmp_path):
    with invented_training(answer) as jobs:
        merged = cross(tmp_path, files, merge=pieces, minutes=0)
    assert jobs == []
    assert merged.is_done
    assert merged.summary() == run[0].summary()
    for number in (1, 2, 3):
        whole = results_of(run[1] / f"fold{number}")
        found = results_of(tmp_path / f"fold{number}")
        assert {name: found[name] for name in whole} == whole
        # A seed alone may choose another unit than both together, so all candidates predict.
        assert all(".test." in name for name in set(found) - set(whole))


def test_some_folds_make_a_report_that_says_so(pieces, run, files, tmp_path):
    with invented_training(answer):
        some = cross(tmp_path, files, merge=pieces[:2], minutes=0)
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


@pytest.mark.parametrize("jobs_before", [1, 12, 30])
def test_what_was_interrupted_continues(run, files, tmp_path, jobs_before):
    left = jobs_before
    with invented_training(answer):
        work = Worker.run

        def stopped(worker, job):
            nonlocal left
            if left == 0:
                raise KeyboardInterrupt
            left -= 1
            work(worker, job)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Worker, "run", stopped)
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
        ({"folds": 1}, "--folds 1: give at least 2"),
        ({"only_folds": [4]}, "--only-fold 4: the folds are 1 to 3"),
        ({"only_folds": [0]}, "--only-fold 0: the folds are 1 to 3"),
        ({"folds": None, "only_folds": [1]}, "--only-fold needs --folds"),
        ({"hold_out": 2}, "leave out --test and --hold-out"),
        ({"train": None, "dev": None}, "name documents with --train"),
        ({"only_seeds": [7]}, "--only-seed 7"),
    ],
)
def test_a_wrong_call_is_one_line_and_writes_nothing(files, tmp_path, options, words):
    with pytest.raises(CorelaxError) as error:
        cross(tmp_path / "out", {**files, **options})
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_pieces_of_other_settings_or_folds_are_refused(pieces, files, tmp_path):
    for options, words in (
        ({"settings": {**SETTINGS, "epochs": 9}}, r"other settings or files \(epochs\)"),
        ({"folds": 2}, r"other settings or files \(folds\)"),
    ):
        with invented_training(answer), pytest.raises(CorelaxError, match=words):
            cross(tmp_path / words[-4:-2], files, merge=pieces[:1], minutes=0, **options)
    assert not list(tmp_path.glob("*/fold*/results"))


def test_pieces_of_other_documents_are_refused(pieces, tmp_path):
    write(documents(8, seed=6, mentions=25), tmp_path / "other.conll")
    other = {"train": str(tmp_path / "other.conll"), "dev": None}
    with invented_training(answer), pytest.raises(CorelaxError, match="other settings or files"):
        cross(tmp_path / "out", other, merge=pieces[:1], minutes=0)


def test_pieces_that_overlap_with_other_results_are_refused(pieces, files, tmp_path):
    shutil.copytree(pieces[0], tmp_path / "other")
    path = tmp_path / "other/fold1/results/seed1/lea_1.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "dev": record["dev"] / 2}))
    with invented_training(answer):
        with pytest.raises(CorelaxError, match="another result of this run"):
            cross(tmp_path / "out", files, merge=[pieces[0], tmp_path / "other"], minutes=0)
        cross(tmp_path / "twice", files, merge=[pieces[0], pieces[0]], minutes=0)  # the same


def test_a_study_without_folds_cannot_be_merged(run, files, tmp_path):
    with invented_training(answer), pytest.raises(CorelaxError, match="is a study without folds"):
        cross(tmp_path, files, merge=[run[1] / "fold1"], minutes=0)


def test_a_folder_with_folds_is_not_taken_for_another_study(run, files):
    with invented_training(answer), pytest.raises(CorelaxError, match="other settings or files"):
        cross(run[1], files, folds=None)
    with invented_training(answer), pytest.raises(CorelaxError, match=r"\(folds\)"):
        cross(run[1], files, folds=2)
