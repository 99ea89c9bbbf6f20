"""What a system gets wrong, counted by kind and type of mention, with examples."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from corelax.analysis.decisions import (
    CORRECT_LINK,
    ERRORS,
    OF_ANAPHORIC,
    TYPES,
    Decision,
    decisions,
)
from corelax.core.errors import CorelaxError
from corelax.document import Document, Span
from corelax.document.pairing import same_documents


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
                error._asdict() | {"span": list(error.span)} for error in self.examples
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
    for gold_doc, system_doc in same_documents(gold=gold, system=system, where=path or ""):
        for decision in decisions(gold_doc, system_doc):
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
    [(gold, system)] = same_documents(gold=[gold], system=[system])
    found = decisions(gold, system)
    return [_described(gold, decision) for decision in found if decision.kind in ERRORS]


def _described(doc: Document, decision: Decision) -> MentionError:
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
