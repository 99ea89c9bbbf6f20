"""Wrong arguments are errors of one line that name the argument."""

import re

import pytest
import torch

from corelax import CorelaxError
from corelax.relax import evaluate, link_probs
from tests.relax.relax_documents import random_scores

SCORES = random_scores(3, seed=0)
GOLD = torch.tensor([0, 0, -1])
BATCH = torch.stack([SCORES, SCORES])
GOLDS = torch.stack([GOLD, GOLD])


def changed(row, column, value):
    scores = SCORES.clone()
    scores[row, column] = value
    return scores


def fails(pattern, *args, **options):
    with pytest.raises(CorelaxError, match=pattern) as caught:
        evaluate(*args, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("function", [evaluate, lambda scores, _: link_probs(scores)])
@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (torch.zeros(3), r"antecedent_scores must be \[\.\.\., mention, mention\], not \[3\]"),
        (torch.tensor(0.0), r"antecedent_scores must be \[\.\.\., mention, mention\], not \[\]"),
        (torch.zeros(3, 4), r"antecedent_scores must be .*, not \[3, 4\]"),
        (torch.zeros(2, 3, 2), r"antecedent_scores must be .*, not \[2, 3, 2\]"),
        (torch.zeros(3, 3, dtype=torch.long), r"antecedent_scores must be .* floating-point"),
        (torch.zeros(3, 3, dtype=torch.bool), r"antecedent_scores must be .* floating-point"),
        (torch.zeros(3, 3, dtype=torch.complex64), r"antecedent_scores must be .* floating-point"),
        ([[0.0] * 3] * 3, r"antecedent_scores must be a tensor"),
        (None, r"antecedent_scores must be a tensor"),
        (changed(2, 1, torch.nan), r"antecedent_scores: row 2 .*NaN"),
        (changed(1, 1, torch.nan), r"antecedent_scores: row 1 .*NaN"),
        (changed(2, 0, torch.inf), r"antecedent_scores: row 2 .*inf"),
        (changed(0, 0, -torch.inf), r"antecedent_scores: row 0 has no action"),
        (changed(2, slice(None), -torch.inf), r"antecedent_scores: row 2 has no action"),
    ],
)
def test_scores_that_are_none(function, scores, message):
    with pytest.raises(CorelaxError, match=message) as caught:
        function(scores, GOLD)
    assert "\n" not in str(caught.value)


def test_a_wrong_score_in_a_batch_is_said_to_be_in_its_document():
    batch = torch.stack([SCORES, changed(2, 1, torch.nan)])
    fails(r"antecedent_scores: row 2 of document .*1.* NaN", batch, GOLDS)


@pytest.mark.parametrize(
    "gold",
    [
        torch.zeros(4, dtype=torch.long),
        torch.zeros(3, 3, dtype=torch.long),
        torch.zeros((), dtype=torch.long),
        torch.zeros(1, 3, dtype=torch.long),
    ],
)
def test_gold_of_another_shape_than_the_scores(gold):
    fails(rf"gold must be \[3\] .*, not {re.escape(str(list(gold.shape)))}", SCORES, gold)


@pytest.mark.parametrize(
    "gold", [torch.zeros(3), torch.zeros(3, dtype=torch.bool), [0, 0, -1], None]
)
def test_gold_that_is_no_tensor_of_integers(gold):
    fails(r"gold must be a tensor of integers", SCORES, gold)


def test_gold_numbers_below_minus_one():
    fails(r"gold: -2 is out of range", SCORES, torch.tensor([0, -2, 0]))


@pytest.mark.parametrize("entities", [0, 1, 2])
def test_gold_numbers_without_a_size(entities):
    fails(
        rf"gold: entity 2 is out of range; gold_sizes has {entities} entities",
        *(SCORES, torch.tensor([0, 2, 0][:3])),
        gold_sizes=torch.full((entities,), 5),
    )


@pytest.mark.parametrize(
    "sizes",
    [
        torch.tensor(3),
        torch.tensor([[3]]),
        torch.tensor([[3], [3], [3]]),
        [3],
        3,
    ],
)
def test_gold_sizes_of_a_wrong_shape(sizes):
    fails(r"gold_sizes must be a tensor \[entity\]", SCORES, GOLD, gold_sizes=sizes)


