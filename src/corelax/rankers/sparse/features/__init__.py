"""Features of mentions and pairs: extracted from documents, counted into a vocabulary, kept as integers.

`feature_rows` shows the features of documents by name. `training_corpus` and `other_corpus` give the tables
of whole files, with a cache; `describe` and `fit` are the steps inside.
"""

from corelax.rankers.sparse.features.cache import other_corpus, training_corpus
from corelax.rankers.sparse.features.extract import describe, fit
from corelax.rankers.sparse.features.rows import feature_rows
from corelax.rankers.sparse.features.settings import FEATURE_SETS, FeatureSettings
from corelax.rankers.sparse.features.vocabulary import Vocabulary

__all__ = [
    "FEATURE_SETS",
    "FeatureSettings",
    "Vocabulary",
    "describe",
    "feature_rows",
    "fit",
    "other_corpus",
    "training_corpus",
]
