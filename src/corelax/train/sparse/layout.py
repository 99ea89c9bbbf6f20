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
        dtype: Its type, of four or eight bytes.
    """

    shape: tuple[int, ...]
    filler: int = 0
    dtype: torch.dtype = torch.long


class Layout:
    """The rooms of tensors in a row, by name. Unpacked tensors are views of the row: nothing is copied.

    Args:
        rooms: By name. Eight-byte numbers come first in a row, so that all lie where they can be read.

    >>> layout = Layout({"weights": Room((3,), dtype=torch.float32), "gold": Room((2,), filler=-1)})
    >>> row = layout.pack({"weights": torch.tensor([0.5]), "gold": torch.tensor([7])})
    >>> row.dtype, {name: tensor.tolist() for name, tensor in layout.unpack(row).items()}
    (torch.int32, {'gold': [7, -1], 'weights': [0.5, 0.0, 0.0]})
    """

    def __init__(self, rooms: Mapping[str, Room]) -> None:
        self.rooms = dict(sorted(rooms.items(), key=lambda item: -item[1].dtype.itemsize))

    def pack(self, tensors: Mapping[str, Tensor]) -> Tensor:
        """The row of tensors that are not larger than their rooms."""
        parts = []
        for name, room in self.rooms.items():
            tensor = tensors[name]
            whole = torch.full(room.shape, room.filler, dtype=room.dtype)
            whole[tuple(slice(0, size) for size in tensor.shape)] = tensor.to(room.dtype)
            parts.append(whole.view(-1).view(torch.int32))
        return torch.cat(parts)

    def unpack(self, row: Tensor) -> dict[str, Any]:
        """The tensors of a row, padded."""
        parts = torch.split_with_sizes(row, [_integers(room) for room in self.rooms.values()])
        return {
            name: part.view(room.dtype).view(room.shape)
            for part, (name, room) in zip(parts, self.rooms.items(), strict=True)
        }


def _integers(room: Room) -> int:
    """How many integers of 32 bits a tensor takes."""
    return torch.Size(room.shape).numel() * room.dtype.itemsize // 4
