"""What all losses have in common: documents with nothing to learn, batches, precision, errors."""

import math
from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax import CorelaxError
from corelax.losses import (
    entity_loss,
    margin_loss,
    metric_loss,
    ranking_loss,
    reinforce_loss,
    rescale_loss,
)
from corelax.metrics import METRICS
from tests.losses import loss_references as reference

# Some documents have all their antecedents pruned.
pytestmark = pytest.mark.filterwarnings("ignore:antecedent_scores. no score lies below")

enough = settings(deadline=None, max_examples=15)

HEURISTIC = {
    "ranking": ranking_loss,
    "entity": entity_loss,
    "entity, code": partial(entity_loss, cost_same_cluster=0.0),
    "margin": margin_loss,
}
METRIC = {
    **{name: partial(metric_loss, metric=name) for name in [*METRICS, "conll"]},
    "lea, pairwise": partial(metric_loss, metric="lea", family="pairwise"),
    "blanc, kept": partial(metric_loss, metric="blanc", singletons="keep"),
    "b_cubed, T 0.3": partial(metric_loss, temperature=0.3),
    "lea, T 0.3 on links": partial(
        metric_loss, metric="lea", temperature=0.3, temperature_on="link"
    ),
    "lea, original": partial(metric_loss, metric="lea", like_original=True),
}
REWARD = {
    "reinforce": partial(reinforce_loss, actions="greedy"),
    "rescale": rescale_loss,
    "rescale, muc": partial(rescale_loss, metric="muc"),
}
SAMPLED = {
    "reinforce, sampled": lambda *a, **k: reinforce_loss(
        *a, generator=torch.Generator().manual_seed(0), **k
    ),
    "rescale, sampled": lambda *a, **k: rescale_loss(
        *a, actions="sampled", generator=torch.Generator().manual_seed(0), **k
    ),
}
DETERMINED = HEURISTIC | METRIC | REWARD
ALL = DETERMINED | SAMPLED
ONE_OF_EACH = {
    name: ALL[name]
    for name in (
        "ranking",
        "entity",
        "margin",
        "conll",
        "lea, pairwise",
        "reinforce",
        "rescale",
    )
}


def each(losses):
    return pytest.mark.parametrize("loss", losses.values(), ids=losses.keys())


def value_and_gradient(loss, scores, gold, **options):
    scores = scores.clone().requires_grad_()
    value = loss(scores, gold, **options)
    assert value.shape == ()
    value.backward()
    return value.item(), scores.grad


# Documents with little in them.

LITTLE = {
    "no mention": [],
    "one spurious mention": [-1],
    "one gold mention": [0],
    "no gold mention": [-1, -1, -1],
    "all singletons": [0, 1, 2],
}
each_little = pytest.mark.parametrize("gold", LITTLE.values(), ids=LITTLE.keys())


@each(ALL)
@each_little
def test_documents_without_a_gold_pair_have_finite_losses_and_gradients(loss, gold):
    scores = reference.random_scores(len(gold), seed=0).float()
    value, gradient = value_and_gradient(loss, scores, torch.tensor(gold, dtype=torch.long))
    assert math.isfinite(value)
    assert gradient.isfinite().all()


@each({name: loss for name, loss in (METRIC | REWARD).items() if "kept" not in name})
@each_little
def test_where_singletons_are_dropped_nothing_is_learnt_from_documents_without_a_gold_pair(
    loss, gold
):
    scores = reference.random_scores(len(gold), seed=0).float()
    value, gradient = value_and_gradient(loss, scores, torch.tensor(gold, dtype=torch.long))
    assert value == 0
    assert (gradient == 0).all()


@each(ALL)
def test_extreme_scores_have_finite_losses_and_gradients(loss):
    scores = 60 * reference.random_scores(8, seed=0).sign().float()
    gold = torch.tensor([0, 1, 0, 1, -1, 0, 2, 2])
    value, gradient = value_and_gradient(loss, scores, gold)
    assert math.isfinite(value)
    assert gradient.isfinite().all()


@each(ONE_OF_EACH)
def test_a_mention_that_may_not_start_an_entity_has_a_finite_loss(loss):
    # Mention 1 is spurious, and "new" was pruned: whatever it does is wrong, which is nobody's fault.
    scores = torch.tensor([[0.0, 0, 0], [0, -math.inf, 0], [0, 0, 0]])
    value, gradient = value_and_gradient(loss, scores, torch.tensor([0, -1, 0]))
    assert math.isfinite(value)
    assert gradient.isfinite().all()


