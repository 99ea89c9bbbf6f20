"""Gold entities as the losses take them."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax import CorelaxError, Document
from corelax.losses import metric_loss
from corelax.relax import Gold, gold_tensors, padded_gold_tensors

several = settings(deadline=None, max_examples=60)


def test_found_missed_and_made_up_mentions_are_told_apart():
    gold, sizes = gold_tensors(["a", "x", "b", "d"], [["a", "b", "c"], ["d"], ["e", "f"]])
    assert gold.tolist() == [0, -1, 0, 1]
    assert sizes.tolist() == [3, 1, 2]


def test_without_mentions_or_entities_tensors_are_empty_and_of_integers():
    gold, sizes = gold_tensors([], [])
    assert gold.tolist() == sizes.tolist() == []
    assert gold.dtype == sizes.dtype == torch.long
    assert gold_tensors(["a"], [])[0].tolist() == [-1]
    assert gold_tensors([], [["a", "b"]])[1].tolist() == [2]


def test_a_mention_repeated_in_an_entity_counts_once():
    assert gold_tensors(["a", "b"], [["a", "b", "a"]])[1].tolist() == [2]


def test_a_mention_of_several_entities_belongs_to_the_first():
    gold, sizes = gold_tensors(["a", "b", "c"], [["a", "b"], ["b", "c"]])
    assert (gold.tolist(), sizes.tolist()) == ([0, 0, 1], [2, 2])


@st.composite
def sides(draw):
    mentions = draw(st.permutations("abcdefgh"))[: draw(st.integers(0, 8))]
    homes = draw(st.lists(st.integers(0, 3), min_size=8, max_size=8))
    in_gold = draw(st.sets(st.sampled_from("abcdefghij")))
    clusters = {}
    for mention, home in zip("abcdefghij", [*homes, 1, 2], strict=True):
        if mention in in_gold:
            clusters.setdefault(home, []).append(mention)
    return mentions, list(clusters.values())


@given(side=sides())
@several
def test_mentions_share_a_number_exactly_if_they_share_an_entity(side):
    mentions, clusters = side
    gold, sizes = gold_tensors(mentions, clusters)
    for i, mention in enumerate(mentions):
        home = [v for v, cluster in enumerate(clusters) if mention in cluster]
        assert gold[i] == (home[0] if home else -1)
    assert sizes.tolist() == [len(cluster) for cluster in clusters]


def test_sizes_of_a_batch_without_sizes_are_those_of_each_document():
    gold = Gold.of(torch.tensor([[0, 0, 1], [1, -1, -1]]), None, torch.zeros(2, 3, 3))
    assert gold.sizes.tolist() == [[2, 1], [0, 1]]


def test_gold_numbers_of_any_integer_type_will_do():
    for dtype in (torch.int8, torch.int16, torch.int32, torch.long):
        gold = Gold.of(torch.tensor([0, 0, -1], dtype=dtype), None, torch.zeros(3, 3))
        assert gold.sizes.tolist() == [2]


def test_spans_of_a_document_are_known_by_start_and_end():
    doc = Document.from_sentences("d", [["a"] * 9], clusters=[[(0, 1), (5, 6)], [(2, 4)]])
    gold, sizes = gold_tensors([(0, 1), (2, 4), (5, 6), (7, 8)], doc.clusters)
    assert gold.tolist() == [0, 1, 0, -1]
    assert sizes.tolist() == [2, 1]


@pytest.mark.parametrize("mentions", [[[0, 1]], torch.tensor([[0, 1], [2, 3]])])
def test_mentions_that_cannot_be_compared_are_an_error(mentions):
    with pytest.raises(CorelaxError, match="mentions"):
        gold_tensors(mentions, [[(0, 1)]])


BATCH = (
    [[(0, 1), (3, 5), (7, 8)], [(2, 3)], []],
    [[[(0, 1), (7, 8)]], [[(2, 3), (4, 5)], [(9, 9), (1, 1)]], []],
)


def test_a_padded_batch_holds_the_labels_of_each_document():
    batch = padded_gold_tensors(*BATCH)
    for row, document in enumerate(zip(*BATCH, strict=True)):
        gold, sizes = gold_tensors(*document)
        assert batch.lengths[row] == len(gold)
        assert batch.gold[row].tolist() == gold.tolist() + [-1] * (3 - len(gold))
        assert batch.gold_sizes[row].tolist() == sizes.tolist() + [0] * (2 - len(sizes))


def test_the_loss_of_a_padded_batch_is_the_mean_over_its_documents():
    scores = torch.randn(3, 5, 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    gold, sizes, lengths = padded_gold_tensors(*BATCH, size=5)
    together = metric_loss(scores, gold, "lea", gold_sizes=sizes, lengths=lengths)
    alone = []
    for table, document in zip(scores, zip(*BATCH, strict=True), strict=True):
        labels, label_sizes = gold_tensors(*document)
        n = len(labels)
        alone.append(metric_loss(table[:n, :n], labels, "lea", gold_sizes=label_sizes))
    assert together.item() == pytest.approx(sum(alone).item() / 3, abs=1e-12)


def test_a_batch_needs_the_entities_of_every_document_and_room_for_all_mentions():
    with pytest.raises(CorelaxError, match="as many documents, not 1 and 2"):
        padded_gold_tensors([["a"]], [[], []])
    with pytest.raises(CorelaxError, match="size must be at least 2"):
        padded_gold_tensors([["a", "b"]], [[]], size=1)
