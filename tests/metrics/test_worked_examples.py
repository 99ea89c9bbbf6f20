"""Examples worked by hand. K are gold entities, R the system's, n what a K and an R share."""

from fractions import Fraction as F

import pytest

from corelax.metrics import METRICS, Counts, Report, Tally, evaluate, f_measure

each_metric = pytest.mark.parametrize("metric", METRICS)


def counts(metric, gold, system):
    """The four or eight numbers of a metric."""
    return evaluate(gold=gold, system=system, metrics=[metric]).counts[metric].as_tuple()


def score(metric, gold, system, beta=1.0):
    return evaluate(gold=gold, system=system, metrics=[metric], beta=beta)[metric]


def exactly(*fractions):
    """Numbers worked out as fractions, compared with floats."""
    return pytest.approx([float(number) for number in fractions], rel=1e-14, abs=0)


# Luo (2005), figure 1: entities {1 … 5}, {6, 7} and {8 … C}, and four answers to them.

LUO = ["12345", "67", "89ABC"]
LUO_A = ["12345", "6789ABC"]  # joins the small entity to a large one
LUO_B = ["1234589ABC", "67"]  # joins the two large ones
LUO_C = ["123456789ABC"]  # one entity
LUO_D = list("123456789ABC")  # every mention alone

# System, metric, recall, precision. There are 12 mentions and 4 + 1 + 4 = 9 gold links.
LUO_SCORES = [
    # MUC: (a), (b) have 10 links, (c) has 11, and all gold ones are among them; (d) has no link.
    (LUO_A, "muc", F(9, 9), F(9, 10)),
    (LUO_B, "muc", F(9, 9), F(9, 10)),
    (LUO_C, "muc", F(9, 9), F(9, 11)),
    (LUO_D, "muc", F(0, 9), F(0)),
    # B³: no gold entity is broken in (a), (b), (c). Precision is Σ n²/|R|:
    # (a) 5²/5 + (2² + 5²)/7;  (b) (5² + 5²)/10 + 2²/2;  (c) (5² + 2² + 5²)/12.
    (LUO_A, "b_cubed", F(12, 12), (5 + F(29, 7)) / 12),
    (LUO_B, "b_cubed", F(12, 12), F(7, 12)),
    (LUO_C, "b_cubed", F(12, 12), F(54, 12) / 12),
    # (d) each mention finds itself in an entity of 5, 2 or 5: 5/5 + 2/2 + 5/5 = 3.
    (LUO_D, "b_cubed", F(3, 12), F(12, 12)),
    # CEAF by mentions pairs (a) 5 + 5, (b) 5 + 2, (c) 5, (d) three gold entities with one each.
    (LUO_A, "ceaf_m", F(10, 12), F(10, 12)),
    (LUO_B, "ceaf_m", F(7, 12), F(7, 12)),
    (LUO_C, "ceaf_m", F(5, 12), F(5, 12)),
    (LUO_D, "ceaf_m", F(3, 12), F(3, 12)),
    # CEAF by entities: (a) 1 + 10/12, (b) 10/15 + 1, (c) 10/17, (d) 2/6 + 2/3 + 2/6 = 4/3;
    # divided by 3 gold entities and by 2, 2, 1 and 12 system entities.
    (LUO_A, "ceaf_e", F(11, 6) / 3, F(11, 6) / 2),
    (LUO_B, "ceaf_e", F(5, 3) / 3, F(5, 3) / 2),
    (LUO_C, "ceaf_e", F(10, 17) / 3, F(10, 17) / 1),
    (LUO_D, "ceaf_e", F(4, 3) / 3, F(4, 3) / 12),
    # LEA: no link is lost in (a), (b), (c). Precision is Σ |R| · links found / links of R:
    # (a) 5 · 10/10 + 7 · (1 + 10)/21;  (b) 10 · 20/45 + 2 · 1/1;  (c) 12 · 21/66;
    # (d) no gold entity is a singleton, so no singleton is right.
    (LUO_A, "lea", F(12, 12), (5 + F(11, 3)) / 12),
    (LUO_B, "lea", F(12, 12), (F(40, 9) + 2) / 12),
    (LUO_C, "lea", F(12, 12), F(42, 11) / 12),
    (LUO_D, "lea", F(0), F(0)),
    # BLANC: 21 links inside, 66 − 21 = 45 between.
    # (a) inside 21 of 10 + 21 = 31, between 45 − 10 = 35 of 35.
    (LUO_A, "blanc", (1 + F(35, 45)) / 2, (F(21, 31) + 1) / 2),
    # (b) inside 21 of 45 + 1 = 46, between 45 − 25 = 20 of 20.
    (LUO_B, "blanc", (1 + F(20, 45)) / 2, (F(21, 46) + 1) / 2),
    # (c) inside 21 of 66, no link between, whose precision of 0 still counts.
    (LUO_C, "blanc", (1 + F(0)) / 2, (F(21, 66) + 0) / 2),
    # (d) nothing inside, between 45 of 66.
    (LUO_D, "blanc", (0 + F(1)) / 2, (0 + F(45, 66)) / 2),
]


