"""Relaxed metrics of uncertain links against the formulas of `relax_literal.py`, and against expectations."""

from itertools import combinations, pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax import CorelaxError, metrics, relax
from corelax.metrics import METRICS
from corelax.relax import Gold, SoftOverlap, appearance, entity_probs, link_probs
from tests.relax import relax_literal
from tests.relax.relax_documents import (
    Doc,
    certain_scores,
    clusters_of,
    plain,
    random_doc,
    random_scores,
    soft_docs,
)

each_family = pytest.mark.parametrize("family", ["entity", "pairwise"])
family_and_temperature = pytest.mark.parametrize(
    ("family", "on", "temperature"),
    [
        ("entity", "entity", 1.0),
        ("entity", "entity", 0.4),
        ("entity", "link", 0.4),
        ("pairwise", "link", 1.0),
        ("pairwise", "link", 0.4),
    ],
)
many = settings(deadline=None, max_examples=40)
several = settings(deadline=None, max_examples=30)


# Links of an entity with one likely mention are a small difference of large numbers.
TOLERANCE = dict.fromkeys(METRICS, 1e-9) | {"lea": 1e-6}


def same(counts):
    return {
        name: pytest.approx(numbers, rel=1e-9, abs=TOLERANCE[name])
        for name, numbers in counts.items()
    }


@family_and_temperature
@pytest.mark.parametrize("singletons", ["drop", "keep"])
@given(doc=soft_docs())
@many
def test_metrics_are_the_literal_formulas(family, on, temperature, singletons, doc):
    options = {"family": family, "singletons": singletons, "temperature": temperature}
    found = doc.evaluate(temperature_on=on, **options)
    expected = relax_literal.relaxed(doc.scores.tolist(), doc.gold, doc.sizes, on=on, **options)
    assert plain(found.counts) == same(expected)


