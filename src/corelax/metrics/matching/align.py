"""From system mentions to gold mentions: which ones count as the same."""

from __future__ import annotations

from corelax.core.checks import check_choice
from corelax.document import Document, Span
from corelax.metrics.coval.document_trees import DocumentTrees
from corelax.metrics.matching.mention import Mention
from corelax.metrics.matching.nodes import Entity, document_entities
from corelax.metrics.matching.pairing import matched_pairs
from corelax.metrics.matching.renaming import distinct
from corelax.metrics.rules import MATCHES, ZEROS


def align(
    *, gold: Document, system: Document, match: str = "exact", zeros: str = "linear"
) -> dict[Span, Span]:
    """The gold mention of each system mention that has one. Mentions are matched one to one.

    (A span that a file has with two heads is two mentions for head match; its first partner is listed.)

    Args:
        gold: A gold document.
        system: The system's document, of the same words.
        match: "exact": the same words. "partial": the system's mention lies inside the gold one and has its
            head. "head": the same head. Where several mentions compete, the pairing with the most words in
            common as a share of the gold mentions wins. "min-span": the same minimum span by the parse trees
            of gold; here several system mentions may have one gold mention.
        zeros: "linear" compares empty nodes by sentence and id; "dependent" first matches zeros by
            parents and relations.

    >>> text = [["the", "old", "dog", "barked"]]
    >>> tree = {"head": (2, 2, 3, -1)}
    >>> gold = Document.from_sentences("d", text, clusters=[[(0, 3)]], layers=tree)
    >>> system = Document.from_sentences("d", text, clusters=[[(1, 3)]], layers=tree)
    >>> align(gold=gold, system=system, match="head")
    {Span(1, 3): Span(0, 3)}
    """
    check_choice("match", match, MATCHES)
    check_choice("zeros", zeros, ZEROS)
    if match == "min-span":
        trees = DocumentTrees(gold, by_minimum=True)
        gold_of = {trees.identity(span): span for span in reversed(gold.clusters.mentions)}
        names = {span: trees.identity(span) for span in system.clusters.mentions}
        return {span: gold_of[name] for span, name in names.items() if name in gold_of}
    ours, theirs = document_entities(gold=gold, system=system, match=match)
    mentions = [distinct((e.mentions for e in side), match).values() for side in (ours, theirs)]
    pairs = matched_pairs(list(mentions[0]), list(mentions[1]), match=match, zeros=zeros)
    gold_spans, system_spans = _spans(ours), _spans(theirs)
    return {system_spans[theirs]: gold_spans[ours] for ours, theirs in reversed(pairs)}


def _spans(entities: list[Entity]) -> dict[Mention, Span]:
    return {
        mention: span
        for entity in entities
        for mention, span in zip(entity.mentions, entity.spans, strict=True)
    }
