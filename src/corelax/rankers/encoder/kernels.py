"""The network by kernels of the package corelax-kernels, if they are installed and the processor runs them.

The encoder, logits and scores of pairs take the time; small graphs in between stay with onnxruntime.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from corelax.core.errors import CorelaxError
from corelax.decode.arrays import Ints
from corelax.rankers.encoder.features import WHERE, WHO, feature_table
from corelax.rankers.encoder.network import Vectors, WindowBatch
from corelax.rankers.encoder.onnx_network import (
    CANDIDATE_PARTS,
    CANDIDATES,
    MENTION_PARTS,
    MENTIONS,
    SPANS,
    Graph,
    OnnxNetwork,
    Stored,
)
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.weights import SCALE, Floats32, StoredWeights

if TYPE_CHECKING:
    from corelax_kernels import ByteMatrix, Encoder, Norm, PairScorer, SpanScorer

KERNEL_GRAPHS = (MENTIONS, SPANS, CANDIDATES)
INTERFACE = 1  # of the package: another version of it may take other arguments
SWITCH = "CORELAX_KERNELS"  # 0 in the environment: onnxruntime computes all
ENCODER = "encoder."  # of weights
# For each kind of encoder the names of its matrices: queries, keys, values; out; and of the norm after them.
ATTENTION = {
    "bert": (
        [f"attention.self.{part}" for part in ("query", "key", "value")],
        "attention.output.dense",
        "attention.output.LayerNorm",
    ),
    "mpnet": (
        [f"attention.attn.{part}" for part in "qkv"],
        "attention.attn.o",
        "attention.LayerNorm",
    ),
}
# Distances of MPNet: how many buckets there are, and from how many pieces on all are in the last.
BUCKETS, FAR = 32, 128


def have_kernels() -> bool:
    """Whether kernels are installed that this processor can run, and are not switched off."""
    if os.environ.get(SWITCH) == "0":
        return False
    try:
        import corelax_kernels
    except ImportError:
        return False
    return INTERFACE == corelax_kernels.INTERFACE and corelax_kernels.is_supported()


class Kernels(NamedTuple):
    encoder: Encoder
    spans: SpanScorer
    pairs: PairScorer


class KernelNetwork(OnnxNetwork):
    """A network most of which is computed by kernels; `graphs` are `KERNEL_GRAPHS`."""

    name = "kernels in int8"

    def __init__(
        self, stored: Stored, graphs: Mapping[str, Graph], threads: int, kernels: Kernels
    ) -> None:
        self._kernels = kernels
        super().__init__(stored, graphs, threads)
        self.name = "kernels in int8"

    def words(self, batch: WindowBatch) -> tuple[Vectors, Vectors]:
        vectors, spans = self._looked_up(batch), batch.spans
        real = np.arange(vectors.shape[1]) < batch.lengths[:, None]
        hidden = np.zeros_like(vectors)
        hidden[real] = self._kernels.encoder(vectors[real], batch.lengths, self.threads)
        outputs = self._run(MENTIONS, hidden=hidden, owners=batch.owners, shapes=batch.shapes)
        parts = dict(zip(MENTION_PARTS, outputs, strict=True))
        words = parts.pop("words")
        with self._blaming(MENTIONS):
            logits = self._kernels.spans(
                **parts,
                scheme=batch.schemes,
                window=spans.window,
                first=spans.start,
                width=spans.width,
                threads=self.threads,
            )
        return words, logits

    def links(
        self,
        vectors: Vectors,
        number: Ints,
        properties: Ints,
        scheme: int,
        rows: Ints,
    ) -> tuple[Vectors, Ints]:
        outputs = self._run(
            CANDIDATES,
            vectors=vectors,
            number=number,
            properties=properties,
            scheme=np.array([scheme]),
            rows=rows,
        )
        parts = dict(zip(CANDIDATE_PARTS, outputs, strict=True))
        with self._blaming(CANDIDATES):
            scores = self._kernels.pairs(vectors=vectors, row=rows, **parts, threads=self.threads)
        real = scores > -np.inf
        new = np.zeros((len(scores), 1), np.float32)
        return np.concatenate([new, scores], 1), np.where(real, number[parts["where"]], 0)

    @contextmanager
    def _blaming(self, graph: str) -> Iterator[None]:
        """What a graph gives may not fit the weights: that is the folder's fault."""
        try:
            yield
        except ValueError as error:
            raise CorelaxError(
                f"{self._stored.folder}: {graph}: {error}; export it again"
            ) from None


def kernels_of(
    config: Mapping[str, Any],
    weights: StoredWeights,
    settings: EncoderSettings,
    graphs: Container[str],
) -> Kernels | None:
    """The kernels with the weights of a model folder; None if there are none that can compute its network."""
    if not have_kernels() or not all(name in graphs for name in KERNEL_GRAPHS):
        return None
    try:
        encoder = _encoder(config, weights)
        if encoder is None or encoder.longest < settings.window:
            return None
        return Kernels(encoder, _spans(weights, settings), _pairs(weights))
    except (KeyError, TypeError, ValueError):  # a strange configuration, sizes that do not fit
        return None


