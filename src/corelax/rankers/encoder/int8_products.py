"""A graph whose products with the encoder's matrices are products of bytes.

    W ≈ diag(s) V            V in bytes, s one scale for each row, as `model.safetensors` has them
    x ≈ m q / 127            q in bytes, m = max_k |x_k|, the largest value of the row x
    W x ≈ m / 127 · s ∘ (V q)

V q adds up whole numbers, so that it is exact. A scale for each row of x instead of one for all of them is
what keeps entities as they are: the vectors of marks such as [SEP] are many times larger than those of words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corelax.rankers.encoder.graphs import Graph
from corelax.rankers.encoder.stored_weights import SCALE

MOST, ZERO = 127, 128  # bytes are 128 + q
LEAST_MAX = 1e-6  # of a row, so that a row of zeros can be divided by it
CONTRIB = "com.microsoft"  # onnxruntime's own operations


def with_int8_products(graph: Graph, stored: Collection[str]) -> Graph | None:
    """The graph with other nodes for W x where W is one of the encoder's matrices; None if there is none.

    Args:
        graph: In four-byte numbers, without weights.
        stored: The names of the weights that are stored in bytes.
    """
    import onnx

    model = onnx.load_from_string(graph.content)
    model.opset_import.append(onnx.helper.make_opsetid(CONTRIB, 1))
    uses = Counter(name for node in model.graph.node for name in node.input)
    matrices = {name for name in stored if name.startswith("encoder.") and uses[name] == 1}
    transposed = {
        node.output[0]: node.input[0]
        for node in model.graph.node
        if node.op_type == "Transpose" and node.input[0] in matrices and uses[node.output[0]] == 1
    }
    nodes, used = [], set[str]()
    in_bytes = set[str]()  # three products have the same x
    for node in model.graph.node:
        matrix = transposed.get(node.input[1]) if node.op_type == "MatMul" else None
        if matrix is None:
            nodes.append(node)
            continue
        used.add(matrix)
        if node.input[0] not in in_bytes:
            in_bytes.add(node.input[0])
            nodes += _rows_in_bytes(node.input[0])
        nodes += _product(node, matrix)
    if not used:
        return None
    weights = [weight for weight in model.graph.initializer if weight.name in used]
    for weight in weights:
        weight.data_type = onnx.TensorProto.INT8
        scale = model.graph.initializer.add()
        scale.CopyFrom(weight)
        scale.name, scale.data_type = weight.name + SCALE, onnx.TensorProto.FLOAT
        del scale.dims[1:]
    model.graph.initializer.extend(
        onnx.numpy_helper.from_array(value, name) for name, value in _CONSTANTS.items()
    )
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    floats = [*(set(graph.weights) - used), *(name + SCALE for name in used)]
    return Graph(model.SerializeToString(), sorted(floats))


_CONSTANTS: dict[str, NDArray[Any]] = {
    "int8.step": np.array(1 / MOST, np.float32),
    "int8.zero": np.array(ZERO, np.uint8),
    "int8.least": np.array(LEAST_MAX, np.float32),
    "int8.axis": np.array([-1], np.int64),
}


def _rows_in_bytes(x: str) -> list[Any]:
    """Nodes for m and q."""
    from onnx.helper import make_node

    return [
        make_node("Abs", [x], [f"{x}.abs"]),
        make_node("ReduceMax", [f"{x}.abs", "int8.axis"], [f"{x}.largest"], keepdims=1),
        make_node("Max", [f"{x}.largest", "int8.least"], [f"{x}.max"]),
        make_node("Div", [x, f"{x}.max"], [f"{x}.unit"]),
        make_node("QuantizeLinear", [f"{x}.unit", "int8.step", "int8.zero"], [f"{x}.bytes"]),
    ]


def _product(node: Any, matrix: str) -> list[Any]:
    """Nodes for W x in place of one."""
    from onnx.helper import make_node

    (x, transposed), [y] = node.input, node.output
    inputs = [f"{x}.bytes", transposed, "int8.step", matrix + SCALE, "int8.zero"]
    return [
        make_node("MatMulIntegerToFloat", inputs, [f"{y}.unit"], domain=CONTRIB),
        make_node("Mul", [f"{y}.unit", f"{x}.max"], [y]),
    ]
