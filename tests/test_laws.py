"""Laws that every metric obeys, whatever the clusters.

No mention is repeated on a side here: with repeats the reference scorer, which rules, breaks some of
these laws (CEAF above 1, order that matters), and `metrics/test_against_naive.py` holds it to that.
"""

from functools import reduce
from operator import add

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from corelax import Clustering, CorelaxError, Document, score
from corelax.metrics import METRICS, LinkCounts, Tally, evaluate, f_measure

MENTIONS = "abcdefghij"

each_metric = pytest.mark.parametrize("metric", METRICS)
enough = settings(deadline=None, max_examples=30)


@st.composite
def clusterings(draw, *, min_clusters=0, min_size=1):
    """Some of the mentions, each in one cluster; often singletons, unless `min_size` forbids them."""
    mentions = draw(st.permutations(MENTIONS))
    most = draw(st.sampled_from([0, 3, 9]))  # one entity, a few, or mostly singletons
    homes = draw(st.lists(st.integers(0, most), max_size=len(mentions)))
    clusters = {}
    for home, mention in zip(homes, mentions, strict=False):
        clusters.setdefault(home, []).append(mention)
    kept = [cluster for cluster in clusters.values() if len(cluster) >= min_size]
    assume(len(kept) >= min_clusters)
    return kept


linked_clusterings = clusterings(min_size=2)  # no singletons
documents = st.lists(st.tuples(clusterings(), clusterings()), min_size=1, max_size=5)
betas = st.floats(0.01, 100)


def counts(metric, gold, system):
    return evaluate(gold=gold, system=system, metrics=[metric]).counts[metric]


def tallied(documents, metric, *, like_reference=False):
    tally = Tally([metric], like_reference=like_reference)
    for gold, system in documents:
        tally.add(gold=gold, system=system)
    return tally.counts()[metric]


def same(found):
    """These counts, but for rounding."""
    return pytest.approx(found.as_tuple(), rel=1e-12, abs=0)


# Bounds.


@each_metric
@given(gold=clusterings(), system=clusterings(), beta=betas)
@enough
def test_scores_lie_between_zero_and_one(metric, gold, system, beta):
    score = evaluate(gold=gold, system=system, metrics=[metric], beta=beta)[metric]
    assert all(0 <= value <= 1 for value in score)


@each_metric
@given(gold=clusterings(), system=clusterings())
@enough
def test_no_numerator_exceeds_its_denominator(metric, gold, system):
    numbers = counts(metric, gold, system).as_tuple()
    rounding = 1e-12
    assert all(
        0 <= part <= whole + rounding
        for part, whole in zip(numbers[::2], numbers[1::2], strict=True)
    )


def is_defined(metric, gold):
    """Whether gold has what a metric counts: MUC links, BLANC pairs, the others mentions."""
    if metric == "muc":
        return any(len(cluster) > 1 for cluster in gold)
    return sum(map(len, gold)) >= (2 if metric == "blanc" else 1)


@each_metric
@given(gold=clusterings())
@enough
def test_identical_sides_score_one_wherever_the_metric_is_defined(metric, gold):
    expected = 1 if is_defined(metric, gold) else 0
    assert counts(metric, gold, gold).scores() == (expected, expected, expected)


@each_metric
@given(gold=clusterings(), system=clusterings())
@enough
def test_sides_without_a_common_mention_score_zero(metric, gold, system):
    strangers = [[f"not {mention}" for mention in cluster] for cluster in system]
    assert counts(metric, gold, strangers).scores() == (0, 0, 0)


# Symmetry.