def test_gold_sizes_that_are_too_small():
    fails(r"gold_sizes: entity 0 has more mentions", SCORES, GOLD, gold_sizes=torch.tensor([1]))


def test_gold_sizes_that_are_negative():
    fails(r"gold_sizes must be 0 or more", SCORES, GOLD, gold_sizes=torch.tensor([2, -1]))


def test_gold_sizes_that_are_no_numbers():
    fails(r"gold_sizes", SCORES, GOLD, gold_sizes=torch.tensor([2.0, torch.nan]))


@pytest.mark.parametrize("lengths", [torch.tensor(3), torch.tensor([3]), torch.tensor([[3, 3]])])
def test_lengths_of_a_wrong_shape(lengths):
    shape = re.escape(str(list(lengths.shape)))
    fails(rf"lengths must be \[2\].*, not {shape}", BATCH, GOLDS, lengths=lengths)


@pytest.mark.parametrize("lengths", [[3, 2], (3, 2), 3])
def test_lengths_that_are_no_tensor(lengths):
    fails(r"lengths must be", BATCH, GOLDS, lengths=lengths)


@pytest.mark.parametrize("shape", [(), (1,), (2,), (4,), (3, 3), (1, 3)])
def test_singletons_of_a_wrong_shape(shape):
    message = rf"singletons must be \[3\].*, not {re.escape(str(list(shape)))}"
    fails(message, SCORES, GOLD, singletons=torch.zeros(shape))


@pytest.mark.parametrize("singletons", ["dropped", "", None, 1.0])
def test_singletons_that_are_no_rule(singletons):
    fails(r"singletons must be 'keep' or 'drop', not ", SCORES, GOLD, singletons=singletons)


@pytest.mark.parametrize("family", ["entity", "pairwise"])
@pytest.mark.parametrize("temperature", [0.0, -0.5, torch.nan, torch.inf])
def test_temperatures_that_are_not_above_zero(family, temperature):
    fails(
        r"temperature must be a number above 0",
        SCORES,
        GOLD,
        family=family,
        temperature=temperature,
    )


def test_a_temperature_on_entities_above_one():
    fails(
        r"temperature must be a number above 0 and at most 1, not 1.5",
        SCORES,
        GOLD,
        temperature=1.5,
    )


@pytest.mark.parametrize("name", ["family", "pool", "temperature_on"])
def test_choices_that_do_not_exist(name):
    fails(rf"{name} must be '.+' or '.+', not 'cluster'", SCORES, GOLD, **{name: "cluster"})


@pytest.mark.parametrize("beta", [0.0, -1.0, torch.nan, torch.inf])
def test_beta_that_is_not_positive(beta):
    fails(r"beta must be a positive number, not ", SCORES, GOLD, beta=beta)


def test_a_temperature_on_entities_in_the_pairwise_family():
    fails(
        r"temperature_on must be 'link' in the pairwise family",
        *(SCORES, GOLD),
        family="pairwise",
        temperature_on="entity",
    )


def test_the_hard_filter_in_the_pairwise_family():
    options = {"metrics": ["lea"], "like_original": True}
    fails("like_original goes with family='entity'", SCORES, GOLD, family="pairwise", **options)


@pytest.mark.parametrize("metric", ["muc", "ceaf_m", "ceaf_e", "blanc", "mentions"])
def test_the_hard_filter_of_a_metric_that_the_original_does_not_have(metric):
    fails("b_cubed and lea only", SCORES, GOLD, metrics=["lea", metric], like_original=True)


def test_a_metric_that_does_not_exist():
    fails(r"unknown metric 'bcub'; choose from muc", SCORES, GOLD, metrics=["bcub"])


def test_padding_that_is_in_a_gold_entity():
    fails(r"gold", SCORES, torch.tensor([0, 0, 0]), lengths=torch.tensor(2))


def test_the_hard_filter_with_singletons():
    options = {"metrics": ["lea"], "like_original": True}
    fails("like_original goes with singletons='drop'", SCORES, GOLD, singletons="keep", **options)
    fails("like_original goes", SCORES, GOLD, singletons=torch.ones(len(GOLD)), **options)
