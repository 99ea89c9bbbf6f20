"""What each network reads of a document, padded to the size of its group: the tensors that lie in a row."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from corelax.losses.captured import padded
from corelax.rankers.sparse.deep.inputs import DeepTensors
from corelax.rankers.sparse.deep.network import DeepRanker
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.global_network import GlobalRanker
from corelax.rankers.sparse.histories import History
from corelax.rankers.sparse.network import SparseRanker
from corelax.rankers.sparse.networks import Ranker
from corelax.rankers.sparse.outer_network import OuterRanker
from corelax.rankers.sparse.pair_lists import PairList
from corelax.rankers.sparse.tensors import DocumentTensors, FeatureMatrices
from corelax.train.sparse.layout import Layout, Room

FEWEST_PLACES = 4
CLUSTERS = "clusters."  # before the names of a history's tensors


class Packing(Protocol):
    """How the documents of a group are packed."""

    layout: Layout

    def pack(self, document: Any) -> Tensor:
        """The row of a document, as the ranker's `tensors_of` gives it on a CPU."""

    def unpack(self, row: Tensor) -> Any:
        """The document of a row, padded."""

    def prepared(self, document: Any) -> Sequence[Tensor]:
        """What depends on the document alone and is costly to make in each step."""

    def with_prepared(self, document: Any, prepared: Sequence[Tensor]) -> Any:
        """The document with what was prepared."""


def packing_for(ranker: Ranker, group: Sequence[Any]) -> Packing:
    """Room for each document of a group."""
    if isinstance(ranker, DeepRanker):
        return DeepPacking(ranker, group)
    if isinstance(ranker, OuterRanker):
        return OuterPacking(ranker, group)
    return (GlobalPacking if isinstance(ranker, GlobalRanker) else SparsePacking)(ranker, group)


