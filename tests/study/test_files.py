"""Dev documents held out of the training documents."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax import CorelaxError, Document
from corelax.io import FORMATS, read, write
from corelax.study.files import hold_out_documents
from tests.study.study_runs import documents

SUFFIXES = {"conll2012": ".conll", "corefud": ".conllu", "jsonlines": ".jsonl"}
each_format = pytest.mark.parametrize("format", SUFFIXES)


def numbered(number):
    return [
        Document.from_sentences(f"d{n:02}", [["Ann", "saw", "Ann"]], clusters=[[(0, 1), (2, 3)]])
        for n in range(number)
    ]


@pytest.fixture(scope="module")
def made():
    return documents(7, seed=4)


@pytest.fixture(scope="module")
def every_file(tmp_path_factory):
    """Files with 2 to 30 documents."""
    folder = tmp_path_factory.mktemp("files")
    paths = {number: folder / f"{number}.jsonl" for number in range(2, 31)}
    for number, path in paths.items():
        write(numbered(number), path)
    return paths


sizes = st.integers(2, 30).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n - 1)))


@settings(deadline=None, max_examples=60)
@given(sizes)
def test_each_document_is_on_one_side_and_dev_is_spread_evenly(every_file, size):
    number, held_out = size
    file = every_file[number]
    train, dev = hold_out_documents(str(file), held_out, file.parent / "parts")
    names = [[doc.id for doc in read(part)] for part in (train, dev)]
    everything = [doc.id for doc in read(file)]
    assert len(names[1]) == held_out
    assert sorted(names[0] + names[1]) == everything
    assert names == [sorted(part) for part in names]  # in the order of the file
    # Any stretch of the file has its share of them, give or take one.
    places = [everything.index(name) for name in names[1]]
    for start in range(number):
        for end in range(start + 1, number + 1):
            there = sum(start <= place < end for place in places)
            assert abs(there - (end - start) * held_out / number) < 2
    gaps = [after - before for before, after in pairwise(places)]
    assert max(gaps, default=0) - min(gaps, default=0) <= 1
    assert abs(places[0] - (number - 1 - places[-1])) <= 1  # as much before as behind


@each_format
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_documents_stay_as_they_are(made, tmp_path, format, packed):
    file = tmp_path / f"all{SUFFIXES[format]}{packed}"
    write(made, file)
    parts = hold_out_documents(str(file), 2, tmp_path / "new" / "parts")
    assert [FORMATS[format].suffix.search(part) is not None for part in parts] == [True, True]
    assert all(Path(part).parent == tmp_path / "new" / "parts" for part in parts)
    train, dev = map(read, parts)
    everything = read(file)
    assert (len(train), len(dev)) == (5, 2)
    assert [doc for doc in everything if doc not in dev] == train
    assert [doc for doc in everything if doc not in train] == dev


@each_format
def test_the_format_is_told_by_content_or_given(made, tmp_path, format):
    file = tmp_path / "all.txt"
    write(made, file, format)
    for given_format in (None, format):
        train, dev = hold_out_documents(str(file), 1, tmp_path, given_format)
        assert len(read(train, format)) == 6
        assert len(read(dev, format)) == 1


@pytest.mark.parametrize("number", [0, 7, 8, -1])
def test_some_must_be_held_out_and_some_be_left(made, tmp_path, number):
    file = tmp_path / "all.conll"
    write(made, file)
    with pytest.raises(CorelaxError) as error:
        hold_out_documents(str(file), number, tmp_path / "parts")
    assert str(error.value).startswith(f"{file}: ")
    assert "\n" not in str(error.value)
    assert not (tmp_path / "parts").exists()
