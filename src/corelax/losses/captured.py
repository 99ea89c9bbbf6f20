"""A loss as a CUDA graph: forward and backward recorded once and replayed as a whole.

On a GPU a document of a few hundred mentions costs less than the launches of the kernels that compute its
loss. A graph launches them together. Documents are padded to a few sizes, each recorded when first met; if
asked to, the compiler fuses the many small kernels into a few before that.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from corelax.core.errors import CorelaxError
from corelax.relax.gold import Gold
from corelax.relax.triangular import SMALL_ELSEWHERE

SMALLEST_STEP = 32


class CapturedLoss:
    """Any loss of this package that stays on the GPU, for single documents: all but those with CEAF.

    On a CPU it is the loss itself. On a GPU scores are not looked at: NaN makes the loss NaN instead of an
    error. `gold` and `gold_sizes` are best given on the CPU, where they can be checked without waiting.

    Args:
        loss: A function `loss(antecedent_scores, gold, ...)`.
        fuse: Whether `torch.compile` fuses kernels, some seconds of work for each new size.
        settings: Keyword arguments of the loss, the same for all documents.

    >>> from corelax.losses import metric_loss
    >>> loss = CapturedLoss(metric_loss, metric="lea", beta=1.8**0.5)
    >>> loss(torch.zeros(2, 2), torch.tensor([0, 0])).ndim
    0
    """

    def __init__(self, loss: Callable[..., Tensor], *, fuse: bool = False, **settings: Any) -> None:
        self._loss, self._fuse, self._settings = loss, fuse, settings
        self._takes_sizes = "gold_sizes" in inspect.signature(loss).parameters
        self._recordings: dict[tuple[Any, ...], _Recording] = {}
        self._pool: Any = None  # memory that all recordings work in, one after the other

    def __call__(
        self, antecedent_scores: Tensor, gold: Tensor, *, gold_sizes: Tensor | None = None
    ) -> Tensor:
        """The loss of one document: [mention, antecedent] scores, [mention] gold, [entity] sizes."""
        if not antecedent_scores.is_cuda:
            sizes = {"gold_sizes": gold_sizes} if self._takes_sizes else {}
            return self._loss(antecedent_scores, gold, **sizes, **self._settings)
        n = len(antecedent_scores)
        if antecedent_scores.shape != (n, n):
            shape = list(antecedent_scores.shape)
            raise CorelaxError(f"antecedent_scores must be [mention, mention], not {shape}")
        if gold.shape != (n,):
            raise CorelaxError(
                f"gold must be {[n]} to go with antecedent_scores, not {list(gold.shape)}"
            )
        if gold_sizes is None or not gold.is_cuda:
            sizes_here = None if gold_sizes is None else gold_sizes.to(gold.device)
            checked = Gold.of(gold, sizes_here, torch.zeros([], device=gold.device).expand(n, n))
            gold, gold_sizes = checked.entity, checked.sizes
        dtype, device = antecedent_scores.dtype, antecedent_scores.device
        key = (padded(n), padded(len(gold_sizes)), dtype, device)
        if key not in self._recordings:
            self._pool = self._pool or torch.cuda.graph_pool_handle()
            self._recordings[key] = _Recording(self._to_record(key[0]), self._pool, *key)
        value: Tensor = _Replay.apply(  # type: ignore[no-untyped-call]
            antecedent_scores, gold, gold_sizes, self._recordings[key]
        )
        return value

    def _to_record(self, mentions: int) -> Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]:
        """The loss with its settings, for one recording."""
        loss, takes_sizes, settings = self._loss, self._takes_sizes, self._settings

        def recorded(scores: Tensor, gold: Tensor, sizes: Tensor, length: Tensor) -> Tensor:
            given = {"gold_sizes": sizes} if takes_sizes else {}
            return loss(scores, gold, lengths=length, **given, **settings)

        # The solve of large documents goes by halves. For the pairwise family the compiler (of torch 2.11)
        # then gave gradients that were off by 0.3 %; all others agreed to 1e-6.
        by_halves = mentions > SMALL_ELSEWHERE and settings.get("family") == "pairwise"
        if not self._fuse or by_halves:
            return recorded
        # The compiler keeps a few versions of a function and no more. A copy of the code has its own.
        copied = FunctionType(
            recorded.__code__.replace(), recorded.__globals__, closure=recorded.__closure__
        )
        return torch.compile(copied, dynamic=False, fullgraph=True)


class _Recording:
    """The graph for one size, with the memory that it reads and writes."""

    def __init__(
        self,
        loss: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor],
        pool: Any,
        mentions: int,
        entities: int,
        dtype: torch.dtype,
        device: torch.device,
    ) -> None:
        # The gradient of half-precision scores waits in float32: a loss scale may still multiply it.
        half = dtype in (torch.float16, torch.bfloat16)
        dtype = torch.float32 if half else dtype
        self.scores = torch.zeros(mentions, mentions, dtype=dtype, device=device)
        self.gold = torch.full([mentions], -1, device=device)
        self.sizes = torch.zeros(entities, dtype=torch.float64, device=device)
        self.length = torch.zeros([], dtype=torch.long, device=device)

        def both_ways() -> tuple[Tensor, Tensor]:
            scores = self.scores.detach().requires_grad_()
            value = loss(scores, self.gold, self.sizes, self.length)
            (gradient,) = torch.autograd.grad(value, scores)
            return value.detach(), gradient

        stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.stream(stream), torch.enable_grad():
            for _ in range(3):  # libraries set themselves up on the first calls
                both_ways()
        torch.cuda.current_stream(device).wait_stream(stream)
        self.graph = torch.cuda.CUDAGraph()
        with torch.enable_grad(), torch.cuda.graph(self.graph, pool=pool):
            self.value, self.gradient = both_ways()

    def replay(self, scores: Tensor, gold: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor]:
        """Loss and gradient of one document."""
        n = len(scores)
        self.scores[:n, :n].copy_(scores)  # what the last document left beyond is masked
        self.gold[:n].copy_(gold)
        self.gold[n:].fill_(-1)
        self.sizes[: len(sizes)].copy_(sizes)
        self.sizes[len(sizes) :].zero_()
        self.length.fill_(n)
        self.graph.replay()
        return self.value.clone(), self.gradient[:n, :n].clone()


class _Replay(torch.autograd.Function):
    """The gradient is there once the loss is; the backward pass only scales it."""

    @staticmethod
    def forward(
        ctx: Any, scores: Tensor, gold: Tensor, sizes: Tensor, recording: _Recording
    ) -> Tensor:
        value, gradient = recording.replay(scores, gold, sizes)
        ctx.save_for_backward(gradient)
        ctx.dtype = scores.dtype
        return value

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor, None, None, None]:
        (gradient,) = ctx.saved_tensors
        return (grad_output * gradient).to(ctx.dtype), None, None, None


def padded(number: int) -> int:
    """The size that a number of mentions or entities is padded to: at most an eighth more, from 256 on.

    >>> [padded(number) for number in (0, 33, 350, 1100)]
    [32, 64, 352, 1152]
    """
    step = max(1 << max(number.bit_length() - 4, 0), SMALLEST_STEP)
    return max(-(-number // step), 1) * step
