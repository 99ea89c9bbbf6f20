"""What the sparse ranker sees of documents, as plain dictionaries: `corelax features` as a function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from corelax.document import Document
from corelax.rankers.sparse.features.extract import (
    DETECT,
    GOLD,
    describe,
    fit,
    mention_source,
    table,
)
from corelax.rankers.sparse.features.settings import (
    FEATURE_SETS,
    PAIR_TEMPLATES,
    FeatureSettings,
)
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.features.vocabulary import NO_FEATURE, Vocabulary
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


def feature_names(table: DocumentTable, vocabulary: Vocabulary, *, pairs: bool) -> dict[str, Any]:
    """Mentions, φ_a of each, and φ_pair of each pair "i,j" (i the later mention) if wanted."""
    result: dict[str, Any] = {
        "mentions": table.spans.tolist(),
        "phi_a": [_names(rows, vocabulary.mention) for rows in table.features.tolist()],
    }
    if pairs:
        result["pairs"] = _pair_names(table, vocabulary)
    return result


def _names(rows: list[int], names: tuple[str, ...]) -> list[str]:
    return [names[row] for row in rows if row != NO_FEATURE]


def _pair_names(table: DocumentTable, vocabulary: Vocabulary) -> dict[str, list[str]]:
    names = vocabulary.pair
    of_code = [_names(rows, names) for rows in vocabulary.code_rows(table.codes.tolist()).tolist()]
    of_current = [_names(rows, names) for rows in table.current.tolist()]
    of_previous = [_names(rows, names) for rows in table.previous.tolist()]
    order = {template: number for number, template in enumerate(PAIR_TEMPLATES)}
    last = len(order)  # where the one unknown feature of all templates goes
    # Few combinations occur: each is put in order once.
    sorted_names: dict[tuple[int, str, str], list[str]] = {}
    result, pair = {}, 0
    code_of_pair = table.code_of_pair.tolist()
    for i, current in enumerate(of_current):
        for j in range(i):
            code, previous = code_of_pair[pair], of_previous[j]
            pair += 1
            key = (code, "|".join(current), "|".join(previous))
            if key not in sorted_names:
                together = [*of_code[code], *current, *previous]
                sorted_names[key] = sorted(
                    together, key=lambda name: order.get(name.split("=", 1)[0], last)
                )
            result[f"{i},{j}"] = sorted_names[key]
    return result