@each_metric
@given(gold=clusterings(), system=clusterings())
@enough
def test_swapping_sides_swaps_recall_and_precision(metric, gold, system):
    ours, swapped = counts(metric, gold, system), counts(metric, system, gold)
    if isinstance(ours, LinkCounts):  # each kind of link by itself
        kinds = [(ours.inside, swapped.inside), (ours.between, swapped.between)]
    else:
        kinds = [(ours, swapped)]
    for kind, other in kinds:
        recall_num, recall_den, precision_num, precision_den = other.as_tuple()
        expected = precision_num, precision_den, recall_num, recall_den
        assert kind.as_tuple() == pytest.approx(expected, rel=1e-12, abs=0)


# What does not matter.


@each_metric
@given(gold=clusterings(), system=clusterings(), data=st.data())
@enough
def test_the_order_of_clusters_does_not_matter(metric, gold, system, data):
    other_gold = data.draw(st.permutations(gold))
    other_system = data.draw(st.permutations(system))
    assert counts(metric, other_gold, other_system).as_tuple() == same(counts(metric, gold, system))


@each_metric
@given(gold=clusterings(), system=clusterings(), data=st.data())
@enough
def test_the_order_of_mentions_does_not_matter(metric, gold, system, data):
    other_gold = [data.draw(st.permutations(cluster)) for cluster in gold]
    other_system = [data.draw(st.permutations(cluster)) for cluster in system]
    assert counts(metric, other_gold, other_system).as_tuple() == same(counts(metric, gold, system))


@each_metric
@given(gold=clusterings(), system=clusterings(), names=st.permutations(range(len(MENTIONS))))
@enough
def test_the_names_of_mentions_do_not_matter(metric, gold, system, names):
    name = {mention: (number, "x") for mention, number in zip(MENTIONS, names, strict=True)}
    renamed = [[[name[m] for m in cluster] for cluster in side] for side in (gold, system)]
    assert counts(metric, *renamed) == counts(metric, gold, system)


@each_metric
@given(gold=clusterings(), system=clusterings())
@enough
def test_empty_clusters_do_not_matter(metric, gold, system):
    assert counts(metric, [[], *gold], [*system, []]) == counts(metric, gold, system)


# Corpora.


@each_metric
@given(documents=documents)
@enough
def test_the_counts_of_a_corpus_are_the_sum_of_its_documents(metric, documents):
    one_by_one = [counts(metric, gold, system) for gold, system in documents]
    assert tallied(documents, metric).as_tuple() == same(reduce(add, one_by_one))


@each_metric
@pytest.mark.parametrize("like_reference", [False, True])
@given(documents=documents, batch=st.integers(1, 40))
@enough
def test_the_size_of_batches_does_not_matter(metric, like_reference, documents, batch):
    whole = tallied(documents, metric, like_reference=like_reference)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("corelax.metrics.tally.BATCH_MENTIONS", batch)
        in_batches = tallied(documents, metric, like_reference=like_reference)
    assert in_batches.as_tuple() == same(whole)


@each_metric
@given(documents=documents)
@enough
def test_tallies_can_be_added(metric, documents):
    half = len(documents) // 2
    tally = Tally([metric])
    for part in (documents[:half], documents[half:]):
        tally.add_counts({metric: tallied(part, metric)})
    assert tally.counts()[metric].as_tuple() == same(tallied(documents, metric))


@each_metric
@given(documents=documents)
@enough
def test_documents_may_be_one_clustering_if_their_mentions_are_told_apart(metric, documents):
    gold, system = (
        [[(number, m) for m in c] for number, doc in enumerate(documents) for c in doc[side]]
        for side in (0, 1)
    )
    together, apart = counts(metric, gold, system), tallied(documents, metric)
    if isinstance(together, LinkCounts):  # one document has more links between its entities
        together, apart = together.inside, apart.inside
    assert together.as_tuple() == same(apart)


def as_document(name, clusters):
    """Mention a is token 0, and so on."""
    spans = [[(MENTIONS.index(m), MENTIONS.index(m) + 1) for m in c] for c in clusters]
    return Document.from_sentences(f"d{name}", [list(MENTIONS)], clusters=spans)