def _encoder(config: Mapping[str, Any], weights: StoredWeights) -> Encoder | None:
    from corelax_kernels import Encoder, Layer

    kind = config.get("model_type")
    plain = config.get("position_embedding_type", "absolute") == "absolute"
    if kind not in ATTENTION or config.get("hidden_act") != "gelu" or not plain:
        return None
    asking, out, mixed_norm = ATTENTION[kind]
    stored = set(weights.names_in_bytes)
    layers = []
    for number in range(int(config["num_hidden_layers"])):
        at = f"{ENCODER}encoder.layer.{number}."
        parts = [asking, [out], ["intermediate.dense"], ["output.dense"]]
        if not all(f"{at}{name}.weight" in stored for names in parts for name in names):
            return None
        every, mixed, inner, outer = (
            _matrix(weights, [at + name for name in names]) for names in parts
        )
        norms = _norm(weights, at + mixed_norm), _norm(weights, f"{at}output.LayerNorm")
        layers.append(Layer(every, mixed, inner, outer, *norms))
    if any(name.startswith(f"{ENCODER}encoder.layer.{len(layers)}.") for name in stored):
        return None  # there are more layers than the configuration knows
    place = weights(f"{ENCODER}embeddings.position_embeddings.weight")
    bias = None
    if kind == "bert":  # all pieces are of one text
        place = place + weights(f"{ENCODER}embeddings.token_type_embeddings.weight")[0]
    else:  # places begin behind that of the piece that fills up
        place = place[int(config["pad_token_id"]) + 1 :]
        table = weights(f"{ENCODER}encoder.relative_attention_bias.weight")
        if len(table) != BUCKETS:  # which transformers counts on, whatever the configuration says
            return None
        bias = table[distance_buckets(len(place))].T
    return Encoder(
        heads=int(config["num_attention_heads"]),
        epsilon=float(config["layer_norm_eps"]),
        place=place,
        norm=_norm(weights, f"{ENCODER}embeddings.LayerNorm"),
        layers=layers,
        bias=bias,
    )


def _spans(weights: StoredWeights, settings: EncoderSettings) -> SpanScorer:
    from corelax_kernels import SpanScorer

    widths = _rows(weights, "spans.width.weight", settings.max_width)
    return SpanScorer(
        rest=widths[:, None] + _rows(weights, "spans.scheme.weight", len(settings.schemes)),
        out=weights("spans.out.weight"),
        bias=weights("spans.out.bias"),
    )


def _pairs(weights: StoredWeights) -> PairScorer:
    from corelax_kernels import PairScorer

    return PairScorer(
        product=weights("antecedents.product.weight"),
        place=feature_table(
            _rows(weights, f"antecedents.features.{name}.weight", rows)
            for name, rows in WHERE.items()
        ),
        who=_rows(weights, "antecedents.who.weight", prod(WHO.values())),
        out=weights("antecedents.out.weight")[0],
        bias=float(weights("antecedents.out.bias")[0]),
    )


def _rows(weights: StoredWeights, name: str, rows: int) -> Floats32:
    """A table with so many rows: sums of all of them are made of several, which must not explode."""
    table = weights(name)
    if len(table) != rows:
        raise ValueError(f"{name} has {len(table)} rows instead of {rows}")
    return table


def distance_buckets(reach: int) -> Ints:
    """[2 reach − 1] the bucket of each distance from a query to a key, as MPNet has them; −(reach − 1) first.

    Half of the buckets are for keys behind the query. Of each half, one part has a distance each, the rest
    grow by a factor up to `FAR`.

    >>> distance_buckets(3).tolist()
    [2, 1, 0, 17, 18]
    """
    distance = np.arange(1 - reach, reach)
    half = BUCKETS // 2
    near, size = half // 2, np.abs(distance)
    growing = np.log(np.maximum(size, 1) / near) / np.log(FAR / near) * (half - near)
    bucket = np.where(size < near, size, np.minimum(near + growing.astype(np.int64), half - 1))
    buckets_of: Ints = bucket + half * (distance > 0)
    return buckets_of


def _matrix(weights: StoredWeights, names: list[str]) -> ByteMatrix:
    from corelax_kernels import ByteMatrix

    def joined(suffix: str) -> Floats32:
        return np.concatenate([weights(name + suffix) for name in names])

    return ByteMatrix(
        np.concatenate([weights.in_bytes(f"{name}.weight") for name in names]),
        joined(f".weight{SCALE}"),
        joined(".bias"),
    )


def _norm(weights: StoredWeights, name: str) -> Norm:
    from corelax_kernels import Norm

    return Norm(weights(f"{name}.weight"), weights(f"{name}.bias"))
