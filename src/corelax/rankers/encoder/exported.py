"""Graphs beside the weights of a model folder, compared with torch before they are written."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from corelax.core.errors import CorelaxError
from corelax.core.files import write_bytes, write_text
from corelax.core.folders import CONFIG, WEIGHTS, read_model_config
from corelax.decode.arrays import dense_scores
from corelax.document import Document
from corelax.rankers.encoder.export import export_graphs
from corelax.rankers.encoder.folder import EncoderModel, load_ranker
from corelax.rankers.encoder.folder_config import ENCODER
from corelax.rankers.encoder.graphs import Graph
from corelax.rankers.encoder.items import Item
from corelax.rankers.encoder.light import RECORD, LightModel, load_light

MOST_DIFFERENCE = 0.01  # of logits and scores, from torch's


def write_graphs(folder: str | Path) -> list[float]:
    """Writes the graphs of a model folder beside its weights, and what they are into `config.json`.

    They are compared with torch on a few sentences first.

    Args:
        folder: A model folder.

    Returns:
        The largest differences of mention logits and of antecedent scores.
    """
    folder = Path(folder)
    model = load_ranker(folder)
    graphs = export_graphs(model.ranker)
    vectors = model.ranker.encoder.get_input_embeddings().weight
    [lookup] = [name for name, w in model.ranker.named_parameters() if w is vectors]
    record: dict[str, Any] = {"lookup": lookup}
    for name, graph in graphs.items():
        digest = hashlib.sha256(graph.content).hexdigest()
        record[name] = {"sha256": digest, "weights": graph.weights}
    with tempfile.TemporaryDirectory() as trial:
        _lay_out(Path(trial), folder, graphs, record)
        differences = _compared(model, load_light(trial, threads=1))
    for name, graph in graphs.items():
        write_bytes(folder / name, graph.content)
    content = {**read_model_config(folder), RECORD: record}
    write_text(folder / CONFIG, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    return differences


def _lay_out(
    trial: Path, folder: Path, graphs: Mapping[str, Graph], record: Mapping[str, Any]
) -> None:
    """A folder like the one that is to be, without a copy of the weights."""
    for path in (WEIGHTS, ENCODER):
        (trial / path).symlink_to((folder / path).resolve())
    for name, graph in graphs.items():
        write_bytes(trial / name, graph.content)
    content = {**read_model_config(folder), RECORD: record}
    write_text(trial / CONFIG, json.dumps(content))


def _compared(model: EncoderModel, light: LightModel) -> list[float]:
    """The largest differences of logits and of scores on a few documents; an error if they matter."""
    words = (
        "Ann saw the old man ’s dog , and she said that it was hers . 犬 naïve 3,000 U.S.".split()
    )
    sentences = [words * 8, words, words[:3], ["She"], words[::-1] * 3]
    documents = [
        Document.from_sentences("all", sentences * 3),
        Document.from_sentences("short", sentences[2:4]),
        Document.from_sentences("one", [["Ann"]]),
    ]
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
