"""A text in which pronouns and other mentions are replaced by what their entities are called.

A mention is replaced unless the result would be no English or would say something else:

- the kind of the mention and the person of a pronoun are wanted, and its entity is likely enough;
- the entity has a name, or a description that can be repeated: not *every boy*, not *a few of them*;
- reflexives (*himself*), relative pronouns (*who*), demonstratives (*this*), *one* and *there* stay;
- what introduces the entity stays, and so does its representative; a pronoun that comes before the name in
  the same sentence stays too;
- nothing is put inside of itself: mentions in or around another of the same entity stay;
- descriptions are replaced by names alone;
- appositions, predicates and indefinite descriptions stay (*Ann, a surgeon*, *Ann is the mayor*).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from corelax.core.checks import check_choice, check_items, check_number
from corelax.core.errors import CorelaxError
from corelax.document import Span
from corelax.resolve.contractions import verb_changes
from corelax.resolve.her import is_possessive_her
from corelax.resolve.phrases import (
    DETERMINERS,
    PARTS,
    can_be_called,
    capitalized,
    definite,
    inside_a_sentence,
    kernel,
    with_possessive,
    without_number,
)
from corelax.resolve.replaced import Edit, ResolvedText
from corelax.resolve.representative import DESCRIPTION, NAME, PRONOUN, kind_of, short_end
from corelax.text.pronouns import FIRST_PERSON, POSSESSIVE_ENDINGS, PRONOUNS, SECOND_PERSON
from corelax.text.verbs import AUXILIARIES, BASE_FORMS, BE

if TYPE_CHECKING:
    from corelax.resolve.resolution import Resolution, ResolvedMention

KINDS = {"pronouns": PRONOUN, "nominals": DESCRIPTION, "names": NAME}
PERSONS = (1, 2, 3)
DEEPEST = 30  # how many mentions before one are looked at for those around it
LONGEST = 10  # words of what an entity is called; more would be hard to read

_SUBJECTS = frozenset("i you he she it we they".split())
_PLAIN = _SUBJECTS | frozenset("me him them us 'em".split())
_POSSESSIVE = frozenset("my your his its our their mine yours hers ours theirs".split())
_REPLACED = _PLAIN | _POSSESSIVE | {"her"}
_PLURAL = frozenset("they them their theirs we us our ours 'em".split())
_DEFINITE = DETERMINERS - {"a", "an", "some", "another"}
_BETWEEN = frozenset(", ( - – — :".split())


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
    return _Editor(resolution, wanted, set(persons), least_probability).edited()


class _Called(NamedTuple):
    """What an entity is called: the words `start` to `end`, and whether they are a name."""

    start: int
    end: int
    is_name: bool


class _Editor:
    """Replaces the mentions of one resolution."""

    def __init__(
        self, resolution: Resolution, kinds: set[int], persons: set[int], least: float
    ) -> None:
        self.text, self.mentions = resolution.text, resolution.mentions
        self.entities = resolution.entities
        document = resolution.document
        self.words, self.offsets = document.words, document.layer("offsets")
        self.speakers = document.layers.get("speaker")
        self.starts = document.sentence_starts
        self.kinds, self.persons, self.least = kinds, persons, least
        self.lower = frozenset(word for word in self.words if word.islower())
        self.capital = _capitals(self.words, self.starts)
        self.apostrophe = "’" if self.text.count("’") > self.text.count("'") else "'"
        self.kind = [kind_of(self._words_of(m), self.lower) for m in self.mentions]
        self.called = [self._called(entity.representative) for entity in self.entities]
        self.place = {mention.span: at for at, mention in enumerate(self.mentions)}
        nouns = [m for m, kind in zip(self.mentions, self.kind, strict=True) if kind >= DESCRIPTION]
        self.first_noun = {m.entity: m.span.start for m in reversed(nouns)}
        self.noun_starts = {(m.span.start, m.entity) for m in nouns}
        self.noun_ends = {(m.span.end, m.entity): m.span.start for m in nouns}
        self.longest = {m.span.start: m.span.end for m in reversed(self.mentions)}
        self.is_nested = self._nested()

    def edited(self) -> ResolvedText:
        """The text after all edits; of mentions that overlap, the outer or first one is replaced."""
        edits: list[Edit] = []
        done = 0
        for at, mention in enumerate(self.mentions):
            if mention.start < done or not self._is_wanted(at):
                continue
            for edit in sorted(self._edits(at)):
                if done <= edit.start < edit.end:
                    edits.append(edit)
                    done = edit.end
        return ResolvedText.edited(self.text, edits)

    def _is_wanted(self, at: int) -> bool:
        """Whether the rules allow a mention to be replaced."""
        mention, kind = self.mentions[at], self.kind[at]
        called = self.called[mention.entity]
        if called is None or kind not in self.kinds or mention.entity_probability < self.least:
            return False
        chosen = self.entities[mention.entity].representative
        if mention is chosen or not mention.span.is_continuous or self.is_nested[at]:
            return False
        if kind == PRONOUN:
            return self._is_wanted_pronoun(mention)
        if mention.span.start == self.first_noun[mention.entity]:
            return False
        return self._is_wanted_noun(at, called)

    def _is_wanted_pronoun(self, mention: ResolvedMention) -> bool:
        start, end = mention.span
        word = self.words[start].lower()
        if end != start + 1 or word not in _REPLACED:
            return False
        if _person(word) not in self.persons:
            return False
        noun = self.first_noun[mention.entity]
        if start < noun and self._sentence(start) == self._sentence(noun):
            return False  # when she arrived, Ann sat down
        return word in _POSSESSIVE or not self._is_repeated(mention)

    def _is_repeated(self, mention: ResolvedMention) -> bool:
        """Whether a pronoun stands beside a noun for the same."""
        (start, end), entity = mention.span, mention.entity
        if (end, entity) in self.noun_starts:
            return True  # we the people
        if self._word(end) == "," and (end + 1, entity) in self.noun_starts:
            return True  # she, Ann Lee,
        before = self.noun_ends.get((start - 1, entity))
        if before is not None and self._word(start - 1) == "," and self._begins_sentence(before):
            return True  # Ann, she is the best
        called = self.called[entity]
        if called is None or self._word(end).lower() not in BE | {"'s", "’s"}:
            return False
        name = self.words[called.start : called.end]
        return self.words[end + 1 : end + 1 + len(name)] == name  # she is the mayor

    def _is_wanted_noun(self, at: int, called: _Called) -> bool:
        mention = self.mentions[at]
        (start, end), entity = mention.span, mention.entity
        words = [word.lower() for word in self.words[start:end]]
        name = [word.lower() for word in self.words[called.start : called.end]]
        if not called.is_name or _contains(words, name):
            return False
        if self.kind[at] == DESCRIPTION and words[0] not in _DEFINITE:
            is_owned = any(word in POSSESSIVE_ENDINGS for word in words[1:4])
            if words[0] in DETERMINERS or not is_owned:
                return False
        before = self._word(start - 1).lower()
        if before in BE or before == "as":
            return False
        if (start, entity) in self.noun_ends or (end, entity) in self.noun_starts:
            return False
        if before in _BETWEEN and (start - 1, entity) in self.noun_ends:
            return False
        if self._word(end) in _BETWEEN and (end + 1, entity) in self.noun_starts:
            return False
        return not self._introduces_others(at)

    def _introduces_others(self, at: int) -> bool:
        """Whether another entity has its first noun or its representative inside the mention."""
        mention = self.mentions[at]
        for place in range(at + 1, len(self.mentions)):
            inner = self.mentions[place]
            if inner.span.start >= mention.span.end:
                return False
            chosen = self.entities[inner.entity].representative
            if inner is chosen or self.first_noun.get(inner.entity) == inner.span.start:
                return len(self.entities[inner.entity].mentions) > 1
        return False

    def _edits(self, at: int) -> Iterator[Edit]:
        """What changes when a mention is replaced: it, a possessive ending after it, verbs around it."""
        mention = self.mentions[at]
        (start, end), original = mention.span, mention.text
        called = self.called[mention.entity]
        new = self._replacement(at, frozenset())
        if called is None or new is None or new.casefold() == original.casefold():
            return
        ending = self._word(end)
        if self.kind[at] >= DESCRIPTION and ending in POSSESSIVE_ENDINGS and self._joins(end):
            owned = with_possessive(
                new, is_name=called.is_name, is_plural=ending in "'’", apostrophe=ending[0]
            )
            if owned[len(new) :] != ending:
                first, last = self.offsets[end]
                yield Edit(first, last, owned[len(new) :] or ending)
        yield Edit(mention.start, mention.end, new, at)
        word = self.words[start].lower()
        if self.kind[at] == PRONOUN and word in _SUBJECTS:
            is_singular = self._is_singular(called)
            begin = self.starts[self._sentence(start)]
            for place, verb in verb_changes(
                self.words, start, is_singular=is_singular, first=begin
            ):
                blank = " " if place > start and self._joins(place) else ""
                first, last = self.offsets[place]
                yield Edit(first, last, blank + verb)

    def _replacement(self, at: int, visited: frozenset[int]) -> str | None:
        """What is written for a mention; None if it stays."""
        mention = self.mentions[at]
        start, end = mention.span
        word, last = self.words[start].lower(), self.words[end - 1]
        is_pronoun = self.kind[at] == PRONOUN
        if is_pronoun:
            possessive = word in _POSSESSIVE or (word == "her" and self._owns(start))
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
        called = self.called[mention.entity]
        if called is None or mention.entity in visited:
            return None
        start, end, is_name = called
        if not is_name:
            end = start + kernel(self.words[start:end], possessive=possessive)
        inner = self._inner_edits(start, end, visited | {mention.entity})
        if self._is_foreign(start, end, inner, mention) or self._returns(
            start, end, inner, mention, visited
        ):
            return None
        first, last = self.offsets[start][0], self.offsets[end - 1][1]
        moved = [edit._replace(start=edit.start - first, end=edit.end - first) for edit in inner]
        phrase = " ".join(ResolvedText.edited(self.text[first:last], moved).split())
        if self._begins_sentence(start) and not (moved and moved[0].start == 0):
            phrase = inside_a_sentence(self.words[start:end], phrase, self.lower, self.capital)
        if not is_name or phrase[:2] == "a " or phrase[:3] == "an ":
            phrase = definite(phrase)
        if possessive:
            phrase = with_possessive(
                phrase, is_name=is_name, is_plural=is_plural, apostrophe=self.apostrophe
            )
        return phrase

    def _inner_edits(self, start: int, end: int, visited: frozenset[int]) -> list[Edit]:
        """The pronouns inside of what an entity is called, replaced: *her brother* as *Ann's brother*."""
        edits = []
        for place in range(start, end):
            at = self.place.get(Span(place, place + 1))
            if at is None or self.kind[at] != PRONOUN or self.mentions[at].entity in visited:
                continue
            mention = self.mentions[at]
            word = self.words[place].lower()
            if word in _REPLACED and _person(word) in self.persons:
                new = self._replacement(at, visited)
                if new is not None and mention.start < mention.end:
                    edits.append(Edit(mention.start, mention.end, new, at))
        return edits

    def _is_foreign(
        self, start: int, end: int, edits: Sequence[Edit], mention: ResolvedMention
    ) -> bool:
        """Whether a phrase has *my* or *your* of another speaker."""
        if self.speakers is None or self.speakers[start] == self.speakers[mention.span.start]:
            return False
        changed = {edit.start for edit in edits}
        return any(
            _person(self.words[at].lower()) < 3 and self.offsets[at][0] not in changed
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
            self.mentions[at].entity
            for place in range(start, end)
            if (at := self.place.get(Span(place, place + 1))) is not None and at not in changed
        }
        return not left.isdisjoint(visited | self._around(mention))

    def _around(self, mention: ResolvedMention) -> set[int]:
        """The entities of the mentions around a mention."""
        at = self.place[mention.span]
        start, end = mention.span
        near = self.mentions[max(0, at - DEEPEST) : at]
        return {m.entity for m in near if m.span.start <= start and end <= m.span.end}

    def _called(self, chosen: ResolvedMention) -> _Called | None:
        """What to call the entity of a representative; None if it cannot be repeated."""
        words = self._words_of(chosen)
        if not words or not chosen.span.is_continuous:
            return None
        words = words[: short_end(words)]
        kind = kind_of(words, self.lower)
        if kind < DESCRIPTION or not can_be_called(words):
            return None
        start = chosen.span.start
        if len(words) == 1 and words[0].islower():
            before = self._word(start - 1).lower()
            if words[0] in BASE_FORMS or before == "to" or before in AUXILIARIES | PRONOUNS:
                return None  # most are verbs
        size = kernel(words) if kind == DESCRIPTION else len(words)
        return _Called(start, start + size, kind == NAME) if size <= LONGEST else None

    def _nested(self) -> list[bool]:
        """[mention] whether it is inside or around another mention of its entity."""
        nested = [False] * len(self.mentions)
        around: dict[int, int] = {}  # [entity] its mention that reaches furthest
        for at, mention in enumerate(self.mentions):
            before = around.get(mention.entity)
            if before is not None and self.mentions[before].span.end > mention.span.start:
                nested[at] = nested[before] = True
            if before is None or self.mentions[before].span.end < mention.span.end:
                around[mention.entity] = at
        return nested

    def _owns(self, at: int) -> bool:
        """Whether *her* is possessive: it begins a larger mention, or the words around it say so."""
        first, last = max(0, at - 3), at + 4
        return self.longest[at] > at + 1 or is_possessive_her(self.words[first:last], at - first)

    def _is_singular(self, called: _Called) -> bool:
        """Whether an entity is surely one person or thing."""
        words = [word.lower() for word in self.words[called.start : called.end]]
        if "and" in words or "&" in words:
            return False
        if called.is_name and words[0] not in {"a", "an"}:
            return words[0] != "the" and not words[-1].endswith("s")
        return words[0] in {"a", "an"}

    def _is_partitive(self, at: int) -> bool:
        """Whether a pronoun is the whole of a part: *all of them*."""
        return self._word(at - 1) == "of" and self._word(at - 2).lower() in PARTS

    def _words_of(self, mention: ResolvedMention) -> tuple[str, ...]:
        return self.words[mention.span.start : mention.span.end]

    def _word(self, at: int) -> str:
        return self.words[at] if 0 <= at < len(self.words) else ""

    def _joins(self, at: int) -> bool:
        """Whether a word follows the one before it without a blank."""
        return bool(self.offsets[at - 1][1] == self.offsets[at][0])

    def _sentence(self, at: int) -> int:
        return bisect_right(self.starts, at) - 1

    def _begins_sentence(self, at: int) -> bool:
        """Whether nothing but signs comes before a word in its sentence."""
        first = self.starts[self._sentence(at)]
        return not any(char.isalnum() for word in self.words[first:at] for char in word)

    def _begins_sentence_as_i(self, at: int) -> bool:
        return self.words[at] == "I" and self._begins_sentence(at)


def _person(word: str) -> int:
    """The person of a pronoun; 3 for all other words."""
    return 1 if word in FIRST_PERSON else 2 if word in SECOND_PERSON else 3


def _contains(words: Sequence[str], part: Sequence[str]) -> bool:
    """Whether the words of a part follow each other somewhere.

    >>> _contains(["dr.", "ann", "lee"], ["ann", "lee"]), _contains(["ann", "b.", "lee"], ["ann", "lee"])
    (True, False)
    """
    size = len(part)
    return any(list(words[at : at + size]) == list(part) for at in range(len(words) - size + 1))


def _capitals(words: Sequence[str], starts: Sequence[int]) -> frozenset[str]:
    """Words, and words with the next one, that have a capital inside a sentence."""
    first = set(starts)
    found = set()
    for at, (word, follows) in enumerate(pairwise([*words, ""])):
        if word[:1].isupper() and at not in first and words[at - 1][-1:].isalnum():
            found |= {word, f"{word} {follows}"}
    return frozenset(found)