@pytest.mark.parametrize(("system", "metric", "recall", "precision"), LUO_SCORES)
def test_the_example_of_luo_2005(system, metric, recall, precision):
    assert score(metric, LUO, system)[:2] == exactly(recall, precision)


# Pradhan et al. (2014), with missed (e) and spurious (h, i) mentions.

PRADHAN = ["abc", "defg"]
PRADHAN_SYSTEM = ["ab", "cd", "fghi"]

PRADHAN_COUNTS = {
    # ab and fg are kept whole: 1 + 1 links; of 2 + 3 in gold, of 1 + 1 + 3 in the system.
    "muc": (2, 5, 2, 5),
    # n: abc∩ab 2, abc∩cd 1, defg∩cd 1, defg∩fghi 2. Recall 4/3 + 1/3 + 1/4 + 4/4 = 35/12.
    # Precision 4/2 + 1/2 + 1/2 + 4/4 = 4.
    "b_cubed": (F(35, 12), 7, 4, 8),
    # abc with ab, defg with fghi: 2 + 2.
    "ceaf_m": (4, 7, 4, 8),
    # the same pairing: 2·2/5 + 2·2/8 = 13/10.
    "ceaf_e": (F(13, 10), 2, F(13, 10), 3),
    # Inside: ab, fg; of 3 + 6 and of 1 + 1 + 6. Between: the six found mentions make 15 pairs, 6 of
    # them inside gold (3 of abc, 3 of dfg), 3 inside the system (ab, cd, fg), 2 inside both:
    # 15 − 6 − 3 + 2 = 8; of 3·4 in gold, and of 28 − 8 in the system.
    "blanc": (2, 9, 2, 8, 8, 12, 8, 20),
    # Recall 3 · 1/3 + 4 · 1/6 = 5/3. Precision 2 · 1/1 + 2 · 0/1 + 4 · 1/6 = 8/3.
    "lea": (F(5, 3), 7, F(8, 3), 8),
    "mentions": (6, 7, 6, 8),
}


@each_metric
def test_the_example_of_pradhan_2014(metric):
    assert counts(metric, PRADHAN, PRADHAN_SYSTEM) == exactly(*PRADHAN_COUNTS[metric])


def test_the_conll_score_is_the_mean_of_three_f1_values():
    # MUC 2·2/(5 + 5) = 2/5. B³ has R = 5/12 and P = 1/2: F = 2RP/(R + P) = (5/12)/(11/12) = 5/11.
    # CEAF_e: F = 2 · 13/10 / (2 + 3) = 13/25.
    conll = evaluate(gold=PRADHAN, system=PRADHAN_SYSTEM).conll
    assert [conll] == exactly((F(2, 5) + F(5, 11) + F(13, 25)) / 3)


# Special inputs: empty sides, single mentions, nothing in common.

NOTHING = (0, 0, 0)
PERFECT = (1, 1, 1)
ALL = ("muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea")

SPECIAL_INPUTS = {  # gold, system, metrics that are 0 (the others are 1)
    "no mentions on either side": ([], [], ALL),
    "no mentions in gold": ([], ["ab", "c"], ALL),
    "no mentions in system": (["ab", "c"], [], ALL),
    "both the same, two clusters of 2 and more": (["ab", "cde"], ["ab", "cde"], ()),
    "both the same, one cluster of 2": (["ab"], ["ab"], ()),
    "both the same, one cluster of 3": (["abc"], ["abc"], ()),
    "both the same, two singletons": (["a", "b"], ["a", "b"], ("muc",)),
    "both the same, one single mention": (["a"], ["a"], ("muc", "blanc")),
    "no common span": (["ab", "cd"], ["xy", "z"], ALL),
}


@pytest.mark.parametrize("metric", ALL)
@pytest.mark.parametrize("name", SPECIAL_INPUTS)
def test_special_inputs_score_all_or_nothing(name, metric):
    gold, system, zero = SPECIAL_INPUTS[name]
    assert score(metric, gold, system) == (NOTHING if metric in zero else PERFECT)


def test_blanc_does_not_see_a_spurious_singleton_where_gold_has_no_link_between_entities():
    assert score("blanc", ["ab"], ["ab", "x"]) == PERFECT


# Singletons.


