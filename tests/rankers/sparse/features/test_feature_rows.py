"""Feature rows of documents whose annotation is unusual, by the public function."""

import pytest

from corelax import Clustering, Document, Span
from corelax.io import write
from corelax.rankers.sparse import FEATURE_SETS, feature_rows
from corelax.rankers.sparse.mentions import load_lexicons
from tests.rankers.sparse.features.feature_documents import worked_example


@pytest.mark.parametrize("features", FEATURE_SETS)
def test_the_first_word_of_a_document_governs_like_any_other(features):
    doc = Document(
        id="nw/x",
        words=("Feed", "your", "dog"),
        layers={"pos": ("VB", "PRP$", "NN"), "parse": ("(TOP(S(VP*", "(NP*", "*))))")},
    )
    [row] = feature_rows([doc], settings=FEATURE_SETS[features])
    assert row["mentions"] == [[1, 2], [1, 3]]
    name = "ctx" if features == "w16" else "ctx1"
    assert f"{name}=VB(L)" in row["phi_a"][1]


@pytest.mark.parametrize("features", FEATURE_SETS)
def test_given_mentions_need_neither_trees_nor_penn_tags(features):
    words = "the friends of Ann and Bo left".split()
    tags = "DET NOUN ADP PROPN CCONJ PROPN VERB".split()
    doc = Document.from_sentences(
        "nw/x", [words], clusters=[[(0, 6)], [(3, 6)]], layers={"pos": tags}
    )
    lists = load_lexicons("shipped")
    settings = FEATURE_SETS[features]
    [row] = feature_rows([doc], settings=settings, lexicons=lists, mentions="gold")
    numbers = [name for names in row["phi_a"] for name in names if name.startswith("number=")]
    of_friends = "SINGULAR" if features == "default" else "PLURAL"  # by Penn tags, or by counts
    assert numbers == [f"number={of_friends}", "number=SINGULAR"]


def test_a_file_has_the_mentions_of_documents_not_those_of_training(tmp_path):
    doc = worked_example()
    file = tmp_path / "mentions.conll"
    write([doc.with_clusters(Clustering([[Span(0, 2), Span(14, 15)]]))], file)
    other = Document(id="nw/other", words=doc.words, layers=dict(doc.layers))
    [row] = feature_rows([doc], train=[other], mentions=str(file))
    assert row["mentions"] == [[0, 2], [14, 15]]
