"""Errors by kind and by type of mention (Wiseman et al. 2015; Le & Titov 2017, table 2).

A mention's gold antecedent is the closest earlier mention of its gold entity, its system antecedent the
closest earlier one of its system entity; one that starts an entity, or is in none, has none. "Earlier" is
by first token, then by last. A mention with an antecedent on either side is of one kind:

    false anaphor   a system antecedent, but no gold one
    false new       a gold antecedent, but no system one
    wrong link      both, but the system's is not in the mention's gold entity (or in none)
    correct link    both, and the system's is in the mention's gold entity

Files tell entities, not decisions. So a mention that was detected and left alone and one that was never
detected are both "false new", and a ranker may have linked to another mention than the closest one.

The last three kinds share out the anaphoric mentions of the gold side. How many mentions could have become
false anaphors depends on what a system detected, which no file says: these are counted only.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from corelax.clustering import Clustering
from corelax.document import Document, Span
from corelax.errors import CorelaxError
from corelax.mentions.analysis import Analysis, Mention
from corelax.mentions.attributes import DEMONSTRATIVE, NOMINAL, PRONOMINAL, PROPER, mention_type
from corelax.mentions.detect import analyse
from corelax.pairing import check_same_words, pair_documents

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


class MentionError(NamedTuple):
    """One error: which mention, and what it was and should have been linked to.

    Attributes:
        document: The name of its document.
        span: The mention.
        type: One of `TYPES`.
        kind: One of `ERRORS`.
        text: Its words.
        gold_antecedent: The words of the closest gold antecedent; None if it has none.
        system_antecedent: The words of the system's; None if it has none.
        sentence: The sentence around it, with the mention in brackets.
    """

    document: str
    span: Span
    type: str
    kind: str
    text: str
    gold_antecedent: str | None
    system_antecedent: str | None
    sentence: str


@dataclass(frozen=True, slots=True)
class ErrorCounts:
    """How many mentions of each type are of each kind. Counts add.

    >>> counts = ErrorCounts({("false_new", "proper"): 1, ("correct_link", "pronominal"): 3})
    >>> (counts + counts).number("correct_link"), counts.anaphoric("proper"), counts.share("false_new")
    (6, 1, 0.25)

    Attributes:
        counts: (kind, type) → number of mentions.
        examples: Errors that were asked for, in the order of documents.
    """

    counts: Mapping[tuple[str, str], int] = field(default_factory=Counter)
    examples: tuple[MentionError, ...] = ()

    def __add__(self, other: ErrorCounts) -> ErrorCounts:
        both = Counter(self.counts) + Counter(other.counts)
        return ErrorCounts(both, self.examples + other.examples)

    def number(self, kind: str, type: str | None = None) -> int:
        """The mentions of a kind, of one type or of all."""
        return sum(self.counts.get((kind, name), 0) for name in ([type] if type else TYPES))

    def anaphoric(self, type: str | None = None) -> int:
        """The mentions that have a gold antecedent."""
        return sum(self.number(kind, type) for kind in OF_ANAPHORIC)

    def share(self, kind: str, type: str | None = None) -> float:
        """The part of the anaphoric mentions that is of a kind (0 where there are none)."""
        if kind not in OF_ANAPHORIC:
            raise CorelaxError(f"{kind} is no share; choose from {', '.join(OF_ANAPHORIC)}")
        return self.number(kind, type) / (self.anaphoric(type) or 1)

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers, as `corelax errors --json` prints them."""
        columns = {**{name: name for name in TYPES}, "total": None}
        result: dict[str, Any] = {
            kind: {title: self.number(kind, type) for title, type in columns.items()}
            for kind in (*ERRORS, CORRECT_LINK)
        }
        result["anaphoric"] = {title: self.anaphoric(type) for title, type in columns.items()}
        result["shares"] = {
            kind: {title: self.share(kind, type) for title, type in columns.items()}
            for kind in OF_ANAPHORIC
        }
        if self.examples:
            result["examples"] = [
                error._asdict() | {"span": list(error.span[:2])} for error in self.examples
            ]
        return result


