"""Warnings about scores and gold of another convention."""

import warnings

import pytest
import torch

from corelax.losses import entity_loss, metric_loss, ranking_loss
from corelax.relax import ConventionWarning, evaluate
from corelax.relax.advice import trusted

each_loss = pytest.mark.parametrize("loss", [metric_loss, ranking_loss, entity_loss, evaluate])
WL_COREF = torch.tensor([0, 1, 0, 0, 1, 0, 0, 2, 0, 0, 2, 0, 0, 0])


def masked(n, seed=0):
    scores = torch.randn(n, n, generator=torch.Generator().manual_seed(seed))
    return scores.masked_fill(torch.ones(n, n).triu(1) > 0, -torch.inf)


@each_loss
def test_transposed_scores_are_warned_about(loss):
    with pytest.warns(ConventionWarning, match=r"below the diagonal.*transposed scores need \.mT"):
        loss(masked(3).mT, torch.tensor([0, 0, -1]))


@pytest.mark.parametrize("mask", [-1e4, -1e9, torch.finfo(torch.float32).min])
def test_transposed_scores_with_a_finite_mask_are_warned_about(mask):
    scores = masked(3).clamp(min=mask).mT
    with pytest.warns(ConventionWarning, match="none but masks"):
        metric_loss(scores, torch.tensor([0, 0, -1]))


def test_low_scores_are_no_masks():
    metric_loss(torch.eye(3) * 999, torch.tensor([0, 0, -1]))
    one_link = torch.eye(3) * 2000
    one_link[2, 1] = 1000
    metric_loss(one_link, torch.tensor([0, 0, -1]))


@each_loss
def test_gold_with_zero_for_no_entity_is_warned_about(loss):
    with pytest.warns(ConventionWarning, match="entity 0 has 10 of 14 mentions.* gold - 1"):
        loss(masked(14), WL_COREF)


def test_the_warning_points_at_the_line_that_called():
    with pytest.warns(ConventionWarning) as caught:
        metric_loss(masked(3).mT, torch.tensor([0, 0, -1]))
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.parametrize(
    "gold",
    [
        WL_COREF - 1,
        torch.zeros(14, dtype=torch.long),  # one entity and nothing else
        torch.tensor([0] * 7 + [1] * 7),
        torch.where(torch.arange(14) == 3, -1, WL_COREF),  # −1 is in use
    ],
)
def test_gold_of_this_convention_is_not_warned_about(gold):
    metric_loss(masked(14), gold)


def test_padding_is_no_sign_of_this_convention():
    gold = torch.cat([WL_COREF, torch.full([3], -1)])[None]
    with pytest.warns(ConventionWarning, match="10 of 14"):
        metric_loss(masked(17)[None], gold, lengths=torch.tensor([14]))


def test_documents_that_cannot_have_links_are_not_warned_about():
    metric_loss(torch.zeros(1, 1), torch.tensor([0]))
    gold = torch.tensor([[0, -1, -1], [-1, -1, -1]])
    metric_loss(torch.zeros(2, 3, 3), gold, lengths=torch.tensor([1, 0]))


def test_scores_and_gold_of_the_package_are_not_warned_about():
    with warnings.catch_warnings(), trusted():
        warnings.simplefilter("error")
        metric_loss(masked(14).mT, WL_COREF)
