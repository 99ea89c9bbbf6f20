"""A sparse ranker's scores of documents whose mentions come from rules or are given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from corelax.core.device import choose_device
from corelax.core.errors import CorelaxError
from corelax.decode import Scored
from corelax.decode.arrays import candidate_scores
from corelax.document import Document
from corelax.rankers.sparse.features.extract import MentionSource, describe, table
from corelax.rankers.sparse.folder import load_model
from corelax.rankers.sparse.mentions.lexicons import lexicons_of
from corelax.rankers.sparse.settings import PRETRAINING
from corelax.relax.links import masked_scores


class SparseModel:
    """A trained sparse ranker with its vocabulary.

    Args:
        folder: A model folder.
        device: Where to compute.

    Attributes:
        training: What it was trained on, and how.
        source: Where the mentions of documents come from.
    """

    source: MentionSource

    def __init__(self, folder: Path, device: str) -> None:
        self._ranker, self._vocabulary, _, self.training, _ = load_model(
            folder, choose_device(device)
        )
        if self.training["config"].get("objective") in PRETRAINING:
            raise CorelaxError(f"{folder}: is a pretraining stage, which resolves nothing")
        self._lexicons = lexicons_of(self._vocabulary.lexicons, folder)

    def scored(self, document: Document) -> Scored:
        """All mentions, each certain to be one, and the scores of all pairs."""
        known = describe(document, self._vocabulary.settings, self._lexicons, self.source)
        rows = table(known, self._vocabulary)
        with torch.no_grad():
            scores = masked_scores(self._ranker(self._ranker.tensors_of(rows))).cpu()
        size = len(rows.spans)
        start, end = rows.spans.astype(np.int64).T
        return Scored(
            start,
            end,
            np.full(size, -1),
            np.full(size, np.inf),
            *candidate_scores(scores.numpy()),
            reach=max(size, 1),
        )