@each(DETERMINED)
def test_pruned_antecedents_have_no_gradient_and_all_others_a_finite_one(loss):
    scores = reference.random_scores(6, seed=4)
    pruned = torch.zeros(6, 6, dtype=torch.bool)
    pruned[[2, 3, 4, 5, 5], [0, 1, 2, 3, 4]] = True
    value, gradient = value_and_gradient(
        loss, scores.masked_fill(pruned, -math.inf), torch.tensor([0, 0, 0, -1, 1, 1])
    )
    assert math.isfinite(value)
    assert gradient.isfinite().all()
    assert (gradient[pruned] == 0).all()
    assert (gradient != 0).any()


# What does not matter.


@each(ONE_OF_EACH)
def test_the_numbers_of_gold_entities_do_not_matter(loss):
    scores = reference.random_scores(6, seed=1)
    expected = loss(scores, torch.tensor([0, 1, 0, -1, 1, 2])).item()
    for other in ([2, 0, 2, -1, 0, 1], [7, 90, 7, -1, 90, 1000], [10**12, 5, 10**12, -1, 5, 6]):
        assert loss(scores, torch.tensor(other)).item() == pytest.approx(expected, rel=1e-9)


@each(ONE_OF_EACH)
def test_what_is_above_the_diagonal_does_not_matter(loss):
    scores, gold = reference.random_scores(4, seed=1), torch.tensor([0, 1, 0, 1])
    expected = loss(scores, gold).item()
    scores.masked_fill_(torch.ones(4, 4).triu(1).bool(), math.nan)
    value, gradient = value_and_gradient(loss, scores, gold)
    assert value == expected
    assert (gradient.triu(1) == 0).all()
    assert gradient.isfinite().all()


# Batches.


def padded(documents, rubbish=99.0):
    """[document, mention, antecedent] scores, gold and lengths; what padding holds is rubbish."""
    lengths = torch.tensor([len(gold) for _, gold in documents])
    n = int(lengths.max())
    scores = torch.full((len(documents), n, n), rubbish, dtype=torch.float64)
    gold = torch.full((len(documents), n), -1)
    for d, (s, g) in enumerate(documents):
        scores[d, : len(g), : len(g)] = s
        gold[d, : len(g)] = g
    return scores, gold, lengths


@each(DETERMINED)
@given(documents=st.lists(reference.documents(pruned=True), min_size=1, max_size=4))
@enough
def test_a_padded_batch_has_the_mean_loss_of_its_documents(loss, documents):
    scores, gold, lengths = padded(documents)
    expected = sum(loss(s, g).item() for s, g in documents) / len(documents)
    assert loss(scores, gold, lengths=lengths).item() == pytest.approx(expected, abs=1e-9)


@each(DETERMINED)
def test_a_padded_batch_has_the_gradients_of_its_documents_and_none_for_padding(loss):
    documents = [
        (reference.random_scores(3, seed=1), torch.tensor([0, 0, -1])),
        (reference.random_scores(5, seed=2), torch.tensor([0, 1, 0, 1, 2])),
        (reference.random_scores(1, seed=2), torch.tensor([0])),
    ]
    scores, gold, lengths = padded(documents, rubbish=math.nan)
    _, gradient = value_and_gradient(loss, scores, gold, lengths=lengths)
    expected = torch.zeros_like(scores)
    for d, (s, g) in enumerate(documents):
        expected[d, : len(g), : len(g)] = value_and_gradient(loss, s, g)[1] / len(documents)
    torch.testing.assert_close(gradient, expected, rtol=1e-9, atol=1e-9)


@each(METRIC | REWARD)
def test_batches_may_have_gold_sizes(loss):
    documents = [
        (reference.random_scores(3, seed=1), torch.tensor([0, 0, -1])),
        (reference.random_scores(4, seed=2), torch.tensor([0, 1, 0, 1])),
    ]
    sizes = torch.tensor([[3, 0], [2, 4]])
    scores, gold, lengths = padded(documents)
    apart = [loss(s, g, gold_sizes=z).item() for (s, g), z in zip(documents, sizes, strict=True)]
    together = loss(scores, gold, gold_sizes=sizes, lengths=lengths)
    assert together.item() == pytest.approx(sum(apart) / 2, rel=1e-9)


# Precision.


@each(ONE_OF_EACH)
def test_autocast_does_not_lower_the_precision(loss):
    scores, gold = reference.random_scores(5, seed=1).float(), torch.tensor([0, 1, 0, -1, 1])
    expected, expected_gradient = value_and_gradient(loss, scores, gold)
    scores.requires_grad_()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value = loss(scores, gold)
    value.backward()
    assert value.item() == expected
    assert scores.grad.equal(expected_gradient)


@each(DETERMINED)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_scores_of_half_precision_have_the_loss_of_the_same_numbers_in_float32(loss, dtype):
    scores, gold = reference.random_scores(5, seed=1).to(dtype), torch.tensor([0, 1, 0, -1, 1])
    value, gradient = value_and_gradient(loss, scores, gold)
    expected, expected_gradient = value_and_gradient(loss, scores.float(), gold)
    assert value == expected
    assert gradient.dtype == dtype
    assert gradient.equal(expected_gradient.to(dtype))


