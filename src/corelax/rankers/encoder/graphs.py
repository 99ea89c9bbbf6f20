"""The network as graphs that onnxruntime runs: arrays in, arrays out, no torch. `export.py` writes them."""

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
from corelax.rankers.encoder.stored_weights import SCALE, StoredWeights

Vectors = NDArray[np.float32]

WORDS, SPANS, LINKS = "words.onnx", "spans.onnx", "links.onnx"
GRAPHS = (WORDS, SPANS, LINKS)
WORDS_INT8 = "words.int8.onnx"  # may take the place of the first
# What is left of the first and the last if kernels compute the encoder, logits and scores of pairs.
MENTIONS, CANDIDATES = "mentions.onnx", "candidates.onnx"
MENTION_PARTS = ("words", "start", "end", "sums")  # outputs of the former
CANDIDATE_PARTS = ("coarse", "where", "place", "who", "own", "previous")  # outputs of the latter
# Of spans, in the order of their column.
PROPERTIES = ("start", "end", "sentence", "speaker", "turn", "person", "text", "head", "head_word")
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


@cache
def _may_cut_off() -> bool:
    """Whether the processor may cut sums of products of bytes off at 16 bits; exact sums then take longer.

    x86 processors do, but for those with VNNI; others take no notice of the option.
    """
    try:
        return "_vnni" not in Path("/proc/cpuinfo").read_text()
    except OSError:
        return True


_abandoned: list[Any] = []  # sessions of a parent process: closing them would wait for its threads


class Graphs:
    """The graphs of a ranker, with their weights.

    Calls may say how many threads compute; those of onnxruntime are the same for all calls.

    Attributes:
        least_at_once: From how many calls on it is faster to make several at once, in bytes.

    Args:
        graphs: Each of `GRAPHS`, or `WORDS_INT8` for the first.
        weights: The weights.
        threads: How many threads a call computes with. They wait without spinning.
        folder: What is blamed if the graphs cannot be run.
    """

    least_at_once = 2

    def __init__(
        self, graphs: Mapping[str, Graph], weights: StoredWeights, threads: int, folder: Path
    ) -> None:
        self._graphs, self._weights, self.threads = graphs, weights, threads
        self._folder = folder
        self.are_int8 = WORDS not in graphs
        self._start()

    @property
    def name(self) -> str:
        """What computes."""
        return "onnxruntime in int8" if self.are_int8 else "onnxruntime"

    def words(
        self,
        vectors: Vectors,
        lengths: Ints,
        owners: Ints,
        shapes: Ints,
        schemes: Ints,
        window: Ints,
        start: Ints,
        width: Ints,
        threads: int = 1,  # noqa: ARG002
    ) -> tuple[Vectors, Vectors]:
        """[window, word, size] vectors of words, and the [span] logits of all spans.

        Args:
            vectors: [window, piece, size] what the encoder looks up for pieces.
            lengths: [window] how many pieces are real.
            owners: [window, piece] the word that a piece is of, or −1.
            shapes: [window, word] numbers of shapes.
            schemes: [window] numbers of schemes.
            window: [span] which of the windows.
            start: [span] the first word, in the window.
            width: [span] the number of its words, less one.
            threads: How many threads may compute.
        """
        words, logits = self._run(
            WORDS_INT8 if self.are_int8 else WORDS,
            vectors=vectors,
            lengths=lengths,
            owners=owners,
            shapes=shapes,
            schemes=schemes,
            window=window,
            start=start,
            width=width,
        )
        return words, logits

    def spans(
        self,
        words: Vectors,
        layers: Ints,
        first: Ints,
        schemes: Ints,
        window: Ints,
        start: Ints,
        width: Ints,
    ) -> tuple[Vectors, Ints]:
        """[span, span_size] vectors of spans, and their [span, property] `PROPERTIES`.

        Args:
            words: [window, word, size] from `words`.
            layers: [window, word, layer] properties of words.
            first: [window] the first word of each in its document.
            schemes: [window] numbers of schemes.
            window: [span] which of the windows; the rest as in `words`.
            start: [span].
            width: [span].
        """
        vectors, properties = self._run(
            SPANS,
            words=words,
            layers=layers,
            first=first,
            schemes=schemes,
            window=window,
            start=start,
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
        threads: int = 1,  # noqa: ARG002
    ) -> tuple[Vectors, Ints]:
        """[row, 1 + candidate] scores of antecedents, and [row, candidate] which spans they are.

        Args:
            vectors: [span, span_size] the spans of a block and those before it.
            number: [span] their numbers in the document.
            properties: [span, property].
            scheme: The number of the scheme.
            rows: [row] the positions of the block.
            threads: How many threads may compute.
        """
        scores, antecedents = self._run(
            LINKS,
            vectors=vectors,
            number=number,
            properties=properties,
            scheme=np.array([scheme]),
            rows=rows,
        )
        return scores, antecedents

    def renew_after_fork(self) -> None:
        """Threads of the parent process are not here: makes new ones in a process that was forked."""
        if os.getpid() != self._process and self.threads > 1:
            _abandoned.append(self._sessions)
            self._start()

    def _run(self, graph: str, **inputs: NDArray[Any]) -> Any:
        try:
            return self._sessions[graph].run(None, inputs)
        except (
            Exception
        ) as error:  # onnxruntime has a class for each kind, all of them below Exception
            raise CorelaxError(
                f"{self._folder}: {graph} cannot be run ({first_line(error)}); export it again"
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
        graph = self._graphs[name]
        try:
            arrays: dict[str, NDArray[Any]] = {w: self._weights.in_bytes(w) for w in graph.in_bytes}
            arrays |= {w: self._weights(w) for w in graph.weights}
            values = map(onnxruntime.OrtValue.ortvalue_from_numpy, arrays.values())
            options.add_external_initializers(list(arrays), list(values))
            return onnxruntime.InferenceSession(
                graph.content, options, providers=["CPUExecutionProvider"]
            )
        except CorelaxError:
            raise
        except Exception as error:  # as in `_run`
            raise CorelaxError(
                f"{self._folder}: {name} cannot be loaded ({first_line(error)}); export it again"
            ) from None
