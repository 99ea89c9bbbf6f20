"""Passages in which systems differ from each other, where nobody knows who is right.

Each system is judged by the first one, and the first by the others. A mention is linked only in one of two
systems, or linked to different entities; all such mentions are marked in all versions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from corelax.analysis.decisions import FALSE_ANAPHOR, FALSE_NEW, WRONG_LINK, JudgedMention
from corelax.analysis.passages import (
    Window,
    entity_numbers,
    paired_cases,
    shown_mentions,
    windows,
    wrong_mentions,
)
from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.render.marked_text import MISSED
from corelax.render.passages import Passage, Version

# What an error is called where the other side is no gold standard.
KINDS = {
    FALSE_ANAPHOR: "linked_only_here",
    FALSE_NEW: "not_linked_here",
    WRONG_LINK: "linked_elsewhere",
}


def choose_differences(
    systems: Mapping[str, Sequence[Document]],
    *,
    number: int = 6,
    sentences: int = 3,
    max_words: int = 90,
) -> list[Passage]:
    """The passages with most mentions that systems treat differently, in the order of the text.

    >>> text = [["Ann", "saw", "Bo"], ["He", "waved"]]
    >>> one = Document.from_sentences("d", text, clusters=[[(2, 3), (3, 4)]])
    >>> other = Document.from_sentences("d", text, clusters=[[(0, 1), (3, 4)]])
    >>> [passage] = choose_differences({"small": [one], "base": [other]})
    >>> passage.note, [(version.label, version.note) for version in passage.versions]
    ('1 difference', [('small', '1 linked elsewhere'), ('base', '1 linked elsewhere')])
    """
    if len(systems) < 2:
        raise CorelaxError("passages show how systems differ: give two systems or more")
    first = next(iter(systems))
    cases = [
        (doc, docs, _differences(docs, first))
        for doc, docs in paired_cases(systems[first], systems)
    ]
    for limit in (max_words, max(len(doc.words) for doc, *_ in cases)):
        candidates = [
            window
            for doc, docs, differences in cases
            for window in windows(doc, docs, differences, sentences=sentences, max_words=limit)
        ]
        if candidates:
            break
    order = {doc.name: place for place, (doc, *_) in enumerate(cases)}
    chosen = _chosen(candidates, number)
    chosen.sort(key=lambda window: (order[window.gold.name], window.start))
    return [_passage(window) for window in chosen]


def _differences(docs: Mapping[str, Document], first: str) -> dict[str, list[JudgedMention]]:
    """By system, the mentions that it treats unlike the first one; of the first, unlike any other."""
    others = [name for name in docs if name != first]
    of_first = {
        judged.span: judged for name in others for judged in wrong_mentions(docs[name], docs[first])
    }
    by_others = {name: wrong_mentions(docs[first], docs[name]) for name in others}
    return {first: [of_first[span] for span in sorted(of_first)], **by_others}


def _chosen(candidates: Sequence[Window], number: int) -> list[Window]:
    """The windows with most differences, without overlap, from all documents in turn."""
    ranked = sorted(candidates, key=_rank)
    chosen: list[Window] = []
    uses: Counter[str] = Counter()
    while ranked and len(chosen) < number:
        best = min(ranked, key=lambda window: uses[window.gold.name])  # the first of equals
        chosen.append(best)
        uses[best.gold.name] += 1
        ranked = [window for window in ranked if not window.overlaps(best)]
    return chosen


def _rank(window: Window) -> tuple[int, int, int]:
    """The smaller, the better: many differences, then many of their antecedents in sight, then few words."""
    antecedents = {
        span
        for listed in window.errors.values()
        for judged in listed
        for span in (judged.gold, judged.system)
        if span is not None and window.holds(span)
    }
    return -_number(window), -len(antecedents), window.end - window.start


def _number(window: Window) -> int:
    return len({judged.span for listed in window.errors.values() for judged in listed})


def _passage(window: Window) -> Passage:
    first, *others = (doc.clusters for doc in window.systems.values())
    dense: dict[int, int] = {MISSED: MISSED}
    versions = []
    numbers = entity_numbers(first, others)
    for (name, doc), of_entity in zip(window.systems.items(), numbers, strict=True):
        kinds = {judged.span: KINDS[judged.kind] for judged in window.errors[name]}
        mentions = shown_mentions(window, doc, of_entity, kinds, dense)
        times = Counter(kinds.values())
        listed = [
            f"{times[kind]} {kind.replace('_', ' ')}" for kind in KINDS.values() if times[kind]
        ]
        versions.append(Version(name, mentions, ", ".join(listed)))
    differing = _number(window)
    return Passage(
        document=window.gold.name,
        note=f"{differing} difference{'' if differing == 1 else 's'}",
        words=window.gold.words[window.start : window.end],
        versions=versions,
        start=window.start,
    )
