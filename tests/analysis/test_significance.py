"""Significance tests, held against real scoring of real resamples, against scipy, and by their laws."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax import CorelaxError
from corelax.analysis.significance import DocumentCounts, paired_difference
from corelax.metrics import METRICS, Report, Tally

enough = settings(deadline=None, max_examples=25)
SCORES = ["conll", *METRICS]
each_score = pytest.mark.parametrize("metric", SCORES)
generators = st.integers(0, 2**32 - 1).map(np.random.default_rng)


# Documents are (gold clusters, system clusters). A run is a list of documents.


def clusters(generator, mentions):
    """Some of the mentions, in a few clusters, some of them single."""
    homes = generator.integers(-1, 4, size=mentions)  # -1: not found
    found = [np.flatnonzero(homes == home).tolist() for home in range(4)]
    return [cluster for cluster in found if cluster]


def golds(generator, documents):
    return [clusters(generator, generator.integers(1, 12)) for _ in range(documents)]


def runs(generator, golds, seeds):
    return [[(gold, clusters(generator, 12)) for gold in golds] for _ in range(seeds)]


def report(run):
    """A run scored as a user would."""
    tally = Tally()
    for gold, system in run:
        tally.add(gold=gold, system=system)
    return Report(tally.counts())


def real_score(run, metric):
    found = report(run)
    return found.conll if metric == "conll" else found[metric].f1


def real_difference(system, baseline, metric):
    pairs = zip(system, baseline, strict=True)
    return np.mean(
        [real_score(ours, metric) - real_score(theirs, metric) for ours, theirs in pairs]
    )


def counted(runs):
    reports = [[report([doc]) for doc in run] for run in runs]
    return DocumentCounts(
        {
            name: np.array([[doc.counts[name].as_tuple() for doc in run] for run in reports], float)
            for name in METRICS
        }
    )


def two_systems(generator, *, documents, seeds):
    gold = golds(generator, documents)
    return runs(generator, gold, seeds), runs(generator, gold, seeds)


# Simulated systems: mentions found among those that there are, so that F1 is the share found.


def simulated(generator, shares, sizes):
    """Runs with these shares of mentions found, on documents with so many mentions."""
    shares = np.broadcast_to(shares, (len(shares), len(sizes)))  # [seed, document]
    found = generator.binomial(sizes, shares)
    whole = np.broadcast_to(sizes, found.shape)
    return DocumentCounts({"mentions": np.stack([found, whole, found, whole], axis=-1)})


def sizes(generator, documents):
    return generator.integers(5, 60, size=documents)


# Scores.


@given(generator=generators)
@enough
def test_scores_are_those_of_the_report_over_the_same_documents(generator):
    system, _ = two_systems(generator, documents=4, seeds=3)
    counts = counted(system)
    for metric in SCORES:
        expected = [real_score(run, metric) for run in system]
        assert counts.score(metric) == pytest.approx(np.array(expected), rel=1e-12)


@given(generator=generators)
@enough
def test_weights_score_the_repeated_documents(generator):
    system, _ = two_systems(generator, documents=4, seeds=3)
    counts = counted(system)
    weights = generator.integers(0, 4, size=(2, 4))
    for row, times in enumerate(weights):
        repeated = [[run[i] for i in np.repeat(range(4), times)] for run in system]
        for metric in SCORES:
            expected = [real_score(run, metric) for run in repeated]
            assert counts.score(metric, weights)[row] == pytest.approx(
                np.array(expected), rel=1e-12
            )


# The p value.


@each_score
@pytest.mark.parametrize("seeds", [1, 2])
def test_few_documents_give_the_p_value_of_all_real_exchanges(metric, seeds):
    system, baseline = two_systems(np.random.default_rng(5), documents=5, seeds=seeds)
    found = []
    for coins in product([False, True], repeat=5):  # the first one exchanges nothing
        ours, theirs = [], []
        for run, other in zip(system, baseline, strict=True):
            pairs = [
                (b, a) if coin else (a, b) for a, b, coin in zip(run, other, coins, strict=True)
            ]
            ours.append([a for a, _ in pairs])
            theirs.append([b for _, b in pairs])
        found.append(abs(real_difference(ours, theirs, metric)))
    result = paired_difference(
        system=counted(system), baseline=counted(baseline), metric=metric, resamples=32
    )
    assert result.exact
    assert result.p_value == np.mean(np.array(found) >= found[0] - 1e-9)
    assert abs(result.mean) == pytest.approx(found[0])


def f1_of(found, gold, given):
    """Written anew for the references."""
    return 2 * found.sum(axis=-1) / (gold.sum(axis=-1) + given.sum(axis=-1))


@pytest.fixture
def mention_counts():
    """Found, in the gold, and given by the system: [system, document], of two systems alike."""
    generator = np.random.default_rng(8)
    gold = np.tile(generator.integers(10, 40, size=24), (2, 1))
    given = generator.integers(5, 40, size=(2, 24))
    found = generator.binomial(np.minimum(gold, given), [[0.75], [0.65]])
    return found, gold, given


def as_counts(found, gold, given):
    return DocumentCounts({"mentions": np.stack([found, gold, found, given], axis=-1)[None]})


@pytest.mark.parametrize("documents", [10, 24])
def test_p_values_agree_with_scipy(mention_counts, documents):
    parts = [part[:, :documents] for part in mention_counts]
    flat = [part.ravel() for part in parts]

    def statistic(ours, theirs, axis):  # rows of numbers of documents
        assert axis == -1
        return f1_of(*(part[ours] for part in flat)) - f1_of(*(part[theirs] for part in flat))

    expected = scipy.stats.permutation_test(
        (np.arange(documents), np.arange(documents, 2 * documents)),
        statistic,
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        axis=-1,
        rng=np.random.default_rng(1),
    ).pvalue
    system, baseline = (as_counts(*(part[i] for part in parts)) for i in range(2))
    found = paired_difference(system=system, baseline=baseline, metric="mentions", resamples=20_000)
    assert found.exact == (documents == 10)
    assert 0.01 < expected < 0.9  # else an agreement would show little
    assert found.p_value == pytest.approx(expected, abs=1e-12 if found.exact else 0.02)


def test_a_sampled_p_value_is_near_the_exact_one():
    generator = np.random.default_rng(2)
    size = sizes(generator, 12)
    pair = {
        "system": simulated(generator, [[0.75], [0.70]], size),
        "baseline": simulated(generator, [[0.68], [0.70]], size),
    }
    exact = paired_difference(**pair, metric="mentions", resamples=4096)
    sampled = paired_difference(**pair, metric="mentions", resamples=4095)
    assert (exact.exact, sampled.exact) == (True, False)
    assert 0.02 < exact.p_value < 0.9
    assert sampled.p_value == pytest.approx(exact.p_value, abs=0.04)  # 5 standard errors


# The interval.


@pytest.mark.parametrize("metric", ["conll", "blanc"])
def test_the_interval_holds_the_quantiles_of_all_real_resamples(metric):
    """Documents and pairs of runs drawn with replacement: 3³ corpora by 2² choices of runs."""
    system, baseline = two_systems(np.random.default_rng(11), documents=3, seeds=2)
    real = []
    for chosen in product(range(3), repeat=3):
        ours, theirs = ([[run[i] for i in chosen] for run in side] for side in (system, baseline))
        for pair in product(range(2), repeat=2):
            real.append(real_difference([ours[s] for s in pair], [theirs[s] for s in pair], metric))
    result = paired_difference(
        system=counted(system), baseline=counted(baseline), metric=metric, confidence=0.7
    )
    for end, share in ((result.low, 0.15), (result.high, 0.85)):
        assert np.mean(np.array(real) < end - 1e-9) < share + 0.02
        assert np.mean(np.array(real) <= end + 1e-9) > share - 0.02


def test_intervals_agree_with_scipy(mention_counts):
    parts = mention_counts

    def statistic(chosen, axis):  # numbers of documents
        assert axis == -1
        ours, theirs = (f1_of(*(part[i][chosen] for part in parts)) for i in range(2))
        return ours - theirs

    expected = scipy.stats.bootstrap(
        (np.arange(24),),
        statistic,
        n_resamples=20_000,
        vectorized=True,
        axis=-1,
        confidence_level=0.9,
        method="percentile",
        rng=np.random.default_rng(1),
    )
    system, baseline = (as_counts(*(part[i] for part in parts)) for i in range(2))
    found = paired_difference(
        system=system, baseline=baseline, metric="mentions", resamples=20_000, confidence=0.9
    )
    # Nearly 5 standard errors of the difference of two such ends.
    slack = 0.1 * expected.standard_error
    assert found.low == pytest.approx(expected.confidence_interval.low, abs=slack)
    assert found.high == pytest.approx(expected.confidence_interval.high, abs=slack)


# The p value of the bootstrap.


def test_few_documents_and_seeds_give_the_share_of_all_real_resamples():
    """Two documents and two seeds: 2² corpora by 2² choices of runs, each as likely as any other."""
    found = np.array([[9, 5], [4, 6]])  # [seed, document] of 10 mentions each
    other = np.array([[6, 6], [6, 5]])
    real = [
        np.mean([found[s, d] - other[s, d] for s in seeds for d in documents])
        for seeds in product(range(2), repeat=2)
        for documents in product(range(2), repeat=2)
    ]
    assert np.mean(found - other) > 0

    def as_runs(found):
        ten = np.full_like(found, 10)
        return DocumentCounts({"mentions": np.stack([found, ten, found, ten], axis=-1)})

    result = paired_difference(
        system=as_runs(found), baseline=as_runs(other), metric="mentions", resamples=20_000
    )
    assert result.bootstrap_p == pytest.approx(min(1, 2 * np.mean(np.array(real) <= 0)), abs=0.03)


# Both.


@pytest.mark.parametrize("documents", [4, 30])
@each_score
def test_a_system_does_not_differ_from_itself(metric, documents):
    system, _ = two_systems(np.random.default_rng(documents), documents=documents, seeds=2)
    counts = counted(system)
    result = paired_difference(system=counts, baseline=counts, metric=metric, resamples=300)
    assert result[:4] == (0, 0, 0, 1)


@given(generator=generators, documents=st.sampled_from([3, 12]), seeds=st.integers(1, 3))
@enough
def test_swapping_system_and_baseline_mirrors_the_result(generator, documents, seeds):
    pair = [counted(side) for side in two_systems(generator, documents=documents, seeds=seeds)]
    there = paired_difference(system=pair[0], baseline=pair[1], resamples=100)
    back = paired_difference(system=pair[1], baseline=pair[0], resamples=100)
    assert (back.mean, back.low, back.high) == pytest.approx((-there.mean, -there.high, -there.low))
    assert back.p_value == there.p_value
    assert back.bootstrap_p == there.bootstrap_p


# Errors.


@pytest.mark.parametrize(
    ("ours", "theirs", "message"),
    [
        ((2, 5, 4), (2, 6, 4), "the system has 5 documents, the baseline 6"),
        ((2, 5, 4), (3, 5, 4), "the system has 2 seeds, the baseline 3"),
    ],
)
def test_systems_that_make_no_pairs_are_an_error(ours, theirs, message):
    system, baseline = (DocumentCounts({"mentions": np.ones(shape)}) for shape in (ours, theirs))
    with pytest.raises(CorelaxError, match=message):
        paired_difference(system=system, baseline=baseline, metric="mentions")


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ({}, "at least one metric"),
        ({"bcub": np.ones((1, 2, 4))}, "unknown metric 'bcub'"),
        ({"muc": np.ones((2, 4))}, r"counts of muc must be \[seed, document, 4\], not \[2, 4\]"),
        ({"muc": np.ones((1, 2, 8))}, r"muc must be \[seed, document, 4\]"),
        ({"blanc": np.ones((1, 2, 4))}, r"blanc must be \[seed, document, 8\]"),
        ({"muc": np.ones((1, 0, 4))}, r"not \[1, 0, 4\]"),
        ({"muc": np.ones((1, 2, 4)), "lea": np.ones((1, 3, 4))}, "muc and lea differ"),
        ({"muc": np.full((1, 2, 4), np.nan)}, "muc hold a number that is not finite"),
    ],
)
def test_counts_that_cannot_be_scored_are_an_error(counts, message):
    with pytest.raises(CorelaxError, match=message):
        DocumentCounts(counts)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "lea"}, "no counts of 'lea'; there are mentions"),
        ({"metric": "conll"}, "no counts of 'muc'"),
        ({"resamples": 0}, "resamples must be at least 1, not 0"),
        ({"confidence": 95}, "confidence must be between 0 and 1, not 95"),
    ],
)
def test_requests_that_cannot_be_met_are_an_error(options, message):
    counts = DocumentCounts({"mentions": np.ones((1, 3, 4))})
    with pytest.raises(CorelaxError, match=message):
        paired_difference(system=counts, baseline=counts, **{"metric": "mentions", **options})


def test_counts_of_documents_come_from_reports_that_have_them():
    for reports in ([], [report([(["ab"], ["ab"])])]):
        with pytest.raises(CorelaxError, match="per_document=True"):
            DocumentCounts.of(reports)
