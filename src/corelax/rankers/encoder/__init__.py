"""Mention ranking on top of a pretrained encoder, from words to decisions; see `corelax.resolve.Resolver`.

Names are imported when they are first used, since they need torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corelax.core.lazy import lazy_names

if TYPE_CHECKING:
    from corelax.rankers.encoder.folder import load_ranker, new_ranker, save_ranker
    from corelax.rankers.encoder.model import EncoderModel
    from corelax.rankers.encoder.ranker import EncoderRanker
    from corelax.rankers.encoder.settings import EncoderSettings

__all__ = [
    "EncoderModel",
    "EncoderRanker",
    "EncoderSettings",
    "load_ranker",
    "new_ranker",
    "save_ranker",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "folder": "load_ranker new_ranker save_ranker",
        "model": "EncoderModel",
        "ranker": "EncoderRanker",
        "settings": "EncoderSettings",
    },
)
