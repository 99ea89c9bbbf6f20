"""Passages in which systems differ most, as data that `corelax.render` shows.

With gold entities they are fairly shared out: for each system, excerpts are taken in turn, the one where it
beats the baseline by most errors, then the one where the baseline beats it by most, and so on. So the side
that is better less often is shown as often as the other, as long as it has anything to show.

Without gold entities nobody knows who is right. Each system is judged by the first one, and the first by the
others: a mention is linked only in one of two systems, or to different entities. All such are marked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from corelax.analysis.decisions import FALSE_ANAPHOR, FALSE_NEW, WRONG_LINK, JudgedMention
from corelax.analysis.excerpts import Excerpt, excerpts, paired_cases, wrong_mentions
from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.render.passages import Passage

GOLD = "gold"
SENTENCES, MAX_WORDS = 3, 90  # of a passage, at most
PLURALS = {
    FALSE_ANAPHOR: "false anaphors",
    FALSE_NEW: "false new",
    WRONG_LINK: "wrong links",
}
# What an error is called where the other side is no gold standard.
DIFFERENCES = {
    FALSE_ANAPHOR: "linked_only_here",
    FALSE_NEW: "not_linked_here",
    WRONG_LINK: "linked_elsewhere",
}


def choose_passages(
    *,
    gold: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    number: int = 6,
    sentences: int = SENTENCES,
    max_words: int = MAX_WORDS,
) -> list[Passage]:
    """Passages where a system has fewer errors than the baseline and the other way round, in turn.

    They do not overlap, and are from different documents as long as there are any.

    Args:
        gold: The right answers.
        systems: The same documents with the answers of two systems or more, the baseline first.
        number: How many passages to choose at most.
        sentences: How many sentences a passage has at most.
        max_words: How many words it has at most.

    >>> text = [["Ann", "saw", "Bo"], ["He", "waved"]]
    >>> gold = Document.from_sentences("d", text, clusters=[[(2, 3), (3, 4)]])
    >>> wrong = Document.from_sentences("d", text, clusters=[[(0, 1), (3, 4)]])
    >>> [passage] = choose_passages(gold=[gold], systems={"base": [wrong], "lea": [gold]})
    >>> passage.note, [version.note for version in passage.versions]
    ('lea: 0 errors, base: 1 error', ['', '1 wrong link', 'no error'])
    >>> passage.versions[1].mentions[-1]
    ShownMention(start=3, end=4, entity=0, error='wrong_link')
    """
    _check_several(systems)
    candidates: list[Excerpt] = []
    for doc, docs in paired_cases(gold, systems):
        errors = {name: wrong_mentions(doc, docs[name]) for name in docs}
        candidates += excerpts(doc, docs, errors, sentences=sentences, max_words=max_words)
    baseline, *others = systems
    turns = [turn for name in others for turn in ((name, baseline), (baseline, name))]
    chosen: list[Excerpt] = []
    uses: Counter[str] = Counter()
    while turns and len(chosen) < number:
        better, worse = turns.pop(0)
        candidates = [c for c in candidates if not (chosen and c.overlaps(chosen[-1]))]
        fit = [c for c in candidates if len(c.errors[worse]) > len(c.errors[better])]
        if fit:  # otherwise this side has nothing left and is out
            # Of equals, min takes the first: the order of the documents and of their text.
            best = min(fit, key=lambda c: (uses[c.gold.name], _gain_rank(c, better, worse)))
            chosen.append(best)
            uses[best.gold.name] += 1
            turns.append((better, worse))
    return [_judged_passage(excerpt) for excerpt in chosen]


def choose_differences(
    systems: Mapping[str, Sequence[Document]], *, number: int = 6
) -> list[Passage]:
    """The passages with most mentions that systems treat differently, in the order of the text.

    >>> text = [["Ann", "saw", "Bo"], ["He", "waved"]]
    >>> one = Document.from_sentences("d", text, clusters=[[(2, 3), (3, 4)]])
    >>> other = Document.from_sentences("d", text, clusters=[[(0, 1), (3, 4)]])
    >>> [passage] = choose_differences({"small": [one], "base": [other]})
    >>> passage.note, [(version.label, version.note) for version in passage.versions]
    ('1 difference', [('small', '1 linked elsewhere'), ('base', '1 linked elsewhere')])
    """
    _check_several(systems)
    first = next(iter(systems))
    cases = [
        (doc, docs, _differences(docs, first))
        for doc, docs in paired_cases(systems[first], systems)
    ]
    for limit in (MAX_WORDS, max(len(doc.words) for doc, *_ in cases)):
        ranked = [
            excerpt
            for case in cases
            for excerpt in excerpts(*case, sentences=SENTENCES, max_words=limit)
        ]
        if ranked:
            break
    ranked.sort(key=_difference_rank)
    chosen: list[Excerpt] = []
    uses: Counter[str] = Counter()
    while ranked and len(chosen) < number:
        best = min(ranked, key=lambda excerpt: uses[excerpt.gold.name])  # the first of equals
        chosen.append(best)
        uses[best.gold.name] += 1
        ranked = [excerpt for excerpt in ranked if not excerpt.overlaps(best)]
    order = {doc.name: place for place, (doc, *_) in enumerate(cases)}
    chosen.sort(key=lambda excerpt: (order[excerpt.gold.name], excerpt.start))
    return [_differing_passage(excerpt) for excerpt in chosen]


def _check_several(systems: Mapping[str, Sequence[Document]]) -> None:
    if len(systems) < 2:
        raise CorelaxError("passages show how systems differ: give two systems or more")


def _gain_rank(excerpt: Excerpt, better: str, worse: str) -> tuple[int, int, int, int]:
    """The smaller, the better it shows what one system does and the other does not.

    First the gain; then few errors of the other direction; then many antecedents of the mentions in
    question in sight; then few words.
    """
    ours, theirs = ({e.span: e for e in excerpt.errors[name]} for name in (better, worse))
    in_sight = excerpt.in_sight(theirs[span] for span in theirs.keys() - ours.keys())
    opposite = len(ours.keys() - theirs.keys())
    gain = len(excerpt.errors[worse]) - len(excerpt.errors[better])
    return -gain, opposite, -len(in_sight), excerpt.end - excerpt.start


def _difference_rank(excerpt: Excerpt) -> tuple[int, int, int]:
    """The smaller, the better: many differences, then many of their antecedents in sight, then few words."""
    every = [judged for listed in excerpt.errors.values() for judged in listed]
    in_sight = set(excerpt.in_sight(every))
    return -len({judged.span for judged in every}), -len(in_sight), excerpt.end - excerpt.start


def _differences(docs: Mapping[str, Document], first: str) -> dict[str, list[JudgedMention]]:
    """By system, the mentions that it treats unlike the first one; of the first, unlike any other."""
    others = [name for name in docs if name != first]
    of_first = {
        judged.span: judged for name in others for judged in wrong_mentions(docs[name], docs[first])
    }
    by_others = {name: wrong_mentions(docs[first], docs[name]) for name in others}
    return {first: [of_first[span] for span in sorted(of_first)], **by_others}


def _judged_passage(excerpt: Excerpt) -> Passage:
    numbers = {name: len(errors) for name, errors in excerpt.errors.items()}
    note = ", ".join(
        f"{name}: {numbers[name]} error{'' if numbers[name] == 1 else 's'}"
        for name in sorted(numbers, key=numbers.__getitem__)
    )
    sides = [
        (name, doc, {judged.span: judged.kind for judged in excerpt.errors[name]})
        for name, doc in excerpt.systems.items()
    ]
    return excerpt.passage([(GOLD, excerpt.gold, None), *sides], note, _error_summary)


def _error_summary(times: Counter[str]) -> str:
    counted = [
        f"{times[kind]} {kind.replace('_', ' ') if times[kind] == 1 else plural}"
        for kind, plural in PLURALS.items()
        if times[kind]
    ]
    return ", ".join(counted) or "no error"


def _differing_passage(excerpt: Excerpt) -> Passage:
    number = len({judged.span for listed in excerpt.errors.values() for judged in listed})
    sides = [
        (name, doc, {judged.span: DIFFERENCES[judged.kind] for judged in excerpt.errors[name]})
        for name, doc in excerpt.systems.items()
    ]
    note = f"{number} difference{'' if number == 1 else 's'}"
    return excerpt.passage(sides, note, _difference_summary)


def _difference_summary(times: Counter[str]) -> str:
    kinds = (kind for kind in DIFFERENCES.values() if times[kind])
    return ", ".join(f"{times[kind]} {kind.replace('_', ' ')}" for kind in kinds)
