"""Model folders run by onnxruntime, or kernels: neither torch nor transformers is imported.

The graphs come from `corelax export`; weights and tokenizer are those that torch takes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.core.files import parse_json
from corelax.core.folders import (
    CONFIG,
    DIGEST,
    MOST_WORDS,
    WEIGHTS,
    blaming,
    check_training,
    read_regular,
)
from corelax.rankers.encoder.config import (
    ENCODER,
    calibrations_of,
    check_pieces,
    read_config,
    settings_of,
)
from corelax.rankers.encoder.kernels import KERNEL_GRAPHS, KernelNetwork, kernels_of
from corelax.rankers.encoder.model import EncoderModel, try_out
from corelax.rankers.encoder.network import Network
from corelax.rankers.encoder.onnx_network import GRAPHS, INT8_GRAPHS, Graph, OnnxNetwork, Stored
from corelax.rankers.encoder.tokenizer import WordPieces, read_tokenizer
from corelax.rankers.encoder.weights import StoredWeights

RECORD = "graphs"  # the key in config.json: for each graph its digest and the names of its weights
MOST_GRAPH = 1 << 26  # bytes of a graph, whose usual size is 2^17


def has_graphs(folder: Path, *, int8: bool = False) -> bool:
    """Whether a folder can be run by onnxruntime, in bytes or in four-byte numbers.

    >>> has_graphs(Path("nowhere"))
    False
    """
    return all((folder / name).is_file() for name in (INT8_GRAPHS if int8 else GRAPHS))


def load_light(
    folder: str | Path, *, threads: int, int8: bool = False, kernels: bool = True
) -> EncoderModel:
    """Reads a model folder that has graphs. It resolves a line of text before it is returned.

    Args:
        folder: The model folder.
        threads: How many threads compute.
        int8: Whether the encoder multiplies bytes: faster, not quite the same scores.
        kernels: Whether bytes are multiplied by kernels, where there are any that can.
    """
    folder = Path(folder)
    content = read_config(folder)
    with blaming(folder):
        settings = settings_of(content["settings"])
        tokenizer = read_tokenizer(folder / ENCODER)
        weights = StoredWeights(folder / WEIGHTS, content.get(DIGEST))
        encoder = parse_json(read_regular(folder / ENCODER / CONFIG, MOST_WORDS))
        lookup = str(content[RECORD]["lookup"])
        check_pieces(tokenizer.vocabulary, weights.shape(lookup)[0])
        stored = Stored(folder, settings, weights, lookup, int(encoder["num_attention_heads"]))
        record = content[RECORD]
        computing = kernels_of(encoder, weights, settings, record) if int8 and kernels else None
        network: Network
        if computing is not None:
            network = KernelNetwork(
                stored, _graphs(folder, record, KERNEL_GRAPHS), threads, computing
            )
        else:
            names = INT8_GRAPHS if int8 else GRAPHS
            network = OnnxNetwork(stored, _graphs(folder, record, names), threads)
        training = check_training(content.get("training", {}))
        calibrations = calibrations_of(content.get("calibration", {}), settings)
        model = EncoderModel(network, WordPieces(tokenizer), training, calibrations)
        try_out(model)
    return model


def _graphs(folder: Path, record: Mapping[str, Any], names: Sequence[str]) -> dict[str, Graph]:
    graphs = {}
    for name in names:
        content = read_regular(folder / name, MOST_GRAPH)
        if hashlib.sha256(content).hexdigest() != record[name]["sha256"]:
            raise CorelaxError(
                f"{folder / name}: not the graph that {CONFIG} was written for; export it again"
            )
        graphs[name] = Graph(content, [str(weight) for weight in record[name]["weights"]])
    return graphs
