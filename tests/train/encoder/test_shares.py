"""The documents of a step, spread over workers."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from corelax.train.encoder.shares import Totals, spread


class Sized(NamedTuple):
    """As much of a document as is looked at."""

    number: int
    words: int
    known: object = None


sizes = st.lists(st.integers(1, 3000), max_size=30)


@given(sizes, st.integers(1, 9))
def test_every_document_has_one_worker(lengths, workers):
    documents = [Sized(number, words) for number, words in enumerate(lengths)]
    shares = spread(documents, workers)
    assert len(shares) == workers
    assert sorted(d for share in shares for d in share) == documents


@given(sizes, st.integers(1, 9))
def test_no_worker_has_more_than_its_part_and_one_document(lengths, workers):
    shares = spread([Sized(number, words) for number, words in enumerate(lengths)], workers)
    most = max(sum(document.words for document in share) for share in shares)
    assert most <= sum(lengths) / workers + max(lengths, default=0)


def test_totals_are_those_of_the_step():
    documents = [Sized(0, 10), Sized(1, 30, known="pairs"), Sized(2, 5)]
    assert Totals.of(documents, 4) == Totals(words=45, documents=2, document_words=15, workers=4)
