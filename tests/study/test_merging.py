"""Results of another folder, taken into a study."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace

import pytest

from corelax import CorelaxError
from corelax.study import merging
from corelax.study.folder import predicted_path, record_path
from corelax.study.merging import merge_results
from corelax.study.records import Predicted, Record, load_predicted, load_record, save
from tests.study.study_runs import times_of

UNITS = ("baseline", "lea_1.4", "baseline_rates_0.05_0.002")
PARTS = ("dev", "test")


def record(dev=0.5):
    return Record(chain=[], data={}, epochs=[], epoch=1, dev=dev, seconds=1.0, device="CPU")


def predicted(digest="0a"):
    return Predicted(digest=digest, documents=["d"], counts={}, entities=[[]])


def make(out, units=UNITS, seeds=(1, 2), dev=0.5, digest="0a"):
    for seed in seeds:
        for unit in units:
            save(record_path(out, unit, seed), record(dev))
            for part in PARTS:
                save(predicted_path(out, unit, seed, part, "links"), predicted(digest))
    return out


def contents(out):
    files = [path for path in out.rglob("*") if path.is_file()]
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


def test_all_results_are_copied_into_an_empty_study(tmp_path):
    source = make(tmp_path / "source")
    (source / "runs").mkdir()
    (source / "runs" / "model").write_text("large")
    (source / "report").mkdir()
    (source / "report" / "report.json").write_text("{}")
    assert merge_results(source, tmp_path / "out") == 2 * 3 * 3
    expected = {name: content for name, content in contents(source).items() if "results" in name}
    assert contents(tmp_path / "out") == expected


def test_what_a_study_has_is_not_touched(tmp_path):
    """The same run of two machines differs in its seconds; of learning rates, the first are kept."""
    out = make(tmp_path / "out", UNITS[:1], (1,))
    make(out, UNITS[2:], (1,), dev=0.6)
    source = make(tmp_path / "source", UNITS[:2], (1, 2), dev=0.5, digest="0b")
    make(source, UNITS[2:], (1,), dev=0.7)
    save(record_path(source, "baseline", 1), replace(record(), seconds=9.0, device="GPU"))
    before = times_of(out)
    assert merge_results(source, out) == 9
    assert {path: times_of(out)[path] for path in before} == before
    assert load_record(record_path(out, "baseline", 1)).seconds == 1.0
    assert load_record(record_path(out, UNITS[2], 1)).dev == 0.6


def test_another_result_of_the_same_run_is_refused_and_nothing_copied(tmp_path):
    out = make(tmp_path / "out", UNITS[:1], (1,))
    source = make(tmp_path / "source", UNITS[:2], (1, 2), dev=0.7)
    before = contents(out)
    with pytest.raises(CorelaxError, match="another result of this run") as error:
        merge_results(source, out)
    assert str(error.value).startswith(str(source / "results" / "seed1" / "baseline.json"))
    assert contents(out) == before


def test_a_second_time_there_is_nothing_to_copy(tmp_path):
    source = make(tmp_path / "source")
    merge_results(source, tmp_path / "out")
    before = times_of(tmp_path / "out")
    assert merge_results(source, tmp_path / "out") == 0
    assert merge_results(tmp_path / "out", tmp_path / "out") == 0
    assert times_of(tmp_path / "out") == before


def test_two_folders_are_one_study(tmp_path):
    one = make(tmp_path / "one", seeds=(1,), dev=0.1)
    other = make(tmp_path / "other", seeds=(2,), dev=0.2)
    for source in (one, other):
        merge_results(source, tmp_path / "out")
    assert contents(tmp_path / "out") == contents(one) | contents(other)


def test_a_copy_of_the_results_will_do(tmp_path):
    source = make(tmp_path / "source")
    shutil.copytree(source / "results", tmp_path / "copy" / "results")
    merge_results(tmp_path / "copy", tmp_path / "out")
    assert contents(tmp_path / "out") == contents(source)


@pytest.mark.parametrize("stop", range(18))
def test_whenever_it_is_stopped_a_record_has_its_predictions(tmp_path, monkeypatch, stop):
    source, out = make(tmp_path / "source"), tmp_path / "out"
    left = stop

    def write(path, content):
        nonlocal left
        if left == 0:
            raise KeyboardInterrupt
        left -= 1
        path.write_bytes(content)

    with monkeypatch.context() as patch:
        patch.setattr(merging, "write_bytes", write)
        with pytest.raises(KeyboardInterrupt):
            merge_results(source, out)
    assert len(contents(out)) == stop
    for seed in (1, 2):
        for unit in UNITS:
            if record_path(out, unit, seed).exists():
                for part in PARTS:
                    assert load_predicted(predicted_path(out, unit, seed, part, "links"))
    merge_results(source, out)
    assert contents(out) == contents(source)


def test_predictions_whose_record_is_missing_go_with_the_record_that_comes(tmp_path):
    """They are of a run that was stopped, and maybe of another model than the record."""
    out = tmp_path / "out"
    save(predicted_path(out, "lea_1.4", 1, "dev", "links"), predicted("0a"))
    merge_results(make(tmp_path / "source", digest="0b"), out)
    assert load_predicted(predicted_path(out, "lea_1.4", 1, "dev", "links")).digest == "0b"


@pytest.mark.parametrize("what", ["nothing", "empty folder", "file", "results is a file"])
def test_a_folder_that_is_no_study_is_one_line(tmp_path, what):
    source, out = tmp_path / "source", tmp_path / "out"
    if what == "file":
        source.write_text("")
    elif what != "nothing":
        source.mkdir()
        if what == "results is a file":
            (source / "results").write_text("")
    with pytest.raises(CorelaxError) as error:
        merge_results(source, out)
    assert str(error.value).startswith(f"{source}: ")
    assert "\n" not in str(error.value)
    assert not out.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="may write everywhere")
def test_a_folder_that_cannot_be_written_is_an_error(tmp_path):
    out = tmp_path / "out"
    out.mkdir(mode=0o500)
    with pytest.raises((CorelaxError, OSError)):
        merge_results(make(tmp_path / "source"), out)
