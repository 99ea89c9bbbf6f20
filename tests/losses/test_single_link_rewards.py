"""Rewards of all changes of one link against scoring the document anew for each."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax import CorelaxError
from corelax.losses.single_links import single_link_rewards
from corelax.relax import Gold
from tests.losses import loss_references as reference

enough = settings(deadline=None, max_examples=40)
each_metric = pytest.mark.parametrize("metric", ["b_cubed", "lea", "muc"])
each_way = pytest.mark.parametrize("singletons", ["drop", "keep"])


@st.composite
def linked_documents(draw, n=None):
    """Actions, gold numbers, and sizes that count missed mentions."""
    n = draw(st.integers(1, 8)) if n is None else n
    actions = [draw(st.integers(0, i)) for i in range(n)]
    gold = draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n))
    sizes = [gold.count(v) + draw(st.integers(0, 2)) for v in range(3)]
    return actions, gold, sizes


def lower(table):
    """[mention, antecedent] of rows that end at the diagonal."""
    n = len(table)
    return torch.tensor([[*row, *[0.0] * (n - len(row))] for row in table], dtype=torch.float64)


@each_metric
@each_way
@given(document=linked_documents())
@enough
def test_rewards_are_those_of_scoring_the_document_anew(metric, singletons, document):
    actions, gold, sizes = document
    found = single_link_rewards(
        torch.tensor(actions),
        Gold(torch.tensor(gold), torch.tensor(sizes)),
        metric=metric,
        singletons=singletons,
    )
    entities = reference.gold_clusters(gold, sizes)
    expected = reference.rewards(actions, entities, metric, keep=singletons == "keep")
    torch.testing.assert_close(found.tril(), lower(expected), rtol=0, atol=1e-12)


@each_metric
@each_way
@given(documents=st.lists(linked_documents(n=5), min_size=1, max_size=4))
@enough
def test_a_batch_is_rewarded_as_its_documents_one_by_one(metric, singletons, documents):
    actions, gold, sizes = (torch.tensor(column) for column in zip(*documents, strict=True))
    together = single_link_rewards(actions, Gold(gold, sizes), metric=metric, singletons=singletons)
    apart = [
        single_link_rewards(a, Gold(g, s), metric=metric, singletons=singletons)
        for a, g, s in zip(actions, gold, sizes, strict=True)
    ]
    torch.testing.assert_close(together.tril(), torch.stack(apart).tril())


@given(document=linked_documents())
@enough
def test_choosing_what_was_chosen_changes_nothing(document):
    actions, gold, sizes = document
    found = single_link_rewards(
        torch.tensor(actions), Gold(torch.tensor(gold), torch.tensor(sizes))
    )
    kept = [found[i, a].item() for i, a in enumerate(actions)]
    assert kept == pytest.approx([kept[0]] * len(actions), abs=1e-12)


def test_two_mentions_by_hand():
    # Gold {0, 1, one that was missed}. Linked: R = (4/3) / 3, P = 1, F = 2 R / (R + 1) = 8/13. Else nothing.
    gold = Gold(torch.tensor([0, 0]), torch.tensor([3]))
    found = single_link_rewards(torch.tensor([0, 1]), gold)
    assert found[1].tolist() == pytest.approx([8 / 13, 0])


def test_muc_rewards_links_by_hand():
    # Gold {0, 1, 2}: two links. Each new link gives a recall of 1/2, with one wrong link a precision of 1/2.
    gold = Gold(torch.tensor([0, 0, 0, -1]), torch.tensor([3]))
    found = single_link_rewards(torch.tensor([0, 0, 2, 3]), gold, metric="muc")
    assert found[2].tolist()[:3] == pytest.approx([1, 1, 2 / 3])
    assert found[3].tolist() == pytest.approx([1 / 2, 1 / 2, 1 / 2, 2 / 3])


def test_everything_below_a_mention_moves_with_it():
    # 2 hangs on 1, and gold is {1, 2} and {0, 3}: when 1 lets go of 0, both are right, not 1 alone.
    gold = Gold(torch.tensor([1, 0, 0, 1]), torch.tensor([2, 2]))
    found = single_link_rewards(torch.tensor([0, 0, 1, 0]), gold)
    assert found[1, 1].item() == pytest.approx(1)
    assert found[1, 0].item() < 1


def test_other_metrics_are_an_error():
    gold = Gold(torch.tensor([0, 0]), torch.tensor([2]))
    with pytest.raises(CorelaxError, match=r"^metric must be"):
        single_link_rewards(torch.tensor([0, 0]), gold, metric="ceaf_e")


def test_a_wrong_choice_of_singletons_is_an_error():
    gold = Gold(torch.tensor([0, 0]), torch.tensor([2]))
    with pytest.raises(CorelaxError, match=r"^singletons"):
        single_link_rewards(torch.tensor([0, 0]), gold, singletons="maybe")
