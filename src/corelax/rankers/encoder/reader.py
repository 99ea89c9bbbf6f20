"""What an encoder ranker needs around its network: which windows it reads, how its scores are calibrated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from corelax.decode.calibration import UNCALIBRATED, Calibration
from corelax.document import Document
from corelax.rankers.encoder.inputs import TextWindow, WordPieces, encoder_input
from corelax.rankers.encoder.settings import EncoderSettings


class Reader(NamedTuple):
    """A ranker without its network. Other processes can be sent it.

    Attributes:
        settings: Sizes and limits of the ranker.
        tokenizer: The pieces of words.
        calibrations: The calibration of each scheme that has one.
    """

    settings: EncoderSettings
    tokenizer: WordPieces
    calibrations: Mapping[str, Calibration]

    def windows(self, document: Document) -> tuple[TextWindow, ...]:
        """What the encoder reads of a document."""
        return encoder_input(document, self.tokenizer, self.settings.window)

    def windows_of(self, documents: Sequence[Document]) -> list[tuple[TextWindow, ...]]:
        """What the encoder reads of each of several documents."""
        return [self.windows(document) for document in documents]

    def calibration(self, scheme: int) -> Calibration:
        """The calibration of a scheme, by its number."""
        return self.calibrations.get(self.settings.schemes[scheme], UNCALIBRATED)
