"""Documents whose mentions are taken out, matched and named by the rules of a run."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

from corelax.document import Document, Span, without_singletons
from corelax.document.clustering import Clustering
from corelax.document.gold import GLOBAL_ENTITY
from corelax.metrics.corefud.entity_order import EntityOrder
from corelax.metrics.corefud.mention_overlap import mention_overlap
from corelax.metrics.corefud.zeros import zero_anaphors
from corelax.metrics.counts import Counts
from corelax.metrics.coval.document_trees import DocumentTrees
from corelax.metrics.coval.filters import without_nested, without_verb_phrases
from corelax.metrics.matching.align import align
from corelax.metrics.matching.mention import Mention
from corelax.metrics.matching.nodes import Entity, document_entities
from corelax.metrics.matching.pairing import identity, matched_pairs
from corelax.metrics.matching.renaming import distinct, renamed
from corelax.metrics.prepared import Prepared, same_nodes
from corelax.metrics.rules import Rules

Named = list[tuple[Hashable, Mention]]  # an entity: what its mentions are called, and what they are


class PreparationByRules:
    """Prepares the documents of a run of any rules, one after the other.

    Args:
        rules: The rules of the run.
        supplements: Which of the metrics "mor" and "zero" are wanted.
    """

    def __init__(self, rules: Rules, supplements: Sequence[str] = ()) -> None:
        self._rules = rules
        self._wanted = supplements
        self._orders = EntityOrder(), EntityOrder()

    def prepare(self, *, gold: Document, system: Document) -> Prepared:
        """The next pair of documents, of the same words."""
        rules = self._rules
        if rules.profile == "corefud":
            return self._as_corefud(gold, system)
        gold, system = _filtered(gold, system, rules)
        if rules.match == "min-span":
            named_by = DocumentTrees(gold, by_minimum=True).identity
            ours, theirs = (
                [[named_by(m) for m in c] for c in doc.clusters] for doc in (gold, system)
            )
            return Prepared(ours, theirs, supplements=self._of_nodes(gold, system))
        is_exact = (rules.match, rules.zeros) == ("exact", "linear")
        if is_exact and same_nodes(gold, system):
            supplements = self._of_nodes(gold, system)
            return Prepared(list(gold.clusters), list(system.clusters), supplements=supplements)
        entities = document_entities(gold=gold, system=system, match=rules.match)
        mentions = [[entity.mentions for entity in side] for side in entities]
        names = renamed(mentions[0], mentions[1], match=rules.match, zeros=rules.zeros)
        named = [_named(*side) for side in zip(names, entities, strict=True)]
        return Prepared(*names, supplements=self._supplements(named[0], named[1], {}))

    def _as_corefud(self, gold: Document, system: Document) -> Prepared:
        match = self._rules.match
        both = zip(
            document_entities(gold=gold, system=system, match=match),
            (gold, system),
            self._orders,
            strict=True,
        )
        ours, theirs = (
            self._clusters(order.ordered(entities, local_labels=_labels_are_local(doc)))
            for entities, doc, order in both
        )
        mentions = [distinct(_mentions(side), match) for side in (ours, theirs)]
        pairs = matched_pairs(
            [*mentions[0].values()],
            [*mentions[1].values()],
            match=match,
            zeros=self._rules.zeros,
        )
        # One table for both directions, as the CorefUD scorer has it: a mention that stands where a matched
        # zero of the other side stands is looked up there.
        names = [(identity(g, match), identity(s, match)) for g, s in pairs]
        images = {g: s for g, s in names if g != s} | {s: g for g, s in names if g != s}
        return Prepared(
            [[name for name, _ in cluster] for cluster in ours],
            [[name for name, _ in cluster] for cluster in theirs],
            images,
            self._supplements(ours, theirs, images),
        )

    def _clusters(self, entities: Iterable[Entity]) -> list[Named]:
        """The entities with each mention once; those of one mention only if they count."""
        match = self._rules.match
        named = [list(distinct([entity.mentions], match).items()) for entity in entities]
        return list(without_singletons(named, self._rules.singletons))  # type: ignore[arg-type]

    def _of_nodes(self, gold: Document, system: Document) -> dict[str, Counts]:
        """The supplements where exact mentions are named by their nodes."""
        if not self._wanted:
            return {}
        ours, theirs = (
            self._clusters(side)
            for side in document_entities(gold=gold, system=system, match="exact")
        )
        return self._supplements(ours, theirs, {})

    def _supplements(
        self, gold: Sequence[Named], system: Sequence[Named], images: Mapping[Hashable, Hashable]
    ) -> dict[str, Counts]:
        counts = {}
        if "mor" in self._wanted:
            ours, theirs = ([m for c in _mentions(side) for m in c] for side in (gold, system))
            counts["mor"] = mention_overlap(ours, theirs)
        if "zero" in self._wanted:
            counts["zero"] = zero_anaphors(gold, system, images)
        return counts


def matched_clusters(
    *, gold: Document, system: Document, rules: Rules
) -> tuple[Clustering[Span], Clustering[Span]]:
    """What is scored of both sides, matched system mentions being those of gold."""
    gold, system = _filtered(gold, system, rules)
    if (rules.match, rules.zeros) == ("exact", "linear"):
        return gold.clusters, system.clusters
    gold_of = align(gold=gold, system=system, match=rules.match, zeros=rules.zeros)
    return gold.clusters, Clustering([[gold_of.get(m, m) for m in c] for c in system.clusters])


def _mentions(clusters: Iterable[Named]) -> list[list[Mention]]:
    return [[mention for _, mention in cluster] for cluster in clusters]


def _named(names: list[list[int]], entities: list[Entity]) -> list[Named]:
    pairs = zip(names, entities, strict=True)
    return [list(zip(cluster, entity.mentions, strict=True)) for cluster, entity in pairs]


def _labels_are_local(doc: Document) -> bool:
    """Whether entities of two documents with the same label are different ones."""
    return "eid" not in str(doc.extra.get(GLOBAL_ENTITY, "")).split("-")


def _filtered(gold: Document, system: Document, rules: Rules) -> tuple[Document, Document]:
    """Both sides without what is not scored."""
    if rules.singletons == "keep" and not rules.like_coval:
        return gold, system
    trees = DocumentTrees(gold, by_minimum=rules.match == "min-span")
    ours, theirs = (_scored(doc, trees, rules) for doc in (gold, system))
    return ours, theirs


def _scored(doc: Document, trees: DocumentTrees, rules: Rules) -> Document:
    labels, clusters = doc.clusters.labels, doc.clusters
    entities = list(zip(labels, clusters, strict=True))
    if rules.like_coval:
        # The order of coval: entities by the first mention that is complete.
        entities.sort(key=lambda entity: min(span.end for span in entity[1]))
    left = [_scored_mentions(cluster, trees, rules) for _, cluster in entities]
    return replace(doc, clusters=Clustering(left, [label for label, _ in entities]))


def _scored_mentions(cluster: Sequence[Span], trees: DocumentTrees, rules: Rules) -> Sequence[Span]:
    """What is left of an entity; nothing if it is not scored."""
    keep = rules.singletons == "keep"
    if len(cluster) == 1 and not keep:
        return []
    if rules.only == "np":
        cluster = without_verb_phrases(cluster, trees.is_verb_phrase, trees.identity)
    if rules.nested == "drop":
        cluster = without_nested(cluster, trees.sentence_of, trees.identity, keep_singletons=keep)
    return cluster
