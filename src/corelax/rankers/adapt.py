"""Other people's rankers: from pruned antecedents and a dummy column to `antecedent_scores`, and back.

Rankers of the e2e-coref kind score a few antecedents for each span, beside a dummy antecedent that means "new
entity, or no mention at all". Put the dummy on the diagonal and every score in the column of its antecedent:
pruned antecedents have probability 0. Spans must be in document order, as those models keep them.
"""

from __future__ import annotations

import torch
from torch import Tensor

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.relax.links import check_square
from corelax.relax.precision import can_check

DUMMIES = ("first", "last")


def from_pruned(
    scores: Tensor, antecedents: Tensor, mask: Tensor | None = None, *, dummy: str = "first"
) -> Tensor:
    """e2e-coref, c2f, coref-hoi, wl-coref: the scores of the best antecedents only.

    Args:
        scores: [..., span, 1 + candidate] scores with the dummy's column.
        antecedents: [..., span, candidate] which span each candidate is.
        mask: [..., span, candidate] False for candidates that fill up rows. Candidates with a score of −inf,
            and those that do not come before their span, are left out in any case.
        dummy: Whether the dummy is the "first" column (e2e-coref) or the "last".

    Returns:
        [..., span, span] antecedent scores: −inf where a candidate was pruned.

    >>> scores = torch.tensor([[0.0, 9.0], [0.0, 1.5], [0.0, 2.5]])
    >>> from_pruned(scores, torch.tensor([[0], [0], [1]]))
    tensor([[0.0000,   -inf,   -inf],
            [1.5000, 0.0000,   -inf],
            [  -inf, 2.5000, 0.0000]])
    """
    check_choice("dummy", dummy, DUMMIES)
    _check_scores(scores)
    if scores.ndim < 2 or scores.shape[-1] < 1:
        raise CorelaxError(f"scores must be [..., span, 1 + candidate], not {list(scores.shape)}")
    _check_antecedents(antecedents, (*scores.shape[:-1], scores.shape[-1] - 1))
    spans = scores.shape[-2]
    if mask is not None and (mask.is_floating_point() or mask.shape != antecedents.shape):
        given = f"{mask.dtype} {list(mask.shape)}"
        raise CorelaxError(f"mask must be booleans {list(antecedents.shape)}, not {given}")
    new, links = _without_dummy(scores, dummy)
    real = links > -torch.inf if mask is None else (links > -torch.inf) & mask.bool()
    if can_check(antecedents) and bool((real & ((antecedents < 0) | (antecedents >= spans))).any()):
        raise CorelaxError(
            f"antecedents must be numbers of the {spans} spans; mask empty candidates"
        )
    valid = real & (antecedents < torch.arange(spans, device=scores.device)[:, None])
    # Candidates that are none go to a column of their own, which is cut off.
    columns = torch.where(valid, antecedents, spans)
    if can_check(columns) and _has_repeats(columns, spans):
        raise CorelaxError("antecedents: a span has the same candidate twice; mask one of them")
    square = scores.new_full((*scores.shape[:-1], spans + 1), -torch.inf)
    return _with_diagonal(square.scatter(-1, columns, links)[..., :spans], new)


def from_square(scores: Tensor, *, dummy: str = "last") -> Tensor:
    """s2e, LingMess, F-coref: scores of all pairs of spans, and a dummy column.

    Args:
        scores: [..., span, span + 1]. Scores of spans that do not come before are ignored.
        dummy: Whether the dummy is the "last" column (s2e) or the "first".

    Returns:
        [..., span, span] antecedent scores.

    >>> from_square(torch.tensor([[0.0, 0.0, 0.1], [2.0, 0.0, 0.2]]))
    tensor([[0.1000,   -inf],
            [2.0000, 0.2000]])
    """
    check_choice("dummy", dummy, DUMMIES)
    _check_scores(scores)
    if scores.ndim < 2 or scores.shape[-1] != scores.shape[-2] + 1:
        raise CorelaxError(f"scores must be [..., span, span + 1], not {list(scores.shape)}")
    new, links = _without_dummy(scores, dummy)
    above = torch.ones(links.shape[-2:], dtype=torch.bool, device=links.device).triu()
    return _with_diagonal(links.masked_fill(above, -torch.inf), new)


def to_pruned(antecedent_scores: Tensor, antecedents: Tensor, *, dummy: str = "first") -> Tensor:
    """Back: the dummy and the scores of the given candidates, −inf for those that are no earlier span.

    Args:
        antecedent_scores: [..., span, span].
        antecedents: [..., span, candidate] which scores to take.
        dummy: Whether the dummy becomes the "first" column or the "last".

    Returns:
        [..., span, 1 + candidate].

    >>> scores = torch.tensor([[0.0, 0.0], [1.5, 0.5]])
    >>> to_pruned(scores, torch.tensor([[0], [0]]))
    tensor([[0.0000,   -inf],
            [0.5000, 1.5000]])
    """
    check_choice("dummy", dummy, DUMMIES)
    check_square(antecedent_scores, "antecedent_scores")
    _check_antecedents(antecedents, (*antecedent_scores.shape[:-1], antecedents.shape[-1]))
    spans = antecedent_scores.shape[-1]
    earlier = antecedents < torch.arange(spans, device=antecedents.device)[:, None]
    links = antecedent_scores.gather(-1, antecedents.clamp(0, max(spans - 1, 0)))
    links = links.masked_fill(~earlier | (antecedents < 0), -torch.inf)
    new = antecedent_scores.diagonal(dim1=-2, dim2=-1)[..., None]
    return torch.cat([new, links] if dummy == "first" else [links, new], dim=-1)


def _check_scores(scores: Tensor) -> None:
    if not isinstance(scores, Tensor) or not scores.is_floating_point():
        raise CorelaxError("scores must be a tensor of floating-point numbers")


def _check_antecedents(antecedents: Tensor, shape: tuple[int, ...]) -> None:
    if not isinstance(antecedents, Tensor) or antecedents.dtype != torch.long:
        raise CorelaxError("antecedents must be a tensor of integers (torch.long)")
    if antecedents.shape != shape:
        raise CorelaxError(
            f"antecedents must be {list(shape)}, as the scores less their dummy column, "
            f"not {list(antecedents.shape)}"
        )


def _has_repeats(columns: Tensor, nothing: int) -> bool:
    """Whether a row has a column twice, other than `nothing`."""
    ordered = columns.sort(-1).values
    return bool(((ordered[..., 1:] == ordered[..., :-1]) & (ordered[..., 1:] < nothing)).any())


def _without_dummy(scores: Tensor, dummy: str) -> tuple[Tensor, Tensor]:
    """[..., span] the dummy's scores and [..., span, candidate] the others."""
    if dummy == "first":
        return scores[..., 0], scores[..., 1:]
    return scores[..., -1], scores[..., :-1]


def _with_diagonal(square: Tensor, new: Tensor) -> Tensor:
    diagonal = torch.eye(square.shape[-1], dtype=torch.bool, device=square.device)
    return torch.where(diagonal, new[..., :, None], square)
