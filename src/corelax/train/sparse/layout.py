"""Tensors of one size as a row of integers, so that a document is copied to a recorded step at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor


class Room(NamedTuple):
    """The room for a tensor.

    Attributes:
        shape: Its shape, padding included.
        filler: What padding is.
        dtype: What it is unpacked as. Floating-point numbers are stored bit by bit.
    """

    shape: tuple[int, ...]
    filler: int = 0
    dtype: torch.dtype = torch.long


class Layout(NamedTuple):
    """The rooms of tensors in a row, by name; those of floating-point numbers come first.

    >>> layout = Layout({"weights": Room((3,), dtype=torch.float32), "gold": Room((2,), filler=-1)})
    >>> row = layout.pack({"weights": torch.tensor([0.5]), "gold": torch.tensor([7])})
    >>> row.dtype, {name: tensor.tolist() for name, tensor in layout.unpack(row).items()}
    (torch.int32, {'weights': [0.5, 0.0, 0.0], 'gold': [7, -1]})
    """

    rooms: Mapping[str, Room]

    def pack(self, tensors: Mapping[str, Tensor]) -> Tensor:
        """The row of tensors that are not larger than their rooms."""
        parts = []
        for name, room in self.rooms.items():
            tensor = tensors[name]
            dtype = room.dtype if room.dtype.is_floating_point else torch.int32
            whole = torch.full(room.shape, room.filler, dtype=dtype)
            whole[tuple(slice(0, size) for size in tensor.shape)] = tensor.to(dtype)
            parts.append(whole.view(-1).view(torch.int32))
        return torch.cat(parts)

    def unpack(self, row: Tensor) -> dict[str, Any]:
        """The tensors of a row, padded."""
        parts = torch.split_with_sizes(row, [_integers(room) for room in self.rooms.values()])
        tensors: dict[str, Any] = {}  # all of them tensors
        for part, (name, room) in zip(parts, self.rooms.items(), strict=True):
            floating = room.dtype.is_floating_point
            values = part.view(room.dtype) if floating else part.to(room.dtype)
            tensors[name] = values.view(room.shape)
        return tensors


def _integers(room: Room) -> int:
    """How many integers of 32 bits a tensor takes."""
    each = room.dtype.itemsize // 4 if room.dtype.is_floating_point else 1
    return torch.Size(room.shape).numel() * each
