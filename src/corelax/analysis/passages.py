"""Passages in which systems differ most, fairly shared out, as data that `corelax.render` shows.

A window is a few whole sentences. Its errors are the mentions inside it that `judged_mentions` calls wrong.
For each system, windows are taken in turn: the one where it beats the baseline by most errors, then the one
where the baseline beats it by most, and so on. So the side that is better less often is shown as often as
the other, as long as it has anything to show.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from corelax.analysis.decisions import ERRORS, JudgedMention, judged_mentions
from corelax.core.errors import CorelaxError
from corelax.document import Document, Span
from corelax.document.clustering import Clustering
from corelax.document.pairing import same_documents
from corelax.render.marked_text import MISSED, ShownMention
from corelax.render.passages import Passage, Version

GOLD = "gold"


def choose_passages(
    *,
    gold: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    number: int = 6,
    sentences: int = 3,
    max_words: int = 90,
) -> list[Passage]:
    """Passages where a system has fewer errors than the baseline and the other way round, in turn.

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
    windows = choose_windows(
        gold=gold, systems=systems, number=number, sentences=sentences, max_words=max_words
    )
    return [_passage(window) for window in windows]


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Words `start` up to `end` of a document, and what each system gets wrong in them."""

    gold: Document
    systems: Mapping[str, Document]
    start: int
    end: int
    errors: Mapping[str, list[JudgedMention]]

    def holds(self, span: Span) -> bool:
        """Whether a mention lies in these words."""
        return _inside(span, self.start, self.end, len(self.gold.words))

    def overlaps(self, other: Window) -> bool:
        same = self.gold.name == other.gold.name
        return same and self.start < other.end and other.start < self.end

    def gain(self, *, better: str, worse: str) -> int:
        return len(self.errors[worse]) - len(self.errors[better])

    def rank(self, *, better: str, worse: str) -> tuple[int, int, int, int]:
        """The smaller, the better it shows what one system does and the other does not.

        First the gain; then few errors of the other direction; then many antecedents of the mentions in
        question in sight; then few words.
        """
        ours, theirs = ({e.span: e for e in self.errors[name]} for name in (better, worse))
        differing = [theirs[span] for span in theirs.keys() - ours.keys()]
        antecedents = [span for e in differing for span in (e.gold, e.system) if span is not None]
        in_sight = sum(self.holds(span) for span in antecedents)
        opposite = len(ours.keys() - theirs.keys())
        gain = self.gain(better=better, worse=worse)
        return -gain, opposite, -in_sight, self.end - self.start


def choose_windows(
    *,
    gold: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    number: int,
    sentences: int,
    max_words: int,
) -> list[Window]:
    """Windows without overlap, from different documents as long as there are any.

    >>> text = [["Ann", "saw", "Bo"], ["He", "waved"], ["She", "smiled"]]
    >>> docs = [Document.from_sentences("d", text, clusters=[[(0, 1), (5, 6)], [(2, 3), (3, 4)]])]
    >>> none = [Document.from_sentences("d", text)]
    >>> [window] = choose_windows(
    ...     gold=docs, systems={"a": none, "b": docs}, number=1, sentences=2, max_words=90)
    >>> window.start, window.end, len(window.errors["a"]), len(window.errors["b"])
    (3, 7, 2, 0)
    """
    if len(systems) < 2:
        raise CorelaxError("passages show how systems differ: give two systems or more")
    candidates = [
        window
        for gold_doc, docs in paired_cases(gold, systems)
        for window in windows(
            gold_doc,
            docs,
            {name: wrong_mentions(gold_doc, doc) for name, doc in docs.items()},
            sentences=sentences,
            max_words=max_words,
        )
    ]
    baseline, *others = systems
    turns = [turn for name in others for turn in ((name, baseline), (baseline, name))]
    chosen: list[Window] = []
    uses: Counter[str] = Counter()
    while turns and len(chosen) < number:
        better, worse = turns.pop(0)
        candidates = [s for s in candidates if not (chosen and s.overlaps(chosen[-1]))]
        fit = [s for s in candidates if s.gain(better=better, worse=worse) > 0]
        if fit:  # otherwise this side has nothing left and is out
            # Of equals, min takes the first: the order of the documents and of their text.
            best = min(fit, key=lambda s: (uses[s.gold.name], s.rank(better=better, worse=worse)))
            chosen.append(best)
            uses[best.gold.name] += 1
            turns.append((better, worse))
    return chosen


def wrong_mentions(gold: Document, system: Document) -> list[JudgedMention]:
    """The mentions that a system gets wrong, in the order of the text, without their types."""
    judged = judged_mentions(gold, system, types=lambda _: "")
    return [decision for decision in judged if decision.kind in ERRORS]


def windows(
    gold: Document,
    systems: Mapping[str, Document],
    errors: Mapping[str, list[JudgedMention]],
    *,
    sentences: int,
    max_words: int,
) -> Iterator[Window]:
    """All windows of up to `sentences` whole sentences where some system has an error."""
    bounds = gold.sentence_bounds
    for first, (start, _) in enumerate(bounds):
        for _, end in bounds[first : first + sentences]:
            if start < end <= start + max_words:
                inside = {
                    name: [
                        error
                        for error in listed[
                            _first_from(listed, start) : _first_from(listed, end + 1)
                        ]
                        if _inside(error.span, start, end, len(gold.words))
                    ]
                    for name, listed in errors.items()
                }
                if any(inside.values()):
                    yield Window(gold=gold, systems=systems, start=start, end=end, errors=inside)


def _first_from(listed: list[JudgedMention], place: int) -> int:
    """The index of the first decision at a word or after it."""
    return bisect_left(listed, place, key=lambda decision: decision.span.start)


def _inside(span: Span, start: int, end: int, size: int) -> bool:
    """Whether a mention is inside. One of no word is where its next word is, or at the very end."""
    return start <= span.start and span.end <= end and (span.start < end or end == size)


def paired_cases(
    gold: Sequence[Document], systems: Mapping[str, Sequence[Document]]
) -> Iterator[tuple[Document, dict[str, Document]]]:
    """Each gold document with those of the systems, in the order of gold."""
    by_name = {
        name: {
            gold_doc.name: system_doc
            for gold_doc, system_doc in same_documents(gold=gold, system=docs, where=name)
        }
        for name, docs in systems.items()
    }
    for doc in gold:
        yield doc, {name: docs[doc.name] for name, docs in by_name.items()}


def _passage(window: Window) -> Passage:
    clusterings = [doc.clusters for doc in window.systems.values()]
    gold_numbers, *numbers = entity_numbers(window.gold.clusters, clusterings)
    dense: dict[int, int] = {MISSED: MISSED}
    gold = Version(GOLD, shown_mentions(window, window.gold, gold_numbers, {}, dense))
    versions = [gold]
    for (name, doc), of_entity in zip(window.systems.items(), numbers, strict=True):
        errors = {error.span: error.kind for error in window.errors[name]}
        shown = shown_mentions(window, doc, of_entity, errors, dense)
        versions.append(Version(name, shown, _kinds(list(errors.values()))))
    best_first = sorted(window.errors.items(), key=lambda pair: len(pair[1]))
    return Passage(
        document=window.gold.name,
        note=", ".join(f"{name}: {_counted(len(errors), 'error')}" for name, errors in best_first),
        words=window.gold.words[window.start : window.end],
        versions=versions,
        start=window.start,
    )


def shown_mentions(
    window: Window,
    doc: Document,
    numbers: Sequence[int],
    errors: Mapping[Span, str],
    dense: dict[int, int],
) -> list[ShownMention]:
    """The mentions inside. `dense` gets the numbers that are used, in the order of the text.

    Mentions with gaps are shown from their first word to their last. Where bad input has a mention twice,
    the first place counts, as for `decisions`.
    """
    left = dict(errors)
    listed = [
        (span, number, left.pop(span, ""))
        for number, cluster in zip(numbers, doc.clusters, strict=True)
        for span in dict.fromkeys(cluster)
        if window.holds(span)
    ]
    listed += [(span, MISSED, kind) for span, kind in left.items()]
    listed.sort(key=lambda entry: (entry[0].start, -entry[0].end, entry))
    return [
        ShownMention(
            start=span.start - window.start,
            end=span.end - window.start,
            entity=dense.setdefault(number, len(dense) - 1),
            error=error,
        )
        for span, number, error in listed
    ]


def _kinds(errors: Sequence[str]) -> str:
    """How many errors of each kind.

    >>> _kinds(["wrong_link", "false_new", "wrong_link"])
    '1 false new, 2 wrong links'
    """
    number = Counter(errors)
    listed = [_counted(number[kind], kind.replace("_", " ")) for kind in ERRORS if number[kind]]
    return ", ".join(listed) or "no error"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 or noun.endswith("new") else f"{number} {noun}s"


def entity_numbers(gold: Clustering[Span], systems: Sequence[Clustering[Span]]) -> list[list[int]]:
    """The numbers of the entities of gold and of each system.

    Gold entities are numbered first. A system's entity gets the number of the gold entity with which it
    shares most mentions; a gold entity goes to one entity of a system, the best match first. What is left
    over is matched in the same way with what earlier systems had left over, or gets a number of its own.
    Of equal matches, the one that comes first in the text counts.

    >>> a, b, c, d, e = (Span(i, i + 1) for i in range(5))
    >>> gold = Clustering([[a, b], [c, d]])
    >>> entity_numbers(gold, [Clustering([[c], [a, b, d]]), Clustering([[e], [d, c]])])
    [[0, 1], [1, 0], [2, 1]]
    """
    known = [set(cluster) for cluster in gold]
    numbers = [list(range(len(gold)))]
    for system in systems:
        given = _matches(known, system, size=len(gold))
        for entity, cluster in enumerate(system):
            if entity not in given:
                given[entity] = len(known)
                known.append(set(cluster))
        numbers.append([given[entity] for entity in range(len(system))])
    return numbers


def _matches(known: Sequence[set[Span]], system: Clustering[Span], size: int) -> dict[int, int]:
    """Entity of the system → number of a known one; the first `size` of these are gold."""
    having: dict[Span, list[int]] = {}
    for number, mentions in enumerate(known):
        for mention in mentions:
            having.setdefault(mention, []).append(number)
    shared = Counter(
        (number, entity)
        for entity, cluster in enumerate(system)
        for mention in set(cluster)
        for number in having.get(mention, ())
    )

    def rank(pair: tuple[int, int]) -> tuple[bool, int, Span, Span]:
        number, entity = pair
        return number >= size, -shared[pair], min(known[number]), min(system[entity])

    given: dict[int, int] = {}
    taken: set[int] = set()
    for number, entity in sorted(shared, key=rank):
        if number not in taken and entity not in given:
            given[entity] = number
            taken.add(number)
    return given
