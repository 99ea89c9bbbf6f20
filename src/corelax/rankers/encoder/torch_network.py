"""The network by torch, where nothing is trained. A GPU computes in bfloat16."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from corelax.decode.arrays import Ints
from corelax.rankers.encoder.network import Network, Vectors, WindowBatch
from corelax.rankers.encoder.ranker import EncoderRanker

# cuDNN makes a plan for each number and length of windows, and most batches have others.
ATTENTION = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]


class TorchNetwork(Network):
    """A ranker in evaluation mode, on any device, as a network of arrays."""

    def __init__(self, ranker: EncoderRanker) -> None:
        config = ranker.encoder.config
        super().__init__(ranker.settings, int(config.hidden_size), int(config.num_attention_heads))
        self.ranker = ranker

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"torch on {self.ranker.device}"

    @property
    def kind(self) -> str:  # type: ignore[override]
        return self.ranker.device.type

    def words(self, batch: WindowBatch) -> tuple[Tensor, Vectors]:
        to = self.ranker.tensor
        table = batch.spans
        spans = to(table.window), to(table.start), to(table.width)
        with self._computing():
            words, logits = self.ranker.words(
                to(batch.pieces),
                to(batch.lengths),
                to(batch.owners),
                to(batch.shapes),
                to(batch.schemes),
                spans,
            )
            return words, _array(logits)

    def spans(self, words: Tensor, batch: WindowBatch, number: Ints) -> tuple[Vectors, Ints]:
        to, table = self.ranker.tensor, batch.spans
        width = table.width[number]
        spans = to(table.window[number]), to(table.start[number]), to(width)
        of_window = to(batch.layers), to(batch.first), to(batch.schemes)
        with self._computing():
            vectors, _, properties = self.ranker.describe(
                words, *of_window, spans, self.ranker.widths(width)
            )
            return _array(vectors), _array(properties)

    def links(
        self,
        vectors: Vectors,
        number: Ints,
        properties: Ints,
        scheme: int,
        rows: Ints,
    ) -> tuple[Vectors, Ints]:
        to = self.ranker.tensor
        rest = to(number), to(properties), to(np.array([scheme])), to(rows)
        # A GPU gets them in the precision that it has computed them in.
        computed = to(vectors).to(torch.bfloat16 if self.kind == "cuda" else torch.float32)
        with self._computing():
            scores, antecedents = self.ranker.links(computed, *rest)
            return _array(scores), _array(antecedents)

    @contextmanager
    def _computing(self) -> Iterator[None]:
        is_gpu = self.kind == "cuda"
        autocast = torch.autocast(self.kind, torch.bfloat16, enabled=is_gpu)
        with torch.inference_mode(), autocast:
            if is_gpu:
                with sdpa_kernel(ATTENTION):
                    yield
            else:
                yield


def store_as_computed(ranker: EncoderRanker) -> None:
    """Keeps the weights of matrix products in the two bytes in which a GPU multiplies them.

    What `TorchNetwork` computes stays as it is: else every call would convert them again. Not for models
    that are trained or saved.
    """
    for part in ranker.modules():
        if isinstance(part, nn.Linear):
            part.to(torch.bfloat16)


def _array(tensor: Tensor) -> np.ndarray:
    tensor = tensor.float() if tensor.is_floating_point() else tensor
    array: np.ndarray = tensor.cpu().numpy()
    return array
