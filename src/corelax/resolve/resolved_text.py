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
    is_one,
    kernel,
    with_possessive,
    without_number,
)
from corelax.english.pronouns import POSSESSIVE_ENDINGS, POSSESSIVES, REPLACED, SUBJECTS, person_of
from corelax.english.representative import DESCRIPTION, NAME, PRONOUN
from corelax.english.verbs import verb_changes
from corelax.resolve.replaceable import Context, Rules
from corelax.resolve.replaced import Edit, ResolvedText

if TYPE_CHECKING:
    from corelax.resolve.resolution import Resolution, ResolvedMention

KINDS = {"pronouns": PRONOUN, "nominals": DESCRIPTION, "names": NAME}
_PERSONS = (1, 2, 3)
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
        if person not in _PERSONS:
            raise CorelaxError(f"persons must be of 1, 2 and 3, not {person!r}")
    if check_number("least_probability", least_probability) > 1:
        raise CorelaxError(f"least_probability must be at most 1, not {least_probability!r}")
    wanted = {KINDS[kind] for kind in kinds}
    context = Context(resolution)
    rules = Rules(context, wanted, set(persons), least_probability)
    return _Editor(context, rules).edited()


class _Editor:
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
        context, mention = self.context, self.context.mentions[at]
        called, new = context.called[mention.entity], self._replacement(at, frozenset())
        if called is None or new is None or new.casefold() == mention.text.casefold():
            return
        yield Edit(mention.start, mention.end, new, at)
        start, end = mention.span
        if context.kind[at] >= DESCRIPTION:
            ending = context.word(end)
            if ending in POSSESSIVE_ENDINGS and context.joins(end):
                owned = with_possessive(
                    new, is_name=called.is_name, is_plural=ending in "'’", apostrophe=ending[0]
                )
                if owned[len(new) :] != ending:
                    first, last = context.offsets[end]
                    yield Edit(first, last, owned[len(new) :] or ending)
        elif context.words[start].lower() in SUBJECTS:
            is_singular = is_one(context.words[called.start : called.end], is_name=called.is_name)
            begin = context.starts[context.sentence(start)]
            for place, verb in verb_changes(
                context.words, start, is_singular=is_singular, first=begin
            ):
                blank = " " if place > start and context.joins(place) else ""
                first, last = context.offsets[place]
                yield Edit(first, last, blank + verb)

    def _replacement(self, at: int, visited: frozenset[int]) -> str | None:
        """What is written for a mention; None if it stays.

        Args:
            at: The number of the mention.
            visited: The entities whose phrases this one would stand in.
        """
        context, mention = self.context, self.context.mentions[at]
        start, end = mention.span
        word, last = context.words[start].lower(), context.words[end - 1]
        is_pronoun = context.kind[at] == PRONOUN
        if is_pronoun:
            possessive = word in POSSESSIVES or (word == "her" and self._owns(start))
            is_plural = word in _PLURAL
        else:
            possessive = end > start + 1 and last in POSSESSIVE_ENDINGS
            is_plural = last in "'’"
        phrase = self._phrase(mention, visited, possessive=possessive, is_plural=is_plural)
        if phrase is None or visited:
            return phrase
        if is_pronoun and self._is_partitive(start):
            if " and " in phrase:
                return None  # both of them
            phrase = without_number(phrase)
        if is_pronoun and len(mention.text) > 1 and mention.text.isupper():
            return phrase.upper()
        has_capital = mention.text[:1].isupper() and word != "i"
        begins_as_i = context.words[start] == "I" and context.begins_sentence(start)
        return capitalized(phrase) if has_capital or begins_as_i else phrase

    def _phrase(
        self,
        mention: ResolvedMention,
        visited: frozenset[int],
        *,
        possessive: bool,
        is_plural: bool,
    ) -> str | None:
        context, called = self.context, self.context.called[mention.entity]
        if called is None or mention.entity in visited or len(visited) > MOST_NESTED:
            return None
        start, end, is_name = called
        if not is_name:
            end = start + kernel(context.words[start:end], possessive=possessive)
        inner = self._inner_edits(start, end, visited | {mention.entity})
        stays = self._unchanged(start, end, inner)
        if self._is_foreign(start, stays, mention) or self._returns(
            stays, visited | self._around(mention)
        ):
            return None
        first, last = context.offsets[start][0], context.offsets[end - 1][1]
        moved = [edit._replace(start=edit.start - first, end=edit.end - first) for edit in inner]
        phrase = " ".join(ResolvedText.edited(context.text[first:last], moved).split())
        if context.begins_sentence(start) and not (moved and moved[0].start == 0):
            phrase = inside_a_sentence(
                context.words[start:end], phrase, context.lower, context.capital
            )
        if not is_name or phrase[:2] == "a " or phrase[:3] == "an ":
            phrase = definite(phrase)
        if possessive:
            phrase = with_possessive(
                phrase, is_name=is_name, is_plural=is_plural, apostrophe=context.apostrophe
            )
        return phrase

    def _inner_edits(self, start: int, end: int, visited: frozenset[int]) -> list[Edit]:
        """The pronouns inside of what an entity is called, replaced: *her brother* as *Ann's brother*."""
        edits = []
        for place in range(start, end):
            at = self.context.place.get(Span(place, place + 1))
            word = self.context.words[place].lower()
            if (
                at is None
                or self.context.kind[at] != PRONOUN
                or self.context.mentions[at].entity in visited
                or word not in REPLACED
                or person_of(word) not in self.rules.persons
            ):
                continue
            mention, new = self.context.mentions[at], self._replacement(at, visited)
            if new is not None and mention.start < mention.end:
                edits.append(Edit(mention.start, mention.end, new, at))
        return edits

    def _unchanged(self, start: int, end: int, edits: Sequence[Edit]) -> list[int]:
        changed = {edit.start for edit in edits}
        return [at for at in range(start, end) if self.context.offsets[at][0] not in changed]

    def _is_foreign(self, start: int, stays: Sequence[int], mention: ResolvedMention) -> bool:
        """Whether a phrase from word `start` on has *my* or *your* of another speaker."""
        speakers, words = self.context.speakers, self.context.words
        if speakers is None or speakers[start] == speakers[mention.span.start]:
            return False
        return any(person_of(words[at].lower()) < 3 for at in stays)

    def _returns(self, stays: Sequence[int], around: Collection[int]) -> bool:
        """Whether a phrase has a pronoun for what it would be put into: *his wife* in *her husband*."""
        places = (self.context.place.get(Span(at, at + 1)) for at in stays)
        return any(
            self.context.mentions[place].entity in around for place in places if place is not None
        )

    def _around(self, mention: ResolvedMention) -> set[int]:
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

    def _is_partitive(self, at: int) -> bool:
        """Whether a pronoun is the whole of a part: *all of them*."""
        return self.context.word(at - 1) == "of" and self.context.word(at - 2).lower() in PARTS
