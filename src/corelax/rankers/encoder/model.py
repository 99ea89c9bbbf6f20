"""What every way of running an encoder ranker offers, torch's `EncoderModel` and `LightModel` alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from corelax.decode.calibration import Calibration
from corelax.decode.scored import Scored
from corelax.document import Document
from corelax.rankers.encoder.inputs import TextWindow
from corelax.rankers.encoder.items import LEAST_LOGIT, Item
from corelax.rankers.encoder.reader import Reader
from corelax.rankers.encoder.settings import EncoderSettings

_SENTENCES = [["Ann", "saw", "the", "old", "man", "’s", "犬", "."], ["She", "said", "so", "!"]]


class ScoringSteps(Protocol):
    """Documents on their way through a network on a GPU, as `batches.Scoring`."""

    def link(self) -> None:
        """Waits for the spans; the search for antecedents is started."""

    def results(self) -> list[Scored]:
        """Waits for the scores."""


class ScoringModel(Protocol):
    """A trained encoder ranker that can be asked for spans and antecedents."""

    @property
    def settings(self) -> EncoderSettings:
        """Sizes and limits of the ranker."""

    @property
    def training(self) -> Mapping[str, Any]:
        """What it was trained on, and its scores."""

    @property
    def runtime(self) -> str:
        """What computes, and where."""

    @property
    def reader(self) -> Reader:
        """All of it but the network."""

    def windows(self, document: Document) -> tuple[TextWindow, ...]:
        """What the encoder reads of a document."""

    def score(self, items: Sequence[Item], *, least: float = LEAST_LOGIT) -> list[Scored]:
        """The spans of each document and the scores of their antecedents."""

    def begin(self, items: Sequence[Item]) -> ScoringSteps | None:
        """The same in steps, between which a GPU computes; None where nobody else computes."""

    def calibration(self, scheme: int) -> Calibration:
        """The calibration of a scheme, by its number."""

    def memory_bound(self, words: int) -> int:
        """The most bytes that a text of so many words takes, without the weights."""


def try_out(model: ScoringModel) -> None:
    """Scores a document of two sentences; what does not work is told before there is anything to resolve."""
    document = Document.from_sentences("trial", _SENTENCES)
    [scored] = model.score([Item(model.windows(document), 0)], least=-np.inf)
    if np.isnan(scored.logit).any() or np.isnan(scored.scores).any():
        raise ValueError("its scores are not numbers")
