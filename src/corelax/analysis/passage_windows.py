"""Which stretches of documents to show: those in which systems differ most, fairly shared out.

A window is a few whole sentences. Its errors are the mentions inside it that `decisions` calls wrong. For
each system, windows are taken in turn: the one where it beats the baseline by most errors, then the one
where the baseline beats it by most, and so on. So the side that is better less often is shown as often as
the other, as long as it has anything to show.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from corelax.analysis.decisions import ERRORS, Decision, decisions
from corelax.core.errors import CorelaxError
from corelax.document import Document, Span
from corelax.document.pairing import same_documents


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Words `start` up to `end` of a document, and what each system gets wrong in them."""

    gold: Document
    systems: Mapping[str, Document]
    start: int
    end: int
    errors: Mapping[str, list[Decision]]

    def holds(self, span: Span) -> bool:
        """Whether a mention lies in these words."""
        return _inside(span, self.start, self.end, len(self.gold.words))

    def overlaps(self, other: Window) -> bool:
        """Whether two windows share words."""
        same = self.gold.name == other.gold.name
        return same and self.start < other.end and other.start < self.end

    def gain(self, *, better: str, worse: str) -> int:
        """How many errors less the one system has."""
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
    found = [
        window
        for case in _cases(gold, systems)
        for window in _windows(*case, sentences=sentences, max_words=max_words)
    ]
    baseline, *others = systems
    turns = [turn for name in others for turn in ((name, baseline), (baseline, name))]
    chosen: list[Window] = []
    uses: Counter[str] = Counter()
    while turns and len(chosen) < number:
        better, worse = turns.pop(0)
        found = [w for w in found if not (chosen and w.overlaps(chosen[-1]))]
        fit = [w for w in found if w.gain(better=better, worse=worse) > 0]
        if fit:  # otherwise this side has nothing left and is out
            # Of equals, min takes the first: the order of the documents and of their text.
            best = min(fit, key=lambda w: (uses[w.gold.name], w.rank(better=better, worse=worse)))
            chosen.append(best)
            uses[best.gold.name] += 1
            turns.append((better, worse))
    return chosen


def _windows(
    gold: Document,
    systems: Mapping[str, Document],
    *,
    sentences: int,
    max_words: int,
) -> Iterator[Window]:
    """All stretches of up to `sentences` whole sentences where some system has an error."""
    errors = {
        name: [decision for decision in decisions(gold, doc) if decision.kind in ERRORS]
        for name, doc in systems.items()
    }
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


def _first_from(listed: list[Decision], place: int) -> int:
    """The index of the first decision at a word or after it."""
    return bisect_left(listed, place, key=lambda decision: decision.span.start)


def _inside(span: Span, start: int, end: int, size: int) -> bool:
    """Whether a mention is inside. One of no word is where its next word is, or at the very end."""
    return start <= span.start and span.end <= end and (span.start < end or end == size)


def _cases(
    gold: Sequence[Document], systems: Mapping[str, Sequence[Document]]
) -> Iterator[tuple[Document, dict[str, Document]]]:
    """Each gold document with those of the systems, in the order of gold."""
    named = {
        name: {
            ours.name: found for ours, found in same_documents(gold=gold, system=docs, where=name)
        }
        for name, docs in systems.items()
    }
    for doc in gold:
        yield doc, {name: found[doc.name] for name, found in named.items()}
