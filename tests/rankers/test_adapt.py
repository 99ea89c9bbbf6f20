"""Scores of pruned antecedents and dummy columns, to `antecedent_scores` and back."""

import math
from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax import CorelaxError
from corelax.losses import metric_loss
from corelax.rankers import from_pruned, from_square, to_pruned

enough = settings(deadline=None, max_examples=50)
each_dummy = pytest.mark.parametrize("dummy", ["first", "last"])
INF = math.inf


def random(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@st.composite
def pruned(draw, spans=None):
    """Scores with a dummy in front, candidates none of which is named twice, and a mask."""
    spans = draw(st.integers(1, 6)) if spans is None else spans
    width = draw(st.integers(0, spans))
    scores = random(spans, 1 + width, seed=draw(st.integers(0, 2**31)))
    antecedents = [draw(st.permutations(range(spans)))[:width] for _ in range(spans)]
    mask = draw(st.lists(st.booleans(), min_size=spans * width, max_size=spans * width))
    return (
        scores,
        torch.tensor(antecedents, dtype=torch.long).view(spans, width),
        torch.tensor(mask, dtype=torch.bool).view(spans, width),
    )


def square_by_loop(scores, antecedents, mask):
    """The dummy on the diagonal, every valid candidate in its column, −inf elsewhere."""
    spans = len(scores)
    square = torch.full((spans, spans), -INF, dtype=scores.dtype)
    for i in range(spans):
        square[i, i] = scores[i, 0]
        for c, j in enumerate(antecedents[i].tolist()):
            if j < i and mask[i, c]:
                square[i, j] = scores[i, 1 + c]
    return square


def dummy_last(scores):
    return torch.cat([scores[..., 1:], scores[..., :1]], dim=-1)


# From pruned antecedents.


@given(document=pruned())
@enough
def test_each_candidate_before_its_span_goes_to_its_column_and_the_dummy_to_the_diagonal(document):
    scores, antecedents, mask = document
    assert from_pruned(scores, antecedents, mask).equal(square_by_loop(*document))


@given(document=pruned())
@enough
def test_the_dummy_may_be_the_last_column(document):
    scores, antecedents, mask = document
    found = from_pruned(dummy_last(scores), antecedents, mask, dummy="last")
    assert found.equal(from_pruned(scores, antecedents, mask))


def test_empty_candidates_may_be_negative_if_the_mask_says_so():
    scores = torch.tensor([[0.5, 1.0], [0.25, 2.0]])
    mask = torch.tensor([[False], [True]])
    assert from_pruned(scores, torch.tensor([[-1], [0]]), mask).tolist() == [
        [0.5, -INF],
        [2.0, 0.25],
    ]


@given(documents=st.lists(pruned(spans=4), min_size=1, max_size=3))
@enough
def test_batches_are_taken_document_by_document(documents):
    width = min(antecedents.shape[-1] for _, antecedents, _ in documents)
    documents = [(s[:, : 1 + width], a[:, :width], m[:, :width]) for s, a, m in documents]
    together = from_pruned(*map(torch.stack, zip(*documents, strict=True)))
    assert together.equal(torch.stack([square_by_loop(*document) for document in documents]))


def test_no_candidates_and_no_spans_are_no_problem():
    alone = from_pruned(torch.tensor([[1.0], [2.0]]), torch.zeros(2, 0, dtype=torch.long))
    assert alone.tolist() == [[1.0, -INF], [-INF, 2.0]]
    nothing = from_pruned(torch.zeros(0, 3), torch.zeros(0, 2, dtype=torch.long))
    assert nothing.shape == (0, 0)


# From a square.


@each_dummy
def test_the_scores_of_all_pairs_lose_their_dummy_to_the_diagonal(dummy):
    scores = random(4, 4)
    new = random(4, seed=1)
    columns = [new[:, None], scores] if dummy == "first" else [scores, new[:, None]]
    found = from_square(torch.cat(columns, dim=-1), dummy=dummy)
    for i in range(4):
        expected = [*scores[i, :i].tolist(), new[i].item(), *[-INF] * (3 - i)]
        assert found[i].tolist() == expected


def test_squares_may_come_in_batches():
    scores = random(2, 3, 3, 4)
    found = from_square(scores)
    assert found.shape == (2, 3, 3, 3)
    assert found[1, 2].equal(from_square(scores[1, 2]))


def test_the_dummy_of_a_square_is_the_last_column_unless_said_otherwise():
    scores = random(3, 4)
    assert from_square(scores).equal(from_square(scores, dummy="last"))
    assert not from_square(scores).equal(from_square(scores, dummy="first"))


# Back.


@each_dummy
@given(document=pruned())
@enough
def test_pruned_scores_come_back_but_for_candidates_that_do_not_come_before(dummy, document):
    scores, antecedents, _ = document
    spans = torch.arange(len(scores))
    expected = scores.clone()
    expected[:, 1:][antecedents >= spans[:, None]] = -INF
    if dummy == "last":
        scores, expected = dummy_last(scores), dummy_last(expected)
    square = from_pruned(scores, antecedents, dummy=dummy)
    assert to_pruned(square, antecedents, dummy=dummy).equal(expected)


def test_empty_candidates_come_back_as_minus_infinity():
    found = to_pruned(torch.zeros(2, 2), torch.tensor([[-1], [-1]]))
    assert found.tolist() == [[0.0, -INF], [0.0, -INF]]


# In a loss.


@pytest.mark.parametrize("metric", ["b_cubed", "lea", "conll"])
@each_dummy
def test_a_loss_of_adapted_scores_is_that_of_the_full_matrix_if_nothing_was_pruned(metric, dummy):
    full, gold = random(5, 5), torch.tensor([0, 1, 0, -1, 1])
    antecedents = torch.stack([torch.arange(5).roll(i) for i in range(5)])
    adapted = to_pruned(full, antecedents, dummy=dummy)
    finite = adapted.masked_fill(adapted == -INF, 0.0).requires_grad_()
    loss = metric_loss(from_pruned(finite, antecedents, dummy=dummy), gold, metric)
    assert loss.item() == pytest.approx(metric_loss(full, gold, metric).item(), rel=1e-12)
    loss.backward()
    assert finite.grad.isfinite().all()
    assert (finite.grad[adapted == -INF] == 0).all()


# Errors.

SCORES, ANTECEDENTS = torch.zeros(3, 2), torch.tensor([[0], [0], [1]])
ZEROS = torch.zeros(3, 2, dtype=torch.long)


@pytest.mark.parametrize(
    ("adapt", "message"),
    [
        (
            lambda: from_pruned(SCORES, ANTECEDENTS, dummy="middle"),
            "'first' or 'last', not 'middle'",
        ),
        (lambda: from_square(torch.zeros(2, 3), dummy="middle"), "'first' or 'last', not 'middle'"),
        (lambda: to_pruned(torch.zeros(3, 3), ANTECEDENTS, dummy="middle"), "not 'middle'"),
        (lambda: from_pruned(SCORES, ZEROS), "antecedents must be"),
        (lambda: from_pruned(SCORES, ZEROS[:2, :1]), "antecedents must be"),
        (lambda: from_pruned(SCORES, ZEROS[:, 0]), "antecedents must be"),
        (
            lambda: from_pruned(SCORES, torch.zeros(3, 1)),
            "antecedents must be a tensor of integers",
        ),
        (lambda: from_pruned(SCORES, torch.tensor([[-1], [0], [1]])), "numbers of the 3 spans"),
        (
            lambda: from_pruned(torch.zeros(2, 2), torch.tensor([[7], [0]])),
            "numbers of the 2 spans",
        ),
        (lambda: from_pruned(torch.zeros(2, 3), torch.zeros(2, 2).long()), "antecedents: .*twice"),
        (lambda: from_pruned(SCORES, ANTECEDENTS, torch.ones(3, 2).bool()), "mask must be"),
        # 0 for valid and −inf for not, as some models keep it, would be read the wrong way round.
        (lambda: from_pruned(SCORES, ANTECEDENTS, torch.zeros(3, 1)), "mask must be booleans"),
        *((partial(from_square, torch.zeros(s)), "scores must be") for s in ((3,), (3, 3), (4, 3))),
        (lambda: to_pruned(torch.zeros(3, 4), ANTECEDENTS), "antecedent_scores must be"),
        (lambda: to_pruned(torch.zeros(3, 3), ZEROS[:2]), "antecedents must be"),
    ],
)
def test_what_does_not_fit_is_an_error(adapt, message):
    with pytest.raises(CorelaxError, match=message):
        adapt()
