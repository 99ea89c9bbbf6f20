from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corelax import Clustering
from corelax.document.clustering import entity_of_mentions

clusterings = st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=5).map(Clustering)


def test_order_and_labels_do_not_matter_to_equality() -> None:
    assert Clustering([["a", "b"], ["c"]], labels=["7", "8"]) == Clustering([["c"], ["b", "a"]])


@given(clusterings, st.randoms())
def test_equal_clusterings_have_equal_hashes(clustering: Clustering[int], random) -> None:
    shuffled = [random.sample(c, len(c)) for c in random.sample(list(clustering), len(clustering))]
    assert Clustering(shuffled) == clustering
    assert hash(Clustering(shuffled)) == hash(clustering)


def test_empty_clusters_are_dropped_with_their_labels() -> None:
    assert Clustering([[], ["a"]], labels=["x", "y"]).labels == ("y",)


def test_labels_must_fit_the_clusters() -> None:
    with pytest.raises(ValueError, match="1 labels for 2 clusters"):
        Clustering([["a"], ["b"]], labels=["x"])


def test_dropping_singletons_keeps_the_labels_of_the_rest() -> None:
    kept = Clustering([["a"], ["b", "c"]], labels=["x", "y"]).drop_singletons()
    assert (kept.labels, kept.singletons) == (("y",), ())


def test_relabelling_goes_through_a_function() -> None:
    assert Clustering([["a"]], labels=["7"]).relabel(lambda name: f"e{name}").labels == ("e7",)


def test_repeated_mentions_are_named_once() -> None:
    assert Clustering([["a", "b"], ["a"], ["c", "c", "c"]]).repeated == ("a", "c")


def test_comparing_says_what_is_missed_spurious_split_and_merged() -> None:
    gold = Clustering([["a", "b", "c"], ["d", "e"], ["f", "g"]])
    found = gold.compare(system=Clustering([["a", "b"], ["c", "d", "h"], ["f", "g"]]))
    assert found.missed == ("e",)
    assert found.spurious == ("h",)
    assert found.correct == (("f", "g"),)
    assert found.split == (("a", "b", "c"),)
    assert found.merged == (("c", "d", "h"),)


def test_a_mention_of_several_entities_belongs_to_the_first() -> None:
    assert entity_of_mentions(["ab", "bc", "ca"]) == {"a": 0, "b": 0, "c": 1}
