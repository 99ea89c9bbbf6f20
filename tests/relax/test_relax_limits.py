"""Relaxed metrics of certain links are exact metrics, and tend to them as the temperature falls."""

from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax import metrics, relax
from corelax.decode import best_entities, best_links
from corelax.metrics import METRICS
from corelax.relax import entity_probs, link_probs
from tests.relax.relax_documents import (
    Doc,
    certain_docs,
    certain_scores,
    clusters_of,
    plain,
    random_doc,
)

TOLERANCE = {torch.float32: 2e-5, torch.float64: 1e-9}

each_family = pytest.mark.parametrize("family", ["entity", "pairwise"])
each_rule = pytest.mark.parametrize("singletons", ["drop", "keep"])
each_precision = pytest.mark.parametrize("dtype", TOLERANCE)
family_and_temperature = pytest.mark.parametrize(
    ("family", "on"), [("entity", "entity"), ("entity", "link"), ("pairwise", "link")]
)


def same(counts, dtype):
    return {
        name: pytest.approx(numbers, abs=TOLERANCE[dtype], rel=TOLERANCE[dtype])
        for name, numbers in plain(counts).items()
    }


def scores_of(report, name):
    return tuple(float(x) for x in report[name])


@each_family
@each_rule
@each_precision
@given(document=certain_docs())
@settings(deadline=None, max_examples=130)  # 8 × 130 documents
def test_certain_links_are_counted_exactly(family, singletons, dtype, document):
    doc, antecedents = document
    found = doc.evaluate(dtype, family=family, singletons=singletons)
    exact = metrics.evaluate(
        gold=doc.gold_clusters, system=clusters_of(antecedents), singletons=singletons
    )
    assert plain(found.counts) == same(exact.counts, dtype)
    assert set(found) == set(METRICS)


@each_family
@given(document=certain_docs(), data=st.data())
@settings(deadline=None, max_examples=40)
def test_a_hard_mu_says_which_singletons_are_written(family, document, data):
    doc, antecedents = document
    n = len(doc.gold)
    mu = data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    found = doc.evaluate(family=family, singletons=torch.tensor(mu))
    written = [c for c in clusters_of(antecedents) if len(c) > 1 or mu[c[0]]]
    exact = metrics.evaluate(gold=doc.gold_clusters, system=written)
    assert plain(found.counts) == same(exact.counts, torch.float64)


def clear_documents(preference, count=5, n=7, gap=1.0):
    """Documents where each mention prefers one choice by `gap` nats at least."""
    found = []
    for seed in range(1000):
        doc = random_doc(n, seed, scale=5)
        best = preference(doc.scores).topk(2).values[1:]
        if (best[:, 0] - best[:, 1]).min() > gap:
            found.append(doc)
        if len(found) == count:
            return found
    raise AssertionError("too few clear documents")


def masked(scores):
    return scores.masked_fill(torch.ones_like(scores).triu(1) > 0, -torch.inf)


def log_entity_probs(scores):
    return entity_probs(link_probs(scores)).log()


def largest_errors(doc, exact, **options):
    """[metric] the largest error of a count, and of F."""
    found = doc.evaluate(**options)
    expected = plain(exact.counts)
    errors = {
        name: max(abs(a - b) for a, b in zip(numbers, expected[name], strict=True))
        for name, numbers in plain(found.counts).items()
    }
    return errors, {name: abs(float(found[name].f1) - exact[name].f1) for name in METRICS}


@family_and_temperature
@each_rule
def test_metrics_tend_to_those_of_the_decoder_as_the_temperature_falls(family, on, singletons):
    preference, decode = {
        "entity": (log_entity_probs, best_entities),
        "link": (masked, best_links),
    }[on]
    for doc in clear_documents(preference):
        system = decode(doc.scores, singletons="keep")
        exact = metrics.evaluate(gold=doc.gold_clusters, system=system, singletons=singletons)
        options = {"family": family, "temperature_on": on, "singletons": singletons}
        history = [
            largest_errors(doc, exact, temperature=temperature, **options)[0]
            for temperature in (0.2, 0.1, 0.05, 0.02)
        ]
        for warmer, colder in pairwise(history):
            for name in METRICS:
                assert colder[name] <= warmer[name] / 2 + 1e-9
        counts, f1 = largest_errors(doc, exact, temperature=0.02, **options)
        assert max(counts.values()) < 1e-9
        assert max(f1.values()) < 1e-9


def test_the_two_temperatures_have_two_limits():
    """p(new) = 0.4 and three antecedents of one entity at 0.2 each: links say new, entities say old."""
    scores = certain_scores([0, 0, 0, 0])
    scores[3] = torch.tensor([0.2, 0.2, 0.2, 0.4]).double().log()
    doc = Doc(scores, [0, 0, 0, 0], [4])
    limits = [
        doc.evaluate(metrics=["muc"], temperature=0.01, temperature_on=on)["muc"].recall.item()
        for on in ("entity", "link")
    ]
    assert limits == pytest.approx([1.0, 2 / 3], abs=1e-6)


@family_and_temperature
@pytest.mark.parametrize("metric", METRICS)
def test_an_empty_hard_output_has_no_precision_as_in_exact_scoring(family, on, metric):
    """The only link is unlikely: as T falls nothing is written, and 0 / 0 is 0."""
    scores = torch.tensor([[0.0, 0], [-0.1, 0]]).double()
    options = {"family": family, "temperature": 1e-3, "temperature_on": on, "metrics": [metric]}
    found = relax.evaluate(scores, torch.tensor([0, 0]), **options)
    exact = metrics.evaluate(gold=[[0, 1]], system=[], singletons="drop", metrics=[metric])
    assert scores_of(found, metric) == pytest.approx(exact[metric], abs=1e-9)
