"""Exact pair probabilities: the chance that two mentions corefer, under the ranker's own model."""

from __future__ import annotations

import torch
from torch import Tensor

from corelax.relax.links import check_links
from corelax.relax.precision import full_precision
from corelax.relax.triangular import solve_diagonal


@full_precision
def coreference_probs(link_probs: Tensor) -> Tensor:
    """K[i, j] = p(mentions i and j are in one entity), exactly.

    Follow the links of both mentions back, always from the later of the two. Until the paths meet they use
    different, independent links; from then on they are one. So i and j corefer if and only if two
    independent walks meet. With H = (I − L)⁻¹, H[i, w] being the chance that the path of i visits w, both
    visit w with chance

        H[i, w] H[j, w] = Σ_w' p(they first meet at w') H[w', w]²,

    a triangular system for the first meeting; summing over the meeting points gives

        (H ∘ H) c = 1,          K = H diag(c) Hᵀ.

    Products of entity probabilities treat mentions as independent, and Σ_u P[i, u] P[j, u] ≤ K[i, j].

    Args:
        link_probs: [..., mention, antecedent] from `link_probs`.

    Returns:
        [..., mention, mention] K: symmetric, ones on the diagonal.

    >>> links = torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.8, 0.2]])
    >>> coreference_probs(links)[2]
    tensor([0.4000, 0.8000, 1.0000])
    """
    check_links(link_probs)
    n = link_probs.shape[-1]
    identity = torch.eye(n, dtype=torch.bool, device=link_probs.device)
    visits = solve_diagonal(link_probs.masked_fill(identity, 1.0))
    ones = torch.ones_like(link_probs[..., :1])
    meets = torch.linalg.solve_triangular(visits**2, ones, upper=False, unitriangular=True)  # c
    meets = meets.clamp(min=0)  # c is in [0, 1]; rounding may go below
    pairs: Tensor = (visits * meets.mT) @ visits.mT
    return pairs
