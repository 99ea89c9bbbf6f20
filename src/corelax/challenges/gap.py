"""GAP: a pronoun and two names in a paragraph of Wikipedia (Webster et al., TACL 2018).

Each item asks two questions: does the pronoun refer to name A, and to name B? Recall, precision and F1 are
those of the answers "yes", over all items and by the pronoun's gender; F1 on feminine pronouns divided by
F1 on masculine ones is the bias. The released scorer takes the answers; how they follow from entities is
left to the system and described in `corelax.challenges.links`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from corelax.challenges.links import CharClusters, answered, linked_names
from corelax.core.text_table import format_table
from corelax.io.gap import GapItem
from corelax.metrics.counts import Counts


@dataclass(frozen=True, slots=True)
class GapReport:
    """Counts of the answers "yes" by the pronoun's gender. Reports of parts of the data add.

    >>> GapReport(masculine=Counts(3, 4, 3, 4), feminine=Counts(2, 4, 2, 4)).bias
    0.6666666666666666
    """

    masculine: Counts
    feminine: Counts
    match: str = "head"

    def __add__(self, other: GapReport) -> GapReport:
        if self.match != other.match:
            return NotImplemented
        return GapReport(
            self.masculine + other.masculine, self.feminine + other.feminine, self.match
        )

    @property
    def overall(self) -> Counts:
        """The counts of both."""
        return self.masculine + self.feminine

    @property
    def bias(self) -> float | None:
        """F1 on feminine pronouns divided by F1 on masculine ones; None if either is 0."""
        masculine, feminine = self.masculine.scores().f1, self.feminine.scores().f1
        return float(feminine / masculine) if masculine and feminine else None

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON."""
        parts = {name: counts.scores().as_dict() for name, counts in self._parts().items()}
        return {**parts, "bias": self.bias, "match": self.match}

    def __str__(self) -> str:
        rows = [
            [name.title(), *(f"{100 * value:.2f}" for value in counts.scores())]
            for name, counts in self._parts().items()
        ]
        bias = "-" if self.bias is None else f"{self.bias:.2f}"
        table = format_table(["GAP", "recall", "precision", "F1"], rows)
        return f"{table}\nBias (F/M): {bias}; names matched by {self.match}"

    def _parts(self) -> dict[str, Counts]:
        return {"overall": self.overall, "masculine": self.masculine, "feminine": self.feminine}


def gap_answers(
    items: Sequence[GapItem], predicted: Iterable[CharClusters], *, match: str = "head"
) -> list[tuple[bool, bool]]:
    """For each item, whether the entities link its pronoun with name A and with name B.

    >>> text = "Ann saw Bea when she left."
    >>> spans = {"pronoun": (17, 20), "a": (0, 3), "b": (8, 11)}
    >>> item = GapItem(id="x-1", text=text, **spans, a_coref=True, b_coref=False)
    >>> gap_answers([item], [[[(8, 11), (17, 20)]]])
    [(False, True)]
    """
    answers = []
    for item, clusters in answered(items, predicted):
        a, b = linked_names(item, clusters, names=(item.a, item.b), match=match)
        answers.append((a, b))
    return answers


def gap_report(
    items: Sequence[GapItem], predicted: Iterable[CharClusters], *, match: str = "head"
) -> GapReport:
    """Scores entities; arguments are those of `gap_answers`.

    >>> text = "Ann saw Bea when she left."
    >>> spans = {"pronoun": (17, 20), "a": (0, 3), "b": (8, 11)}
    >>> item = GapItem(id="x-1", text=text, **spans, a_coref=True, b_coref=False)
    >>> gap_report([item], [[[(0, 3), (8, 11), (17, 20)]]]).overall.scores()
    Score(recall=1.0, precision=0.5, f1=0.6666666666666666)
    """
    counts = {"masculine": Counts(), "feminine": Counts()}
    for item, (a, b) in zip(items, gap_answers(items, predicted, match=match), strict=True):
        for right, given in ((item.a_coref, a), (item.b_coref, b)):
            both = int(right and given)
            counts[item.gender] += Counts(both, int(right), both, int(given))
    return GapReport(**counts, match=match)


def gap_tsv(items: Sequence[GapItem], answers: Iterable[tuple[bool, bool]]) -> str:
    r"""The answers as the released scorer reads them: ID, A-coref, B-coref, no line of names.

    >>> spans = {"pronoun": (17, 20), "a": (0, 3), "b": (8, 11)}
    >>> item = GapItem(id="x-1", text="Ann saw Bea when she left.", **spans, a_coref=True, b_coref=False)
    >>> gap_tsv([item], [(True, False)])
    'x-1\tTRUE\tFALSE\n'
    """
    rows = zip(items, answers, strict=True)
    return "".join(f"{item.id}\t{str(a).upper()}\t{str(b).upper()}\n" for item, (a, b) in rows)