def group_of(ranker: Ranker, table: DocumentTable) -> tuple[int, ...]:
    """What documents of a group have in common: the padded size, and for an LSTM about how many steps it has.

    A few long clusters would otherwise cost all documents of a size as many steps.
    """
    if not isinstance(ranker, GlobalRanker):
        return (padded(table.size),)
    longest = int(np.bincount(table.gold[table.gold >= 0], minlength=1).max())
    step = max(1 << max(longest.bit_length() - 2, 0), FEWEST_PLACES)
    return padded(table.size), -(-max(longest, 1) // step) * step


def can_be_packed(ranker: Ranker, table: DocumentTable) -> bool:
    """Whether there are mentions, and something to pad with: rows of words repeat one that a document has."""
    has_words = not isinstance(ranker, DeepRanker) or bool((table.words >= 0).any())
    return bool(table.size) and has_words


class SparsePacking:
    """Documents of a ranker over sparse features."""

    def __init__(self, ranker: SparseRanker, group: Sequence[DocumentTensors]) -> None:
        self._ranker = ranker
        self.layout = Layout(self.rooms(ranker, group))

    def rooms(self, ranker: SparseRanker, group: Sequence[DocumentTensors]) -> dict[str, Room]:
        """Room for `DocumentTensors`."""
        first, shared = group[0], _shared_rooms(group)
        (size,) = shared["gold"].shape
        rows, codes = _most(group, "rows"), _most(group, "codes")
        none = ranker.pair_features
        return {
            "rows": Room((rows,), ranker.mention_features),  # the row that stays 0
            "features": Room((size, first.features.shape[1]), rows),
            "current": Room((size, first.current.shape[1]), none),
            "previous": Room((size, first.previous.shape[1]), none),
            "codes": Room((codes,)),
            **shared,
        }

    def pack(self, document: DocumentTensors) -> Tensor:
        """The row of a document."""
        (rows,) = self.layout.rooms["rows"].shape
        return self.layout.pack(document.with_room(rows)._asdict())

    def unpack(self, row: Tensor) -> DocumentTensors:
        """The document of a row, padded."""
        return DocumentTensors(**self.layout.unpack(row))

    def prepared(self, document: DocumentTensors) -> Sequence[Tensor]:
        """Its features as matrices, those twice the same once."""
        features, paired, *rest = self._ranker.matrices_of(document)
        return [features, *rest] if paired is features else [features, paired, *rest]

    def with_prepared(
        self, document: DocumentTensors, prepared: Sequence[Tensor]
    ) -> DocumentTensors:
        """The document with these matrices."""
        features, *rest = prepared
        if self._ranker.paired is None:
            rest.insert(0, features)
        return document._replace(matrices=FeatureMatrices(features, *rest))


class OuterPacking(SparsePacking):
    """Documents of a ranker with two hidden layers: with their pairs."""

    def __init__(self, ranker: SparseRanker, group: Sequence[DocumentTensors]) -> None:
        super().__init__(ranker, group)
        self._pairs = _GroupPairs(self.layout, ranker)

    def unpack(self, row: Tensor) -> DocumentTensors:
        """The document of a row, padded."""
        return super().unpack(row)._replace(pairs=self._pairs.on(row.device))


class GlobalPacking(SparsePacking):
    """Documents of a global ranker: with their gold clusters."""

    def rooms(self, ranker: SparseRanker, group: Sequence[DocumentTensors]) -> dict[str, Room]:
        """Room for `DocumentTensors` and their `History`."""
        rooms = super().rooms(ranker, group)
        (size,) = rooms["gold"].shape
        histories = [History.of(document.gold) for document in group]
        sizes = (history.sizes.tolist() for history in histories)
        self.widths = tuple(map(max, zip_longest(*sizes, fillvalue=0)))
        self.sizes = torch.tensor(self.widths)
        clusters = padded(max(history.last.shape[1] for history in histories))
        rooms |= {
            CLUSTERS + "cluster": Room((size,), -1),
            CLUSTERS + "order": Room((sum(self.widths),)),
            CLUSTERS + "previous": Room((size,), -1),
            CLUSTERS + "last": Room((size, clusters), -1),
            CLUSTERS + "position": Room((size,)),
        }
        return rooms

    def pack(self, document: DocumentTensors) -> Tensor:
        """The row of a document."""
        history = History.of(document.gold).with_room(self.widths)
        (rows,) = self.layout.rooms["rows"].shape
        clusters = {CLUSTERS + name: tensor for name, tensor in history._asdict().items()}
        return self.layout.pack({**document.with_room(rows)._asdict(), **clusters})

    def unpack(self, row: Tensor) -> DocumentTensors:
        """The document of a row, padded."""
        every = self.layout.unpack(row)
        names = [name for name in every if name.startswith(CLUSTERS)]
        parts = {name.removeprefix(CLUSTERS): every.pop(name) for name in names}
        history = History(**parts, sizes=self.sizes, widths=self.widths)
        return DocumentTensors(**every, clusters=history)


class DeepPacking:
    """Documents of a deep ranker."""

    def __init__(self, ranker: DeepRanker, group: Sequence[DeepTensors]) -> None:
        first, shared = group[0], _shared_rooms(group)
        (size,) = shared["gold"].shape
        rows, dtype = _most(group, "rows"), first.numbers.dtype
        self.layout = Layout(
            {
                "averages": Room((size, first.averages.shape[1]), dtype=dtype),
                "numbers": Room((size, first.numbers.shape[1]), dtype=dtype),
                "bits": Room((_most(group, "bits"), first.bits.shape[1]), dtype=dtype),
                "rows": Room((rows,)),
                "source": Room((rows,)),
                "words": Room((size, first.words.shape[1]), rows),
                "sentence": Room((size,)),
                **shared,
            }
        )
        self._pairs = _GroupPairs(self.layout, ranker)

    def pack(self, document: DeepTensors) -> Tensor:
        """The row of a document."""
        (rows,) = self.layout.rooms["rows"].shape
        return self.layout.pack(document.with_room(rows)._asdict())

    def unpack(self, row: Tensor) -> DeepTensors:
        """The document of a row, padded."""
        return DeepTensors(**self.layout.unpack(row), pairs=self._pairs.on(row.device))

    def prepared(self, document: DeepTensors) -> Sequence[Tensor]:  # noqa: ARG002
        """Nothing."""
        return ()

    def with_prepared(self, document: DeepTensors, prepared: Sequence[Tensor]) -> DeepTensors:  # noqa: ARG002
        """The document as it is."""
        return document


class _GroupPairs:
    """The list of pairs that all documents of a group share."""

    def __init__(self, layout: Layout, ranker: Ranker) -> None:
        (size,) = layout.rooms["gold"].shape
        self._pairs = PairList.of(size, ranker.max_antecedents)

    def on(self, device: torch.device) -> PairList:
        """The list on a device; copied there once, before anything is recorded."""
        if self._pairs.current.device != device:
            self._pairs = self._pairs.to(device)
        return self._pairs


def _shared_rooms(group: Sequence[DocumentTensors] | Sequence[DeepTensors]) -> dict[str, Room]:
    """Room for what documents of all networks have."""
    size = padded(max(document.size for document in group))
    return {
        "code_of_pair": Room((size, size), dtype=torch.int32),
        "gold": Room((size,), -1),
        "gold_sizes": Room((_most(group, "gold_sizes"),)),
        "length": Room(()),
    }


def _most(group: Sequence[Any], name: str) -> int:
    """The padded length of a tensor that the documents have."""
    return padded(max(len(getattr(document, name)) for document in group))
