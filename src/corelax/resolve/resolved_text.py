"""A text in which pronouns and other mentions are replaced by what their entities are called.

Which mentions are replaced is in `replaceable.py`; how they are written is here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from corelax.core.checks import check_choice, check_items, check_number
from corelax.core.errors import CorelaxError
from corelax.document import Span
from corelax.english.her import is_possessive_her
from corelax.english.phrases import (
    PARTS,
    capitalized,
    definite,
    inside_a_sentence,
    kernel,
    with_possessive,
    without_number,
)
from corelax.english.pronouns import POSSESSIVE_ENDINGS, POSSESSIVES, REPLACED, SUBJECTS, person_of
from corelax.english.representative import DESCRIPTION, NAME, PRONOUN
from corelax.english.verbs import verb_changes
from corelax.resolve.replaceable import Rules
from corelax.resolve.replaced import Edit, ResolvedText
from corelax.resolve.text_context import Called, Context

if TYPE_CHECKING:
    from corelax.resolve.resolution import Resolution, ResolvedMention

KINDS = {"pronouns": PRONOUN, "nominals": DESCRIPTION, "names": NAME}
PERSONS = (1, 2, 3)
DEEPEST = 30  # how many mentions before one are looked at for those around it
MOST_NESTED = 2  # names in names: Ann's brother's dog
_PLURAL = frozenset("they them their theirs we us our ours 'em".split())


def resolved_text(
    resolution: Resolution,
    *,
    kinds: Collection[str] = ("pronouns", "nominals"),
    persons: Collection[int] = (3,),
    least_probability: float = 0.0,
) -> ResolvedText:
    """The text with mentions replaced by what their entities are called; see `Resolution.resolved_text`."""
    for kind in check_items("kinds", kinds):
        check_choice("kinds", kind, KINDS)
    for person in check_items("persons", persons):
        if person not in PERSONS:
            raise CorelaxError(f"persons must be of 1, 2 and 3, not {person!r}")
    if check_number("least_probability", least_probability) > 1:
        raise CorelaxError(f"least_probability must be at most 1, not {least_probability!r}")
    wanted = {KINDS[kind] for kind in kinds}
    context = Context(resolution)
    rules = Rules(context, wanted, set(persons), least_probability)
    return _Editor(context, rules).edited()


class _Editor:
    """Replaces the mentions of one resolution."""

    def __init__(self, context: Context, rules: Rules) -> None:
        self.context, self.rules = context, rules

    def edited(self) -> ResolvedText:
        """The text after all edits; of mentions that overlap, the outer or first one is replaced."""
        edits: list[Edit] = []
        done = 0
        for at, mention in enumerate(self.context.mentions):
            if mention.start < done or not self.rules.allow(at):
                continue
            for edit in sorted(self._edits(at)):
                if done <= edit.start < edit.end:
                    edits.append(edit)
                    done = edit.end
        return ResolvedText.edited(self.context.text, edits)

    def _edits(self, at: int) -> Iterator[Edit]:
        """What changes when a mention is replaced: it, a possessive ending after it, verbs around it."""
        mention = self.context.mentions[at]
        (start, end), original = mention.span, mention.text
        called = self.context.called[mention.entity]
        new = self._replacement(at, frozenset())
        if called is None or new is None or new.casefold() == original.casefold():
            return
        ending = self.context.word(end)
        if (
            self.context.kind[at] >= DESCRIPTION
            and ending in POSSESSIVE_ENDINGS
            and self.context.joins(end)
        ):
            owned = with_possessive(
                new, is_name=called.is_name, is_plural=ending in "'’", apostrophe=ending[0]
            )
            if owned[len(new) :] != ending:
                first, last = self.context.offsets[end]
                yield Edit(first, last, owned[len(new) :] or ending)
        yield Edit(mention.start, mention.end, new, at)
        word = self.context.words[start].lower()
        if self.context.kind[at] == PRONOUN and word in SUBJECTS:
            is_singular = self._is_singular(called)
            begin = self.context.starts[self.context.sentence(start)]
            for place, verb in verb_changes(
                self.context.words, start, is_singular=is_singular, first=begin
            ):
                blank = " " if place > start and self.context.joins(place) else ""
                first, last = self.context.offsets[place]
                yield Edit(first, last, blank + verb)

    def _replacement(self, at: int, visited: frozenset[int]) -> str | None:
        """What is written for a mention; None if it stays."""
        mention = self.context.mentions[at]
        start, end = mention.span
        word, last = self.context.words[start].lower(), self.context.words[end - 1]
        is_pronoun = self.context.kind[at] == PRONOUN
        if is_pronoun:
            possessive = word in POSSESSIVES or (word == "her" and self._owns(start))
        else:
            possessive = end > start + 1 and last in POSSESSIVE_ENDINGS
        phrase = self._phrase(
            mention,
            possessive=possessive,
            is_plural=word in _PLURAL if is_pronoun else last in "'’",
            visited=visited,
        )
        if phrase is None or visited:
            return phrase
        if is_pronoun and self._is_partitive(start):
            if " and " in phrase:
                return None  # both of them
            phrase = without_number(phrase)
        if is_pronoun and len(mention.text) > 1 and mention.text.isupper():
            return phrase.upper()
        has_capital = mention.text[:1].isupper() and word != "i"
        return capitalized(phrase) if has_capital or self._begins_sentence_as_i(start) else phrase

    def _phrase(
        self,
        mention: ResolvedMention,
        *,
        possessive: bool,
        is_plural: bool,
        visited: frozenset[int],
    ) -> str | None:
        called = self.context.called[mention.entity]
        if called is None or mention.entity in visited or len(visited) > MOST_NESTED:
            return None
        start, end, is_name = called
        if not is_name:
            end = start + kernel(self.context.words[start:end], possessive=possessive)
        inner = self._inner_edits(start, end, visited | {mention.entity})
        if self._is_foreign(start, end, inner, mention) or self._returns(
            start, end, inner, mention, visited
        ):
            return None
        first, last = self.context.offsets[start][0], self.context.offsets[end - 1][1]
        moved = [edit._replace(start=edit.start - first, end=edit.end - first) for edit in inner]
        text = ResolvedText.edited(self.context.text[first:last], moved)
        phrase = " ".join(text.split())
        if self.context.begins_sentence(start) and not (moved and moved[0].start == 0):
            phrase = inside_a_sentence(
                self.context.words[start:end], phrase, self.context.lower, self.context.capital
            )
        if not is_name or phrase[:2] == "a " or phrase[:3] == "an ":
            phrase = definite(phrase)
        if possessive:
            phrase = with_possessive(
                phrase, is_name=is_name, is_plural=is_plural, apostrophe=self.context.apostrophe
            )
        return phrase

    def _inner_edits(self, start: int, end: int, visited: frozenset[int]) -> list[Edit]:
        """The pronouns inside of what an entity is called, replaced: *her brother* as *Ann's brother*."""
        edits = []
        for place in range(start, end):
            at = self.context.place.get(Span(place, place + 1))
            if (
                at is None
                or self.context.kind[at] != PRONOUN
                or self.context.mentions[at].entity in visited
            ):
                continue
            mention = self.context.mentions[at]
            word = self.context.words[place].lower()
            if word in REPLACED and person_of(word) in self.rules.persons:
                new = self._replacement(at, visited)
                if new is not None and mention.start < mention.end:
                    edits.append(Edit(mention.start, mention.end, new, at))
        return edits

    def _is_foreign(
        self, start: int, end: int, edits: Sequence[Edit], mention: ResolvedMention
    ) -> bool:
        """Whether a phrase has *my* or *your* of another speaker."""
        if (
            self.context.speakers is None
            or self.context.speakers[start] == self.context.speakers[mention.span.start]
        ):
            return False
        changed = {edit.start for edit in edits}
        return any(
            person_of(self.context.words[at].lower()) < 3
            and self.context.offsets[at][0] not in changed
            for at in range(start, end)
        )

    def _returns(
        self,
        start: int,
        end: int,
        edits: Sequence[Edit],
        mention: ResolvedMention,
        visited: frozenset[int],
    ) -> bool:
        """Whether a phrase has a pronoun for what it would be put into: *his wife* in *her husband*."""
        changed = {edit.mention for edit in edits}
        left = {
            self.context.mentions[at].entity
            for place in range(start, end)
            if (at := self.context.place.get(Span(place, place + 1))) is not None
            and at not in changed
        }
        return not left.isdisjoint(visited | self._around(mention))

    def _around(self, mention: ResolvedMention) -> set[int]:
        """The entities of the mentions around a mention."""
        at = self.context.place[mention.span]
        start, end = mention.span
        near = self.context.mentions[max(0, at - DEEPEST) : at]
        return {m.entity for m in near if m.span.start <= start and end <= m.span.end}

    def _owns(self, at: int) -> bool:
        """Whether *her* is possessive: it begins a larger mention, or the words around it say so."""
        first, last = max(0, at - 3), at + 4
        return self.context.longest[at] > at + 1 or is_possessive_her(
            self.context.words[first:last], at - first
        )

    def _is_singular(self, called: Called) -> bool:
        """Whether an entity is surely one person or thing."""
        words = [word.lower() for word in self.context.words[called.start : called.end]]
        if "and" in words or "&" in words:
            return False
        if called.is_name and words[0] not in {"a", "an"}:
            return words[0] != "the" and not words[-1].endswith("s")
        return words[0] in {"a", "an"}

    def _is_partitive(self, at: int) -> bool:
        """Whether a pronoun is the whole of a part: *all of them*."""
        return self.context.word(at - 1) == "of" and self.context.word(at - 2).lower() in PARTS

    def _begins_sentence_as_i(self, at: int) -> bool:
        return self.context.words[at] == "I" and self.context.begins_sentence(at)
