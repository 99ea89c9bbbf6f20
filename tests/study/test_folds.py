"""How documents are dealt into folds, and what is written for each of them."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax import CorelaxError, Document
from corelax.io import read, write
from corelax.study.files import fold_files, make_folds

genres = st.sampled_from(["GUM_news_", "GUM_court_", "bc/", "wb/", ""])
names = st.lists(
    st.builds("{}{}".format, genres, st.integers(0, 999)), min_size=6, max_size=60, unique=True
)
some_folds = st.integers(2, 6)


def genre(name):
    """As the names above tell it."""
    return name.split("_")[1] if name.startswith("GUM_") else name.rpartition("/")[0]


@given(names, some_folds)
def test_the_parts_of_a_fold_are_a_partition(names, folds):
    """So that each document is tested once, and not trained or tuned on in that fold."""
    dealt = make_folds(names, folds)
    assert sorted(name for fold in dealt for name in fold["test"]) == sorted(names)
    for fold in dealt:
        assert all(fold.values())
        assert sum(map(len, fold.values())) == len(names)
        assert frozenset().union(*fold.values()) == set(names)


@given(names, some_folds)
def test_folds_have_as_many_documents_of_each_genre(names, folds):
    dealt = make_folds(names, folds)
    for kind in map(genre, names):
        shares = [Counter(map(genre, fold["test"]))[kind] for fold in dealt]
        assert max(shares) - min(shares) <= 1
    sizes = [len(fold["test"]) for fold in dealt]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize(
    ("documents", "folds"), [(1, 2), (3, 2), (5, 6), (0, 3)], ids=lambda n: str(n)
)
def test_too_many_folds_are_one_line(documents, folds):
    with pytest.raises(CorelaxError) as error:
        make_folds([f"d{n}" for n in range(documents)], folds)
    assert str(error.value).startswith(f"--folds {folds}: too many for {documents} documents")


def document(id, part=0, *, entities=True):
    words = ["Ann", id.replace("/", "-"), "she"]
    clusters = [[(0, 1), (2, 3)]] if entities else []
    return Document.from_sentences(id, [words], clusters=clusters, part=part)


def contents(files):
    return [[Path(f).read_bytes() for f in of_fold[:3]] for of_fold in files]


@settings(max_examples=10)
@given(st.randoms())
def test_files_are_the_same_bytes_however_documents_are_ordered(tmp_path_factory, chance):
    tmp_path = tmp_path_factory.mktemp("order")
    docs = [document(f"bc/{n}") for n in range(9)]
    write(docs, tmp_path / "all.conll")
    whole = fold_files(tmp_path / "one", str(tmp_path / "all.conll"), 3)
    chance.shuffle(docs)
    write(docs[:4], tmp_path / "train.conll")
    write(docs[4:], tmp_path / "dev.conll")
    names = [str(tmp_path / "train.conll"), str(tmp_path / "dev.conll")]
    assert contents(fold_files(tmp_path / "two", names, 3)) == contents(whole)


def test_files_hold_the_documents_whole(tmp_path):
    docs = {doc.key: doc for doc in (document(f"d{n}") for n in range(6))}
    write(docs.values(), tmp_path / "all.conll")
    for files in fold_files(tmp_path, str(tmp_path / "all.conll"), 3):
        held = [doc for part in files[:3] for doc in read(part)]
        assert sorted(doc.key for doc in held) == sorted(docs)
        for doc in held:
            assert (doc.words, doc.clusters) == (docs[doc.key].words, docs[doc.key].clusters)


def test_parts_of_a_document_stay_together(tmp_path):
    docs = [document(f"d{n}", part) for n in range(4) for part in range(3)]
    random.Random(1).shuffle(docs)
    write(docs, tmp_path / "all.conll")
    for files in fold_files(tmp_path, str(tmp_path / "all.conll"), 4):
        for part in files[:3]:
            assert set(Counter(doc.id for doc in read(part)).values()) == {3}


def test_two_documents_of_one_name_are_an_error(tmp_path):
    write([document(f"d{n}") for n in range(4)], tmp_path / "train.conll")
    write([document("d2")], tmp_path / "dev.conll")
    names = [str(tmp_path / f"{part}.conll") for part in ("train", "dev")]
    with pytest.raises(CorelaxError, match=r"dev\.conll: two documents have the name d2"):
        fold_files(tmp_path / "out", names, 2)
    assert not (tmp_path / "out").exists()


def test_a_part_without_entities_is_an_error_before_anything_is_written(tmp_path):
    docs = [document(f"d{n}", entities=n != 1) for n in range(4)]
    write(docs, tmp_path / "all.conll")
    with pytest.raises(CorelaxError, match=r"--folds 4: no dev document of fold 1 has entities"):
        fold_files(tmp_path / "out", str(tmp_path / "all.conll"), 4)
    assert not (tmp_path / "out").exists()
