from __future__ import annotations

import pytest

from corelax import CorelaxError, Document, score
from corelax.document.pairing import pair_documents, same_documents


def doc(id: str, *words: str) -> Document:
    return Document(id=id, words=words)


def test_documents_in_any_order_find_each_other() -> None:
    gold, system = [doc("a"), doc("b"), doc("c")], [doc("c"), doc("a"), doc("b")]
    pairs = list(same_documents(gold=gold, system=system))
    assert all(ours.id == theirs.id for ours, theirs in pairs)
    assert {ours.id for ours, _ in pairs} == {"a", "b", "c"}


def test_what_is_on_one_side_only_comes_last() -> None:
    pairs = list(pair_documents(gold=["a", "b"], system=["b", "c"], key=str))
    assert pairs == [("b", "b"), ("a", None), (None, "c")]


def test_other_words_are_an_error_without_advice_on_scoring() -> None:
    gold, system = [doc("d", "a", "(b")], [doc("d", "a", "c (")]
    with pytest.raises(CorelaxError) as caught:
        list(same_documents(gold=gold, system=system, where="mine.conll"))
    assert str(caught.value) == (
        "mine.conll: document d: token 1 is '(b' in gold and 'c (' in system"
    )


def test_scoring_says_how_to_score_different_texts() -> None:
    with pytest.raises(CorelaxError, match=r"gold has 1 tokens, system has 2 \(--no-check-text"):
        score(gold=[doc("d", "a")], system=[doc("d", "a", "b")])


@pytest.mark.parametrize(
    ("gold", "system", "message"),
    [
        (["a"], [], "document a is in gold but not in system"),
        ([], ["a"], "document a is in system but not in gold"),
        (["a", "a_0"], ["a"], "document a occurs twice on one side"),
    ],
)
def test_documents_of_one_side_only_and_repeated_names_are_errors(gold, system, message) -> None:
    with pytest.raises(CorelaxError, match=message):
        list(same_documents(gold=map(doc, gold), system=map(doc, system)))