# Errors.

PLAIN = {
    "ranking": ranking_loss,
    "entity": entity_loss,
    "margin": margin_loss,
    "metric": metric_loss,
    "reinforce": reinforce_loss,
    "rescale": rescale_loss,
}
SCORES, GOLD = torch.zeros(3, 3), torch.tensor([0, 0, -1])


def scores_with(value):
    scores = torch.zeros(3, 3)
    scores[2, 1] = value
    return scores


NO_NUMBERS = (math.nan, math.inf)
REFUSED = {
    "antecedent_scores": (
        PLAIN,
        [
            [[0.0]],
            torch.zeros(3),
            torch.tensor(1.0),
            torch.zeros(3, 4),
            torch.zeros(3, 3, dtype=torch.long),
            torch.zeros(3, 3, dtype=torch.bool),
            torch.zeros(3, 3, dtype=torch.complex64),
            scores_with(math.nan),
            scores_with(math.inf),
            torch.full((3, 3), -math.inf),
        ],
    ),
    "gold": (
        PLAIN,
        [
            [0, 0, -1],
            torch.tensor([0.0, 0.0, -1.0]),
            torch.tensor([True, True, False]),
            torch.tensor([0, 0]),
            torch.tensor([0, 0, 0, 0]),
            torch.tensor([[0, 0, -1]]),
            torch.tensor([0, 0, -2]),
        ],
    ),
    "gold_sizes": (
        ("metric", "reinforce", "rescale"),
        [
            torch.zeros(0),
            torch.tensor([1]),
            [2],
            torch.tensor(2),
            torch.tensor([[2]]),
            torch.tensor([2, -1]),
            torch.tensor([2, math.nan]),
        ],
    ),
    "costs": (
        ("ranking", "entity", "margin"),
        [
            (0.1, 3.0),
            (0.1, 3.0, 1.0, 1.0),
            (0.1, -3.0, 1.0),
            (0.1, math.nan, 1.0),
            (0.1, math.inf, 1.0),
            1.0,
        ],
    ),
    "cost_same_cluster": (("entity",), [-1.0, *NO_NUMBERS]),
    "margin": (("margin", "rescale"), [-math.inf, *NO_NUMBERS]),
    "metric": (("metric",), ["bcub", [], [("lea", 1.0), ("bcub", 1.0)]]),
    "beta": (("metric",), [0, -1.0, *NO_NUMBERS]),
    "temperature": (("metric",), [0, -1.0, *NO_NUMBERS, 1.5]),
    "family": (("metric",), ["maybe"]),
    "temperature_on": (("metric",), ["maybe"]),
    "pool": (("metric",), ["maybe"]),
    "actions": (("reinforce", "rescale"), ["maybe"]),
    "singletons": (("metric", "reinforce", "rescale"), ["maybe"]),
}


def assert_refused(name, loss, **options):
    """An error of one line that names the argument, or says what it must be."""
    with pytest.raises(CorelaxError) as caught:
        loss(**{"antecedent_scores": SCORES, "gold": GOLD, **options})
    message = str(caught.value)
    assert name in message
    assert "\n" not in message


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_argument_is_an_error_that_names_it(name):
    losses, values = REFUSED[name]
    for loss in losses:
        for value in values:
            message = f"{name} must be" if value == "maybe" else name
            assert_refused(message, PLAIN[loss], **{name: value})


@each(PLAIN)
@pytest.mark.parametrize(
    "lengths",
    [
        torch.tensor([3]),
        torch.tensor(3),
        torch.tensor([3, 4]),
        torch.tensor([3, -1]),
        [3, 2],
        torch.tensor([3.0, 1.5]),
    ],
    ids=["too few", "one number", "too long", "negative", "a list", "floats"],
)
def test_bad_lengths_are_an_error_that_names_them(loss, lengths):
    batch = {"antecedent_scores": SCORES.expand(2, 3, 3), "gold": GOLD.expand(2, 3)}
    assert_refused("lengths", loss, lengths=lengths, **batch)


def test_bad_parts_of_a_metric_are_an_error():
    for value in NO_NUMBERS:
        assert_refused("weight", metric_loss, metric=[("lea", value)])
        assert_refused("beta", metric_loss, metric=[("lea", 1.0, value)])


@pytest.mark.parametrize("loss", [reinforce_loss, rescale_loss])
@pytest.mark.parametrize("metric", ["blanc", "ceaf_e", "conll", "bcub"])
def test_metrics_without_rewards_are_an_error_that_says_so(loss, metric):
    assert_refused("metric must be 'b_cubed' or 'lea'", loss, metric=metric)


def test_singleton_probabilities_of_another_shape_are_an_error():
    assert_refused("singletons", metric_loss, singletons=torch.ones(2))
