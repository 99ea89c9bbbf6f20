"""Operations of the CPU whose gradients are written by hand: those of autograd, on the same formulas."""

import pytest
import torch

from corelax.relax import Gold, appearance, triangular
from corelax.relax.moments import moments
from corelax.relax.overlap import products, share
from corelax.relax.written import log_complement
from tests.relax.relax_documents import random_links


def gradients(function, *tensors):
    """Of a sum in which every number has a weight of its own."""
    leaves = [tensor.clone().requires_grad_() for tensor in tensors]
    results = function(*leaves)
    generator = torch.Generator().manual_seed(0)
    total = sum(
        (r * torch.rand(r.shape, generator=generator, dtype=torch.float64)).sum() for r in results
    )
    return [r.detach() for r in results], torch.autograd.grad(total, leaves)


def assert_same(ours, theirs, rtol=1e-12):
    for one, other in zip((*ours[0], *ours[1]), (*theirs[0], *theirs[1]), strict=True):
        torch.testing.assert_close(one, other, rtol=rtol, atol=1e-300)


@pytest.mark.parametrize("shape", [(6,), (2, 5), (2, 3, 4)])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_sums_of_a_table_are_those_of_its_rows(shape, dtype):
    *_, n = shape
    generator = torch.Generator().manual_seed(1)
    entity = torch.randint(-1, 3, shape, generator=generator)
    probs = torch.rand(*shape, n, generator=generator).to(dtype)
    weights = torch.rand(shape, generator=generator, dtype=torch.float64)
    gold = Gold(entity, torch.ones(*shape[:-1], 3))
    members = gold.members

    def plain(probs, weights):
        table = probs.double()
        earlier = table.cumsum(-2) - table
        links = (table * earlier).sum(-2)
        weighted = (weights[..., None] * table).sum(-2)
        in_cell = members[..., None] * table[..., None, :, :]
        shared_links = (in_cell * (in_cell.cumsum(-2) - in_cell)).sum(-2)
        return table.sum(-2), links, weighted, members @ table, shared_links

    ours = gradients(lambda p, w: moments(p, w, gold), probs, weights)
    assert_same(ours, gradients(plain, probs, weights), 1e-12 if dtype == torch.float64 else 1e-6)


@pytest.mark.parametrize("shape", [(1, 1), (7, 7), (2, 7, 7), (0, 0), (2, 3, 8, 8)])
def test_a_solve_by_panels_is_the_solve_of_the_library(shape, monkeypatch):
    monkeypatch.setattr(triangular, "WIDEST", {"cpu": 3})
    links = torch.rand(shape, dtype=torch.float64)

    def plain(links):
        below = torch.eye(shape[-1]).double() - links.tril(-1)
        diagonal = torch.diag_embed(links.diagonal(dim1=-2, dim2=-1))
        return [torch.linalg.solve_triangular(below, diagonal, upper=False)]

    assert_same(gradients(lambda m: [triangular.solve_diagonal(m)], links), gradients(plain, links))


def test_tables_may_be_transposed():
    gold = Gold(torch.tensor([0, -1, 0]), torch.tensor([2.0]))
    probs, weights = torch.rand(3, 3).double(), torch.ones(3).double()
    ours = gradients(lambda p, w: moments(p.mT, w, gold), probs, weights)
    theirs = gradients(lambda p, w: moments(p.mT.contiguous(), w, gold), probs, weights)
    assert_same(ours, theirs)


def test_shares_fade_out_by_the_formula_of_the_page():
    whole = torch.tensor([0.0, 1e-14, 1e-13, 1e-12, 3e-12, 1e-9, 0.5, 40.0]).double()
    part = 0.3 * whole

    def formula(part, whole):
        return [part / whole.clamp(min=1e-200) / (1 + (1e-12 / whole.clamp(min=1e-30)) ** 4)]

    ours = gradients(lambda p, w: [share(p, w)], part, whole)
    theirs = gradients(formula, part[1:], whole[1:])
    torch.testing.assert_close(ours[0][0][1:], theirs[0][0], rtol=1e-12, atol=0)
    assert ours[0][0][0] == 0
    assert all(gradient.isfinite().all() for gradient in ours[1])


def test_products_are_cut_off_at_zero():
    total = torch.tensor([2.0, 1.0, 0.5]).double()
    squares = torch.tensor([1.0, 1.0, 1.0]).double()
    ours = gradients(lambda t, s: [products(t, s)], total, squares)
    assert ours[0][0].tolist() == [1.5, 0.0, 0.0]
    theirs = gradients(lambda t, s: [((t**2 - s) / 2).clamp(min=0)], total, squares)
    assert_same(ours, theirs)


@pytest.mark.parametrize("certain", [False, True])
def test_the_chance_of_company_is_that_of_its_formula(certain):
    links = random_links(6, seed=3)
    if certain:
        links[4] = torch.tensor([0.0, 1, 0, 0, 0, 0])

    def formula(probs):
        others = probs.masked_fill(torch.eye(6, dtype=torch.bool), 0.0)
        unjoined = log_complement(others).sum(-2)
        joined = -probs.diagonal() * torch.expm1(unjoined)
        linked = others.sum(-1) + joined
        alone = 0.5 * probs.diagonal() * unjoined.exp()
        return joined, linked, linked + alone, alone

    ours = gradients(lambda p: appearance(p, 0.5), links)
    assert_same(ours, gradients(formula, links))
