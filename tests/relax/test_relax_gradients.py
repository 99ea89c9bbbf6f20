"""Gradients of relaxed metrics: right, finite, and the same in single precision."""

import pytest
import torch

from corelax import relax
from corelax.metrics import METRICS
from tests.relax.relax_documents import Doc, random_doc, random_scores

each_metric = pytest.mark.parametrize("metric", METRICS)
each_family = pytest.mark.parametrize("family", ["entity", "pairwise"])
family_and_temperature = pytest.mark.parametrize(
    ("family", "on"), [("entity", "entity"), ("entity", "link"), ("pairwise", "link")]
)


def f1_and_gradients(doc, dtype, **options):
    """By metric, F1 and its gradient with respect to the scores."""
    scores, gold = doc.tensors(dtype)
    scores = scores.detach().clone().requires_grad_()
    report = relax.evaluate(scores, gold, gold_sizes=torch.tensor(doc.sizes), **options)
    f1 = {name: report[name].f1 for name in report}
    return {
        name: (value, torch.autograd.grad(value, scores, retain_graph=True)[0])
        for name, value in f1.items()
    }


@each_metric
@each_family
@pytest.mark.parametrize(
    ("temperature", "singletons"), [(1.0, "drop"), (0.3, "drop"), (1.0, "keep")]
)
def test_gradients_are_those_of_finite_differences(metric, family, temperature, singletons):
    doc = Doc(random_scores(4, seed=3), [0, 1, 0, -1], [2, 3, 1])

    def f1(scores):
        report = relax.evaluate(
            scores,
            torch.tensor(doc.gold),
            gold_sizes=torch.tensor(doc.sizes),
            metrics=[metric],
            family=family,
            temperature=temperature,
            singletons=singletons,
        )
        return report[metric].f1

    scores = doc.scores.clone().requires_grad_()
    assert torch.autograd.gradcheck(f1, scores)
    if metric == "mentions" and singletons == "keep":
        return  # all mentions are written: nothing to learn
    assert torch.autograd.grad(f1(scores), scores)[0].abs().max() > 1e-4


@pytest.mark.parametrize("metric", ["b_cubed", "lea"])
def test_gradients_after_the_hard_filter_are_those_of_finite_differences(metric):
    doc = random_doc(4, seed=1)

    def f1(scores):
        report = relax.evaluate(
            scores, torch.tensor(doc.gold), metrics=[metric], like_original=True
        )
        return report[metric].f1

    assert torch.autograd.gradcheck(f1, doc.scores.clone().requires_grad_())


@family_and_temperature
@pytest.mark.parametrize("singletons", ["drop", "keep"])
@pytest.mark.parametrize(("scale", "temperature"), [(3, 1.0), (3, 0.3), (3, 0.1), (30, 1.0)])
def test_gradients_in_single_precision_are_those_in_double_precision(
    family, on, singletons, scale, temperature
):
    doc = random_doc(60, seed=4, scale=scale, entities=15)
    doc = Doc(doc.scores.float().double(), doc.gold, doc.sizes)
    options = {
        "family": family,
        "temperature": temperature,
        "temperature_on": on,
        "singletons": singletons,
    }
    single = f1_and_gradients(doc, torch.float32, **options)
    double = f1_and_gradients(doc, torch.float64, **options)
    for name, (f1, gradient) in double.items():
        torch.testing.assert_close(single[name][0].double(), f1, rtol=1e-5, atol=1e-6)
        if name == "mentions" and singletons == "keep":  # all are written: the gradient is 0
            assert single[name][1].norm() < 1e-6
            continue
        difference = (single[name][1].double() - gradient).norm()
        assert difference <= 1e-4 * gradient.norm(), name
        assert gradient.norm() > 1e-5, name


DEGENERATE = {
    "no mention": Doc(torch.zeros(0, 0), [], []),
    "no mention, but gold entities": Doc(torch.zeros(0, 0), [], [2, 3]),
    "one mention in no entity": Doc(torch.zeros(1, 1), [-1], []),
    "one mention, a gold singleton": Doc(torch.zeros(1, 1), [0], [1]),
    "one mention of a gold pair": Doc(torch.zeros(1, 1), [0], [2]),
    "no gold entity": Doc(torch.zeros(4, 4), [-1] * 4, []),
    "all gold singletons": Doc(torch.zeros(4, 4), [0, 1, 2, 3], [1] * 4),
    "a gold singleton found for each entity": Doc(torch.zeros(3, 3), [0, 1, 2], [2, 2, 2]),
    "no link possible": Doc(torch.full((3, 3), -torch.inf).fill_diagonal_(0.0), [0, 0, -1], [2]),
    "one link possible": Doc(
        torch.full((2, 2), -torch.inf).index_put((torch.tensor([0, 1]),) * 2, torch.tensor(0.0)),
        [0, 0],
        [2],
    ),
    "all links certain": Doc(
        torch.tensor([[0.0, 0, 0], [0, -torch.inf, 0], [0, -torch.inf, -torch.inf]]), [0, 0, 0], [3]
    ),
}


@pytest.mark.filterwarnings("ignore:antecedent_scores. no score lies below")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@family_and_temperature
@pytest.mark.parametrize("singletons", ["drop", "keep"])
@pytest.mark.parametrize("temperature", [1.0, 0.1])
@pytest.mark.parametrize("kind", DEGENERATE)
def test_degenerate_documents_have_finite_scores_and_gradients(
    kind, temperature, singletons, family, on, dtype
):
    doc = DEGENERATE[kind]
    scores, gold = doc.tensors(dtype)
    scores = scores.clone().requires_grad_()
    report = relax.evaluate(
        scores,
        gold,
        gold_sizes=torch.tensor(doc.sizes, dtype=torch.long),
        temperature=temperature,
        temperature_on=on,
        family=family,
        singletons=singletons,
    )
    f1 = torch.stack([report[name].f1 for name in METRICS])
    assert ((f1 >= 0) & (f1 <= 1 + 1e-6)).all()
    f1.sum().backward()
    assert scores.grad.isfinite().all()


def test_muc_of_next_to_no_links_keeps_its_digits_where_singletons_count():
    """Two mentions, one gold link of probability ε: recall ε, precision 1."""
    scores = torch.tensor([[0.0, 0.0], [0.0, 20.0]])
    found = relax.evaluate(scores, torch.tensor([0, 0]), metrics=["muc"], singletons="keep")["muc"]
    assert found.precision.item() == pytest.approx(1, rel=1e-5)
    assert found.recall.item() == pytest.approx(2.061e-9, rel=1e-3)
