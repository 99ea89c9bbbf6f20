"""Which mentions of two sides are the same: one to one, by the rules of the CorefUD scorer 1.2.

Three steps, each with what the ones before have left: zeros by their dependencies, mentions that are
identical, and the best assignment of the rest. Entities play no part here. Scores of pairs are computed for
mentions around one head, so that their number grows with the document and not with its square.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence

from corelax.core.errors import CorelaxError
from corelax.document import Document, Span
from corelax.metrics.assignment import assign
from corelax.metrics.mention import Mention
from corelax.metrics.nodes import document_entities
from corelax.metrics.options import Rules

Pairs = list[tuple[Mention, Mention]]
Scores = dict[tuple[int, int], float]
Scorer = Callable[[Sequence[Mention], Sequence[Mention]], Scores]
MAX_PAIRS = 4_000_000  # in one document; no annotation of a text comes near


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
    Rules(match=match, zeros=zeros)  # type: ignore[arg-type]  # checks them
    if match == "min-span":
        from corelax.metrics.coval import DocumentTrees

        trees = DocumentTrees(gold, by_minimum=True)
        gold_of = {trees.identity(span): span for span in reversed(gold.clusters.mentions)}
        names = {span: trees.identity(span) for span in system.clusters.mentions}
        return {span: gold_of[name] for span, name in names.items() if name in gold_of}
    ours, theirs = document_entities(gold=gold, system=system, match=match)
    mentions = [distinct((e.mentions for e in side), match).values() for side in (ours, theirs)]
    pairs = matched_pairs(list(mentions[0]), list(mentions[1]), match=match, zeros=zeros)
    gold_spans, system_spans = (
        {m: span for e in side for m, span in zip(e.mentions, e.spans, strict=True)}
        for side in (ours, theirs)
    )
    return {system_spans[theirs]: gold_spans[ours] for ours, theirs in reversed(pairs)}


def identity(mention: Mention, match: str) -> Hashable:
    """What makes two mentions the same: their nodes; for head match their head as well.

    >>> identity(Mention(((0, 3),), head=2), "partial")
    ((0, 3),)
    """
    return (mention.stretches, mention.head) if match == "head" else mention.stretches


def matched_pairs(
    gold: Sequence[Mention], system: Sequence[Mention], *, match: str, zeros: str
) -> Pairs:
    """(gold, system) of all matched mentions, identical ones included. One to one.

    >>> the_dog, dog = Mention(((0, 2),), head=1), Mention(((1, 2),), head=1)
    >>> matched_pairs([the_dog], [dog], match="exact", zeros="linear")
    []
    >>> matched_pairs([the_dog], [dog], match="head", zeros="linear") == [(the_dog, dog)]
    True
    """
    ours, theirs = (sorted(side, key=lambda mention: mention.place) for side in (gold, system))
    pairs: Pairs = []
    if zeros == "dependent":
        zeros_only = [m for m in ours if m.is_zero], [m for m in theirs if m.is_zero]
        pairs += _assigned(*zeros_only, zero_scores)
        ours, theirs = _without(ours, theirs, pairs)
    same = {identity(mention, match): mention for mention in theirs}
    identical = [(m, same[key]) for m in ours if (key := identity(m, match)) in same]
    pairs += identical
    if match != "exact":
        ours, theirs = _without(ours, theirs, identical)
        pairs += _assigned(ours, theirs, head_scores if match == "head" else partial_scores)
    return pairs


def _assigned(gold: Sequence[Mention], system: Sequence[Mention], scorer: Scorer) -> Pairs:
    cells = assign(scorer(gold, system), len(gold), len(system))
    return [(gold[i], system[j]) for i, j in cells]


def _without(
    gold: list[Mention], system: list[Mention], pairs: Pairs
) -> tuple[list[Mention], list[Mention]]:
    ours, theirs = {gold for gold, _ in pairs}, {system for _, system in pairs}
    return [m for m in gold if m not in ours], [m for m in system if m not in theirs]


def distinct(clusters: Iterable[Iterable[Mention]], match: str) -> dict[Hashable, Mention]:
    """Each mention once, by its identity. Of copies with different heads the first one counts."""
    mentions: dict[Hashable, Mention] = {}
    for cluster in clusters:
        for mention in cluster:
            mentions.setdefault(identity(mention, match), mention)
    return mentions


def renamed(
    gold: Sequence[Sequence[Mention]],
    system: Sequence[Sequence[Mention]],
    *,
    match: str,
    zeros: str,
) -> tuple[list[list[int]], list[list[int]]]:
    """Both clusterings with numbers for mentions. Matched mentions have the same number.

    >>> the_dog, dog, it = Mention(((0, 2),), 1), Mention(((1, 2),), 1), Mention(((4, 5),), 4)
    >>> renamed([[the_dog, it]], [[dog], [it]], match="head", zeros="linear")
    ([[0, 1]], [[0], [1]])
    """
    ours, theirs = distinct(gold, match), distinct(system, match)
    pairs = matched_pairs([*ours.values()], [*theirs.values()], match=match, zeros=zeros)
    gold_number = {name: number for number, name in enumerate(ours)}
    numbers = {identity(s, match): gold_number[identity(g, match)] for g, s in pairs}
    for name in theirs:
        numbers.setdefault(name, len(gold_number) + len(numbers))  # a mention of its own
    return (
        [[gold_number[identity(m, match)] for m in cluster] for cluster in gold],
        [[numbers[identity(m, match)] for m in cluster] for cluster in system],
    )


def check_mentions(clusters: Iterable[Iterable[Hashable]], side: str) -> list[list[Mention]]:
    """The clusters, or an error if a mention does not know its nodes."""
    result: list[list[Mention]] = []
    for cluster in clusters:
        result.append([])
        for mention in cluster:
            if not isinstance(mention, Mention):
                raise CorelaxError(
                    f"{side}: mention {mention!r} does not know its head; use corelax.metrics.Mention"
                )
            result[-1].append(mention)
    return result


def check_pairs(number: int) -> None:
    """An error if so many mentions overlap that comparing them would not end.

    >>> check_pairs(10_000_000)
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: more than 4000000 pairs of mentions of one document overlap
    """
    if number > MAX_PAIRS:
        raise CorelaxError(f"more than {MAX_PAIRS} pairs of mentions of one document overlap")


def partial_scores(gold: Sequence[Mention], system: Sequence[Mention]) -> Scores:
    """|S| / |K| where the system's mention lies inside the gold one and has the gold head.

    >>> gold = [Mention(((0, 3),), head=2)]
    >>> partial_scores(gold, [Mention(((1, 3),)), Mention(((0, 2),)), Mention(((2, 5),))])
    {(0, 0): 0.6666666666666666}
    """
    scores: Scores = {}
    starting = sorted(range(len(system)), key=lambda j: system[j].start, reverse=True)
    around: list[int] = []  # system mentions that begin before the head and may go beyond it
    heads = [(head, i) for i, mention in enumerate(gold) if (head := mention.head) is not None]
    for head, i in sorted(heads):
        while starting and system[starting[-1]].start <= head:
            around.append(starting.pop())
        around = [j for j in around if system[j].end > head]
        check_pairs(len(scores) + len(around))
        start, end, size = gold[i].start, gold[i].end, gold[i].size
        for j in around:
            mention = system[j]
            is_near = start <= mention.start and mention.end <= end and mention.contains(head)
            if is_near and mention.common(gold[i]) == mention.size:
                scores[i, j] = mention.size / size
    return scores


def head_scores(gold: Sequence[Mention], system: Sequence[Mention]) -> Scores:
    """|K ∩ S| / |K| where the heads are the same node.

    >>> gold = [Mention(((0, 3),), head=2)]
    >>> head_scores(gold, [Mention(((1, 3),), head=2), Mention(((1, 3),), head=1)])
    {(0, 0): 0.6666666666666666}
    """
    of_head: defaultdict[int, list[int]] = defaultdict(list)
    for j, mention in enumerate(system):
        if mention.head is not None:
            of_head[mention.head].append(j)
    check_pairs(sum(len(of_head.get(m.head, ())) for m in gold if m.head is not None))
    return {
        (i, j): mention.common(system[j]) / mention.size
        for i, mention in enumerate(gold)
        if mention.head is not None
        for j in of_head.get(mention.head, ())
    }


def zero_scores(gold: Sequence[Mention], system: Sequence[Mention]) -> Scores:
    """10 · F of the pairs (parent, relation) + F of the parents alone, of zeros that share a parent.

    >>> subject, object = frozenset({(4, "nsubj")}), frozenset({(4, "obj")})
    >>> gold = [Mention(((2, 3),), 2, subject)]
    >>> zero_scores(gold, [Mention(((5, 6),), 5, subject), Mention(((2, 3),), 2, object)])
    {(0, 0): 11.0, (0, 1): 1.0}
    """
    parents = [frozenset(parent for parent, _ in m.parents or ()) for m in system]
    of_parent: defaultdict[object, list[int]] = defaultdict(list)
    for j, nodes in enumerate(parents):
        for node in nodes:
            of_parent[node].append(j)
    scores: Scores = {}
    for i, mention in enumerate(gold):
        check_pairs(len(scores))
        links = mention.parents or frozenset()
        nodes = frozenset(parent for parent, _ in links)
        for j in sorted({j for node in nodes for j in of_parent.get(node, ())}):
            theirs = system[j].parents or frozenset()
            scores[i, j] = 10 * _f(links, theirs) + _f(nodes, parents[j])
    return scores


def _f(ours: frozenset[object], theirs: frozenset[object]) -> float:
    common = len(ours & theirs)
    if not common:
        return 0.0
    recall, precision = common / len(ours), common / len(theirs)
    return 2 * recall * precision / (recall + precision)
