"""Whose scorer: what is taken out of documents, which mentions are the same, and who counts them.

Most runs compare spans as they are; what other rules need is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from corelax.core.errors import CorelaxError
from corelax.document import Clustering, Document, Span, without_singletons
from corelax.metrics.counts import Counts, EitherSideLinkCounts, LinkCounts
from corelax.metrics.options import Rules
from corelax.metrics.registry import COREFUD, SUPPLEMENTS, check_metrics
from corelax.metrics.tally import Tally

if TYPE_CHECKING:
    from corelax.metrics.corefud import EntityOrder
    from corelax.metrics.mention import Mention
    from corelax.metrics.nodes import Entity

Named = list[
    tuple[Hashable, "Mention"]
]  # an entity: what its mentions are called, and what they are
AnyNamed = Sequence[tuple[Hashable, "Mention"]]
NOTHING: Mapping[Hashable, Hashable] = {}


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document as it is counted.

    Attributes:
        gold: The gold entities; equal mentions of both sides are matched.
        system: The system's entities.
        images: What a mention of either side is called on the other, where that is not its own name.
        supplements: The counts of metrics that look at the nodes of mentions, by name.
    """

    gold: Sequence[Sequence[Hashable]]
    system: Sequence[Sequence[Hashable]]
    images: Mapping[Hashable, Hashable] = field(default_factory=dict)
    supplements: Mapping[str, Counts] = field(default_factory=dict)


