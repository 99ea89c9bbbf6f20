"""Actions of a mention ranker: which are right, and what the wrong ones cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from corelax.core.checks import check_number
from corelax.core.errors import CorelaxError
from corelax.relax.advice import advise_scores
from corelax.relax.gold import check_gold, same_entity
from corelax.relax.links import masked_scores
from corelax.relax.precision import can_check

MAX_FACTOR = 1e6  # beside which scores still have digits in float32


class Costs(NamedTuple):
    """What the three kinds of errors cost.

    Attributes:
        false_anaphor: A mention that starts an entity was linked to an earlier one.
        false_new: A mention with an antecedent was taken to start an entity.
        wrong_link: A mention with an antecedent was linked to a wrong one.
    """

    false_anaphor: float
    false_new: float
    wrong_link: float


class Actions(NamedTuple):
    """The choices of each mention, j < i to link and j = i to start an entity.

    Attributes:
        scores: [..., mention, antecedent] s_ij, −inf where there is no such action.
        correct: [..., mention, antecedent] True for gold antecedents; for "new" if there are none.
        anaphoric: [..., mention] whether a gold antecedent is among the actions.
    """

    scores: Tensor
    correct: Tensor
    anaphoric: Tensor

    @classmethod
    def of(cls, antecedent_scores: Tensor, gold: Tensor, lengths: Tensor | None) -> Actions:
        """Checks and masks scores.

        A mention whose gold antecedents were all pruned should be new. If that was pruned too, nothing can be
        asked of it, and all that is left is correct.
        """
        scores = masked_scores(antecedent_scores, lengths=lengths)
        advise_scores(scores, lengths)
        gold = check_gold(gold, scores, lengths)
        possible = scores > -torch.inf
        links = same_entity(gold).tril(-1) & possible
        anaphoric = links.any(-1)
        correct = links | torch.diag_embed(~anaphoric)
        hopeless = ~(correct & possible).any(-1, keepdim=True)
        return cls(scores, correct | hopeless, anaphoric)

    def costs(self, costs: tuple[float, float, float]) -> Tensor:
        """[..., mention, antecedent] Δ_ij: 0 where the action is correct.

        >>> scores = torch.zeros(3, 3)
        >>> Actions.of(scores, torch.tensor([0, -1, 0]), None).costs((0.1, 3.0, 1.0)).tril()
        tensor([[0.0000, 0.0000, 0.0000],
                [0.1000, 0.0000, 0.0000],
                [0.0000, 1.0000, 3.0000]])
        """
        false_anaphor, false_new, wrong_link = check_costs(costs)
        dtype = self.scores.dtype
        link = self.anaphoric.to(dtype) * (wrong_link - false_anaphor) + false_anaphor
        new = torch.diag_embed(self.anaphoric.to(dtype) * (false_new - wrong_link))
        return (link[..., None] + new) * ~self.correct


def check_costs(costs: tuple[float, float, float]) -> Costs:
    if not isinstance(costs, Sequence) or len(costs) != 3:
        raise CorelaxError(f"costs must be three numbers, not {costs!r}")
    return Costs(*(check_factor("costs", cost) for cost in costs))


def check_factor(name: str, number: float, *, at_least: float = 0.0) -> float:
    """A number that scores or losses are multiplied by or compared with.

    >>> check_factor("margin", 1e39)
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: margin must be at most 1e+06, not 1e+39
    """
    if abs(check_number(name, number, at_least=at_least)) > MAX_FACTOR:
        raise CorelaxError(f"{name} must be at most {MAX_FACTOR:g}, not {number!r}")
    return number


def document_mean(losses: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    """[...] losses of documents → their mean: a document as it is, a batch by its size.

    Every loss ends here. One that is not a finite number, of scores that are, comes of the other arguments.

    >>> document_mean(torch.tensor([1e300]).double(), torch.float32)
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: the loss is inf in float32; lower scores, costs, margins or weights
    """
    mean = losses.sum() / max(losses.numel(), 1)
    if dtype is not None:
        mean = mean.to(dtype)
    if can_check(mean) and not bool(mean.isfinite()):
        kind = str(mean.dtype).removeprefix("torch.")
        raise CorelaxError(
            f"the loss is {mean.item()} in {kind}; lower scores, costs, margins or weights"
        )
    return mean
