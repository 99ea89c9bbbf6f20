"""Warnings about scores and gold that have the right form and probably the wrong convention.

Both mistakes were made with public models, and neither is an error: a document may have no candidates, and
one entity may have most of the mentions.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch
from torch import Tensor

from corelax.relax.precision import can_check

FEWEST_MENTIONS = 12  # with fewer, one entity may well have most of them
MASKED = 1e3  # what lies this far below the score of a new entity is a mask, such as -1e4

_is_trusted = ContextVar("is_trusted", default=False)


class ConventionWarning(UserWarning):
    """Scores or gold labels that look as if another convention was meant."""


@contextmanager
def trusted() -> Iterator[None]:
    """No such warnings, where scores and gold come from this package.

    >>> with trusted():
    ...     advise_gold(torch.tensor([0] * 20 + [1, 1]))
    """
    token = _is_trusted.set(True)
    try:
        yield
    finally:
        _is_trusted.reset(token)


def advise_scores(scores: Tensor, lengths: Tensor | None = None) -> None:
    """Warns if no mention can be linked, as with the antecedent in the first axis."""
    # What compiles a loss cannot look at scores, nor at the variable.
    if not can_check(scores) or _is_trusted.get() or scores.shape[-1] < 2 or not scores.numel():
        return
    scores = scores.detach()
    if bool(_can_link(scores[..., 1, 0], scores[..., 1, 1]).any()):
        return
    if lengths is not None and int(lengths.max()) < 2:
        return
    new = scores.diagonal(dim1=-2, dim2=-1).unsqueeze(-1)
    if not bool(_can_link(scores, new).tril(-1).any()):
        _warn(
            "antecedent_scores: no score lies below the diagonal, or none but masks, so that no mention can "
            "be linked and there is no gradient; rows are mentions, columns their antecedents: transposed "
            "scores need .mT"
        )


def _can_link(scores: Tensor, new: Tensor) -> Tensor:
    return (scores > -torch.inf) & (scores >= new - MASKED)


def advise_gold(gold: Tensor, real: Tensor | None = None) -> None:
    """Warns if entity 0 seems to mean "no entity": it has most mentions of a document, and none is −1."""
    if not can_check(gold) or _is_trusted.get():
        return
    if gold.shape[-1] < FEWEST_MENTIONS or not gold.numel():
        return
    real = torch.ones_like(gold, dtype=torch.bool) if real is None else real
    if bool(((gold < 0) & real).any()) or not bool((gold > 0).any()):
        return
    zeros, mentions = (gold == 0).sum(-1), real.sum(-1)
    suspicious = (mentions >= FEWEST_MENTIONS) & (zeros > mentions / 2)
    if bool(suspicious.any()):
        share = f"{int(zeros[suspicious][0])} of {int(mentions[suspicious][0])} mentions"
        _warn(
            f"gold: entity 0 has {share} and none is -1; if 0 means no entity, as in wl-coref and coref-hoi, "
            "give gold - 1"
        )


def _warn(message: str) -> None:
    """A warning at the line that called this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("corelax."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, ConventionWarning, stacklevel=level)
