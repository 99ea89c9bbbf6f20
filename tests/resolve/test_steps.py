"""Texts that are prepared together: the same windows as for each alone, in bounded memory."""

import numpy as np
import pytest

from corelax.resolve import steps
from corelax.resolve.given import checked
from corelax.resolve.steps import prepare
from tests.rankers.encoder.encoder_models import tiny_model, write_encoder
from tests.resolve.test_overlap import TEXT, TEXTS


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    return tiny_model(write_encoder(tmp_path_factory.mktemp("encoder"))).reader


@pytest.mark.parametrize("together", [1, 2 * len(TEXT), 1 << 16])
def test_texts_are_prepared_together_as_each_would_be_alone(reader, together, monkeypatch):
    monkeypatch.setattr(steps, "LETTERS", together)
    given = list(checked(TEXTS))
    alone = [one for each in given for one in prepare(reader, [each], None)]
    for one, other in zip(prepare(reader, given, None), alone, strict=True):
        assert one.document == other.document
        assert [w.first for w in one.item.windows] == [w.first for w in other.item.windows]
        for window, its in zip(one.item.windows, other.item.windows, strict=True):
            assert all(map(np.array_equal, window[1:], its[1:]))


def test_no_more_letters_are_cut_together_than_allowed(reader, monkeypatch):
    sizes = []

    def noted(texts):
        sizes.append([len(text) for text in texts])
        return cut_documents(texts)

    cut_documents = steps.cut_documents
    monkeypatch.setattr(steps, "cut_documents", noted)
    monkeypatch.setattr(steps, "LETTERS", 10)
    prepare(reader, [("a" * size, None) for size in (4, 6, 1, 20)], None)
    assert sizes == [[4, 6], [1], [20]]


def test_nothing_is_prepared_of_no_texts(reader):
    assert prepare(reader, [], None) == []
