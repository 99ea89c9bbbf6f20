"""Entity probabilities: p(m_i ∈ E_u), from link probabilities by one triangular solve; their temperature."""

from __future__ import annotations

import torch
from torch import Tensor

from corelax.core.checks import check_temperature
from corelax.relax.links import check_links, check_square, divided
from corelax.relax.precision import full_precision
from corelax.relax.triangular import solve_diagonal, solve_transposed

# Below this a probability counts as this in the logarithm. Its gradient P_T / (T P) tends to 0 there, but
# would be evaluated as 0 · ∞.
SMALLEST = 1e-30


@full_precision
def entity_probs(link_probs: Tensor) -> Tensor:
    """p(m_i ∈ E_u), where E_u is the entity that mention u starts (section 3 of Le & Titov).

    Mention i is in E_u if it links to some j that is, or if it is u itself and links to none:

        p(m_i ∈ E_u) = Σ_{u ≤ j < i} p(a_i = j) p(m_j ∈ E_u),         p(m_u ∈ E_u) = p(a_u = u)

    With L the links strictly below the diagonal and D the diagonal that is P = L P + D, so

        P = (I − L)⁻¹ D.

    The substitution only ever adds non-negative numbers: every entry has a small relative error.

    Args:
        link_probs: [..., mention, antecedent] from `link_probs`.

    Returns:
        [..., mention, entity] P; rows sum to 1, and P[i, u] ≤ P[u, u].

    >>> links = torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.8, 0.2]])
    >>> entity_probs(links)
    tensor([[1.0000, 0.0000, 0.0000],
            [0.5000, 0.5000, 0.0000],
            [0.4000, 0.4000, 0.2000]])
    """
    check_links(link_probs)
    return solve_diagonal(link_probs)


@full_precision
def entity_sums(link_probs: Tensor, weights: Tensor) -> Tensor:
    """W P without P: Σ_i w_ri p(m_i ∈ E_u), for a few ways to weight mentions.

    P is needed for its own sake only where a metric is not linear in it. W P = W (I − L)⁻¹ D is a solve from
    the other side: one right-hand side for each row of W instead of n of them.

    Args:
        link_probs: [..., mention, antecedent] from `link_probs`.
        weights: [..., row, mention] W.

    Returns:
        [..., row, entity].

    >>> links = torch.tensor([[1.0, 0.0], [0.5, 0.5]])
    >>> entity_sums(links, torch.ones(1, 2))  # expected sizes
    tensor([[1.5000, 0.5000]])
    """
    # Transposed, as the libraries are faster from the left.
    paths = solve_transposed(link_probs, weights.mT.to(link_probs.dtype)).mT
    return paths * link_probs.diagonal(dim1=-2, dim2=-1)[..., None, :]


@full_precision
def sharpen(entity_probs: Tensor, temperature: float) -> Tensor:
    """P_T[i, u] = softmax over u ≤ i of log P[i, u] / T, for 0 < T ≤ 1.

    As T → 0 each mention goes to its most probable entity, and these form a clustering: if E_u is the best
    entity of mention i, it is that of mention u. (The best *link* may lead elsewhere; for a limit that is
    best-link decoding give the temperature to `link_probs`.) T = 1 returns P as it is; above 1 the gradient
    is unbounded, so that is an error.

    >>> sharpen(torch.tensor([[1.0, 0.0], [0.6, 0.4]]), temperature=0.1)
    tensor([[1.0000, 0.0000],
            [0.9830, 0.0170]])
    """
    check_square(entity_probs, "entity_probs")
    if check_temperature(temperature, at_most=1.0) == 1:
        return entity_probs
    above = torch.ones(entity_probs.shape[-2:], dtype=torch.bool, device=entity_probs.device).triu(
        1
    )
    logits = divided(entity_probs.clamp(min=SMALLEST).log(), temperature)
    return torch.softmax(logits.masked_fill(above, -torch.inf), dim=-1)
