"""Training steps as CUDA graphs: a whole step is recorded once for each size of documents, and replayed.

On a GPU the calls of a step would take longer than its work. Documents are padded to a few sizes and lie on
the GPU as rows of integers; a step copies one row to where the recording reads it.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from corelax.core.errors import CorelaxError
from corelax.losses.captured import padded
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.network import SparseRanker
from corelax.rankers.sparse.tensors import DocumentTensors
from corelax.train.sparse.config import Config
from corelax.train.sparse.objective import Objective, document_objective
from corelax.train.sparse.steps import Update

WARM_UP = 3


class Layout(NamedTuple):
    """How padded documents of one size lie in rows of integers: by the names of `DocumentTensors`."""

    shapes: dict[str, tuple[int, ...]]
    fillers: dict[str, int]

    @classmethod
    def of(cls, group: Sequence[DocumentTensors], ranker: SparseRanker) -> Layout:
        """Room for each document of a group."""
        size = padded(max(document.size for document in group))
        rows, codes, entities = (
            padded(max(len(getattr(document, name)) for document in group))
            for name in ("rows", "codes", "gold_sizes")
        )
        shapes: dict[str, tuple[int, ...]] = {
            "rows": (rows,),
            "features": (size, group[0].features.shape[1]),
            "current": (size, group[0].current.shape[1]),
            "previous": (size, group[0].previous.shape[1]),
            "codes": (codes,),
            "code_of_pair": (size, size),
            "gold": (size,),
            "gold_sizes": (entities,),
            "length": (),
        }
        fillers = {
            "rows": ranker.mention_features,  # the row that stays 0
            "features": rows,
            "current": ranker.pair_features,
            "previous": ranker.pair_features,
            "gold": -1,
        }
        return cls(shapes, fillers)

    def pack(self, document: DocumentTensors) -> Tensor:
        """The row of a document."""
        document = document.with_room(self.shapes["rows"][0])
        parts = []
        for name, shape in self.shapes.items():
            tensor = getattr(document, name)
            whole = torch.full(shape, self.fillers.get(name, 0), dtype=torch.int32)
            whole[tuple(slice(0, size) for size in tensor.shape)] = tensor.to(torch.int32)
            parts.append(whole.view(-1))
        return torch.cat(parts)

    def unpack(self, row: Tensor) -> DocumentTensors:
        """The document of a row, padded."""
        sizes = [torch.Size(shape).numel() for shape in self.shapes.values()]
        parts = torch.split_with_sizes(row, sizes)
        tensors = {}
        for part, (name, shape) in zip(parts, self.shapes.items(), strict=True):
            tensors[name] = part.view(shape) if name == "code_of_pair" else part.view(shape).long()
        return DocumentTensors(**tensors)


class Recording(NamedTuple):
    """A recorded step, and where it leaves the loss."""

    graph: torch.cuda.CUDAGraph
    loss: Tensor


class Group:
    """The documents of one size, and the recording of a step for them."""

    def __init__(self, documents: Sequence[DocumentTensors], ranker: SparseRanker) -> None:
        self.layout = Layout.of(documents, ranker)
        rows = [self.layout.pack(document) for document in documents]
        self.rows = torch.stack(rows).to(ranker.device)
        self._input = self.rows[0].clone()
        self.recording: Recording | None = None

    def record(
        self, update: Update, objective: Objective, accumulator: float, pool: object
    ) -> None:
        """Records a step. Weights, AdaGrad's sums and random numbers are as before when it is done."""
        device = self._input.device
        weights = [parameter.detach().clone() for parameter in update.parameters]
        sums = [update.optimizer.state[p].get("sum") for p in update.parameters]
        sums = [None if total is None else total.clone() for total in sums]
        random = torch.cuda.get_rng_state(device)
        gc.collect()  # what is left of earlier steps would tie this one to their stream
        stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.stream(stream):
            for _ in range(WARM_UP):  # libraries set themselves up on the first calls
                update.step(objective, self.layout.unpack(self._input))
        torch.cuda.current_stream(device).wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool, stream=stream):  # type: ignore[arg-type]
            loss = update.step(objective, self.layout.unpack(self._input))
        self.recording = Recording(graph, loss)
        with torch.no_grad():
            for parameter, weight, total in zip(update.parameters, weights, sums, strict=True):
                parameter.copy_(weight)
                # In place: the recording knows where they are.
                if (now := update.optimizer.state[parameter].get("sum")) is not None:
                    now.copy_(total) if total is not None else now.fill_(accumulator)
        torch.cuda.set_rng_state(random, device)

    def replay(self, row: int) -> Tensor:
        """A step for one document; its loss."""
        if self.recording is None:
            raise CorelaxError("no step is recorded; call begin_epoch first")
        self._input.copy_(self.rows[row])
        self.recording.graph.replay()
        return self.recording.loss.clone()


class RecordedSteps:
    """Document after document, each step a replayed CUDA graph."""

    def __init__(self, tables: Sequence[DocumentTable], update: Update, config: Config) -> None:
        self._update, self._config = update, config
        self._temperature: float | None = None
        ranker = update.ranker
        if not isinstance(ranker, SparseRanker):
            raise CorelaxError("steps of a deep ranker cannot be recorded")
        documents = [DocumentTensors.of(table, ranker.pair_features) for table in tables]
        by_size: dict[int, list[int]] = {}
        for number, document in enumerate(documents):
            by_size.setdefault(padded(document.size), []).append(number)
        self._place: dict[int, tuple[Group, int]] = {}
        # The largest first: what is recorded later finds room in its memory.
        self._groups = []
        for _, numbers in sorted(by_size.items(), reverse=True):
            group = Group([documents[number] for number in numbers], ranker)
            self._groups.append(group)
            self._place.update({number: (group, row) for row, number in enumerate(numbers)})

    def begin_epoch(self, epoch: int) -> None:
        """Records the steps again if the temperature, a constant of the recordings, has changed."""
        if (temperature := self._config.temperature_at(epoch)) == self._temperature:
            return
        self._temperature = temperature
        objective = document_objective(self._config, epoch, padded=True)
        for group in self._groups:  # else the memory of old recordings would add up
            group.recording = None
        torch.cuda.empty_cache()
        self._pool = torch.cuda.graph_pool_handle()
        for group in self._groups:
            group.record(self._update, objective, self._config.accumulator, self._pool)

    def step(self, number: int) -> Tensor:
        """Takes a step for the document with this number; its loss."""
        group, row = self._place[number]
        return group.replay(row)