def as_documents(documents):
    return [[as_document(n, doc[side]) for n, doc in enumerate(documents)] for side in (0, 1)]


@given(documents=documents, beta=betas)
@enough
def test_scoring_documents_is_scoring_their_clusters(documents, beta):
    gold, system = as_documents(documents)
    report = score(gold=gold, system=system[::-1], beta=beta)
    for metric in METRICS:
        expected = tuple(tallied(documents, metric).scores(beta))
        assert tuple(report[metric]) == pytest.approx(expected, rel=1e-12, abs=0)


@given(documents=documents)
@enough
def test_reports_of_documents_add_up_to_that_of_the_corpus(documents):
    gold, system = as_documents(documents)
    report = score(gold=gold, system=system, per_document=True)
    for metric in METRICS:
        parts = [report.documents[doc.key].counts[metric] for doc in gold]
        assert report.counts[metric].as_tuple() == same(reduce(add, parts))


@pytest.mark.parametrize("names", [("aab", "aab"), ("aab", "baa"), ("aabc", "bcaa")])
def test_documents_of_one_name_on_one_side_are_refused_in_any_order(names):
    gold, system = ([as_document(name, ["ab"]) for name in side] for side in names)
    with pytest.raises(CorelaxError, match="document da occurs twice"):
        score(gold=gold, system=system)


# Singletons.


def without_singletons(clusters):
    return [cluster for cluster in clusters if len(cluster) > 1]


@given(documents=documents)
@enough
def test_dropping_singletons_before_scoring_or_while_scoring_is_the_same(documents):
    gold, system = as_documents(documents)
    dropped = [
        [doc.with_clusters(doc.clusters.drop_singletons()) for doc in side]
        for side in (gold, system)
    ]
    before = score(gold=dropped[0], system=dropped[1])
    assert score(gold=gold, system=system, singletons="drop").counts == before.counts


@each_metric
@given(gold=clusterings(), system=clusterings())
@enough
def test_dropping_singletons_takes_off_clusters_of_one_and_nothing_else(metric, gold, system):
    dropped = [Clustering(side).drop_singletons() for side in (gold, system)]
    by_hand = [without_singletons(side) for side in (gold, system)]
    assert counts(metric, *dropped) == counts(metric, *by_hand)


@given(gold=clusterings(), system=clusterings())
@enough
def test_muc_does_not_change_when_singletons_are_dropped(gold, system):
    dropped = counts("muc", without_singletons(gold), without_singletons(system))
    assert dropped == counts("muc", gold, system)


# Metrics among each other.


def company_without_self(clusters, others):
    """Σ over mentions of (n − 1) / (size of its cluster − 1), n the company it keeps on both sides."""
    total = 0.0
    for cluster in clusters:
        for mention in cluster:
            for other in others:
                if mention in other:
                    total += (len(set(cluster) & set(other)) - 1) / (len(cluster) - 1)
    return total


@given(gold=linked_clusterings, system=linked_clusterings)
@enough
def test_lea_is_b_cubed_without_the_mention_itself(gold, system):
    # |S| link(G ∩ S) / link(S) = |G ∩ S| (|G ∩ S| − 1) / (|S| − 1)
    recall_num, _, precision_num, _ = counts("lea", gold, system).as_tuple()
    expected = company_without_self(gold, system), company_without_self(system, gold)
    assert (recall_num, precision_num) == pytest.approx(expected, rel=1e-12, abs=0)


@given(gold=linked_clusterings, system=linked_clusterings)
@enough
def test_lea_never_exceeds_b_cubed_where_there_are_no_singletons(gold, system):
    # (n − 1) / (s − 1) ≤ n / s for n ≤ s
    lea, b_cubed = counts("lea", gold, system), counts("b_cubed", gold, system)
    rounding = 1e-12
    assert lea.recall_num <= b_cubed.recall_num + rounding
    assert lea.precision_num <= b_cubed.precision_num + rounding