def count_errors(
    *,
    gold: Iterable[Document],
    system: Iterable[Document],
    examples: int = 0,
    path: str | None = None,
) -> ErrorCounts:
    """The errors of a system, over documents of the same names and words.

    Args:
        gold: The right answers. Types of mentions are told by their Penn or universal tags, named
            entities and English pronouns; in bare text, names are told by capital letters.
        system: The answers, in any order.
        examples: How many errors of each kind to keep as examples: the first ones.
        path: Where the system's documents are from, for messages.

    >>> text = [["Ann", "saw", "Bo", "and", "waved", "to", "him"]]
    >>> gold = Document.from_sentences("d", text, clusters=[[(2, 3), (6, 7)]])
    >>> system = Document.from_sentences("d", text, clusters=[[(0, 1), (6, 7)]])
    >>> count_errors(gold=[gold], system=[system]).counts
    Counter({('wrong_link', 'pronominal'): 1})
    """
    counts: Counter[tuple[str, str]] = Counter()
    kept: list[MentionError] = []
    wanted = Counter(dict.fromkeys(ERRORS, examples))
    for gold_doc, system_doc in _pairs(gold, system, path):
        for decision in _decisions(gold_doc, system_doc):
            counts[decision.kind, decision.type] += 1
            if wanted[decision.kind] > 0:
                wanted[decision.kind] -= 1
                kept.append(_described(gold_doc, decision))
    return ErrorCounts(counts, tuple(kept))


def document_errors(*, gold: Document, system: Document) -> list[MentionError]:
    """The errors of one document, in the order of the text.

    >>> text = [["Ann", "saw", "Bo", "and", "waved", "to", "him"]]
    >>> gold = Document.from_sentences("d", text, clusters=[[(2, 3), (6, 7)]])
    >>> system = Document.from_sentences("d", text, clusters=[[(0, 1), (6, 7)]])
    >>> [error] = document_errors(gold=gold, system=system)
    >>> error.kind, error.text, error.gold_antecedent, error.system_antecedent
    ('wrong_link', 'him', 'Bo', 'Ann')
    """
    _check_words(gold, system)
    found = _decisions(gold, system)
    return [_described(gold, decision) for decision in found if decision.kind in ERRORS]


class _Decision(NamedTuple):
    span: Span
    type: str
    kind: str
    gold: Span | None
    system: Span | None


def _decisions(gold: Document, system: Document) -> Iterator[_Decision]:
    """Every mention with an antecedent on either side, in the order of the text."""
    gold_entity, gold_antecedent = _antecedents(gold.clusters)
    _, system_antecedent = _antecedents(system.clusters)
    if not (gold_antecedent or system_antecedent):
        return
    analysis = analyse(gold)
    for span in sorted({*gold_antecedent, *system_antecedent}):
        right, found = gold_antecedent.get(span), system_antecedent.get(span)
        if right is None:
            kind = FALSE_ANAPHOR
        elif found is None:
            kind = FALSE_NEW
        else:
            same = gold_entity.get(found) == gold_entity[span]
            kind = CORRECT_LINK if same else WRONG_LINK
        yield _Decision(span, _type(analysis, span), kind, right, found)


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
    start, end = next((part for part in span.parts if part[0] < part[1]), span[:2])
    head, node = analysis.head_of(start, end)
    # Its sentence does not matter here.
    return _COLUMNS[mention_type(analysis, Mention(0, span.start, span.end, head, node))]


def _described(doc: Document, decision: _Decision) -> MentionError:
    span, type, kind, right, found = decision
    return MentionError(
        document=doc.name,
        span=span,
        type=type,
        kind=kind,
        text=doc.text(span),
        gold_antecedent=None if right is None else doc.text(right),
        system_antecedent=None if found is None else doc.text(found),
        sentence=_sentence(doc, span),
    )


def _sentence(doc: Document, span: Span) -> str:
    """The sentence of a mention (or the sentences, if it goes over several), the mention in brackets."""
    starts = doc.sentence_starts or (0,)
    first = starts[max(bisect_right(starts, span.start) - 1, 0)]
    after = bisect_left(starts, max(span.end, span.start + 1))
    last = starts[after] if after < len(starts) else len(doc.words)
    before, behind = doc.words[first : span.start], doc.words[span.end : last]
    return " ".join([*before, f"[{doc.text(span)}]", *behind])


def _pairs(
    gold: Iterable[Document], system: Iterable[Document], path: str | None
) -> Iterator[tuple[Document, Document]]:
    """Documents that both sides have, with the same words."""
    where = f"{path}: " if path else ""
    for ours, theirs in pair_documents(gold=gold, system=system, key=lambda doc: doc.name):
        if ours is not None and theirs is not None:
            _check_words(ours, theirs, where)
            yield ours, theirs
        elif ours is not None:
            raise CorelaxError(f"{where}document {ours.name} is in gold but not in system")
        elif theirs is not None:
            raise CorelaxError(f"{where}document {theirs.name} is in system but not in gold")


def _check_words(gold: Document, system: Document, where: str = "") -> None:
    try:
        check_same_words(gold=gold, system=system)
    except CorelaxError as error:
        what, _, _ = str(error).rpartition(" (")  # how to score different texts does not help here
        raise CorelaxError(f"{where}{what}") from None
