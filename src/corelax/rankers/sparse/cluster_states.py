"""States of an LSTM over the clusters of a document, in shapes that do not depend on the document.

Clusters lie side by side, the longest first: place t has the t-th mention of each cluster that is so long.
A recorded step has room for a number of clusters in each place (`widths`); rows that a document does not fill
hold some mention, and nothing reads them. A place costs a product and a cell; the weights' gradients are
products over all places at once. Nothing is added up in scattered order.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor


class ClusterStates(torch.autograd.Function):
    """[mention, hidden] the state of each mention's cluster after that mention."""

    @staticmethod
    def forward(
        ctx: Any,
        hidden: Tensor,
        input_weights: Tensor,
        state_weights: Tensor,
        bias: Tensor,
        order: Tensor,
        position: Tensor,
        widths: Sequence[int],
    ) -> Tensor:
        """States.

        Args:
            ctx: Autograd's context.
            hidden: [mention, hidden] what the LSTM reads.
            input_weights: [gate, hidden] in torch's order of gates.
            state_weights: [gate, hidden].
            bias: [gate].
            order: [slot] the mention in each slot, place after place; any mention where a slot is empty.
            position: [mention] the slot of each mention; any slot for padding.
            widths: [place] how many slots there are, never more than in the place before.
        """
        gates = torch.addmm(bias, hidden, input_weights.T).index_select(0, order)
        states: list[Tensor] = []
        cells: list[Tensor] = []
        activated: list[Tensor] = []
        for place, slots in enumerate(_slots(widths)):
            width = widths[place]
            if place:
                of_state, cell = states[-1][:width] @ state_weights.T, cells[-1][:width]
            else:
                of_state = torch.zeros_like(gates[slots])
                cell = hidden.new_zeros(width, hidden.shape[1])
            state, cell, values = _cell(gates[slots], of_state, cell)
            states.append(state)
            cells.append(cell)
            activated.append(values)
        ctx.save_for_backward(hidden, input_weights, state_weights, order, position)
        ctx.widths, ctx.kept = widths, (states, cells, activated)
        return torch.cat(states).index_select(0, position)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """From the last place to the first."""
        hidden, input_weights, state_weights, order, position = ctx.saved_tensors
        widths, (states, cells, activated) = ctx.widths, ctx.kept
        slot = torch.arange(len(order), device=order.device)
        filled = (position.index_select(0, order) == slot)[:, None]
        of_states = torch.where(filled, gradient.index_select(0, order), 0.0)
        of_cell = hidden.new_zeros(widths[0], hidden.shape[1])  # from the place that comes after
        of_gates: list[Tensor] = []
        for place, slots in reversed(list(enumerate(_slots(widths)))):
            width = widths[place]
            if of_gates:
                of_states[slots][: len(of_gates[-1])].addmm_(of_gates[-1], state_weights)
            before = cells[place - 1][:width] if place else torch.zeros_like(cells[0])
            of_place, of_before = _cell_backward(
                of_states[slots], of_cell[:width], before, cells[place], activated[place]
            )
            of_cell[:width] = of_before
            of_gates.append(of_place)
        every = torch.cat(of_gates[::-1])
        mention = torch.arange(len(position), device=order.device)
        real = (order.index_select(0, position) == mention)[:, None]
        of_inputs = torch.where(real, every.index_select(0, position), 0.0)
        of_state_weights = torch.zeros_like(state_weights)
        if len(widths) > 1:
            read = [state[:width] for state, width in zip(states, widths[1:], strict=False)]
            of_state_weights = every[widths[0] :].T @ torch.cat(read)
        return (
            of_inputs @ input_weights,
            of_inputs.T @ hidden,
            of_state_weights,
            of_inputs.sum(0),
            None,
            None,
            None,
        )


def _slots(widths: Sequence[int]) -> list[slice]:
    """The slots of each place.

    >>> _slots([3, 1])
    [slice(0, 3, None), slice(3, 4, None)]
    """
    ends = list(accumulate(widths))
    return [slice(end - width, end) for end, width in zip(ends, widths, strict=True)]


def _cell(inputs: Tensor, of_state: Tensor, cell: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """State and cell after a step, and the gates as the backward pass needs them.

    Args:
        inputs: [row, gate] what the input gives to the gates, with the bias.
        of_state: [row, gate] what the state before gives to them.
        cell: [row, hidden] the cell before.
    """
    if inputs.is_cuda:  # one kernel
        fused: tuple[Tensor, Tensor, Tensor] = torch.ops.aten._thnn_fused_lstm_cell(
            inputs, of_state, cell
        )
        return fused
    opened, kept, candidate, shown = (inputs + of_state).chunk(4, dim=1)
    opened, kept, shown = opened.sigmoid(), kept.sigmoid(), shown.sigmoid()
    candidate = candidate.tanh()
    cell = kept * cell + opened * candidate
    return shown * cell.tanh(), cell, torch.cat([opened, kept, candidate, shown], dim=1)


def _cell_backward(
    of_state: Tensor, of_cell: Tensor, before: Tensor, cell: Tensor, activated: Tensor
) -> tuple[Tensor, Tensor]:
    """[row, gate] the gradient of the gates' inputs, and [row, hidden] of the cell before.

    Args:
        of_state: [row, hidden] the gradient of the state after the step.
        of_cell: [row, hidden] that of the cell after it.
        before: [row, hidden] the cell before it.
        cell: [row, hidden] the cell after it.
        activated: [row, gate] from `_cell`.
    """
    if of_state.is_cuda:
        of_gates, of_before, _ = torch.ops.aten._thnn_fused_lstm_cell_backward_impl(
            of_state, of_cell, before, cell, activated, False
        )
        return of_gates, of_before
    opened, kept, candidate, shown = activated.chunk(4, dim=1)
    squashed = cell.tanh()
    of_cell = of_cell + of_state * shown * (1 - squashed * squashed)
    parts = [
        of_cell * candidate * opened * (1 - opened),
        of_cell * before * kept * (1 - kept),
        of_cell * opened * (1 - candidate * candidate),
        of_state * squashed * shown * (1 - shown),
    ]
    return torch.cat(parts, dim=1), of_cell * kept
