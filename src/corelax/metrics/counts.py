"""Counts and scores: metrics add up counts, and this file alone divides them.

The score of a corpus is the quotient of sums over its documents (micro average), never an average
of per-document scores. So a metric returns the four numbers below, they are added up, and `scores`
divides once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from corelax.core.errors import CorelaxError


class Score(tuple[Any, Any, Any]):
    """Recall, precision and their F-measure, each in [0, 1]; they can be unpacked as three numbers.

    (Mentions repeated in the key can lift the reference scorer's CEAF above 1.)

    >>> Score(1.0, 0.5, 2 / 3).f1
    0.6666666666666666
    >>> Score(1.0, 0.5, 5 / 6, beta=2)
    Score(recall=1.0, precision=0.5, f=0.8333333333333334, beta=2)

    Attributes:
        recall: Recall.
        precision: Precision.
        f: F_β.
        beta: Which F_β that is.
    """

    beta: float

    def __new__(cls, recall: Any, precision: Any, f: Any, beta: float = 1.0) -> Self:
        score = super().__new__(cls, (recall, precision, f))
        score.beta = beta
        return score

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (*self, self.beta)

    @property
    def recall(self) -> Any:
        """Recall."""
        return self[0]

    @property
    def precision(self) -> Any:
        """Precision."""
        return self[1]

    @property
    def f(self) -> Any:
        """F_β."""
        return self[2]

    @property
    def f1(self) -> Any:
        """F1, of a score with β = 1."""
        if self.beta != 1:
            raise CorelaxError(f"this score has F with beta={self.beta:g}: use f; f1 is F1 only")
        return self[2]

    def as_dict(self) -> dict[str, Any]:
        """By name: "recall", "precision" and "f1", or "f" where β is not 1."""
        return {"recall": self[0], "precision": self[1], "f1" if self.beta == 1 else "f": self[2]}

    def __repr__(self) -> str:
        values = self.as_dict() if self.beta == 1 else self.as_dict() | {"beta": self.beta}
        return f"Score({', '.join(f'{name}={value!r}' for name, value in values.items())})"


def f_measure(precision: Any, recall: Any, beta: float = 1.0) -> Any:
    """F_β = (1 + β²) P R / (β² P + R): β > 1 favours recall. 0 where both are 0.

    The order of operations for β = 1 is that of the reference scorer, which cuts instead of
    rounding, so that the last bit decides a printed digit: an exact 0.75 can come out as 74.99.

    >>> f_measure(0.6, 1.0)
    0.7499999999999999
    >>> f_measure(0.5, 1.0, beta=2)
    0.8333333333333334
    """
    squared = beta * beta
    if squared > 1e100:
        return recall * (precision > 0)  # the limit; the formula would be inf / inf
    return ratio((1 + squared) * precision * recall, squared * precision + recall)


def ratio(numerator: Any, denominator: Any) -> Any:
    """A quotient that is 0 where the denominator is 0 (an empty side scores 0).

    Nothing is counted where nothing could be, so the numerator is 0 there too and may be divided by
    anything. Without a branch the line serves numbers and tensors, of one document or of many.

    >>> ratio(1, 4), ratio(0, 0)
    (0.25, 0.0)
    """
    return numerator / (denominator + (denominator == 0))


@dataclass(frozen=True, slots=True)
class Counts:
    """Numerators and denominators of recall and precision. They add.

    >>> (Counts(1, 2, 1, 1) + Counts(2, 2, 2, 3)).scores()
    Score(recall=0.75, precision=0.75, f1=0.75)
    """

    recall_num: Any = 0
    recall_den: Any = 0
    precision_num: Any = 0
    precision_den: Any = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.recall_num + other.recall_num,
            self.recall_den + other.recall_den,
            self.precision_num + other.precision_num,
            self.precision_den + other.precision_den,
        )

    def as_tuple(self) -> tuple[Any, ...]:
        """The four numbers in the order of the fields."""
        return self.recall_num, self.recall_den, self.precision_num, self.precision_den

    @classmethod
    def from_tuple(cls, numbers: tuple[Any, ...]) -> Counts:
        return cls(*numbers)

    def scores(self, beta: float = 1.0) -> Score:
        recall = ratio(self.recall_num, self.recall_den)
        precision = ratio(self.precision_num, self.precision_den)
        return Score(recall, precision, f_measure(precision, recall, beta), beta)

    def with_recall_of(self, other: Counts) -> Counts:
        return Counts(other.recall_num, other.recall_den, self.precision_num, self.precision_den)


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """BLANC's two kinds of links: those inside entities and those between entities.

    Recall, precision and F are the means of the two kinds, F being a mean of two F values and not the
    harmonic mean of the means. A kind of which the *gold* side has no link at all in the whole corpus
    is left out; with no gold link of either kind everything is 0 (rules of the reference scorer).

    >>> LinkCounts(inside=Counts(1, 2, 1, 1), between=Counts(0, 0, 0, 5)).scores().recall
    0.5
    """

    inside: Counts = field(default_factory=Counts)
    between: Counts = field(default_factory=Counts)

    def __add__(self, other: Self) -> Self:
        return type(self)(self.inside + other.inside, self.between + other.between)

    def as_tuple(self) -> tuple[Any, ...]:
        """Eight numbers: those of `inside`, then those of `between`."""
        return (*self.inside.as_tuple(), *self.between.as_tuple())

    @classmethod
    def from_tuple(cls, numbers: tuple[Any, ...]) -> Self:
        return cls(Counts(*numbers[:4]), Counts(*numbers[4:]))

    def scores(self, beta: float = 1.0) -> Score:
        inside, between = self._has_links(self.inside), self._has_links(self.between)
        kinds = zip(self.inside.scores(beta), self.between.scores(beta), strict=True)
        recall, precision, f = (
            ratio(a * inside + b * between, 1 * inside + between) for a, b in kinds
        )
        return Score(recall, precision, f, beta)

    @staticmethod
    def _has_links(kind: Counts) -> Any:
        return kind.recall_den > 0

    def with_recall_of(self, other: LinkCounts) -> Self:
        inside, between = other.inside, other.between
        return type(self)(self.inside.with_recall_of(inside), self.between.with_recall_of(between))


class EitherSideLinkCounts(LinkCounts):
    """BLANC's links by the convention of the CorefUD scorer: a kind is left out if *neither* side has it.

    >>> EitherSideLinkCounts(inside=Counts(1, 2, 1, 1), between=Counts(0, 0, 0, 5)).scores().recall
    0.25
    """

    __slots__ = ()

    @staticmethod
    def _has_links(kind: Counts) -> Any:
        return (kind.recall_den > 0) | (kind.precision_den > 0)