@family_and_temperature
@given(doc=soft_docs(), seed=st.integers(0, 999))
@several
def test_a_soft_mu_is_the_chance_that_a_lone_mention_is_written(family, on, temperature, doc, seed):
    n = len(doc.gold)
    mu = torch.rand(n, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    options = {"family": family, "temperature": temperature}
    found = doc.evaluate(temperature_on=on, singletons=mu, **options)
    expected = relax_literal.relaxed(
        doc.scores.tolist(), doc.gold, doc.sizes, on=on, singletons=mu.tolist(), **options
    )
    assert plain(found.counts) == same(expected)


@pytest.mark.parametrize("unlikely", [1e-3, 1e-8])
def test_an_entity_with_an_unlikely_second_mention_counts_in_lea_precision(unlikely):
    """All links are right. E_1 has half a mention and next to none, and ρ_1 = 1 all the same."""
    links = [[1.0, 0, 0], [0.5, 0.5, 0], [0, unlikely, 1 - unlikely]]
    doc = Doc(torch.tensor(links, dtype=torch.float64).log(), [0, 0, 0], [3])
    probs, alone = relax_literal.entity_probs(links), relax_literal.alone(links)
    expected = relax_literal.Soft(probs, alone, [0.0] * 3, doc.gold, doc.sizes).lea()
    found = plain(doc.evaluate(metrics=["lea"]).counts)["lea"]
    assert found == pytest.approx(expected, rel=1e-6)


def expectation(doc, count, singletons):
    """The expected count(gold clusters, system clusters) over all configurations of links."""
    total = 0.0
    gold = doc.gold_clusters
    if singletons == "drop":
        gold = [cluster for cluster in gold if len(cluster) > 1]
    for probability, roots in relax_literal.configurations(
        relax_literal.link_probs(doc.scores.tolist())
    ):
        system = [[i for i, r in enumerate(roots) if r == root] for root in set(roots)]
        if singletons == "drop":
            system = [cluster for cluster in system if len(cluster) > 1]
        total += probability * count(gold, system)
    return total


def b_cubed_recall(gold, system):
    sets = [set(cluster) for cluster in system]
    return sum(len(set(k) & r) ** 2 / len(k) for k in gold for r in sets)


def lea_recall(gold, system):
    total = 0.0
    for k in gold:
        if len(k) == 1:
            total += k in system
        else:
            found = sum(1 for a, b in combinations(k, 2) for r in system if a in r and b in r)
            total += len(k) * found / (len(k) * (len(k) - 1) / 2)
    return total


@pytest.mark.parametrize("singletons", ["drop", "keep"])
@given(doc=soft_docs(max_mentions=5))
@several
def test_pairwise_recall_of_b_cubed_and_lea_is_the_expected_one(singletons, doc):
    found = doc.evaluate(family="pairwise", singletons=singletons)
    for name, count in (("b_cubed", b_cubed_recall), ("lea", lea_recall)):
        expected = expectation(doc, count, singletons)
        assert float(found.counts[name].recall_num) == pytest.approx(expected, abs=1e-9)


def test_missed_mentions_count_in_recall_only():
    scores, gold = random_scores(4, seed=2), torch.tensor([0, 0, 1, 1])
    for family in ("entity", "pairwise"):
        found = relax.evaluate(scores, gold, family=family)
        missed = relax.evaluate(scores, gold, family=family, gold_sizes=torch.tensor([3, 2]))
        for name in ("b_cubed", "lea", "ceaf_m", "mentions", "muc", "blanc"):
            assert missed[name].recall < found[name].recall
        for name in ("b_cubed", "lea", "ceaf_m", "mentions", "muc"):
            torch.testing.assert_close(missed[name].precision, found[name].precision)


def test_without_sizes_entities_are_as_large_as_they_were_found():
    scores, gold = random_scores(5, seed=6), torch.tensor([0, -1, 1, 0, 0])
    sized = relax.evaluate(scores, gold, gold_sizes=torch.tensor([3, 1]), singletons="keep")
    found = relax.evaluate(scores, gold, singletons="keep")
    assert plain(found.counts) == same(plain(sized.counts))


def test_a_model_with_entity_probabilities_of_its_own_can_give_them():
    """Half a mention: B³ recall of {a, b} is (1.5² + 0.5²) / 2 / 2."""
    probs = torch.tensor([[1.0, 0.0], [0.5, 0.5]], dtype=torch.float64)
    gold = Gold(torch.tensor([0, 0]), torch.tensor([2]))
    counts = METRICS["b_cubed"](SoftOverlap(probs, gold, appearance(probs, 1.0)))
    assert counts.scores().recall.item() == pytest.approx(0.625)


def test_beta_favours_recall():
    doc = random_doc(6, seed=7)
    report = doc.evaluate(beta=2.0, metrics=["b_cubed"])
    recall, precision, f = (x.item() for x in report["b_cubed"])
    assert f == pytest.approx(5 * precision * recall / (4 * precision + recall))


def test_only_f_of_beta_one_is_called_f1():
    score = random_doc(6, seed=7).evaluate(beta=2.0, metrics=["b_cubed"])["b_cubed"]
    assert (score.beta, score.f) == (2.0, score[2])
    with pytest.raises(CorelaxError, match="use f; f1 is F1 only"):
        _ = score.f1


@given(doc=soft_docs(max_mentions=8))
@settings(deadline=None, max_examples=100)
def test_the_hard_filter_is_that_of_the_authors_program(doc):
    found = doc.evaluate(like_original=True, metrics=["b_cubed", "lea"])
    probs = entity_probs(link_probs(doc.scores)).tolist()
    assert plain(found.counts) == same(relax_literal.original(probs, doc.gold))


def test_the_hard_filter_falls_back_on_gold_entities_where_no_entity_agrees():
    """The system has {1, 2}, gold {0, 3}: column 0 is compared as well, and has 1.1 of its mentions."""
    links = torch.zeros(4, 4, dtype=torch.float64)
    links[0, 0] = 1.0
    links[1, :2] = torch.tensor([0.1, 0.9])
    links[2, :3] = torch.tensor([0.0, 0.95, 0.05])
    links[3, :4] = torch.tensor([0.1, 0.0, 0.0, 0.9])
    scores = links.log()
    doc = Doc(scores, [0, -1, -1, 0], [2])
    found = doc.evaluate(like_original=True, metrics=["b_cubed"]).counts["b_cubed"]
    assert float(found.recall_num) == pytest.approx(1.1**2 / 2)
    assert float(found.precision_num) == pytest.approx(1.1**2 / (1.1 + 0.1 + 0.095))
    assert float(found.precision_den) == pytest.approx(1.1 + 0.1 + 0.095 + 0.9 + 0.855)


def test_the_hard_filter_forgets_missed_mentions():
    doc = random_doc(6, seed=9)
    found = Doc(doc.scores, doc.gold, [doc.gold.count(v) for v in range(len(doc.sizes))])
    options = {"like_original": True, "metrics": ["b_cubed", "lea"]}
    expected = plain(found.evaluate(**options).counts)
    assert doc.sizes != found.sizes
    assert plain(doc.evaluate(**options).counts) == expected


@pytest.mark.parametrize("metric", ["b_cubed", "lea"])
def test_certain_links_after_the_hard_filter_are_scored_exactly(metric):
    """The filter drops singletons, and is exact where a system entity starts where a gold one does."""
    antecedents = [0, 0, 2, 1, 2, 5, 4]
    gold = [0, 0, 1, 1, 0, 2, -1]
    doc = Doc(certain_scores(antecedents), gold, [3, 2, 1])
    found = doc.evaluate(like_original=True, metrics=[metric])
    exact = metrics.evaluate(
        gold=doc.gold_clusters,
        system=clusters_of(antecedents),
        singletons="drop",
        metrics=[metric],
    )
    assert plain(found.counts)[metric] == pytest.approx(plain(exact.counts)[metric], abs=1e-9)


def printed(probs, gold, sizes):
    """B³ and LEA of section 4.2, letter by letter: no mention is left out."""
    soft = relax_literal.Soft(probs, [0.0] * len(gold), [1.0] * len(gold), gold, sizes)
    return {"b_cubed": soft.b_cubed(), "lea": soft.lea()}


@pytest.mark.parametrize("singletons", ["drop", "keep"])
@pytest.mark.parametrize("temperature", [1.0, 0.4])
@given(doc=soft_docs())
@many
def test_as_printed_every_mention_counts(singletons, temperature, doc):
    gold, sizes = doc.gold, doc.sizes
    if singletons == "drop":
        gold, sizes = relax_literal.without_singletons(gold, sizes)
    probs = relax_literal.entity_probs(relax_literal.link_probs(doc.scores.tolist()))
    if temperature != 1:
        probs = relax_literal.sharpened(probs, temperature)
    found = doc.evaluate(
        as_printed=True,
        metrics=["b_cubed", "lea"],
        singletons=singletons,
        temperature=temperature,
    )
    assert plain(found.counts) == same(printed(probs, gold, sizes))


def test_lea_as_printed_counts_mentions_that_nobody_writes():
    """One right pair and three mentions that stay alone: 2 of 2 written mentions are right, 2 of 5 in all."""
    doc = Doc(certain_scores([0, 0, 2, 3, 4]), [0, 0, -1, -1, -1], [2])
    ours, theirs = (
        doc.evaluate(metrics=["lea"], as_printed=as_printed)["lea"] for as_printed in (False, True)
    )
    assert [float(score.recall) for score in (ours, theirs)] == pytest.approx([1, 1])
    assert [float(score.precision) for score in (ours, theirs)] == pytest.approx([1, 0.4])


def test_padding_does_not_count_as_printed():
    doc = random_doc(5, seed=5)
    scores, gold = doc.tensors()
    longer = torch.randn(1, 7, 7, dtype=torch.float64)
    longer[0, :5, :5] = scores
    found = relax.evaluate(
        longer,
        torch.cat([gold, torch.tensor([-1, -1])])[None],
        gold_sizes=torch.tensor([doc.sizes]),
        lengths=torch.tensor([5]),
        as_printed=True,
        metrics=["b_cubed", "lea"],
    )
    alone = doc.evaluate(as_printed=True, metrics=["b_cubed", "lea"])
    assert plain(found.counts) == same(plain(alone.counts))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"like_original": True}, "as_printed does not go with like_original"),
        ({"singletons": torch.ones(4)}, "as_printed does not go with a tensor of singletons"),
        ({"metrics": ["muc"]}, "as_printed goes with family='entity' and metrics b_cubed and lea"),
        ({"family": "pairwise", "metrics": ["lea"]}, "as_printed goes with family='entity'"),
    ],
)
def test_as_printed_is_for_the_metrics_of_the_paper(options, problem):
    with pytest.raises(CorelaxError, match=problem):
        random_doc(4, seed=0).evaluate(as_printed=True, **options)


def test_lea_has_no_jump_where_an_entity_loses_its_links():
    """E_1 has half a mention and next to none: its share of precision fades out below 1e-12 links."""
    values = []
    for exponent in torch.arange(-14, -9, 0.05).tolist():
        unlikely = 10**exponent
        links = [[1.0, 0, 0], [0.5, 0.5, 0], [0, unlikely, 1 - unlikely]]
        doc = Doc(torch.tensor(links, dtype=torch.float64).log(), [0, 0, 0], [3])
        values.append(float(doc.evaluate(metrics=["lea"])["lea"].precision))
    steps = [later - earlier for earlier, later in pairwise(values)]
    assert values[-1] - values[0] > 0.2  # all of the share of E_1
    assert max(steps) < 0.05
    assert min(steps) > -1e-4
