"""What the sparse ranker sees of documents, as plain dictionaries: `corelax features` as a function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from corelax.document import Document
from corelax.rankers.sparse.features.extract import describe, fit, table
from corelax.rankers.sparse.features.names import feature_names
from corelax.rankers.sparse.features.settings import FEATURE_SETS, FeatureSettings
from corelax.rankers.sparse.features.sources import DETECT, GOLD, mention_source
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.mentions.lexicons import Lexicons, lexicons_of, load_lexicons


def feature_rows(
    documents: Iterable[Document],
    *,
    train: Iterable[Document] | None = None,
    vocabulary: Vocabulary | None = None,
    settings: FeatureSettings | None = None,
    lexicons: Lexicons | None = None,
    mentions: str = DETECT,
    pairs: bool = False,
) -> Iterator[dict[str, Any]]:
    """The mentions and the names of the features of each document.

    Args:
        documents: The documents.
        train: Documents that words and features are counted in; the documents themselves if not given.
        vocabulary: The features of a trained model, instead of `train` and `settings`.
        settings: The feature set; by default that of Le & Titov, `FEATURE_SETS["lt17"]`.
        lexicons: Word lists; by default those of the vocabulary, else those of `load_lexicons()`.
        mentions: "detect", "gold", or a file that has the mentions of `documents`. Those of `train` are then
            detected.
        pairs: Whether to list the features of pairs.

    Yields:
        A dictionary for each document: `doc`, `part`, `mentions` as [start, end], `phi_a` (the names of each
        mention's features) and, if asked for, `pairs`: "i,j" for mention i and its antecedent j.

    >>> from dataclasses import replace
    >>> from corelax.io import read
    >>> settings = replace(FEATURE_SETS["lt17"], lexical_cutoff=1)
    >>> row = next(feature_rows(read("examples/data/gold.conll"), settings=settings, mentions="gold"))
    >>> row["doc"], row["mentions"][0], row["phi_a"][0][:4]
    ('story/lighthouse', [0, 1], ['type=PROPER', 'ner1=O', 'len=1', 'head=mara'])
    """
    if lexicons is None:
        known = None if vocabulary is None else vocabulary.lexicons
        lexicons = load_lexicons() if known is None else lexicons_of(known, "the vocabulary")
    source = mention_source(mentions)
    if vocabulary is None:
        settings = FEATURE_SETS["lt17"] if settings is None else settings
        if train is None:
            documents = train = list(documents)
            train_source = source
        else:
            train_source = source if mentions in (DETECT, GOLD) else mention_source(DETECT)
        described = (describe(doc, settings, lexicons, train_source) for doc in train)
        vocabulary, _ = fit(described, settings, lexicons)
    return (
        {
            "doc": doc.id,
            "part": doc.part,
            **feature_names(
                table(describe(doc, vocabulary.settings, lexicons, source), vocabulary),
                vocabulary,
                pairs=pairs,
            ),
        }
        for doc in documents
    )
