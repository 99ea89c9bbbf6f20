"""Attention in a graph on vectors as they are, [window, piece, size], instead of on copies for each head."""

from __future__ import annotations

from typing import Any


def flatten_attention(model: Any, heads: int) -> None:
    """Takes away the nodes that cut vectors into heads and join them again: `Attention` does both itself.

    Args:
        model: An ONNX model, which is changed.
        heads: The number of attention heads.
    """
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
    """Takes nodes away whose outputs nobody reads."""
    needed = {value.name for value in model.graph.output}
    for node in reversed(list(model.graph.node)):  # users stand behind what they use
        if needed.isdisjoint(node.output):
            model.graph.node.remove(node)
        else:
            needed.update(node.input)
