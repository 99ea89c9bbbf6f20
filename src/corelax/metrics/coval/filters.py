"""Taking mentions out of an entity before scoring, as coval does: verb phrases, and nested mentions.

A mention comes with its *identity*, by which it is compared: its span, or its minimum span.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence

from corelax.document import Span

Identity = Callable[[Span], Hashable]
Mentions = Sequence[Span]


def without_verb_phrases(
    cluster: Mentions, is_verb_phrase: Callable[[Span], bool], identity: Identity
) -> Mentions:
    """The mentions of an entity that are no verb phrases. If some are, two must be left, or none is.

    Of mentions that are the same by their minimum span, the first one is taken out.

    >>> without_verb_phrases([Span(0, 1), Span(2, 3)], lambda span: span.start == 2, lambda span: span)
    []
    """
    verbs = Counter(identity(span) for span in cluster if is_verb_phrase(span))
    if not verbs:
        return cluster
    left = []
    for span in cluster:
        if verbs[identity(span)] > 0:
            verbs[identity(span)] -= 1
        else:
            left.append(span)
    return left if len(left) > 1 else []


def without_nested(
    cluster: Mentions,
    sentence_of: Callable[[Span], int],
    identity: Identity,
    *,
    keep_singletons: bool,
) -> Mentions:
    """The mentions of an entity that lie inside no other mention of its in the same sentence.

    An entity of which one mention would be left (each nested pair taking one away) stays as it is; if
    singletons are not kept, nothing of it does.

    >>> spans = [Span(0, 5), Span(3, 4), Span(8, 9)]
    >>> without_nested(spans, lambda span: 0, lambda span: span, keep_singletons=True)
    [Span(0, 5), Span(8, 9)]
    """
    inner = _nested(cluster, sentence_of, identity)
    if len(cluster) > 1 and len(cluster) - len(inner) == 1:
        return cluster if keep_singletons else []
    listed = set(inner)
    return [span for span in cluster if identity(span) not in listed]


def _nested(
    cluster: Mentions, sentence_of: Callable[[Span], int], identity: Identity
) -> list[Hashable]:
    """The inner mention of each pair of which one lies inside the other."""
    sentences: defaultdict[int, list[Span]] = defaultdict(list)
    for span in cluster:
        sentences[sentence_of(span)].append(span)
    inner: list[Hashable] = []
    for spans in sentences.values():
        for i, one in enumerate(spans):
            for other in spans[i + 1 :]:
                if identity(one) == identity(other):
                    continue
                if other.start <= one.start and one.end <= other.end:
                    inner.append(identity(one))
                elif one.start <= other.start and other.end <= one.end:
                    inner.append(identity(other))
    return inner
