"""The small files that a unit leaves."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import corelax
from corelax import Clustering, CorelaxError, Span
from corelax.io import read, write
from corelax.metrics import METRICS
from corelax.resolve import resolve_documents
from corelax.study.folder import predicted_path, record_path
from corelax.study.plan import Unit, unit_chain
from corelax.study.records import Predicted, Record, check_record, load_predicted, load_record, save
from tests.study.study_runs import (
    alone,  # noqa: F401  (a fixture for all tests here)
    documents,
    files_in,
    in_this_process,
    make_files,
    make_runner,
    record_of,
    runs_of,
)

UNIT = Unit("lea_soft", "lea", {"like_original": False})
WARY = {
    "baseline.costs": (9.0, 0.1, 1.0)
}  # a wrong link costs most, so that some mentions stay alone
PREDICT = tuple((part, decoding) for part in ("dev", "test") for decoding in ("links", "entities"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    make_files(folder)
    for number, part in enumerate(("dev", "test")):
        every = documents(3, seed=20 + number, mentions=40)
        write(list(map(with_singleton, every)), folder / f"{part}.conll")
    return folder


def with_singleton(doc):
    """One more entity, of one mention: the first word that is not a mention by itself."""
    taken = {mention for cluster in doc.clusters for mention in cluster}
    free = next(Span(n, n + 1) for n in range(len(doc.words)) if Span(n, n + 1) not in taken)
    return doc.with_clusters(Clustering([*doc.clusters, [free]]))


@pytest.fixture(scope="module")
def trained(folder, tmp_path_factory):
    """The same unit without and with singletons."""
    outs = {}
    for singletons, mentions in (("drop", "detect"), ("keep", "gold")):
        outs[singletons] = tmp_path_factory.mktemp(singletons)
        common = {"singletons": singletons, "mentions": mentions}
        common |= WARY if singletons == "keep" else {}
        with in_this_process():
            runner = make_runner(outs[singletons], files_in(folder), common)
            assert runner.run(runs_of(runner, UNIT, predict=PREDICT))
    return outs


RECORD = Record(
    chain=[{"stage": "a", "costs": [0.5, 1], "features": {"genre": "word"}}],
    data={"train": "0a", "dev": "0b"},
    epochs=[{"epoch": 1, "dev": 0.1 + 0.2}],
    epoch=1,
    dev=1 / 3,
    seconds=2.5,
    device="CPU",
)
PREDICTED = Predicted(
    digest="c0ffee",
    documents=["bn/β_0", "d"],
    counts={"muc": [[1.0, 2.0, 1 / 3, 4.0], [0.0] * 4]},
    entities=[[[[0, 1], [4, 6]], [[2, 3], [8, 9]]], []],
)


def test_what_is_saved_is_loaded(tmp_path):
    path = tmp_path / "new" / "seed1" / "a.json"
    save(path, RECORD)
    assert load_record(path) == RECORD
    save(path, PREDICTED)
    assert load_predicted(path) == PREDICTED
    assert [file.name for file in path.parent.iterdir()] == ["a.json"]


@pytest.mark.parametrize("part", ["dev", "test"])
@pytest.mark.parametrize("decoding", ["links", "entities"])
@pytest.mark.parametrize("singletons", ["drop", "keep"])
def test_counts_add_up_to_the_score_of_the_entities(
    trained, folder, tmp_path, part, decoding, singletons
):
    out = trained[singletons]
    predicted = load_predicted(predicted_path(out, UNIT.name, 1, part, decoding))
    gold = read(folder / f"{part}.conll")
    assert list(predicted.documents) == [doc.key for doc in gold]
    clusters = predicted.clusters()
    write([doc.with_clusters(clusters[doc.key]) for doc in gold], tmp_path / "system.conll")
    system = read(tmp_path / "system.conll")
    report = corelax.score(gold=gold, system=system, singletons=singletons, per_document=True)
    assert set(predicted.counts) == set(METRICS)
    for metric, rows in predicted.counts.items():
        total = [sum(numbers) for numbers in zip(*rows, strict=True)]
        assert total == pytest.approx(report.counts[metric].as_tuple())
        for doc, numbers in zip(gold, rows, strict=True):
            counts = report.documents[doc.name].counts[metric]
            assert numbers == pytest.approx(counts.as_tuple())
    if (part, decoding) == ("dev", "links"):
        assert record_of(out, UNIT.name)["dev"] == pytest.approx(report.conll)
        assert report.conll > 0


@pytest.mark.parametrize("part", ["dev", "test"])
@pytest.mark.parametrize("decoding", ["links", "entities"])
@pytest.mark.parametrize("singletons", ["drop", "keep"])
def test_entities_are_those_that_the_model_predicts(trained, folder, part, decoding, singletons):
    out = trained[singletons]
    predicted = load_predicted(predicted_path(out, UNIT.name, 1, part, decoding)).clusters()
    model = out / "runs" / "seed1" / UNIT.name
    for found in resolve_documents(model, read(folder / f"{part}.conll"), decoding=decoding):
        assert predicted[found.document.key] == found.document.clusters


def test_singletons_are_entities_where_they_are_kept(trained):
    sizes = {
        singletons: {
            len(entity)
            for clusters in load_predicted(
                predicted_path(out, UNIT.name, 1, "dev", "links")
            ).entities
            for entity in clusters
        }
        for singletons, out in trained.items()
    }
    assert 1 not in sizes["drop"]
    assert 1 in sizes["keep"]


def test_a_record_tells_of_every_epoch_and_of_the_one_that_was_kept(trained):
    record = load_record(record_path(trained["drop"], UNIT.name, 1))
    folder = trained["drop"] / "runs" / "seed1" / UNIT.name
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert record.epochs == log
    assert [epoch["epoch"] for epoch in log] == [1, 2]
    assert record.dev == max(epoch["dev"] for epoch in log)
    assert log[record.epoch - 1]["dev"] == record.dev
    assert record.seconds == pytest.approx(sum(epoch["seconds"] for epoch in log))
    assert record.device == "CPU"


# Records that do not belong here


def wanted(**common):
    return unit_chain(UNIT, 1, {"epochs": 2, **common})


def own_record(**changes):
    chain = json.loads(json.dumps([vars_of(config) for config in wanted()]))
    return replace(RECORD, chain=chain, **changes)


def vars_of(config):
    return {name: getattr(config, name) for name in config.__dataclass_fields__}


DATA = {"train": "0a", "dev": "0b"}


def test_a_record_of_a_version_without_a_setting_has_its_default(tmp_path):
    record = own_record()
    for stage in record.chain:
        del stage["state_dropout"]
    check_record(tmp_path / "a.json", record, wanted(), DATA)
    with pytest.raises(CorelaxError, match="state_dropout"):
        check_record(tmp_path / "a.json", record, wanted(state_dropout=0.25), DATA)


@pytest.mark.parametrize(
    ("chain", "data", "named"),
    [
        (wanted(dropout=0.5), DATA, "dropout"),
        (wanted(**{"features.genre": "prefix"}), DATA, "features"),
        (wanted(**{"anaphoricity.epochs": 3}), DATA, "anaphoricity.epochs"),
        (wanted(**{"baseline.costs": "1,1,1"}), DATA, "baseline.costs"),
        (unit_chain(UNIT, 2, {"epochs": 2}), DATA, "seed"),
        (wanted()[:3], DATA, "stages"),
        (wanted(), {**DATA, "train": "0c"}, "train"),
        (wanted(), {**DATA, "dev": "0c"}, "dev"),
    ],
)
def test_a_record_of_something_else_is_refused_in_one_line(tmp_path, chain, data, named):
    path = tmp_path / "a.json"
    with pytest.raises(CorelaxError) as error:
        check_record(path, own_record(), chain, data)
    line = str(error.value)
    assert line.startswith(f"{path}: ")
    assert named in line
    assert "\n" not in line
    assert "--out" in line


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b'{"chain": []', b"[]", b"null", b"\xff\xfe", b"{}", b'{"epoch": 1, "other": 2}'],
)
@pytest.mark.parametrize("load", [load_record, load_predicted])
def test_a_damaged_file_is_one_line(tmp_path, content, load):
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(CorelaxError) as error:
        load(path)
    assert str(error.value).startswith(f"{path}: ")
    assert "\n" not in str(error.value)


def test_a_study_with_other_settings_or_files_is_refused_by_the_runner(trained, folder, tmp_path):
    out = trained["drop"]
    before = {path: path.read_bytes() for path in out.rglob("*.json")}
    common = {"singletons": "drop", "mentions": "detect"}
    with in_this_process() as jobs:
        runner = make_runner(out, files_in(folder), {**common, "dropout": 0.5})
        with pytest.raises(CorelaxError, match=r"lea_soft\.json: .*dropout"):
            runner.run(runs_of(runner, UNIT))
        write(read(folder / "dev.conll")[:-1], tmp_path / "dev.conll")
        files = files_in(folder)._replace(dev=str(tmp_path / "dev.conll"))
        runner = make_runner(out, files, common)
        with pytest.raises(CorelaxError, match=r"lea_soft\.json: .*dev"):
            runner.run(runs_of(runner, UNIT))
    assert jobs == []
    assert {path: path.read_bytes() for path in out.rglob("*.json")} == before
