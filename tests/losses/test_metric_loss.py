"""The metric as the loss: −F of the relaxed metric, and nothing else."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax import metrics
from corelax.decode import best_links
from corelax.losses import Part, metric_loss
from corelax.metrics import METRICS
from corelax.relax import evaluate
from tests.losses import loss_references as reference

# Some documents have all their antecedents pruned.
pytestmark = pytest.mark.filterwarnings("ignore:antecedent_scores. no score lies below")

enough = settings(deadline=None, max_examples=20)
each_metric = pytest.mark.parametrize("metric", METRICS)
each_family = pytest.mark.parametrize("family", ["entity", "pairwise"])
betas = st.sampled_from([0.5, 1.0, 1.4**0.5, 3.0])
GOLD = torch.tensor([0, 1, 0, -1, 1])
SIZES = torch.tensor([3, 2])


def f_of(scores, gold, metric, beta=1.0, **options):
    return evaluate(scores, gold, metrics=[metric], beta=beta, **options)[metric].f.item()


# What it is.


@each_metric
@each_family
@given(document=reference.documents(pruned=True), beta=betas, T=st.sampled_from([1.0, 0.3]))
@enough
def test_it_is_the_f_of_the_relaxed_metric_made_negative(metric, family, document, beta, T):
    scores, gold = document
    loss = metric_loss(scores, gold, metric, beta=beta, temperature=T, family=family)
    expected = -f_of(scores, gold, metric, beta, temperature=T, family=family)
    assert loss.shape == ()
    assert loss.item() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"gold_sizes": SIZES},
        {"singletons": "keep"},
        {"singletons": torch.tensor([0.1, 0.9, 0.5, 0.0, 1.0])},
        {"temperature": 0.5, "temperature_on": "link"},
        {"temperature": 0.5, "temperature_on": "entity"},
        {"temperature": 0.5, "family": "pairwise"},
    ],
    ids=str,
)
def test_options_are_those_of_the_relaxed_metrics(options):
    scores = reference.random_scores(5, seed=2)
    plain = metric_loss(scores, GOLD).item()
    loss = metric_loss(scores, GOLD, **options).item()
    assert loss == pytest.approx(-f_of(scores, GOLD, "b_cubed", **options), rel=1e-12)
    assert loss != pytest.approx(plain, rel=1e-6)


def test_the_recall_of_one_link_by_hand():
    # p = 3/4 that 1 links to 0. LEA: recall p, precision 1 for what is written; F = 2p / (p + 1).
    scores = torch.tensor([[0.0, 0], [math.log(3), 0]], dtype=torch.float64)
    loss = metric_loss(scores, torch.tensor([0, 0]), "lea", family="pairwise")
    assert loss.item() == pytest.approx(-6 / 7, rel=1e-6)


@given(document=reference.documents(), beta=betas)
@enough
def test_conll_is_the_mean_of_three(document, beta):
    scores, gold = document
    expected = -sum(f_of(scores, gold, m, beta) for m in ("muc", "b_cubed", "ceaf_e")) / 3
    assert metric_loss(scores, gold, "conll", beta=beta).item() == pytest.approx(
        expected, abs=1e-12
    )


# Mixtures.


def test_a_mixture_is_a_weighted_sum():
    scores = reference.random_scores(5, seed=3)
    loss = metric_loss(scores, GOLD, [("b_cubed", 1.0), ("lea", 0.25)])
    expected = -f_of(scores, GOLD, "b_cubed") - 0.25 * f_of(scores, GOLD, "lea")
    assert loss.item() == pytest.approx(expected, rel=1e-12)


def test_parts_of_a_mixture_have_a_beta_of_their_own_or_that_of_the_loss():
    scores = reference.random_scores(5, seed=3)
    parts = [("b_cubed", 0.5, 3.0), Part("lea", 2.0), Part("muc", beta=0.5)]
    loss = metric_loss(scores, GOLD, parts, beta=2.0)
    expected = (
        0.5 * f_of(scores, GOLD, "b_cubed", 3.0)
        + 2.0 * f_of(scores, GOLD, "lea", 2.0)
        + f_of(scores, GOLD, "muc", 0.5)
    )
    assert loss.item() == pytest.approx(-expected, rel=1e-12)


# Gradients.


@each_metric
@each_family
@pytest.mark.parametrize("temperature", [1.0, 0.3])
def test_its_gradient_is_that_of_finite_differences(metric, family, temperature):
    scores = reference.random_scores(5, seed=5).requires_grad_()

    def loss(scores):
        return metric_loss(
            scores, GOLD, metric, temperature=temperature, family=family, gold_sizes=SIZES, beta=1.3
        )

    assert torch.autograd.gradcheck(loss, scores)


@pytest.mark.parametrize("metric", ["b_cubed", "lea"])
def test_its_gradient_is_right_where_entities_are_those_of_the_original(metric):
    scores = reference.random_scores(5, seed=6).requires_grad_()
    gold = torch.tensor([0, 0, 0, 1, 1])
    assert metric_loss(scores, gold, metric, like_original=True).item() < 0
    assert torch.autograd.gradcheck(
        lambda s: metric_loss(s, gold, metric, like_original=True), scores
    )


def exact_f(scores, gold, metric):
    entities = reference.gold_clusters(gold.tolist())
    report = metrics.evaluate(gold=entities, system=best_links(scores))
    return report.conll if metric == "conll" else report[metric].f1


@pytest.mark.parametrize("metric", [*METRICS, "conll"])
@each_family
def test_descent_makes_a_small_document_perfect(metric, family):
    gold = torch.tensor([0, 1, 0, 1])
    # At first all mentions start entities, the right links being second best.
    scores = torch.tensor([[0.0, 0, 0, 0], [0, 1, 0, 0], [0.8, 0, 1, 0], [0, 0.8, 0, 1]])
    assert exact_f(scores, gold, metric) == 0
    for _ in range(8):
        scores.requires_grad_()
        (gradient,) = torch.autograd.grad(metric_loss(scores, gold, metric, family=family), scores)
        scores = scores.detach() - 10 * gradient
    assert exact_f(scores, gold, metric) == 1


# Like the original.


def one_link(p):
    """Two mentions, the second of which links to the first with probability p."""
    return torch.tensor([[0.0, 0], [math.log(p / (1 - p)), 0]], dtype=torch.float64)


def loss_and_gradient(scores, gold, metric, **options):
    scores = scores.clone().requires_grad_()
    loss = metric_loss(scores, gold, metric, **options)
    loss.backward()
    return loss.item(), scores.grad


def test_like_the_original_a_document_with_a_count_of_a_tenth_or_less_is_passed_over():
    # LEA's recall numerator is 2 p.
    loss, gradient = loss_and_gradient(
        one_link(0.049), torch.tensor([0, 0]), "lea", like_original=True
    )
    assert loss == 0
    assert (gradient == 0).all()


def test_like_the_original_a_document_just_above_a_tenth_is_not_passed_over():
    # Recall p and precision 1, since the one entity kept has no other link.
    p = 0.051
    loss, gradient = loss_and_gradient(one_link(p), torch.tensor([0, 0]), "lea", like_original=True)
    assert loss == pytest.approx(-2 * p / (1 + p), rel=1e-6)
    assert gradient[1, 0] < 0


def test_like_the_original_each_document_of_a_batch_is_passed_over_by_itself():
    batch = torch.stack([one_link(0.01), one_link(0.5)]).requires_grad_()
    loss = metric_loss(batch, torch.tensor([[0, 0], [0, 0]]), "lea", like_original=True)
    loss.backward()
    assert loss.item() == pytest.approx(-(2 * 0.5 / 1.5) / 2, rel=1e-6)
    assert (batch.grad[0] == 0).all()
    assert batch.grad[1, 1, 0] < 0


# Batches.


@each_metric
@given(documents=st.lists(reference.documents(least=4, most=4), min_size=1, max_size=3))
@settings(deadline=None, max_examples=10)
def test_pooled_it_is_the_f_of_counts_summed_over_the_batch(metric, documents):
    scores, gold = (torch.stack(column) for column in zip(*documents, strict=True))
    counts = [evaluate(s, g, metrics=[metric]).counts[metric] for s, g in documents]
    total = counts[0]
    for other in counts[1:]:
        total = total + other
    pooled = metric_loss(scores, gold, metric, pool="batch", beta=2.0)
    assert pooled.shape == ()
    assert pooled.item() == pytest.approx(-float(total.scores(2.0).f), abs=1e-12)


def test_names_in_a_mixture_have_weight_one():
    scores, gold = (
        torch.randn(5, 5, generator=torch.Generator().manual_seed(1)),
        torch.tensor([0, 0, 1, 1, -1]),
    )
    both = metric_loss(scores, gold, ["muc", "lea"])
    alone = [metric_loss(scores, gold, metric) for metric in ("muc", "lea")]
    torch.testing.assert_close(both, sum(alone))


@pytest.mark.parametrize("mixture", [Part("lea", 0.5), [Part("lea", 0.5)], {"lea": 0.5}])
def test_a_mixture_may_be_a_part_or_a_mapping(mixture):
    scores = torch.randn(5, 5, generator=torch.Generator().manual_seed(1))
    gold = torch.tensor([0, 0, 1, 1, -1])
    expected = 0.5 * metric_loss(scores, gold, "lea")
    torch.testing.assert_close(metric_loss(scores, gold, mixture), expected)
