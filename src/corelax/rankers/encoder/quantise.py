"""A graph whose products with the encoder's matrices are products of bytes.

    W ≈ diag(s) V                    V in bytes, s one scale for each row, as `model.safetensors` has them
    x ≈ step (q − zero)              q in bytes, the same step for all of an input
    W x + b ≈ step s ∘ V (q − zero) + b

V (q − zero) adds up whole numbers, so that it is exact; all of the last line is one operation of onnxruntime.
The range of an input is found by reading texts. A few of its numbers are ten times larger than all others,
always in the same columns and mostly at marks such as [SEP]: cut off, other entities would come out; with
steps so wide that they fit, little would be left of the rest. So these columns are known by name. A number
x_c that no byte stands for is cut off at x̄_c, and what is missing is added in n equal shares, as n more
numbers of the input, which the same column of V belongs to:

    V_c x_c = V_c x̄_c + Σ_n V_c (x_c − x̄_c) / n
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from corelax.document import Document
from corelax.rankers.encoder.model import EncoderModel
from corelax.rankers.encoder.onnx_network import Graph
from corelax.rankers.encoder.sample_texts import TEXTS
from corelax.rankers.encoder.weights import SCALE

MOST_COLUMNS = 8  # whose numbers may go beyond a range
WORTH = 2.0  # how many times as large as the others they must be
MARGIN = 1.1  # other texts have larger numbers
MOST_SHARES = 32  # of what goes beyond, for one column
TINY = 1e-6  # a range is never empty

Floats = NDArray[np.floating]


class Range(NamedTuple):
    """The numbers [row, column] of an input.

    Attributes:
        low: The smallest that bytes stand for.
        high: The largest.
        beyond: Columns with numbers outside, each as often as what lies outside must be divided by to fit.
    """

    low: float
    high: float
    beyond: tuple[int, ...] = ()


def range_of(least: Floats, most: Floats) -> Range:
    """The range of numbers of which [column] the least and the most are known.

    >>> least, most = np.full(20, -1.0), np.full(20, 0.5)
    >>> range_of(least, most)
    Range(low=-1.1, high=0.55, beyond=())
    >>> most[3] = 4
    >>> range_of(least, most)
    Range(low=-1.1, high=0.55, beyond=(3, 3, 3, 3))
    """
    least, most = np.minimum(least, 0) * MARGIN, np.maximum(most, TINY) * MARGIN
    largest = np.maximum(-least, most)
    rest, out = np.split(largest.argsort(), [max(0, len(largest) - MOST_COLUMNS)])
    if not len(rest) or largest[out].max() <= WORTH * largest[rest].max():
        return Range(float(least.min()), float(most.max()))
    low, high = float(least[rest].min()), float(most[rest].max())
    beyond = []
    for column in sorted(out.tolist()):
        outside = max(most[column] - high, low - least[column], 0.0)
        beyond += [column] * min(ceil(outside / max(high, -low)), MOST_SHARES)
    return Range(low, high, tuple(beyond))


@torch.inference_mode()
def input_ranges(model: EncoderModel) -> dict[str, Range]:
    """For each matrix of the encoder, by the name of its weight, the range of what it is multiplied with."""
    seen: dict[str, list[Tensor]] = {}  # [2, column] the least and the most of each call
    hooks = []
    for name, layer in model.ranker.encoder.named_modules():
        if isinstance(layer, nn.Linear):
            inputs = seen.setdefault(f"encoder.{name}.weight", [])
            hooks.append(layer.register_forward_pre_hook(partial(_keep, inputs)))
    texts = [text.split() for text in TEXTS]
    documents = [*([words] for words in texts), texts]  # each alone, and windows that are full
    try:
        for sentences in documents:
            windows = model.windows(Document.from_sentences("sample", sentences))
            for window in windows:  # one at a time: nothing is filled up
                pieces = torch.from_numpy(window.pieces)[None]
                model.ranker.encode(pieces, torch.tensor([len(window.pieces)]))
    finally:
        for hook in hooks:
            hook.remove()
    ranges = {}
    for name, inputs in seen.items():
        if inputs:
            ends = torch.stack(inputs)
            ranges[name] = range_of(ends[:, 0].amin(0).numpy(), ends[:, 1].amax(0).numpy())
    return ranges


def _keep(inputs: list[Tensor], _: nn.Module, arguments: tuple[Tensor]) -> None:
    rows = arguments[0].flatten(0, -2)
    inputs.append(torch.stack([rows.amin(0), rows.amax(0)]))


MOST = 255  # of a byte
CONTRIB = "com.microsoft"  # onnxruntime's own operations


def with_int8_products(graph: Graph, ranges: Mapping[str, Range]) -> Graph:
    """A graph with other nodes for W x + b, where W has a range and is stored in bytes."""
    import onnx

    model = onnx.load_from_string(graph.content)
    model.opset_import.append(onnx.helper.make_opsetid(CONTRIB, 1))
    uses = Counter(name for node in model.graph.node for name in node.input)
    user = {name: node for node in model.graph.node for name in node.input if uses[name] == 1}
    matrices = {name for name in ranges if uses[name] == 1}
    transposed = {
        node.output[0]: node.input[0]
        for node in model.graph.node
        if node.op_type == "Transpose" and node.input[0] in matrices and uses[node.output[0]] == 1
    }
    nodes, used, sums = [], set[str](), set[str]()
    constants: dict[str, NDArray[Any]] = {}
    for node in model.graph.node:
        matrix = transposed.get(node.input[1]) if node.op_type == "MatMul" else None
        if matrix is None:
            if node.output[0] not in sums:
                nodes.append(node)
            continue
        used.add(matrix)
        x, y = node.input[0], node.output[0]
        if f"{x}.step" not in constants:  # three products have the same x
            constants |= _constants(x, ranges[matrix])
            nodes += _in_bytes(x, ranges[matrix])
        bias, added = _bias(y, user.get(y))
        sums.add(added)
        nodes += _product(node, matrix, ranges[matrix], bias, added)
    weights = [weight for weight in model.graph.initializer if weight.name in used]
    for weight in weights:
        weight.data_type = onnx.TensorProto.INT8
        scale = model.graph.initializer.add()
        scale.CopyFrom(weight)
        scale.name, scale.data_type = weight.name + SCALE, onnx.TensorProto.FLOAT
        del scale.dims[1:]
    model.graph.initializer.extend(
        onnx.numpy_helper.from_array(value, name) for name, value in constants.items()
    )
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    floats = [*(set(graph.weights) - used), *(name + SCALE for name in used)]
    return Graph(model.SerializeToString(), sorted(floats))


def _constants(x: str, known: Range) -> dict[str, NDArray[Any]]:
    step = (known.high - known.low) / MOST
    shares = Counter(known.beyond)
    return {
        f"{x}.step": np.array(step, np.float32),
        f"{x}.zero": np.array(round(-known.low / step), np.uint8),
        f"{x}.low": np.array(known.low, np.float32),
        f"{x}.high": np.array(known.high, np.float32),
        f"{x}.columns": np.array(known.beyond, np.int64),
        f"{x}.share": np.array([1 / shares[column] for column in known.beyond], np.float32),
    }


def _in_bytes(x: str, known: Range) -> list[Any]:
    """Nodes for q, with what is cut off."""
    from onnx.helper import make_node

    if not known.beyond:
        return [make_node("QuantizeLinear", [x, f"{x}.step", f"{x}.zero"], [f"{x}.bytes"])]
    return [
        make_node("QuantizeLinear", [x, f"{x}.step", f"{x}.zero"], [f"{x}.within"]),
        make_node("Gather", [x, f"{x}.columns"], [f"{x}.large"], axis=-1),
        make_node("Clip", [f"{x}.large", f"{x}.low", f"{x}.high"], [f"{x}.cut"]),
        make_node("Sub", [f"{x}.large", f"{x}.cut"], [f"{x}.missing"]),
        make_node("Mul", [f"{x}.missing", f"{x}.share"], [f"{x}.shares"]),
        make_node("QuantizeLinear", [f"{x}.shares", f"{x}.step", f"{x}.zero"], [f"{x}.beyond"]),
        make_node("Concat", [f"{x}.within", f"{x}.beyond"], [f"{x}.bytes"], axis=-1),
    ]


def _bias(y: str, sum_: Any) -> tuple[str, str]:
    """The bias that is added to a product, "" if there is none, and the name of the sum."""
    if sum_ is None or sum_.op_type != "Add":
        return "", y
    [bias] = [name for name in sum_.input if name != y]
    return (bias, sum_.output[0]) if bias.endswith(".bias") else ("", y)


def _product(node: Any, matrix: str, known: Range, bias: str, y: str) -> list[Any]:
    from onnx.helper import make_node

    x, columns = node.input
    nodes = []
    if known.beyond:
        nodes = [
            make_node("Gather", [columns, f"{x}.columns"], [f"{columns}.again"], axis=0),
            make_node("Concat", [columns, f"{columns}.again"], [f"{columns}.all"], axis=0),
        ]
        columns += ".all"
    inputs = [f"{x}.bytes", columns, f"{x}.step", matrix + SCALE, f"{x}.zero", "", bias]
    return [*nodes, make_node("MatMulIntegerToFloat", inputs, [y], domain=CONTRIB)]
