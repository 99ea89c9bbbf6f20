"""The scores of `pair_scores.py` and their gradients on a GPU, without hidden values in memory.

As calls of PyTorch, every operation reads and writes all [pair, 700] hidden values; here a program computes
those of a few pairs and adds them up at once. The kernel for gradients computes them once more: a program
takes a group of rows i, sums over j for ∂A_i, ∂u and ∂slots, and leaves what its rows add to each ∂B_j; a
small kernel adds the groups up. Every sum has a fixed order.

Dropout draws from (seed, pair, hidden unit), so that all kernels leave out the same values. The last two are
one number of 32 bits: pairs of documents with more than 2,400 mentions can share draws.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple

import torch
from torch import Tensor

from corelax.core.errors import CorelaxError

ROWS, COLUMNS, UNITS = 8, 4, 128  # of a tile
SEGMENT, PARTS = 96, 8  # columns that a program takes, unless that would be more parts of a row
GROUPS = 64  # of rows, whose sums of columns are in memory at a time
MOST_SLOTS = 64  # what a tile has room for


def can_be_fused(current: Tensor) -> bool:
    """Whether there are kernels for these [mention, hidden] values."""
    is_counted = len(current) ** 2 < 1 << 31  # pairs have numbers of 32 bits
    is_known = current.is_cuda and current.dtype == torch.float32 and is_counted
    return is_known and _is_compiled(current.device)


@cache
def _is_compiled(device: torch.device) -> bool:
    """Whether Triton can compile. It comes with PyTorch for GPUs on Linux, and needs a C compiler."""
    if find_spec("triton") is None:
        return False
    # As large as usual, so that what is compiled here is of use.
    vectors, codes = (torch.zeros(32, size, device=device) for size in (700, 32))
    given = PairInputs(
        vectors, vectors, vectors[:1], codes.int(), drawn_seed(vectors, 0.0), vectors[0], 0.0, 0
    )
    try:
        fused_gradients(given, fused_scores(given), vectors[:1, :41])
    except Exception:  # whatever it is, there is another way
        return False
    return True


def drawn_seed(values: Tensor, dropout: float) -> Tensor:
    """[1] where dropout starts from in a kernel, drawn where the values are."""
    seed = torch.zeros(1, dtype=torch.long, device=values.device)
    return seed.random_(1 << 31) if dropout else seed


class FusedPairScores(torch.autograd.Function):
    """[mention, antecedent] the scores of all pairs; arguments are those of `PairScores`."""

    @staticmethod
    def forward(
        ctx: Any,
        current: Tensor,
        previous: Tensor,
        slots: Tensor,
        output: Tensor,
        code_slots: Tensor,
        codes: Tensor,
        dropout: float,
        window: int,
    ) -> Tensor:
        """Scores."""
        seed = drawn_seed(current, dropout)
        given = PairInputs(
            current.contiguous(), previous.contiguous(), code_slots @ slots, codes.contiguous(),
            seed, output.contiguous(), dropout, window,
        )  # fmt: skip
        ctx.save_for_backward(*given[:6], code_slots)
        ctx.settings = (dropout, window)
        return fused_scores(given) / (1 - dropout)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """Sums over pairs."""
        *tensors, code_slots = ctx.saved_tensors
        given = PairInputs(*tensors, *ctx.settings)
        *sums, of_output = fused_gradients(given, gradient, code_slots)
        scale = 1 / (1 - given.dropout)
        weight = given.output * scale
        return *(total * weight for total in sums), of_output * scale, None, None, None, None


class PairInputs(NamedTuple):
    """What the scores of pairs are made of, all in float32 and contiguous.

    Attributes:
        current: [mention, hidden] A_i.
        previous: [mention, hidden] B_j.
        table: [code, hidden] C.
        codes: [mention, antecedent] the code of each pair.
        seed: [1] where dropout starts from.
        output: [hidden] u.
        dropout: The chance of a hidden value to be left out.
        window: How far back antecedents are looked at, at least; 0 for all the way.
    """

    current: Tensor
    previous: Tensor
    table: Tensor
    codes: Tensor
    seed: Tensor
    output: Tensor
    dropout: float
    window: int

    @property
    def reach(self) -> int:
        """How far back antecedents are looked at, at least."""
        mentions = len(self.current)
        return min(self.window or mentions, mentions)

    @property
    def sizes(self) -> dict[str, int]:
        """What kernels are compiled for."""
        tile = {"rows": ROWS, "columns": COLUMNS, "units": UNITS}
        return {"has_dropout": self.dropout > 0, **tile}


class PairGradients(NamedTuple):
    """Gradients, without the factor u / (1 − dropout) of the first three and 1 / (1 − dropout) of the last.

    Attributes:
        current: [mention, hidden].
        previous: [mention, hidden].
        slots: [slot, hidden] of the features that codes are made of.
        output: [hidden].
    """

    current: Tensor
    previous: Tensor
    slots: Tensor
    output: Tensor


def fused_scores(given: PairInputs) -> Tensor:
    """[mention, antecedent] scores, before they are divided by 1 − dropout; those with j ≥ i mean nothing."""
    from corelax.rankers.sparse import pair_kernels

    n, size = given.current.shape
    scores = given.current.new_zeros(n, n)
    with torch.cuda.device_of(scores):  # type: ignore[no-untyped-call]
        pair_kernels.scores[(parts_of(n, ROWS), parts_of(n, COLUMNS))](
            *given[:6], scores, given.reach, n, size, given.dropout, **given.sizes
        )
    return scores


def fused_gradients(given: PairInputs, gradient: Tensor, code_slots: Tensor) -> PairGradients:
    """Gradients of all inputs.

    Args:
        given: The inputs.
        gradient: [mention, antecedent] of the scores, 0 where there is no pair.
        code_slots: [code, slot] 1 where a code has a feature.
    """
    from corelax.rankers.sparse import pair_kernels

    n, size = given.current.shape
    slots = code_slots.shape[1]
    if slots > MOST_SLOTS:
        raise CorelaxError(f"pair codes have {slots} features; there is room for {MOST_SLOTS}")
    place = torch.arange(slots, device=code_slots.device)
    code_bits = (code_slots.long() << place).sum(1)
    most = given.reach + ROWS + COLUMNS  # columns of a group of rows
    segment = max(SEGMENT, parts_of(parts_of(most, PARTS), COLUMNS) * COLUMNS)
    parts = parts_of(most, segment)
    of_current = given.current.new_empty(parts, n, size)
    of_previous = torch.zeros_like(given.previous)
    of_output = given.current.new_empty(parts_of(n, ROWS) * parts, size)
    of_slots = given.current.new_empty(parts_of(n, ROWS) * parts, slots, size)
    of_columns = given.current.new_empty(min(parts_of(n, ROWS), GROUPS), n, size)
    inputs = (*given[:5], gradient.contiguous(), code_bits)
    with torch.cuda.device_of(gradient):  # type: ignore[no-untyped-call]
        for start in range(0, n, GROUPS * ROWS):
            groups = min(parts_of(n - start, ROWS), GROUPS)
            pair_kernels.gradients[(groups, parts, parts_of(size, UNITS))](
                *inputs, of_current, of_output, of_slots, of_columns, start, given.reach, segment,
                n, size, slots, given.dropout, **given.sizes, most_slots=MOST_SLOTS,
                num_stages=1,  # else addresses are computed three times over
            )  # fmt: skip
            columns = min(n, start + groups * ROWS)
            pair_kernels.column_sums[(parts_of(columns, COLUMNS), parts_of(size, UNITS))](
                of_columns,
                of_previous,
                start,
                groups,
                given.reach,
                n,
                size,
                rows=ROWS,
                columns=COLUMNS,
                units=UNITS,
            )
    return PairGradients(of_current.sum(0), of_previous, of_slots.sum(0), of_output.sum(0))


def parts_of(whole: int, part: int) -> int:
    """How many parts there are, the last of them perhaps smaller.

    >>> parts_of(9, 4)
    3
    """
    return -(-whole // part)
