"""Mention ranking on top of a pretrained encoder, from words to decisions; see `corelax.resolve.Resolver`.

Names are imported when they are first used, since they need torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corelax.core.lazy import lazy_names

if TYPE_CHECKING:
    from corelax.decode.calibration import Calibration, LogisticMap
    from corelax.rankers.encoder.batches import score_documents
    from corelax.rankers.encoder.decisions import decide
    from corelax.rankers.encoder.folder import (
        EncoderModel,
        load_ranker,
        new_ranker,
        save_ranker,
    )
    from corelax.rankers.encoder.inputs import TextWindow, WordPieces, encoder_input
    from corelax.rankers.encoder.items import Item
    from corelax.rankers.encoder.ranker import EncoderRanker
    from corelax.rankers.encoder.settings import EncoderSettings


__all__ = [
    "Calibration",
    "EncoderModel",
    "EncoderRanker",
    "EncoderSettings",
    "Item",
    "LogisticMap",
    "TextWindow",
    "WordPieces",
    "decide",
    "encoder_input",
    "load_ranker",
    "new_ranker",
    "save_ranker",
    "score_documents",
]


__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "batches": "score_documents",
        "calibration": "Calibration LogisticMap",
        "decisions": "decide",
        "folder": "EncoderModel load_ranker new_ranker save_ranker",
        "inputs": "encoder_input TextWindow WordPieces",
        "items": "Item",
        "ranker": "EncoderRanker",
        "settings": "EncoderSettings",
    },
)
