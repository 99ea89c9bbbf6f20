"""How large and how dense the documents of a corpus are."""

from __future__ import annotations

import os
from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.core.files import read_json

CANDIDATES_PER_MENTION = 2.2  # OntoGUM: 50,517 detected mentions, 23,320 annotated ones


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

    @classmethod
    def from_profile(
        cls,
        path: str | os.PathLike[str],
        corpus: str,
        split: str,
        *,
        candidates_per_mention: float = CANDIDATES_PER_MENTION,
    ) -> Shape:
        """The shape of a corpus from a JSON file of counts: `corpora`, corpus, split, then totals.

        Such a file counts annotated mentions. Those in clusters of one are left out, and detection is
        taken to find `candidates_per_mention` times as many as remain, which is what it finds in
        OntoGUM; corpora that annotate more or less than OntoNotes need another factor. So one in
        `candidates_per_mention` detected mentions is in a cluster. Conversations are not counted and keep
        their default share.
        """
        if not candidates_per_mention >= 1:
            raise CorelaxError(
                f"candidates_per_mention must be at least 1, not {candidates_per_mention:g}"
            )
        counts = _look_up(path, corpus, split)
        try:
            mentions = counts["mentions"] - counts["singleton_clusters"]
            detected = candidates_per_mention * mentions
            scale = detected / counts["mentions"]
            sizes = {k: scale * v for k, v in counts["mentions_per_document"].items()}
            return cls(
                mentions=_quantiles(sizes["mean"], sizes["p50"], sizes["p90"], sizes["max"]),
                tokens_per_mention=counts["tokens"] / detected,
                tokens_per_sentence=counts["tokens"] / counts["sentences"],
                clustered=mentions / detected,
                cluster_size=mentions / (counts["clusters"] - counts["singleton_clusters"]),
            )
        except (AttributeError, KeyError, TypeError, ZeroDivisionError) as error:
            raise CorelaxError(f"{path}: the counts of {corpus} {split} lack {error}") from None


def _look_up(path: str | os.PathLike[str], corpus: str, split: str) -> dict[str, Any]:
    """The counts of one split."""
    content: Any = read_json(path)
    for level, name in (("key", "corpora"), ("corpus", corpus), ("split", split)):
        known = list(content) if isinstance(content, dict) else []
        if name not in known:
            choice = f"; choose from {', '.join(known)}" if level != "key" and known else ""
            raise CorelaxError(f"{path}: no {level} {name!r}{choice}")
        content = content[name]
    return dict(content) if isinstance(content, dict) else {}


def _quantiles(mean: float, half: float, p90: float, top: float) -> tuple[tuple[float, float], ...]:
    """Quantiles with the given mean: the smallest document is what the mean leaves for it.

    >>> _quantiles(mean=30, half=25, p90=50, top=90)
    ((0, 7.0), (0.5, 25), (0.9, 50), (1, 90))
    """
    above = 0.4 * (half + p90) / 2 + 0.1 * (p90 + top) / 2
    least = (mean - above) / 0.25 - half
    return ((0, min(max(1.0, least), half)), (0.5, half), (0.9, p90), (1, top))
