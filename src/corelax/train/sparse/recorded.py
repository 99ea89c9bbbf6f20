"""Training steps as CUDA graphs: a whole step is recorded once for each size of documents, and replayed.

On a GPU the calls of a step would take longer than its work. Documents are padded to a few sizes and lie on
the GPU as rows of integers, beside what can be prepared of them; a step copies one row to where the recording
reads it.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from copy import deepcopy
from typing import NamedTuple

import torch
from torch import Tensor

from corelax.core.errors import CorelaxError
from corelax.losses.captured import padded
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.networks import Ranker, RankerTensors
from corelax.train.sparse.config import Config
from corelax.train.sparse.objective import Objective, document_objective
from corelax.train.sparse.packing import can_be_packed, group_of, packing_for
from corelax.train.sparse.steps import PlainSteps, Update

WARM_UP = 1  # libraries set themselves up on the first call of a size


class Recording(NamedTuple):
    """A recorded step, and where it leaves the loss."""

    graph: torch.cuda.CUDAGraph
    loss: Tensor


class Group:
    """The documents of one size, and the recording of a step for them."""

    def __init__(self, documents: Sequence[RankerTensors], ranker: Ranker) -> None:
        self.packing = packing_for(ranker, documents)
        rows = [self.packing.pack(document) for document in documents]
        self.rows = torch.stack(rows).to(ranker.device)
        self._input = self.rows[0].clone()
        every = [self.packing.prepared(self.packing.unpack(row.clone())) for row in self.rows]
        self._shapes = [tensor.shape for tensor in every[0]]
        flat = [[tensor.reshape(-1) for tensor in prepared] for prepared in every]
        self._prepared = [torch.cat(parts) for parts in flat] if self._shapes else []
        self._prepared_input = self._prepared[0].clone() if self._prepared else None
        self.recording: Recording | None = None

    def document(self) -> RankerTensors:
        """The document that was copied to where the recording reads it."""
        document: RankerTensors = self.packing.unpack(self._input)
        if self._prepared_input is None:
            return document
        sizes = [shape.numel() for shape in self._shapes]
        parts = torch.split_with_sizes(self._prepared_input, sizes)
        views = [part.view(shape) for part, shape in zip(parts, self._shapes, strict=True)]
        prepared: RankerTensors = self.packing.with_prepared(document, views)
        return prepared

    def record(
        self, update: Update, objective: Objective, pool: object, stream: torch.cuda.Stream
    ) -> None:
        """Records a step, after some that change weights, the optimiser's state and random numbers."""
        device = self._input.device
        gc.collect()  # what is left of earlier steps would tie this one to their stream
        stream.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.stream(stream):
            for _ in range(WARM_UP):
                update.step(objective, self.document())
        torch.cuda.current_stream(device).wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool, stream=stream):  # type: ignore[arg-type]
            loss = update.step(objective, self.document())
        self.recording = Recording(graph, loss)

    def replay(self, row: int) -> Tensor:
        """A step for one document; its loss."""
        if self.recording is None:
            raise CorelaxError("no step is recorded; call begin_epoch first")
        self._input.copy_(self.rows[row])
        if self._prepared_input is not None:
            self._prepared_input.copy_(self._prepared[row])
        self.recording.graph.replay()
        return self.recording.loss.clone()


class RecordedSteps:
    """Document after document, each step a replayed CUDA graph.

    A document whose hidden values are too many to wait for the backward pass, or that cannot be padded, is a
    step of plain calls.
    """

    def __init__(self, tables: Sequence[DocumentTable], update: Update, config: Config) -> None:
        self._tables, self._update, self._config = tables, update, config
        self._plain = PlainSteps(tables, update, config)
        self._temperature: float | None = None
        ranker = update.ranker
        by_group: dict[tuple[int, ...], list[int]] = {}
        for number, table in enumerate(tables):
            is_kept = ranker.keeps_hidden(padded(table.size), config.dropout)
            if is_kept and can_be_packed(ranker, table):
                by_group.setdefault(group_of(ranker, table), []).append(number)
        self._place: dict[int, tuple[Group, int]] = {}
        # The largest first: what is recorded later finds room in its memory.
        self._groups = []
        here = deepcopy(ranker).cpu()  # where documents are packed
        for _, numbers in sorted(by_group.items(), reverse=True):
            group = Group([here.tensors_of(tables[number]) for number in numbers], ranker)
            self._groups.append(group)
            self._place.update({number: (group, row) for row, number in enumerate(numbers)})

    def begin_epoch(self, epoch: int) -> None:
        """Records the steps again if the temperature, a constant of the recordings, has changed."""
        self._plain.begin_epoch(epoch)
        if (temperature := self._config.temperature_at(epoch)) == self._temperature:
            return
        self._temperature = temperature
        device, optimizer = self._update.ranker.device, self._update.optimizer
        objective = document_objective(self._config, epoch, padded=True, tables=self._tables)
        for group in self._groups:  # else the memory of old recordings would add up
            group.recording = None
        torch.cuda.empty_cache()
        self._pool = torch.cuda.graph_pool_handle()
        stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        copies, random = optimizer.copies(), torch.cuda.get_rng_state(device)
        gc.collect()
        gc.freeze()  # each recording collects garbage: documents need not be looked at every time
        try:
            for group in self._groups:
                group.record(self._update, objective, self._pool, stream)
        finally:
            gc.unfreeze()
        optimizer.restore(copies)  # in place: the recordings know where they are
        torch.cuda.set_rng_state(random, device)

    def step(self, number: int) -> Tensor:
        """Takes a step for the document with this number; its loss."""
        if number not in self._place:
            return self._plain.step(number)
        group, row = self._place[number]
        return group.replay(row)
