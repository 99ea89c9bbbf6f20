"""Clusters as a global ranker sees them from left to right: which mention came last, which before that.

A history gives each mention a cluster: the gold one while it is trained, its own while it resolves. What
mention i sees are clusters of mentions before i only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor


class History(NamedTuple):
    """The clusters of a document, with all that the states of an LSTM over them need.

    Attributes:
        cluster: [mention] the number of its cluster, counted by first mentions.
        order: [mention] mentions by their place in their clusters: all that are first, then all that are
            second, …, in each place those of the longest cluster first.
        sizes: [place] how many clusters have a mention in this place; on the CPU.
        previous: [mention] the mention before it in its cluster, −1 for none.
        last: [mention, cluster] the last mention of each cluster before mention i, −1 for none.
        position: [mention] where it is in the order.
        widths: [place] for how many clusters the order has room, if it is padded.
    """

    cluster: Tensor
    order: Tensor
    sizes: Tensor
    previous: Tensor
    last: Tensor
    position: Tensor
    widths: tuple[int, ...] = ()

    @classmethod
    def of(cls, entities: Tensor) -> History:
        """From the number of each mention's entity; a mention with −1 is a cluster of its own.

        >>> history = History.of(torch.tensor([4, -1, 4, -1]))
        >>> history.cluster.tolist(), history.order.tolist(), history.previous.tolist()
        ([0, 1, 0, 2], [0, 1, 3, 2], [-1, -1, 0, -1])
        >>> history.last[3].tolist()  # of the first cluster mention 2, of the second mention 1
        [2, 1, -1]
        """
        numbers: dict[int, int] = {}
        cluster, place, previous = [], [], []
        latest: list[list[int]] = []
        for mention, entity in enumerate(entities.tolist()):
            # Mentions without an entity get keys that no entity has.
            number = numbers.setdefault(entity if entity >= 0 else -1 - mention, len(numbers))
            if number == len(latest):
                latest.append([])
            previous.append(latest[number][-1] if latest[number] else -1)
            place.append(len(latest[number]))
            cluster.append(number)
            latest[number].append(mention)
        lengths = np.array([len(members) for members in latest], dtype=np.int64)
        clusters = np.array(cluster, dtype=np.int64)
        order = np.lexsort((clusters, -lengths[clusters], np.array(place, dtype=np.int64)))
        last = np.full((len(cluster) + 1, len(latest)), -1, dtype=np.int64)
        last[np.arange(1, len(cluster) + 1), clusters] = np.arange(len(cluster))
        last = np.maximum.accumulate(last)[:-1]
        device = entities.device
        return cls(
            torch.from_numpy(clusters).to(device),
            torch.from_numpy(order).to(device),
            torch.from_numpy(np.bincount(place).astype(np.int64)),
            torch.tensor(previous, dtype=torch.long, device=device),
            torch.from_numpy(last).to(device),
            torch.from_numpy(order.argsort()).to(device),
        )

    def with_room(self, widths: Sequence[int]) -> History:
        """The same with room for a number of clusters in each place.

        Args:
            widths: [place] at least `sizes`, never more than in the place before.

        >>> history = History.of(torch.tensor([4, -1, 4])).with_room([3, 2])
        >>> history.order.tolist(), history.position.tolist()  # two first mentions, one second
        ([0, 1, 0, 2, 0], [0, 1, 3])
        """
        sizes = self.sizes.tolist()
        begins = np.cumsum([0, *widths])[: len(sizes)]
        slot = np.concatenate(
            [begin + np.arange(size) for begin, size in zip(begins, sizes, strict=True)]
        )
        slots = torch.from_numpy(slot.astype(np.int64)).to(self.order.device)
        order = self.order.new_zeros(sum(widths))  # an empty slot has the first mention
        order[slots] = self.order
        return self._replace(order=order, position=slots[self.position], widths=tuple(widths))

    def members(self, dtype: torch.dtype) -> Tensor:
        """[mention, cluster] 1 where a mention is in a cluster."""
        numbers = torch.arange(self.last.shape[1], device=self.cluster.device)
        return (self.cluster[:, None] == numbers).to(dtype)
