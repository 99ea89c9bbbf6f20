"""Errors by kind and by type of mention (Wiseman et al. 2015; Le & Titov 2017, table 2).

A mention's gold antecedent is the closest earlier mention of its gold entity, its system antecedent the
closest earlier one of its system entity; one that starts an entity, or is in none, has none. "Earlier" is
by first token, then by last. A mention with an antecedent on either side is of one kind:

    false anaphor   a system antecedent, but no gold one
    false new       a gold antecedent, but no system one
    wrong link      both, but the system's is not in the mention's gold entity (or in none)
    correct link    both, and the system's is in the mention's gold entity

Files hold entities, not decisions. So a mention that was detected and left alone and one that was never
detected are both "false new", and a ranker may have linked to another mention than the closest one.

The last three kinds share out the anaphoric mentions of the gold side. How many mentions could have become
false anaphors depends on what a system detected, which no file says: these are counted only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from corelax.document import Document, Span
from corelax.document.clustering import Clustering
from corelax.rankers.sparse.mentions.analysis import Analysis, Mention
from corelax.rankers.sparse.mentions.attributes import (
    DEMONSTRATIVE,
    NOMINAL,
    PRONOMINAL,
    PROPER,
    mention_type,
)
from corelax.rankers.sparse.mentions.detect import analyse

FALSE_ANAPHOR, FALSE_NEW, WRONG_LINK = ERRORS = ("false_anaphor", "false_new", "wrong_link")
CORRECT_LINK = "correct_link"
OF_ANAPHORIC = (FALSE_NEW, WRONG_LINK, CORRECT_LINK)

_COLUMNS = {
    PROPER: "proper",
    NOMINAL: "nominal",
    PRONOMINAL: "pronominal",
    DEMONSTRATIVE: "pronominal",
}
TYPES = tuple(dict.fromkeys(_COLUMNS.values()))


class JudgedMention(NamedTuple):
    """A mention with an antecedent on either side, and what that makes it."""

    span: Span
    type: str
    kind: str
    gold: Span | None
    system: Span | None


def mention_types(doc: Document) -> Callable[[Span], str]:
    """What gives the types of mentions. The document is analysed once, when a type is first asked for."""
    analysis = cache(lambda: analyse(doc))
    return lambda span: _type(analysis(), span)


def judged_mentions(
    gold: Document, system: Document, types: Callable[[Span], str] | None = None
) -> Iterator[JudgedMention]:
    """Every mention with an antecedent on either side, in the order of the text."""
    gold_entity, gold_antecedent = _antecedents(gold.clusters)
    _, system_antecedent = _antecedents(system.clusters)
    types = types or mention_types(gold)
    for span in sorted({*gold_antecedent, *system_antecedent}):
        expected, predicted = gold_antecedent.get(span), system_antecedent.get(span)
        if expected is None:
            kind = FALSE_ANAPHOR
        elif predicted is None:
            kind = FALSE_NEW
        else:
            is_same = gold_entity.get(predicted) == gold_entity[span]
            kind = CORRECT_LINK if is_same else WRONG_LINK
        yield JudgedMention(span, types(span), kind, expected, predicted)


def _antecedents(clusters: Clustering[Span]) -> tuple[dict[Span, int], dict[Span, Span]]:
    """The entity of each mention, and the closest earlier mention of the same, where there is one.

    A mention that occurs again, in the same entity or another, counts where it is met first.
    """
    entity_of: dict[Span, int] = {}
    for entity, cluster in enumerate(clusters):
        for mention in cluster:
            entity_of.setdefault(mention, entity)
    last: dict[int, Span] = {}
    closest: dict[Span, Span] = {}
    for mention in sorted(entity_of):
        entity = entity_of[mention]
        if entity in last:
            closest[mention] = last[entity]
        last[entity] = mention
    return entity_of, closest


def _type(analysis: Analysis, span: Span) -> str:
    """The column of a mention. Zero pronouns are pronouns; one with gaps has its head in its first part."""
    if span.start == span.end:
        return _COLUMNS[PRONOMINAL]
    start, end = next((part for part in span.parts if part[0] < part[1]), span.bounds)
    head, node = analysis.head_of(start, end)
    # Its sentence does not matter here.
    return _COLUMNS[mention_type(analysis, Mention(0, span.start, span.end, head, node))]
