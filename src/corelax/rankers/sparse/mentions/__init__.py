"""Mentions: detection from trees, dependencies or given spans, and what is known of each.

The order is `analyse` (a document as the features see it), `detected` or `given` (its mentions),
`mention_attributes` (what is known of each mention, with the word lists of `load_lexicons`).
"""

from corelax.rankers.sparse.mentions.detect import analyse
from corelax.rankers.sparse.mentions.lexicons import load_lexicons

__all__ = ["analyse", "load_lexicons"]
