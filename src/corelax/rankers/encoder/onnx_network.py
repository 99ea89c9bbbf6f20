"""The network as graphs that onnxruntime runs, without torch. `export.py` writes them.

words.onnx    vectors of pieces → vectors of words, and the logits of all spans
spans.onnx    the spans that are kept → their vectors and properties
links.onnx    a block of spans and those before it → candidates and their scores

and two for kernels that compute the encoder, logits and scores of pairs (`kernels.py`):

mentions.onnx     vectors of pieces in their context → vectors of words, and what logits are computed from
candidates.onnx   as links.onnx → candidates, and what their scores are computed from

The graphs hold no weights, only their names: `model.safetensors` stays the one place where they are.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax.core.errors import CorelaxError
from corelax.core.folders import first_line
from corelax.decode.arrays import Ints
from corelax.rankers.encoder.network import Network, Vectors, WindowBatch
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.weights import SCALE, StoredWeights

WORDS, SPANS, LINKS = "words.onnx", "spans.onnx", "links.onnx"
GRAPHS = (WORDS, SPANS, LINKS)
WORDS_INT8 = "words.int8.onnx"  # may take the place of the first
INT8_GRAPHS = (WORDS_INT8, SPANS, LINKS)
MENTIONS, CANDIDATES = "mentions.onnx", "candidates.onnx"
MENTION_PARTS = ("words", "start", "end", "sums")  # outputs of the former
CANDIDATE_PARTS = ("coarse", "where", "place", "who", "own", "previous")  # outputs of the latter
INSTALL = "onnxruntime is not installed; pip install 'corelax[resolve]'"


class Graph(NamedTuple):
    """A graph without its weights.

    Attributes:
        content: As a file of ONNX.
        weights: The names of the weights that it needs in four bytes.
    """

    content: bytes
    weights: Sequence[str]

    @property
    def in_bytes(self) -> list[str]:
        """The names of the matrices that it needs in bytes: those whose scales it needs."""
        return [name.removesuffix(SCALE) for name in self.weights if name.endswith(SCALE)]


class Stored(NamedTuple):
    """What a model folder holds for networks without torch.

    Attributes:
        folder: What is blamed if the network cannot be run.
        settings: Sizes and limits of the ranker.
        weights: All weights.
        lookup: The name of the vectors of pieces among the weights.
        heads: The attention heads of the encoder.
    """

    folder: Path
    settings: EncoderSettings
    weights: StoredWeights
    lookup: str
    heads: int


class OnnxNetwork(Network):
    """Graphs and weights as a network. Threads wait without spinning."""

    def __init__(self, stored: Stored, graphs: Mapping[str, Graph], threads: int) -> None:
        size = stored.weights.shape(stored.lookup)[1]
        super().__init__(stored.settings, size, stored.heads)
        self.threads = threads
        self.name = "onnxruntime" if WORDS in graphs else "onnxruntime in int8"
        self._stored, self._graphs = stored, graphs
        self._start()

    def words(self, batch: WindowBatch) -> tuple[Vectors, Vectors]:
        spans = batch.spans
        words, logits = self._run(
            WORDS if WORDS in self._graphs else WORDS_INT8,
            vectors=self._looked_up(batch),
            lengths=batch.lengths,
            owners=batch.owners,
            shapes=batch.shapes,
            schemes=batch.schemes,
            window=spans.window,
            start=spans.start,
            width=spans.width,
        )
        return words, logits

    def spans(self, words: Vectors, batch: WindowBatch, number: Ints) -> tuple[Vectors, Ints]:
        width = batch.spans.width[number]
        vectors, properties = self._run(
            SPANS,
            words=words,
            layers=batch.layers,
            first=batch.first,
            schemes=batch.schemes,
            window=batch.spans.window[number],
            start=batch.spans.start[number],
            width=width,
            offsets=np.arange(width.max(initial=0) + 1),
        )
        return vectors, properties

    def links(
        self,
        vectors: Vectors,
        number: Ints,
        properties: Ints,
        scheme: int,
        rows: Ints,
    ) -> tuple[Vectors, Ints]:
        scores, antecedents = self._run(
            LINKS,
            vectors=vectors,
            number=number,
            properties=properties,
            scheme=np.array([scheme]),
            rows=rows,
        )
        return scores, antecedents

    def _looked_up(self, batch: WindowBatch) -> Vectors:
        return self._stored.weights.rows(self._stored.lookup, batch.pieces)

    def _run(self, graph: str, **inputs: NDArray[Any]) -> Any:
        if os.getpid() != self._process and self.threads > 1:
            # A process that was forked has none of the threads. Closing the sessions would wait for them.
            _abandoned.append(self._sessions)
            self._start()
        try:
            return self._sessions[graph].run(None, inputs)
        # onnxruntime has a class for each kind of error, all of them below Exception.
        except Exception as error:
            raise CorelaxError(
                f"{self._stored.folder}: {graph} cannot be run ({first_line(error)}); export it again"
            ) from None

    def _start(self) -> None:
        self._process = os.getpid()
        self._sessions = {name: self._session(name) for name in self._graphs}

    def _session(self, name: str) -> Any:
        # Read when it is imported: else it keeps a file about this machine and tells its makers about use.
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
        try:
            import onnxruntime
        except ImportError:
            raise CorelaxError(INSTALL) from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        options.enable_mem_pattern = False  # shapes differ from call to call
        options.log_severity_level = 4
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.add_session_config_entry("session.x64quantprecision", "01"[_may_cut_off()])
        graph, weights = self._graphs[name], self._stored.weights
        try:
            arrays: dict[str, NDArray[Any]] = {w: weights.in_bytes(w) for w in graph.in_bytes}
            arrays |= {w: weights(w) for w in graph.weights}
            values = map(onnxruntime.OrtValue.ortvalue_from_numpy, arrays.values())
            options.add_external_initializers(list(arrays), list(values))
            return onnxruntime.InferenceSession(
                graph.content, options, providers=["CPUExecutionProvider"]
            )
        except CorelaxError:
            raise
        except Exception as error:  # as in `_run`
            raise CorelaxError(
                f"{self._stored.folder}: {name} cannot be loaded ({first_line(error)}); export it again"
            ) from None


_abandoned: list[Any] = []  # sessions of a parent process


@cache
def _may_cut_off() -> bool:
    """Whether the processor may cut sums of products of bytes off at 16 bits; exact sums then take longer.

    x86 processors do, but for those with VNNI; others take no notice of the option.
    """
    try:
        return "_vnni" not in Path("/proc/cpuinfo").read_text()
    except OSError:
        return True