@given(gold=clusterings(), system=clusterings())
@enough
def test_no_score_by_mentions_exceeds_that_of_mention_detection(gold, system):
    # B³ and CEAF_m give a mention that both sides have at most 1, and any other nothing.
    found = counts("mentions", gold, system).scores()
    rounding = 1e-12
    for metric in ("b_cubed", "ceaf_m"):
        recall, precision, _ = counts(metric, gold, system).scores()
        assert recall <= found.recall + rounding
        assert precision <= found.precision + rounding


def merge(clusters, one, other):
    rest = [cluster for n, cluster in enumerate(clusters) if n not in (one, other)]
    return [*rest, [*clusters[one], *clusters[other]]]


# LEA: only a singleton resolves a gold singleton, so a merge can lose one.
@pytest.mark.parametrize(
    ("metric", "smallest"), [("muc", 1), ("b_cubed", 1), ("lea", 2), ("mentions", 1)]
)
@given(data=st.data(), system=clusterings(min_clusters=2))
@enough
def test_merging_two_system_entities_never_lowers_recall(metric, smallest, data, system):
    gold = data.draw(clusterings(min_size=smallest))
    one, other = data.draw(st.permutations(range(len(system))))[:2]
    merged = counts(metric, gold, merge(system, one, other))
    assert merged.recall_num >= counts(metric, gold, system).recall_num - 1e-12


@pytest.mark.parametrize(
    ("metric", "smallest"), [("muc", 1), ("b_cubed", 1), ("lea", 2), ("mentions", 1)]
)
@given(data=st.data(), gold=clusterings(min_clusters=2))
@enough
def test_merging_two_gold_entities_never_lowers_precision(metric, smallest, data, gold):
    system = data.draw(clusterings(min_size=smallest))
    one, other = data.draw(st.permutations(range(len(gold))))[:2]
    merged = counts(metric, merge(gold, one, other), system)
    assert merged.precision_num >= counts(metric, gold, system).precision_num - 1e-12


# The F-measure.

positive_shares = st.floats(1e-3, 1)
shares = st.just(0.0) | positive_shares


@given(precision=shares, recall=shares, beta=betas)
@enough
def test_f_beta_lies_between_recall_and_precision(precision, recall, beta):
    f = f_measure(precision, recall, beta)
    assert min(precision, recall) * (1 - 1e-12) <= f <= max(precision, recall) * (1 + 1e-12)


@given(value=shares, beta=betas)
@enough
def test_f_beta_of_equal_recall_and_precision_is_the_same(value, beta):
    assert f_measure(value, value, beta) == pytest.approx(value, rel=1e-12)


@given(precision=shares, recall=shares, beta=betas)
@enough
def test_f_beta_of_swapped_sides_is_f_of_the_inverse_beta(precision, recall, beta):
    swapped = f_measure(recall, precision, 1 / beta)
    assert f_measure(precision, recall, beta) == pytest.approx(swapped, rel=1e-9)


@pytest.mark.parametrize("beta", [1e6, 1e100])
@given(precision=positive_shares, recall=positive_shares)
@enough
def test_f_beta_tends_to_recall_as_beta_grows(beta, precision, recall):
    assert f_measure(precision, recall, beta) == pytest.approx(recall, rel=1e-8)


@pytest.mark.parametrize("beta", [1e-6, 1e-100])
@given(precision=positive_shares, recall=positive_shares)
@enough
def test_f_beta_tends_to_precision_as_beta_shrinks(beta, precision, recall):
    assert f_measure(precision, recall, beta) == pytest.approx(precision, rel=1e-8)


def test_f_beta_is_recall_for_a_beta_whose_square_is_no_double():
    assert f_measure(0.5, 1.0, beta=1e200) == 1


def test_f_beta_is_precision_for_a_beta_whose_square_is_zero():
    assert f_measure(0.5, 1.0, beta=1e-200) == 0.5
