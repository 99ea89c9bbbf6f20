"""The network as ONNX graphs, which onnxruntime runs without torch; `onnx_network.py` says which."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from corelax.core.errors import CorelaxError
from corelax.rankers.encoder.antecedents import Spans
from corelax.rankers.encoder.features import LAYERS
from corelax.rankers.encoder.network import PROPERTIES
from corelax.rankers.encoder.onnx_network import (
    CANDIDATE_PARTS,
    CANDIDATES,
    LINKS,
    MENTION_PARTS,
    MENTIONS,
    SPANS,
    WORDS,
    Graph,
)
from corelax.rankers.encoder.ranker import EncoderRanker

OPSET = 23  # the first with attention as one operation
INSTALL = "onnx and onnxscript are not installed; pip install 'corelax[export]'"
PREFIX = "ranker."  # of weights, in the modules below
FLOATS = {"vectors", "hidden", "words"}  # inputs that are not whole numbers
_Inputs = dict[str, tuple[Any, ...]]  # sizes, or names of sizes that may change


class _Part(nn.Module):
    """A call of the network, with tensors in and out."""

    def __init__(self, ranker: EncoderRanker) -> None:
        super().__init__()
        self.ranker = ranker


class _Words(_Part):
    def forward(
        self,
        vectors: Tensor,
        lengths: Tensor,
        owners: Tensor,
        shapes: Tensor,
        schemes: Tensor,
        window: Tensor,
        start: Tensor,
        width: Tensor,
    ) -> tuple[Tensor, Tensor]:
        spans = window, start, width
        return self.ranker.words(vectors, lengths, owners, shapes, schemes, spans)


class _Mentions(_Part):
    """The vectors of words, and what `_Words` computes logits from; in the order of `MENTION_PARTS`."""

    def forward(self, hidden: Tensor, owners: Tensor, shapes: Tensor) -> tuple[Tensor, ...]:
        words = self.ranker.word_vectors(hidden, owners, shapes)
        return words, *self.ranker.spans.of_words(words)


class _Spans(_Part):
    def forward(
        self,
        words: Tensor,
        layers: Tensor,
        first: Tensor,
        schemes: Tensor,
        window: Tensor,
        start: Tensor,
        width: Tensor,
        offsets: Tensor,
    ) -> tuple[Tensor, Tensor]:
        spans = window, start, width
        vectors, _, properties = self.ranker.describe(words, layers, first, schemes, spans, offsets)
        return vectors, properties


class _Links(_Part):
    def forward(
        self, vectors: Tensor, number: Tensor, properties: Tensor, scheme: Tensor, rows: Tensor
    ) -> tuple[Tensor, Tensor]:
        scores, antecedents = self.ranker.links(vectors, number, properties, scheme, rows)
        return scores, antecedents


class _Candidates(_Part):
    """What `_Links` computes scores from; in the order of `CANDIDATE_PARTS`."""

    def forward(
        self, vectors: Tensor, number: Tensor, properties: Tensor, scheme: Tensor, rows: Tensor
    ) -> tuple[Tensor, ...]:
        scorer = self.ranker.antecedents
        row, before = self.ranker.block(vectors, number, properties, rows)
        [coarse], [where] = scorer.choose(Spans(*(part[None] for part in row)), before)
        document = torch.zeros_like(rows)[:, None]
        place, who = scorer.codes(row, before, document, where)
        own, previous = scorer.own(row, document, scheme), scorer.previous(vectors)
        return coarse, where, place, who, own, previous


def export_graphs(ranker: EncoderRanker) -> dict[str, Graph]:
    """The graphs of a ranker (on the CPU, in evaluation mode) by the names of their files."""
    try:
        import onnx  # noqa: F401
        import onnxscript  # noqa: F401
    except ImportError:
        raise CorelaxError(INSTALL) from None
    settings = ranker.settings
    size, most = int(ranker.encoder.config.hidden_size), settings.antecedents
    # Sizes that are all different, and none of them 0 or 1, which would be taken for fixed; and their limits.
    sizes = {
        "windows": (2, {}),
        "pieces": (7, {"max": settings.window}),
        "words": (5, {}),
        "spans": (11, {}),
        "kept": (6, {}),
        "offsets": (min(3, settings.max_width), {"max": settings.max_width}),
        "before": (most + 3, {"min": most}),
        "rows": (4, {}),
    }
    of_pieces, of_words = ("windows", "pieces"), ("windows", "words")
    block: _Inputs = {
        "vectors": ("before", settings.span_size),
        "number": ("before",),
        "properties": ("before", len(PROPERTIES)),
        "scheme": (1,),
        "rows": ("rows",),
    }
    parts: dict[str, tuple[_Part, _Inputs, Sequence[str]]] = {
        WORDS: (
            _Words(ranker),
            {
                "vectors": (*of_pieces, size),
                "lengths": ("windows",),
                "owners": of_pieces,
                "shapes": of_words,
                "schemes": ("windows",),
                **dict.fromkeys(("window", "start", "width"), ("spans",)),
            },
            ("words", "logits"),
        ),
        MENTIONS: (
            _Mentions(ranker),
            {"hidden": (*of_pieces, size), "owners": of_pieces, "shapes": of_words},
            [f"of_{name}" for name in MENTION_PARTS],  # unlike names inside the graph
        ),
        SPANS: (
            _Spans(ranker),
            {
                "words": (*of_words, size),
                "layers": (*of_words, len(LAYERS)),
                "first": ("windows",),
                "schemes": ("windows",),
                **dict.fromkeys(("window", "start", "width"), ("kept",)),
                "offsets": ("offsets",),
            },
            ("vectors", "properties"),
        ),
        LINKS: (_Links(ranker), block, ("scores", "antecedents")),
        CANDIDATES: (_Candidates(ranker), block, [f"of_{name}" for name in CANDIDATE_PARTS]),
    }
    dims = {name: torch.export.Dim(name, **limits) for name, (_, limits) in sizes.items()}
    models = {}
    with _quietly():
        for name, (part, inputs, outputs) in parts.items():
            shapes = {k: [sizes[d][0] if d in sizes else d for d in v] for k, v in inputs.items()}
            dynamic = {
                k: {at: dims[d] for at, d in enumerate(v) if d in dims} for k, v in inputs.items()
            }
            models[name] = _exported(part, shapes, dynamic, outputs)
    _flatten_attention(models[WORDS], ranker.encoder.config.num_attention_heads)
    names = set(ranker.state_dict())
    return {name: _without_weights(model, names) for name, model in models.items()}


def _exported(
    part: _Part,
    shapes: Mapping[str, Sequence[int]],
    dynamic: Mapping[str, dict[int, Any]],
    outputs: Sequence[str],
) -> Any:
    inputs = {
        name: torch.zeros(shape, dtype=torch.float if name in FLOATS else torch.long)
        for name, shape in shapes.items()
    }
    program = torch.onnx.export(
        part.eval(),
        kwargs=inputs,
        dynamic_shapes=dict(dynamic),
        output_names=list(outputs),
        dynamo=True,
        optimize=False,  # would transpose weights, which then have no name any more
        opset_version=OPSET,
        verbose=False,
    )
    if program is None:
        raise CorelaxError("the network could not be exported")
    return program.model_proto


def _without_weights(model: Any, names: set[str]) -> Graph:
    """A graph whose weights are said to be elsewhere, by their names in `model.safetensors`."""
    from onnx import TensorProto

    renamed = {}
    for weight in model.graph.initializer:
        name = weight.name.removeprefix(PREFIX)
        if name in names:
            renamed[weight.name] = name
            weight.name = name
            for field in ("raw_data", "float_data", "external_data"):
                weight.ClearField(field)
            weight.data_location = TensorProto.EXTERNAL
            entry = weight.external_data.add()
            entry.key, entry.value = "location", "model.safetensors"
    for node in model.graph.node:
        for at, name in enumerate(node.input):
            node.input[at] = renamed.get(name, name)
        node.ClearField("metadata_props")
        node.ClearField("doc_string")
    for value in model.graph.value_info:
        value.ClearField("metadata_props")
    model.graph.ClearField("value_info")
    return Graph(model.SerializeToString(), sorted(renamed.values()))


def _flatten_attention(model: Any, heads: int) -> None:
    """Takes away the nodes that cut vectors into heads and join them again: `Attention` does both itself."""
    from onnx.helper import make_attribute

    nodes = model.graph.node
    maker = {name: node for node in nodes for name in node.output}
    user = {name: node for node in nodes for name in node.input}
    for node in [node for node in nodes if node.op_type == "Attention"]:
        cuts = [[maker[name], maker[maker[name].input[0]]] for name in node.input[:3]]
        joins = [user[node.output[0]]]
        while joins[-1].op_type in ("Transpose", "Identity"):
            joins.append(user[joins[-1].output[0]])
        kinds = {tuple(each.op_type for each in cut) for cut in cuts}
        if kinds != {("Transpose", "Reshape")} or joins[-1].op_type != "Reshape":
            continue  # made by another exporter: right as it is
        node.input[:3] = [reshape.input[0] for _, reshape in cuts]
        node.output[0] = joins[-1].output[0]
        for name in ("q_num_heads", "kv_num_heads"):
            node.attribute.append(make_attribute(name, heads))
        for each in joins:
            nodes.remove(each)
    _drop_unused(model)


def _drop_unused(model: Any) -> None:
    needed = {value.name for value in model.graph.output}
    for node in reversed(list(model.graph.node)):  # users stand behind what they use
        if needed.isdisjoint(node.output):
            model.graph.node.remove(node)
        else:
            needed.update(node.input)


@contextmanager
def _quietly() -> Iterator[None]:
    """Without the exporter's progress and its remarks on packages that it does not need."""
    logger = logging.getLogger("torch.onnx")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)
