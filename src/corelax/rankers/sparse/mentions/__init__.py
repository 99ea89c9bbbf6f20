"""Mentions: detection from trees, dependencies or given spans, and what is known of each.

The order is `analyse` (a document as the features see it), `detected` or `given` (its mentions),
`mention_attributes` (what is known of each mention, with the word lists of `load_lexicons`).
"""

from corelax.rankers.sparse.mentions.agreement import mention_type
from corelax.rankers.sparse.mentions.analysis import Analysis, Mention
from corelax.rankers.sparse.mentions.attributes import Attributes, mention_attributes
from corelax.rankers.sparse.mentions.detect import analyse, detected, given
from corelax.rankers.sparse.mentions.lexicons import (
    GenderCounts,
    Lexicons,
    lexicons_of,
    load_lexicons,
)

__all__ = [
    "Analysis",
    "Attributes",
    "GenderCounts",
    "Lexicons",
    "Mention",
    "analyse",
    "detected",
    "given",
    "lexicons_of",
    "load_lexicons",
    "mention_attributes",
    "mention_type",
]