class Convention:
    """Prepares the documents of one run, one after the other, and makes the tallies that count them.

    Args:
        rules: What is asked for; an error if these rules do not go together.
        metrics: Names of metrics, of supplements too; what the profile reports if None.

    >>> Convention(Rules(profile="corefud")).match, Convention(Rules()).match
    ('head', 'exact')
    """

    def __init__(self, rules: Rules, metrics: Iterable[str] | None = None) -> None:
        profile = self.profile = rules.profile
        is_corefud = profile == "corefud"
        self.match = rules.match or ("head" if is_corefud else "exact")
        self.zeros = rules.zeros or ("dependent" if is_corefud else "linear")
        self.singletons = rules.singletons or ("drop" if is_corefud else "keep")
        self.only, self.nested = rules.only, rules.nested
        # What only coval has; its way of counting holds for all of the run then.
        self.like_coval = self.match == "min-span" or self.only is not None or self.nested == "drop"
        if profile != "normal" and self.like_coval:
            raise CorelaxError(f"the profile {profile!r} knows no min-span, no only and no nested")
        self.is_exact = (self.match, self.zeros) == ("exact", "linear")
        if profile == "reference" and not self.is_exact:
            raise CorelaxError("the profile 'reference' matches exact spans only")
        # For minimum spans, or for heads that files do not give.
        self.needs_trees = self.match != "exact" or self.only is not None
        if metrics is None and is_corefud:
            metrics = COREFUD
        self.metrics = check_metrics(metrics, supplements=profile != "reference")
        self._supplements = [name for name in self.metrics if name in SUPPLEMENTS]
        self._orders: tuple[EntityOrder, EntityOrder] | None = None

    def tally(self) -> Tally:
        if self.profile == "corefud" or self.like_coval:
            from corelax.metrics.last_entity import LastEntityTally

            links = EitherSideLinkCounts if self.profile == "corefud" else LinkCounts
            return LastEntityTally(self.metrics, links=links, supplements=True)
        return Tally(self.metrics, like_reference=self.profile == "reference", supplements=True)

    def prepare(self, *, gold: Document, system: Document) -> Prepared:
        """The next pair of documents, of the same words."""
        if self.profile == "corefud":
            return self._as_corefud(gold, system)
        if self.like_coval or self.singletons == "drop":
            gold, system = self._scored_part(gold, system)
        # Where both sides have the same empty nodes, equal spans are equal sets of nodes.
        same_nodes = [n.id for n in gold.empty_nodes] == [n.id for n in system.empty_nodes]
        if self.is_exact and same_nodes:
            supplements = self._supplements_of_spans(gold, system) if self._supplements else {}
            return Prepared(list(gold.clusters), list(system.clusters), supplements=supplements)
        if self.match == "min-span":
            from corelax.metrics.coval import DocumentTrees

            trees = DocumentTrees(gold, by_minimum=True)
            ours, theirs = ([[*map(trees.identity, c)] for c in d.clusters] for d in (gold, system))
            supplements = self._supplements_of_spans(gold, system)
            return Prepared(ours, theirs, supplements=supplements)
        from corelax.metrics.matching import renamed
        from corelax.metrics.nodes import document_entities

        entities = document_entities(gold=gold, system=system, match=self.match)
        mentions = [[entity.mentions for entity in side] for side in entities]
        names = renamed(mentions[0], mentions[1], match=self.match, zeros=self.zeros)
        gold_side, system_side = (
            [list(zip(*pair, strict=True)) for pair in zip(of_side, clusters, strict=True)]
            for of_side, clusters in zip(names, mentions, strict=True)
        )
        supplements = self._count_supplements(gold_side, system_side, NOTHING)
        return Prepared(*names, supplements=supplements)

    def compared_clusters(
        self, *, gold: Document, system: Document
    ) -> tuple[Clustering[Span], Clustering[Span]]:
        """What is scored of both sides, matched system mentions being those of gold."""
        gold, system = self._scored_part(gold, system)
        if self.is_exact:
            return gold.clusters, system.clusters
        from corelax.metrics.matching import align

        gold_of = align(gold=gold, system=system, match=self.match, zeros=self.zeros)
        return gold.clusters, Clustering([[gold_of.get(m, m) for m in c] for c in system.clusters])

    def _scored_part(self, gold: Document, system: Document) -> tuple[Document, Document]:
        if self.like_coval:
            from corelax.metrics.coval import CovalFilter

            keep = CovalFilter(
                gold,
                by_minimum=self.match == "min-span",
                noun_phrases=self.only == "np",
                nested=self.nested,
                singletons=self.singletons,
            )
            return keep.of(gold), keep.of(system)
        if self.singletons == "drop":
            gold, system = (
                replace(doc, clusters=doc.clusters.drop_singletons()) for doc in (gold, system)
            )
        return gold, system

    def _as_corefud(self, gold: Document, system: Document) -> Prepared:
        from corelax.metrics.corefud import EntityOrder
        from corelax.metrics.matching import distinct, identity, matched_pairs
        from corelax.metrics.nodes import document_entities

        if self._orders is None:
            self._orders = EntityOrder(), EntityOrder()
        match = self.match
        entities = document_entities(gold=gold, system=system, match=match)
        ours, theirs = (
            self._named(order.ordered(of_side, doc))
            for order, of_side, doc in zip(self._orders, entities, (gold, system), strict=True)
        )
        mentions = [distinct(([m for _, m in c] for c in side), match) for side in (ours, theirs)]
        gold_mentions, system_mentions = ([*side.values()] for side in mentions)
        pairs = matched_pairs(gold_mentions, system_mentions, match=match, zeros=self.zeros)
        # One table for both directions, as the CorefUD scorer has it: a mention that stands where a matched
        # zero of the other side stands is looked up there.
        names = [(identity(g, match), identity(s, match)) for g, s in pairs]
        images = {g: s for g, s in names if g != s} | {s: g for g, s in names if g != s}
        return Prepared(
            [[name for name, _ in cluster] for cluster in ours],
            [[name for name, _ in cluster] for cluster in theirs],
            images,
            self._count_supplements(ours, theirs, images),
        )

    def _named(self, entities: Iterable[Entity]) -> list[Named]:
        """The entities with each mention once; those of one mention only if they count."""
        from corelax.metrics.matching import distinct

        named = [list(distinct([entity.mentions], self.match).items()) for entity in entities]
        return list(without_singletons(named, self.singletons))  # type: ignore[arg-type]

    def _supplements_of_spans(self, gold: Document, system: Document) -> Mapping[str, Counts]:
        """The supplements where mentions are the same if their spans are, or their minimum spans."""
        from corelax.metrics.nodes import document_entities

        ours, theirs = document_entities(gold=gold, system=system, match="exact")
        return self._count_supplements(self._named(ours), self._named(theirs), NOTHING)

    def _count_supplements(
        self,
        gold: Sequence[AnyNamed],
        system: Sequence[AnyNamed],
        images: Mapping[Hashable, Hashable],
    ) -> Mapping[str, Counts]:
        from corelax.metrics.corefud import mention_overlap, zero_anaphors

        counts = {}
        if "mor" in self._supplements:
            ours, theirs = ([m for c in side for _, m in c] for side in (gold, system))
            counts["mor"] = mention_overlap(ours, theirs)
        if "zero" in self._supplements:
            counts["zero"] = zero_anaphors(gold, system, images)
        return counts
