"""Datasets of the library `datasets`: documents to and from, entities as columns."""

from __future__ import annotations

import sys

import pytest

from corelax import CorelaxError, Document, Resolver, Span
from corelax.integrations.datasets import dataset_from_documents, documents_from_dataset
from tests.rankers.encoder.encoder_models import tiny_model, write_encoder

TEXTS = ["Hi", "Ann saw the dog. She fed it.", "", "Bo saw Bo."]


@pytest.fixture(scope="module")
def resolver(tmp_path_factory: pytest.TempPathFactory) -> Resolver:
    return Resolver(tiny_model(write_encoder(tmp_path_factory.mktemp("encoder")), seed=3))


def test_texts_get_columns_with_their_entities(resolver: Resolver) -> None:
    datasets = pytest.importorskip("datasets")
    dataset = datasets.Dataset.from_dict({"text": TEXTS, "year": [1, 2, 3, 4]})
    mapped = resolver.map(dataset, batch_size=2)
    assert mapped["year"][:] == [1, 2, 3, 4]
    for row, resolution in zip(mapped, resolver.pipe(TEXTS), strict=True):
        assert [[tuple(m) for m in c] for c in row["clusters"]] == resolution.clusters
        assert row["names"] == [entity.name for entity in resolution]
        assert row["resolved_text"] == resolution.resolved_text()


def test_splits_and_streams_are_mapped_too(resolver: Resolver) -> None:
    datasets = pytest.importorskip("datasets")
    dataset = datasets.Dataset.from_dict({"said": TEXTS})
    splits = resolver.map(datasets.DatasetDict(train=dataset), column="said")
    assert isinstance(splits, datasets.DatasetDict)
    stream = resolver.map(dataset.to_iterable_dataset(), column="said")
    assert list(stream) == list(splits["train"])


def test_columns_that_are_missing_or_taken_are_named(resolver: Resolver) -> None:
    datasets = pytest.importorskip("datasets")
    dataset = datasets.Dataset.from_dict({"said": TEXTS, "names": TEXTS})
    with pytest.raises(CorelaxError, match="no column 'text'; it has said, names"):
        resolver.map(dataset)
    with pytest.raises(CorelaxError, match="a column 'names' already"):
        resolver.map(dataset, column="said")


def test_what_is_no_dataset_is_named(resolver: Resolver) -> None:
    with pytest.raises(CorelaxError, match="not list"):
        resolver.map(TEXTS)


def test_documents_survive_being_a_dataset() -> None:
    pytest.importorskip("datasets")
    documents = [
        Document.from_sentences(
            "a",
            [["Ann", "saw", "her", "dog"], ["It", "barked"]],
            clusters=[[Span(0, 1), Span(2, 3)], [Span(2, 4), Span(4, 5)]],
            layers={"speaker": ["Bo"] * 4 + [None] * 2},
        ),
        Document.from_sentences("b", [["Hi"]], part=3, layers={"pos": ["UH"]}),
    ]
    dataset = dataset_from_documents(documents)
    assert dataset["doc_key"][:] == ["a", "b_3"]
    assert list(documents_from_dataset(dataset)) == documents


def test_a_wrong_row_is_named() -> None:
    rows = [{"doc_key": "a", "sentences": [["Ann"]]}, {"doc_key": "b", "sentences": "Ann"}]
    documents = documents_from_dataset(rows)
    assert next(documents).words == ("Ann",)
    with pytest.raises(CorelaxError, match=r"^dataset:2: "):
        next(documents)


def test_without_the_library_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(CorelaxError, match=r"pip install 'corelax\[datasets\]'"):
        dataset_from_documents([])
