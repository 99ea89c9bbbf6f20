"""Mention ranking on top of a pretrained encoder, from words to decisions; see `corelax.resolve.Resolver`.

Names are imported when they are first used, since they need torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corelax.rankers.encoder.batches import Item, score_documents
    from corelax.rankers.encoder.decisions import decide
    from corelax.rankers.encoder.folder import (
        EncoderModel,
        load_ranker,
        new_ranker,
        save_ranker,
    )
    from corelax.rankers.encoder.inputs import TextWindow, WordPieces, encoder_input
    from corelax.rankers.encoder.ranker import EncoderRanker
    from corelax.rankers.encoder.settings import EncoderSettings

_HOME = {
    "EncoderModel": "folder",
    "EncoderRanker": "ranker",
    "EncoderSettings": "settings",
    "Item": "batches",
    "TextWindow": "inputs",
    "WordPieces": "inputs",
    "decide": "decisions",
    "encoder_input": "inputs",
    "load_ranker": "folder",
    "new_ranker": "folder",
    "save_ranker": "folder",
    "score_documents": "batches",
}

__all__ = [
    "EncoderModel",
    "EncoderRanker",
    "EncoderSettings",
    "Item",
    "TextWindow",
    "WordPieces",
    "decide",
    "encoder_input",
    "load_ranker",
    "new_ranker",
    "save_ranker",
    "score_documents",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"corelax.rankers.encoder.{_HOME[name]}"), name)
    raise AttributeError(f"module 'corelax.rankers.encoder' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
