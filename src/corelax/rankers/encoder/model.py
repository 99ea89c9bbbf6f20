"""A trained encoder ranker: a network, the tokenizer of its encoder, and how sure its probabilities are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.decode.calibration import Calibration
from corelax.decode.scored import Scored
from corelax.document import Document
from corelax.rankers.encoder.batches import LEAST_LOGIT, Given, Item, score_documents
from corelax.rankers.encoder.inputs import TextWindow, encoder_input
from corelax.rankers.encoder.network import Network, memory_bound
from corelax.rankers.encoder.places import Places
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.tokenizer import WordPieces

if TYPE_CHECKING:
    from corelax.rankers.encoder.ranker import EncoderRanker

_SENTENCES = [["Ann", "saw", "the", "old", "man", "’s", "犬", "."], ["She", "said", "so", "!"]]


class EncoderModel(NamedTuple):
    """What a model folder holds, whatever runs the network.

    Attributes:
        network: What computes.
        tokenizer: The pieces of words, by the tokenizer of the encoder.
        training: What it was trained on, and its scores.
        calibrations: The calibration of each scheme that has one.
    """

    network: Network
    tokenizer: WordPieces
    training: Mapping[str, Any]
    calibrations: Mapping[str, Calibration] = MappingProxyType({})

    @property
    def settings(self) -> EncoderSettings:
        return self.network.settings

    @property
    def ranker(self) -> EncoderRanker:
        """The network of torch, which can be trained and saved."""
        ranker = getattr(self.network, "ranker", None)
        if ranker is None:
            raise CorelaxError(f"a model that torch runs is needed, not one by {self.runtime}")
        result: EncoderRanker = ranker
        return result

    @property
    def runtime(self) -> str:
        return self.network.name

    def scored(
        self,
        documents: Sequence[Document],
        *,
        scheme: str | None = None,
        mentions: Sequence[Given] | None = None,
    ) -> list[Scored]:
        """The likely mentions of each document and the scores of their antecedents.

        Args:
            documents: Words, sentences and, if they are known, speakers.
            scheme: The annotation scheme to follow; the first if None.
            mentions: Of each document in order, as (first word, one past the last), if they are known.
        """
        schemes = self.settings.schemes
        number = schemes.index(check_choice("scheme", scheme or schemes[0], schemes))
        given: Sequence[Given | None] = mentions or [None] * len(documents)
        return self.score(
            [
                Item(self.windows(document), number, spans)
                for document, spans in zip(documents, given, strict=True)
            ]
        )

    def score(
        self, items: Sequence[Item], *, least: float = LEAST_LOGIT, pieces: int | None = None
    ) -> list[Scored]:
        """The same of documents whose windows are known; options as for `score_documents`."""
        return score_documents(
            self.network, items, least=least, pieces=pieces, calibrations=self.calibrations
        )

    def windows(self, document: Document) -> tuple[TextWindow, ...]:
        return encoder_input(document, self.tokenizer, self.settings.window)

    def places(self, document: Document) -> Places:
        """Which spans of a document the ranker can look at."""
        return Places(self.windows(document), len(document.words), self.settings.max_width)

    def memory_bound(self, words: int) -> int:
        """The most bytes that a text of so many words takes, without the weights."""
        return memory_bound(self.network, words)


def try_out(model: EncoderModel) -> None:
    document = Document.from_sentences("trial", _SENTENCES)
    [scored] = model.score([Item(model.windows(document), 0)], least=-np.inf)
    if np.isnan(scored.logit).any() or np.isnan(scored.scores).any():
        raise ValueError("its scores are not numbers")
