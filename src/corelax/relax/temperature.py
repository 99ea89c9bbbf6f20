"""Temperature on entities: soft clusters that become hard as T → 0."""

from __future__ import annotations

import torch
from torch import Tensor

from corelax.core.checks import check_temperature
from corelax.relax.links import check_square, divided
from corelax.relax.precision import full_precision

# Below this a probability counts as this in the logarithm. Its gradient P_T / (T P) tends to 0 there, but
# would be evaluated as 0 · ∞.
SMALLEST = 1e-30


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
