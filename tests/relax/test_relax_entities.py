"""Entity probabilities, pair probabilities and appearance: closed forms against loops and enumeration."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax import CorelaxError
from corelax.relax import appearance, coreference_probs, entity_probs
from corelax.relax.entities import entity_sums
from tests.relax import relax_literal
from tests.relax.relax_documents import random_links

several = settings(deadline=None, max_examples=40)
links_of_any_size = st.builds(
    random_links, st.integers(0, 9), st.integers(0, 9999), st.sampled_from([0.3, 1.0, 4.0])
)
links_to_enumerate = st.builds(
    random_links, st.integers(1, 5), st.integers(0, 9999), st.sampled_from([0.3, 1.0, 4.0])
)


def as_tensor(rows, like):
    return torch.tensor(rows, dtype=torch.float64).view_as(like)


@given(links=links_of_any_size)
@several
def test_entity_probs_are_those_of_the_loop_of_the_paper(links):
    expected = as_tensor(relax_literal.entity_probs(links.tolist()), links)
    torch.testing.assert_close(entity_probs(links), expected, rtol=1e-12, atol=0)


@given(links=links_of_any_size)
@several
def test_the_entities_of_a_mention_have_probability_one_together(links):
    n = len(links)
    probs = entity_probs(links)
    torch.testing.assert_close(probs.sum(-1), torch.ones(n, dtype=torch.float64))
    assert (probs >= 0).all()
    assert probs.triu(1).count_nonzero() == 0


@given(links=links_to_enumerate)
@several
def test_entity_probs_sum_over_all_configurations_of_links(links):
    expected = torch.zeros_like(links)
    for probability, roots in relax_literal.configurations(links.tolist()):
        for i, root in enumerate(roots):
            expected[i, root] += probability
    torch.testing.assert_close(entity_probs(links), expected)


def test_the_best_entity_can_differ_from_the_best_link():
    links = torch.tensor(
        [[1.0, 0, 0, 0], [1.0, 0, 0, 0], [0.5, 0.5, 0, 0], [0.2, 0.2, 0.2, 0.4]]
    ).double()
    assert links[3].argmax() == 3
    torch.testing.assert_close(
        entity_probs(links)[3], torch.tensor([0.6, 0, 0, 0.4], dtype=torch.float64)
    )


@pytest.mark.parametrize("function", [entity_probs, coreference_probs])
def test_documents_of_a_batch_do_not_see_each_other(function):
    documents = [random_links(6, seed) for seed in range(4)]
    batch = torch.stack(documents).view(2, 2, 6, 6)
    found = function(batch).view(4, 6, 6)
    for document, result in zip(documents, found, strict=True):
        torch.testing.assert_close(result, function(document))


@pytest.mark.parametrize("function", [entity_probs, coreference_probs])
def test_padding_changes_nothing_and_stays_apart(function):
    links = torch.eye(6, dtype=torch.float64)
    links[:4, :4] = random_links(4, seed=0)
    found = function(links)
    torch.testing.assert_close(found[:4, :4], function(links[:4, :4]))
    assert torch.equal(found[4:], torch.eye(6, dtype=torch.float64)[4:])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("function", [entity_probs, coreference_probs])
def test_probabilities_that_underflow_are_zeros_and_not_nan(function, dtype):
    links = random_links(200, seed=1, scale=300, dtype=dtype).requires_grad_()
    assert (links.tril() == 0).sum() > 200 * 199 / 2  # most links have underflown
    probs = function(links)
    assert ((probs >= 0) & (probs <= 1 + 1e-5)).all()
    probs.square().sum().backward()
    assert links.grad.isfinite().all()


@pytest.mark.parametrize("scale", [1.0, 5.0, 20.0])
def test_float32_entity_probs_have_a_small_relative_error_however_small_they_are(scale):
    links = random_links(300, seed=2, scale=scale, dtype=torch.float32)
    exact = entity_probs(links.double())
    large = exact > 1e-30
    error = ((entity_probs(links).double() - exact).abs() / exact)[large]
    assert error.max() < 2e-5
    if scale == 20:
        assert exact[large].min() < 1e-25  # there were small ones


@pytest.mark.parametrize("scale", [1.0, 5.0, 20.0])
def test_float32_pair_probabilities_are_accurate(scale):
    links = random_links(300, seed=3, scale=scale, dtype=torch.float32)
    links.diagonal().copy_(1 - links.tril(-1).sum(-1))
    error = coreference_probs(links).double() - coreference_probs(links.double())
    assert error.abs().max() < 1e-5


@given(links=links_to_enumerate)
@several
def test_pair_probabilities_sum_over_all_configurations_of_links(links):
    expected = torch.zeros_like(links)
    for probability, roots in relax_literal.configurations(links.tolist()):
        entity = torch.tensor(roots)
        expected += probability * (entity[:, None] == entity)
    torch.testing.assert_close(coreference_probs(links), expected)


@given(links=links_of_any_size)
@several
def test_mentions_corefer_at_least_as_surely_as_if_they_were_independent(links):
    probs = entity_probs(links)
    assert (coreference_probs(links) >= probs @ probs.mT - 1e-12).all()


@pytest.mark.parametrize("function", [entity_probs, coreference_probs])
def test_gradients_are_those_of_finite_differences(function):
    for scale in (1.0, 4.0):
        links = random_links(4, seed=5, scale=scale).requires_grad_()
        assert torch.autograd.gradcheck(function, links)


def entities_by_inversion(links):
    """(I − L)⁻¹ D, all of it dense."""
    identity = torch.eye(links.shape[-1], dtype=links.dtype)
    starts = torch.diag_embed(links.diagonal(dim1=-2, dim2=-1))
    return torch.linalg.inv(identity - links.tril(-1)) @ starts


def pairs_by_inversion(links):
    """(H ∘ H) c = 1 and K = H diag(c) Hᵀ, all of it dense."""
    visits = torch.linalg.inv(torch.eye(links.shape[-1], dtype=links.dtype) - links.tril(-1))
    meets = torch.linalg.inv(visits**2).sum(-1)
    return visits @ torch.diag_embed(meets) @ visits.mT


@pytest.mark.parametrize(
    ("function", "reference"),
    [(entity_probs, entities_by_inversion), (coreference_probs, pairs_by_inversion)],
)
@pytest.mark.parametrize("n", [128, 256, 257, 600])
def test_documents_of_any_length_have_the_values_and_gradients_of_dense_inversion(
    function, reference, n
):
    weights = random_links(n, seed=8) - random_links(n, seed=9).mT  # above the diagonal as well
    results = []
    for solve in (function, reference):
        links = random_links(n, seed=10).requires_grad_()
        values = solve(links)
        (values * weights).sum().backward()
        results.append((values.detach(), links.grad.tril()))
    torch.testing.assert_close(results[0], results[1], rtol=1e-9, atol=1e-12)


@given(links=links_of_any_size, rows=st.integers(0, 3), seed=st.integers(0, 99))
@several
def test_weighted_sums_over_mentions_need_no_entity_probs(links, rows, seed):
    generator = torch.Generator().manual_seed(seed)
    weights = torch.randn(rows, len(links), generator=generator, dtype=torch.float64)
    torch.testing.assert_close(entity_sums(links, weights), weights @ entities_by_inversion(links))


@pytest.mark.parametrize("function", [entity_probs, coreference_probs])
@pytest.mark.parametrize("shape", [(3,), (3, 4), (2, 3, 4)])
def test_links_that_are_not_square_are_an_error(function, shape):
    with pytest.raises(CorelaxError, match="link_probs must be"):
        function(torch.zeros(shape))


@given(links=links_to_enumerate)
@several
def test_the_chance_to_be_alone_sums_over_all_configurations_of_links(links):
    n = len(links)
    alone = torch.zeros(n, dtype=torch.float64)
    for probability, roots in relax_literal.configurations(links.tolist()):
        for i, root in enumerate(roots):
            alone[i] += probability * (roots.count(root) == 1)
    mu = torch.linspace(0, 1, n, dtype=torch.float64)
    found = appearance(links, mu)
    torch.testing.assert_close(found.linked, 1 - alone)
    torch.testing.assert_close(found.written_alone, mu * alone)
    torch.testing.assert_close(found.written, 1 - alone + mu * alone)


@given(links=links_of_any_size)
@several
def test_appearance_of_entities_takes_mentions_for_independent(links):
    probs = entity_probs(links)
    expected = torch.tensor(relax_literal.alone(probs.tolist()), dtype=torch.float64)
    torch.testing.assert_close(appearance(probs, 1.0).written_alone, expected)


@pytest.mark.parametrize("small", [1e-4, 1e-9, 1e-20, 1e-30])
def test_a_small_chance_of_company_keeps_its_digits(small):
    links = torch.tensor([[1.0, 0, 0], [small, 1 - small, 0], [small, 0, 1 - small]])
    linked = appearance(links, 0.0).linked
    assert linked[0].item() == pytest.approx(2 * small - small**2, rel=1e-6)
    assert linked[1].item() == pytest.approx(small, rel=1e-6)


def test_the_chance_to_be_alone_has_the_gradients_of_finite_differences():
    links = random_links(4, seed=7).requires_grad_()
    assert torch.autograd.gradcheck(lambda p: tuple(appearance(p, 0.3)), links)


@pytest.mark.parametrize("function", [entity_probs, coreference_probs])
def test_scores_in_place_of_probabilities_are_an_error(function):
    with pytest.raises(CorelaxError, match="link_probs must have rows that sum to 1"):
        function(torch.tensor([[0.0, 0.0], [3.0, 1.0]]))
