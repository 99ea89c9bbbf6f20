"""Two files scored by several processes: the report of one, to the bit."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from corelax import CorelaxError
from corelax.io import FORMATS, Problems, read, stream, write
from corelax.io.cutting import STARTS, cut, joined, open_stretch
from corelax.metrics import parallel, score_file_sets, score_files
from tests.scale.scale_inputs import write_pair

SUFFIXES = {"conll2012": ".conll", "corefud": ".conllu", "jsonlines": ".jsonl"}
DOCUMENTS = 300


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pairs")
    return {name: write_pair(folder, DOCUMENTS, suffix) for name, suffix in SUFFIXES.items()}


@pytest.fixture
def reports(monkeypatch):
    """What `score_in_parallel` has returned; tasks are single blocks, and run in this process."""
    seen = []
    real = parallel.score_in_parallel

    def noting(*arguments, **options):
        seen.append(real(*arguments, **options))
        return seen[-1]

    def here(items, _jobs, make, arguments):
        return enumerate(map(make(*arguments), items))

    monkeypatch.setattr(parallel, "TASK_BYTES", 1)
    monkeypatch.setattr(parallel, "score_in_parallel", noting)
    monkeypatch.setattr(parallel, "map_in_processes", here)
    return seen


@pytest.mark.parametrize("format", STARTS)
@pytest.mark.parametrize(
    "options",
    [{}, {"singletons": "drop", "per_document": True}, {"differences": True, "nested": "drop"}],
)
def test_the_report_is_that_of_one_process(pairs, reports, format, options):
    gold, system = pairs[format]
    one = score_files(gold=gold, system=system, **options)
    assert score_files(gold=gold, system=system, jobs=2, **options) == one
    assert reports == [one]


def test_sides_of_different_formats_are_scored(pairs, reports):
    gold, system = pairs["conll2012"][0], pairs["jsonlines"][1]
    assert score_files(gold=gold, system=system, jobs=2) == score_files(gold=gold, system=system)
    assert reports[0] is not None


def test_real_processes_do_the_same(pairs, monkeypatch):
    monkeypatch.setattr(parallel, "TASK_BYTES", 1)
    gold, system = pairs["jsonlines"]
    assert score_files(gold=gold, system=system, jobs=2) == score_files(gold=gold, system=system)


def test_several_files_are_pooled(pairs, tmp_path, reports):
    for side, index in (("gold", 0), ("system", 1)):
        (tmp_path / side).mkdir()
        for name in SUFFIXES:
            target = tmp_path / side / f"{name}.jsonl"
            write(stream(pairs[name][index]), target, "jsonlines")
    sides = {"gold": str(tmp_path / "gold"), "system": str(tmp_path / "system")}
    assert score_file_sets(**sides, jobs=2) == score_file_sets(**sides)
    assert len(reports) == 3


@pytest.mark.parametrize("format", STARTS)
def test_stretches_hold_every_document_once(pairs, format):
    path = pairs[format][0]
    stretches = list(cut(path, format))
    assert len(stretches) == DOCUMENTS
    whole = [(doc.key, doc.words, doc.clusters) for doc in stream(path, layers=False)]
    for size in (1, 7, DOCUMENTS):
        parts = [stretches[i : i + size] for i in range(0, DOCUMENTS, size)]
        found = []
        for part in parts:
            with open_stretch(path, joined(part[0], part[-1])) as file:
                for doc in FORMATS[format].read(file, Problems(path), layers=False):
                    found.append((doc.key, doc.words, doc.clusters))
        assert found == whole


def test_oddities_have_the_lines_of_the_whole_file(tmp_path, reports):
    gold, system = write_pair(tmp_path, DOCUMENTS, ".jsonl")
    lines = Path(system).read_text().splitlines(keepends=True)
    for number in (5, 200, 290):  # a document without clusters
        lines[number] = lines[number].replace('"clusters"', '"groups"')
    Path(system).write_text("".join(lines))
    one = score_files(gold=gold, system=system)
    assert [line.split(":")[1] for line in one.oddities] == ["6", "201", "291"]
    assert score_files(gold=gold, system=system, jobs=2) == one
    assert reports[0] is not None


@pytest.mark.parametrize("fault", ["order", "missing", "twice", "word", "json"])
def test_what_is_irregular_is_told_or_scored_by_one_process(tmp_path, reports, fault):
    gold, system = write_pair(tmp_path, DOCUMENTS, ".jsonl")
    lines = Path(system).read_text().splitlines(keepends=True)
    if fault == "order":
        lines.reverse()
    elif fault == "missing":
        del lines[170]
    elif fault == "twice":
        lines[250] = lines[3]
    elif fault == "word":
        lines[222] = lines[222].replace('[["', '[["Surely", "', 1)
    else:
        lines[222] = lines[222][:-9] + "\n"
    Path(system).write_text("".join(lines))
    outcomes = []
    for jobs in (1, 2):
        try:
            outcomes.append(score_files(gold=gold, system=system, jobs=jobs))
        except CorelaxError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]
    assert isinstance(outcomes[0], str) == (fault != "order")
    assert reports == [None]


def test_files_that_cannot_be_cut_are_scored_by_one_process(pairs, tmp_path, reports):
    gold, system = pairs["conll2012"]
    packed = tmp_path / "gold.conll.gz"
    packed.write_bytes(gzip.compress(Path(gold).read_bytes()))
    assert score_files(gold=packed, system=system, jobs=2) == score_files(gold=gold, system=system)
    assert reports == []
    assert len(read(packed)) == DOCUMENTS
