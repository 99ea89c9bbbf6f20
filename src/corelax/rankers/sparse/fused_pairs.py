"""The scores of `pair_scores.py` and their gradients on a GPU: four kernels, no hidden values in memory.

As calls of PyTorch, every operation reads and writes all [pair, 700] hidden values; here a program computes
those of a few pairs and adds them up at once. The kernels for gradients compute them again: a program takes
some rows i and sums over j, or some columns j and sums over i, or pairs of the same code. Every sum has a
fixed order.

Dropout draws from (seed, pair, hidden unit), so that all kernels leave out the same values. The last two are
one number of 32 bits: pairs of documents with more than 2,400 mentions can share draws.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple

import torch
from torch import Tensor

ROWS, COLUMNS, UNITS = 16, 8, 32  # of a tile
CHUNK, CHUNK_PAIRS, CHUNK_UNITS = 256, 32, 128  # pairs of one code: in a chunk, and in a tile


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
    vector, number = (
        torch.zeros(1, 1, device=device),
        torch.zeros(1, dtype=torch.int, device=device),
    )
    try:
        fused_scores(PairInputs(vector, vector, vector, number, number, vector[0], 0.0, 0))
    except Exception:  # whatever it is, there is another way
        return False
    return True


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
        seed = torch.zeros(1, dtype=torch.long, device=current.device)
        if dropout:
            seed.random_(1 << 31)
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
    """[mention, antecedent] scores, before they are divided by 1 − dropout; 0 where there is no pair."""
    from corelax.rankers.sparse import pair_kernels

    n, size = given.current.shape
    scores = given.current.new_zeros(n, n)
    with torch.cuda.device_of(scores):  # type: ignore[no-untyped-call]
        pair_kernels.scores[(_parts(n, ROWS), _parts(n, COLUMNS))](
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
    chunks = Chunks.of(given.codes, len(code_slots))
    of_current, of_previous = torch.empty_like(given.current), torch.empty_like(given.previous)
    of_output = given.current.new_empty(_parts(n, ROWS), size)
    of_chunks = given.current.new_empty(len(chunks.codes), size)
    inputs, common = (*given[:5], gradient.contiguous()), (n, size, given.dropout)
    with torch.cuda.device_of(gradient):  # type: ignore[no-untyped-call]
        pair_kernels.row_gradients[(_parts(n, ROWS), _parts(size, UNITS))](
            *inputs, of_current, of_output, given.reach, *common, **given.sizes
        )
        pair_kernels.column_gradients[(_parts(n, COLUMNS), _parts(size, UNITS))](
            *inputs, of_previous, given.reach, *common, **given.sizes
        )
        pair_kernels.chunk_gradients[(len(chunks.codes), _parts(size, CHUNK_UNITS))](
            *inputs, *chunks[:4], of_chunks, *common,
            has_dropout=given.dropout > 0, pairs=CHUNK_PAIRS, units=CHUNK_UNITS,
        )  # fmt: skip
    of_slots = code_slots.index_select(0, chunks.codes).T @ of_chunks
    return PairGradients(of_current, of_previous, of_slots, of_output.sum(0))


class Chunks(NamedTuple):
    """The pairs of a document by their codes, in chunks of a code each; how many depends on sizes alone.

    Attributes:
        current: [pair] i, in the order of codes.
        previous: [pair] j, in that order.
        begin: [chunk] where its pairs begin in that order.
        end: [chunk] and where they end; where they begin for chunks that are left over.
        codes: [chunk] the code of its pairs.
    """

    current: Tensor
    previous: Tensor
    begin: Tensor
    end: Tensor
    codes: Tensor

    @classmethod
    def of(cls, codes: Tensor, number: int) -> Chunks:
        """Chunks of the pairs below the diagonal of [mention, antecedent] codes smaller than `number`.

        >>> chunks = Chunks.of(torch.tensor([[0, 0, 0], [1, 0, 0], [0, 1, 0]]), 2)
        >>> list(zip(chunks.current[:3].tolist(), chunks.previous[:3].tolist()))
        [(2, 0), (1, 0), (2, 1)]
        >>> chunks.begin[:2].tolist(), chunks.end[:2].tolist()
        ([0, 1], [1, 3])
        """
        n = len(codes)
        below = torch.ones_like(codes, dtype=torch.bool).tril(-1)
        ordered, order = torch.where(below, codes, number).view(-1).sort(stable=True)
        limits = torch.arange(number + 1, device=codes.device, dtype=ordered.dtype)
        first = torch.searchsorted(ordered, limits)  # [code + 1] where each code begins
        wanted = (first.diff() + CHUNK - 1) // CHUNK
        last = wanted.cumsum(0)
        chunk = torch.arange(number + n * n // 2 // CHUNK + 1, device=codes.device)
        of_chunk = torch.searchsorted(last, chunk, right=True).clamp_(max=number - 1)
        place = CHUNK * (chunk - (last - wanted).index_select(0, of_chunk))
        stop = first.index_select(0, of_chunk + 1)
        begin = torch.minimum(first.index_select(0, of_chunk) + place, stop)
        order = order.int()
        return cls(order // n, order % n, begin, torch.minimum(begin + CHUNK, stop), of_chunk)


def _parts(whole: int, part: int) -> int:
    return -(-whole // part)