def test_lea_resolves_a_singleton_by_a_singleton():
    # K = abc keeps one of three links: 3 · 1/3; K = d is found alone: 1. R = ab 2, R = d 1, R = c 0.
    assert counts("lea", ["abc", "d"], ["ab", "c", "d"]) == exactly(2, 4, 3, 4)


def test_lea_does_not_resolve_a_singleton_by_a_larger_entity():
    # K = c is no singleton in the system; R = abc has one of its three links right: 3 · 1/3.
    assert counts("lea", ["ab", "c"], ["abc"]) == exactly(2, 3, 1, 3)


def test_muc_counts_no_link_for_singletons():
    # ab is whole: 1 link of 1 in gold. R = ab, c, de has links 1 + 0 + 1.
    assert counts("muc", ["ab", "c", "d", "e"], ["ab", "c", "de"]) == (1, 1, 1, 2)


# Mentions that one side lacks.


def test_b_cubed_counts_a_spurious_mention_in_the_size_of_its_entity():
    # R = abx: a and b have 2 of 3 right, x nothing. K = ab: both find both.
    assert counts("b_cubed", ["ab"], ["abx"]) == exactly(2, 2, F(4, 3), 3)


def test_b_cubed_counts_a_missed_mention_in_the_size_of_its_entity():
    assert counts("b_cubed", ["abx"], ["ab"]) == exactly(F(4, 3), 3, 2, 2)


# BLANC where a kind of links is missing.


def test_blanc_takes_coreference_links_alone_where_gold_has_no_others():
    # One gold entity abc: 3 links, of which ab is found; R has links ab inside, ac and bc between.
    assert score("blanc", ["abc"], ["ab", "c"])[:2] == exactly(F(1, 3), F(1, 1))


def test_blanc_takes_links_between_entities_alone_where_gold_has_no_others():
    # Gold has the links ab, ac, bc between; the system keeps ac and bc, both right.
    assert score("blanc", ["a", "b", "c"], ["ab", "c"])[:2] == exactly(F(2, 3), F(1, 1))


def test_blanc_averages_a_kind_that_only_the_system_lacks():
    # Inside: ab of ab, of ab ac bc. Between: gold has ac, bc; the system none, precision 0.
    assert score("blanc", ["ab", "c"], ["abc"]) == exactly(F(1, 2), F(1, 6), F(1, 4))


def test_blanc_chooses_its_kinds_of_links_from_the_sum_of_all_documents():
    # Gold of the first document has links inside only, of the second between only (case S27):
    # inside 1 of 3, of 1 + 1 = 2; between 2 of 3, of 2 + 2 = 4.
    tally = Tally(["blanc"])
    tally.add(gold=["abc"], system=["ab", "c"])
    tally.add(gold=["a", "b", "c"], system=["ab", "c"])
    # recall (1/3 + 2/3) / 2, precision (1/2 + 2/4) / 2, F (2/5 + 4/7) / 2
    assert Report(tally.counts())["blanc"] == exactly(F(1, 2), F(1, 2), F(17, 35))


# F_β: (1 + β²) P R / (β² P + R).


@pytest.mark.parametrize(("beta", "expected"), [(1, F(2, 3)), (2, F(5, 6)), (0.5, F(5, 9))])
def test_f_beta_of_full_recall_and_half_precision(beta, expected):
    # β = 2: 5 · ½ / (4 · ½ + 1);  β = ½: (5/4 · ½) / (¼ · ½ + 1)
    assert [f_measure(0.5, 1.0, beta=beta)] == exactly(expected)


@pytest.mark.parametrize(("beta", "expected"), [(2, F(25, 29)), (0.5, F(25, 41))])
def test_f_beta_of_b_cubed_comes_from_its_recall_and_precision(beta, expected):
    # B³ of ab, c against abc: R = 1, P = (2²/3 + 1²/3) / 3 = 5/9.
    # β = 2: 5 · 5/9 / (20/9 + 1) = 25/29;  β = ½: (25/36) / (5/36 + 1) = 25/41.
    assert [score("b_cubed", ["ab", "c"], ["abc"], beta=beta).f] == exactly(expected)


@pytest.mark.parametrize("beta", [1e-200, 0.5, 1, 2, 1e200])
@pytest.mark.parametrize(("precision", "recall"), [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0)])
def test_f_beta_is_zero_where_recall_or_precision_is(precision, recall, beta):
    assert f_measure(precision, recall, beta=beta) == 0


def test_a_corpus_is_divided_once_and_not_averaged():
    # 1 of 1 and 0 of 3 links: 1/4, where the mean of the documents would be 1/2.
    tally = Tally(["muc"])
    tally.add(gold=["ab"], system=["ab"])
    tally.add(gold=["abcd"], system=[])
    assert tally.counts()["muc"] == Counts(1, 4, 1, 1)
