"""How large and how dense the documents of a corpus are."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import pairwise

from corelax.core.errors import CorelaxError


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The shape of a corpus, in mentions that detection finds, whether they corefer or not.

    Attributes:
        mentions: Quantiles of the mentions per document, as (share of documents, their largest number of
            mentions), from share 0 to share 1; straight lines between them.
        tokens_per_mention: Tokens of the corpus by its mentions.
        tokens_per_sentence: Mean length of sentences.
        clustered: Share of the mentions that are in clusters of two or more.
        cluster_size: Mean number of mentions in a cluster.
        dialogue: Share of documents that are conversations, with speakers.

    >>> shape = Shape(mentions=((0, 10), (0.5, 20), (1, 60)))
    >>> shape.size_at(0.25), shape.size_at(0.75), shape.mean
    (15, 40, 27.5)
    """

    mentions: tuple[tuple[float, float], ...]
    tokens_per_mention: float = 3.42
    tokens_per_sentence: float = 17.3
    clustered: float = 0.366
    cluster_size: float = 4.4
    dialogue: float = 0.3

    def __post_init__(self) -> None:
        shares = [share for share, _ in self.mentions]
        sizes = [size for _, size in self.mentions]
        rising = shares == sorted(set(shares)) and sizes == sorted(sizes)
        if len(shares) < 2 or (shares[0], shares[-1]) != (0, 1) or not rising or sizes[0] < 1:
            raise CorelaxError("quantiles of mentions must rise from 1 or more, shares from 0 to 1")
        for name, low, high in (
            ("tokens_per_mention", 1, float("inf")),
            ("tokens_per_sentence", 1, float("inf")),
            ("clustered", 0, 1),
            ("cluster_size", 2, float("inf")),
            ("dialogue", 0, 1),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                limits = f"at least {low}" if high > 1 else f"between {low} and {high}"
                raise CorelaxError(f"{name} must be {limits}, not {value:g}")

    @property
    def mean(self) -> float:
        """Mean number of mentions per document."""
        return sum((b - a) * (x + y) / 2 for (a, x), (b, y) in pairwise(self.mentions))

    def size_at(self, share: float) -> int:
        """The number of mentions that a share of the documents does not exceed."""
        last = len(self.mentions) - 1
        above = min(bisect_right(self.mentions, share, key=lambda knot: knot[0]), last)
        (a, x), (b, y) = self.mentions[above - 1 : above + 1]
        return max(1, round(x + (y - x) * (share - a) / (b - a)))

    def scaled(self, mean: float) -> Shape:
        """The same shape with another mean number of mentions per document.

        >>> round(Shape.conll2012().scaled(30).mean, 6)
        30.0
        """
        if not mean >= 1:
            raise CorelaxError(f"the mean number of mentions must be at least 1, not {mean:g}")
        # A size below one would break the scale: squeeze the distance to one instead.
        factor = (mean - 1) / (self.mean - 1) if self.mean > 1 else 0.0
        knots = tuple((share, 1 + (size - 1) * factor) for share, size in self.mentions)
        return replace(self, mentions=knots)

    @classmethod
    def conll2012(cls) -> Shape:
        """The training data of Le & Titov (2017) after mention detection.

        Known are 2,802 documents, 380,150 mentions (mean 136, median 116, 95 % at most 312, 99 % at
        most 462, at most 1,296), 41 million pairs, 139,156 mentions in clusters, 1.3 million tokens in
        75,187 sentences, and 4.43 mentions in a cluster of the annotation. The other quantiles are chosen
        so that mean and pairs come out, and the share of conversations is a guess.
        """
        return cls(
            mentions=(
                (0, 8),
                (0.25, 58),
                (0.5, 116),
                (0.75, 180),
                (0.9, 256),
                (0.95, 312),
                (0.99, 462),
                (0.999, 700),
                (1, 1296),
            )
        )
