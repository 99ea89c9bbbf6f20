"""Mention ranking on top of a pretrained encoder, from words to decisions; see `corelax.resolve.Resolver`.

Names are imported when they are first used, since they need torch.
"""

from __future__ import annotations

from corelax.core.lazy import lazy_imports

with lazy_imports(__name__):
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
