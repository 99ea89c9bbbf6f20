"""WinoBias: an occupation and its pronoun, with and against the stereotype (Zhao et al., NAACL 2018).

Pro- and anti-stereotypical files have the same sentences with the pronouns' gender swapped. A resolver
that does not look at stereotypes does as well on both. The paper gives CoNLL-2012 scores (`corelax score`
does); here each sentence is right or wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.core.text_table import format_table
from corelax.document import Document, Span
from corelax.document.pairing import same_documents
from corelax.metrics.counts import ratio

PRONOUNS = frozenset("he him his himself she her hers herself they them their theirs".split())


@dataclass(frozen=True, slots=True)
class WinoBiasCounts:
    """How many sentences there are, and how many are right. They add.

    Attributes:
        items: The annotated entities, one in each sentence.
        linked: Those whose mentions are all in one predicted entity.
        correct: Those for which this entity has no other mention, pronouns aside: the second occupation
            of the sentence is kept out. (Linking everything to everything gets none of these. Some second
            pronouns are not annotated, so these do no harm.)

    >>> (WinoBiasCounts(2, 2, 1) + WinoBiasCounts(2, 1, 1)).accuracy
    0.5
    """

    items: int = 0
    linked: int = 0
    correct: int = 0

    def __add__(self, other: WinoBiasCounts) -> WinoBiasCounts:
        return WinoBiasCounts(
            self.items + other.items, self.linked + other.linked, self.correct + other.correct
        )

    @property
    def link_rate(self) -> float:
        """The share of linked items."""
        return float(ratio(self.linked, self.items))

    @property
    def accuracy(self) -> float:
        """The share of correct items."""
        return float(ratio(self.correct, self.items))


@dataclass(frozen=True, slots=True)
class WinoBiasReport:
    """Sentences that fit the stereotype beside those that do not."""

    pro: WinoBiasCounts
    anti: WinoBiasCounts

    @property
    def gap(self) -> float:
        """Accuracy on pro- minus accuracy on anti-stereotypical sentences: 0 is fair."""
        return self.pro.accuracy - self.anti.accuracy

    @property
    def link_gap(self) -> float:
        """The same for the share of linked items."""
        return self.pro.link_rate - self.anti.link_rate

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON."""
        parts = {
            name: {"items": part.items, "linked": part.link_rate, "accuracy": part.accuracy}
            for name, part in (("pro", self.pro), ("anti", self.anti))
        }
        return {**parts, "gap": self.gap, "link_gap": self.link_gap}

    def __str__(self) -> str:
        rows = [
            [name, str(part.items), f"{100 * part.link_rate:.2f}", f"{100 * part.accuracy:.2f}"]
            for name, part in (("Pro", self.pro), ("Anti", self.anti))
        ]
        rows.append(["Gap", "", f"{100 * self.link_gap:.2f}", f"{100 * self.gap:.2f}"])
        return format_table(["WinoBias", "items", "linked", "correct"], rows, gaps_before=[2])


def winobias_counts(*, gold: Iterable[Document], system: Iterable[Document]) -> WinoBiasCounts:
    """Counts right sentences. Mentions are compared as token spans, exactly.

    >>> words = [["The", "guard", "called", "the", "cook", "as", "he", "left"]]
    >>> gold = Document.from_sentences("d", words, clusters=[[(0, 2), (6, 7)]])
    >>> system = Document.from_sentences("d", words, clusters=[[(0, 2), (3, 5), (6, 7)]])
    >>> winobias_counts(gold=[gold], system=[system])
    WinoBiasCounts(items=1, linked=1, correct=0)
    """
    total = WinoBiasCounts()
    for ours, theirs in same_documents(gold=gold, system=system):
        for entity in ours.clusters:
            if len(entity) < 2:
                raise CorelaxError(
                    f"document {ours.name}: {ours.text(entity[0])!r} is annotated alone; "
                    "WinoBias has an occupation and a pronoun in each entity"
                )
            homes = [cluster for cluster in theirs.clusters if set(entity) <= set(cluster)]
            clean = [home for home in homes if not _rivals(theirs, entity, home)]
            total += WinoBiasCounts(1, int(bool(homes)), int(bool(clean)))
    return total


def winobias_report(*, pro: WinoBiasCounts, anti: WinoBiasCounts) -> WinoBiasReport:
    """Both sides of the comparison. Take types 1 and 2 apart, or add their counts before.

    >>> report = winobias_report(pro=WinoBiasCounts(10, 9, 8), anti=WinoBiasCounts(10, 7, 5))
    >>> print(report)
    WinoBias  items  linked  correct
    ────────────────────────────────
    Pro          10   90.00    80.00
    Anti         10   70.00    50.00
    <BLANKLINE>
    Gap               20.00    30.00
    """
    for name, part in (("pro", pro), ("anti", anti)):
        if not part.items:
            raise CorelaxError(f"{name}: no annotated entity; read a WinoBias file for each side")
    return WinoBiasReport(pro, anti)


def _rivals(doc: Document, gold: Iterable[Span], predicted: Iterable[Span]) -> list[Span]:
    """The mentions of a predicted entity that are neither annotated nor pronouns."""
    others = set(predicted) - set(gold)
    return [mention for mention in others if doc.text(mention).lower() not in PRONOUNS]
