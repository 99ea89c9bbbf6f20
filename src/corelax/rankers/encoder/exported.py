"""Graphs beside the weights of a model folder, compared with torch before they are written."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from corelax.core.errors import CorelaxError
from corelax.core.files import write_bytes, write_text
from corelax.core.folders import CONFIG, WEIGHTS, read_model_config
from corelax.decode.arrays import dense_scores
from corelax.document import Document
from corelax.rankers.encoder.batches import Item
from corelax.rankers.encoder.config import ENCODER
from corelax.rankers.encoder.export import export_graphs
from corelax.rankers.encoder.folder import NO_LIMITS, load_ranker
from corelax.rankers.encoder.kernels import have_kernels
from corelax.rankers.encoder.light import RECORD, load_light
from corelax.rankers.encoder.model import EncoderModel
from corelax.rankers.encoder.network import Vectors, window_batch
from corelax.rankers.encoder.onnx_network import CANDIDATES, MENTIONS, WORDS, WORDS_INT8, Graph
from corelax.rankers.encoder.quantise import input_ranges, with_int8_products
from corelax.rankers.encoder.weights import StoredWeights

MOST_DIFFERENCE = 0.01  # of logits and scores, from torch's
MOST_ERROR = 0.2  # of logits in bytes


class Differences(NamedTuple):
    """How far graphs are from the network.

    Attributes:
        logits: The largest difference of mention logits from torch's.
        scores: The largest difference of antecedent scores.
        int8: What products of bytes change in the mention logits of all spans, as a share of their spread:
            ‖Δ‖ / ‖logits − mean‖; None if no weights are stored in bytes. Beyond `MOST_ERROR` there is no
            graph for bytes.
    """

    logits: float
    scores: float
    int8: float | None


def write_graphs(folder: str | Path, limits: Mapping[str, int] = NO_LIMITS) -> Differences:
    """Writes the graphs of a model folder beside its weights, and what they are into `config.json`.

    They are compared with torch on a few sentences first. If weights are stored in bytes, there is also a
    graph that multiplies bytes, and what is left for onnxruntime where kernels do.

    Args:
        folder: A model folder.
        limits: New values of its settings `window` and `antecedents`, which torch then takes too.

    Returns:
        How far they are from torch.
    """
    folder = Path(folder)
    model = load_ranker(folder, limits=limits)
    content = read_model_config(folder)
    content = {**content, "settings": {**content["settings"], **limits}}
    graphs = export_graphs(model.ranker)
    stored = StoredWeights(folder / WEIGHTS).names_in_bytes
    known = input_ranges(model) if stored else {}
    ranges = {name: each for name, each in known.items() if name in stored}
    if ranges:
        graphs[WORDS_INT8] = with_int8_products(graphs[WORDS], ranges)
    vectors = model.ranker.encoder.get_input_embeddings().weight
    [lookup] = [name for name, w in model.ranker.named_parameters() if w is vectors]
    record: dict[str, Any] = {"lookup": lookup}
    for name, graph in graphs.items():
        digest = hashlib.sha256(graph.content).hexdigest()
        record[name] = {"sha256": digest, "weights": graph.weights}
    with tempfile.TemporaryDirectory() as trial:
        _lay_out(Path(trial), folder, graphs, {**content, RECORD: record})
        light = load_light(trial, threads=1)
        logits, scores = _compared(model, light)
        # By onnxruntime, and by kernels where there are any.
        ways = [False, *([True] if have_kernels() else [])] if ranges else []
        errors = [
            _error(light, load_light(trial, threads=1, int8=True, kernels=way)) for way in ways
        ]
        error = max(errors, default=None)
    if error is None or not error <= MOST_ERROR:
        for name in (WORDS_INT8, MENTIONS, CANDIDATES):
            graphs.pop(name, None)
            record.pop(name, None)
            (folder / name).unlink(missing_ok=True)  # of weights that were there before
    for name, graph in graphs.items():
        write_bytes(folder / name, graph.content)
    content[RECORD] = record
    write_text(folder / CONFIG, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    return Differences(logits, scores, error)


def _lay_out(
    trial: Path, folder: Path, graphs: Mapping[str, Graph], content: Mapping[str, Any]
) -> None:
    """A folder like the one that is to be, without a copy of the weights."""
    for path in (WEIGHTS, ENCODER):
        (trial / path).symlink_to((folder / path).resolve())
    for name, graph in graphs.items():
        write_bytes(trial / name, graph.content)
    write_text(trial / CONFIG, json.dumps(content))


def _documents() -> list[Document]:
    words = (
        "Ann saw the old man ’s dog , and she said that it was hers . 犬 naïve 3,000 U.S.".split()
    )
    sentences = [words * 8, words, words[:3], ["She"], words[::-1] * 3]
    return [
        Document.from_sentences("all", sentences * 3),
        Document.from_sentences("short", sentences[2:4]),
        Document.from_sentences("one", [["Ann"]]),
    ]


def _error(light: EncoderModel, in_bytes: EncoderModel) -> float:
    """‖Δ‖ / ‖logits − mean‖ of all spans of a few documents."""
    logits, ours = map(_logits, (light, in_bytes))
    return float(np.linalg.norm(ours - logits) / np.linalg.norm(logits - logits.mean()))


def _logits(model: EncoderModel) -> Vectors:
    logits = []
    for document in _documents():
        windows = model.windows(document)
        batch = window_batch(windows, [0] * len(windows), model.settings.max_width)
        logits.append(model.network.words(batch)[1])
    return np.concatenate(logits)


def _compared(model: EncoderModel, light: EncoderModel) -> list[float]:
    """The largest differences of logits and of scores on a few documents; an error if they matter."""
    documents = _documents()
    for document in documents:
        windows = zip(light.windows(document), model.windows(document), strict=True)
        for window, by_torch in windows:
            if not np.array_equal(window.pieces, by_torch.pieces):
                raise CorelaxError("tokenizer.json cuts words in another way than transformers")
    result = [0.0, 0.0]
    for scheme in range(len(model.settings.schemes)):
        items = [Item(model.windows(document), scheme) for document in documents]
        for ours, theirs in zip(
            light.score(items, least=-np.inf), model.score(items, least=-np.inf), strict=True
        ):
            if ours.bounds != theirs.bounds:
                raise CorelaxError("the graphs find other spans than torch does")
            square = [dense_scores(each.scores, each.antecedents) for each in (ours, theirs)]
            both = np.isfinite(square[0]) & np.isfinite(square[1])
            of_scores = abs(square[0][both] - square[1][both])
            result[0] = max(result[0], float(abs(ours.logit - theirs.logit).max(initial=0)))
            result[1] = max(result[1], float(of_scores.max(initial=0)))
    if max(result) > MOST_DIFFERENCE:
        raise CorelaxError(f"the graphs score differently from torch, by up to {max(result):.3g}")
    return result
