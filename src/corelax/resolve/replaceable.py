"""Which mentions are replaced in resolved text.

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
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from corelax.english.phrases import DETERMINERS, can_be_called, kernel
from corelax.english.pronouns import (
    POSSESSIVE_ENDINGS,
    POSSESSIVES,
    PRONOUNS,
    REPLACED,
    person_of,
)
from corelax.english.representative import DESCRIPTION, NAME, PRONOUN, kind_of, short_end
from corelax.english.verbs import AUXILIARIES, BASE_FORMS, BE

if TYPE_CHECKING:
    from corelax.resolve.resolution import Resolution, ResolvedMention

LONGEST = 10  # words of what an entity is called; more would be hard to read
_DEFINITE = DETERMINERS - {"a", "an", "some", "another"}
_BETWEEN = frozenset(", ( - – — :".split())


class Called(NamedTuple):
    """What an entity is called: the words `start` to `end`, and whether they are a name."""

    start: int
    end: int
    is_name: bool


class Context:
    """A resolution, looked at from its mentions.

    Attributes:
        kind: [mention] VERB, PRONOUN, DESCRIPTION or NAME.
        called: [entity] what it is called; None if that cannot be repeated.
        place: [span] the position of the mention.
        first_noun: [entity] the first word of its first mention that is no pronoun.
        noun_starts: The (first word, entity) of such mentions.
        noun_ends: [one past the last word, entity] the first word of such a mention.
        longest: [first word] where the longest mention that begins there ends.
        is_nested: [mention] whether it is inside or around another mention of its entity.
        lower: The words that the text has in lower case.
        capital: Words, and words with the next one, that have a capital inside a sentence.
    """

    def __init__(self, resolution: Resolution) -> None:
        self.text, self.mentions = resolution.text, resolution.mentions
        self.entities = resolution.entities
        document = resolution.document
        self.words, self.offsets = document.words, document.layer("offsets")
        self.speakers = document.layers.get("speaker")
        self.starts = document.sentence_starts
        self.lower = frozenset(word for word in self.words if word.islower())
        self.capital = _capitals(self.words, self.starts)
        self.apostrophe = "’" if self.text.count("’") > self.text.count("'") else "'"
        self.kind = [kind_of(self.words_of(m), self.lower) for m in self.mentions]
        self.called = [self._called(entity.representative) for entity in self.entities]
        self.place = {mention.span: at for at, mention in enumerate(self.mentions)}
        nouns = [m for m, kind in zip(self.mentions, self.kind, strict=True) if kind >= DESCRIPTION]
        self.first_noun = {m.entity: m.span.start for m in reversed(nouns)}
        self.noun_starts = {(m.span.start, m.entity) for m in nouns}
        self.noun_ends = {(m.span.end, m.entity): m.span.start for m in nouns}
        self.longest = {m.span.start: m.span.end for m in reversed(self.mentions)}
        self.is_nested = self._nested()

    def words_of(self, mention: ResolvedMention) -> tuple[str, ...]:
        return self.words[mention.span.start : mention.span.end]

    def word(self, at: int) -> str:
        return self.words[at] if 0 <= at < len(self.words) else ""

    def joins(self, at: int) -> bool:
        return bool(self.offsets[at - 1][1] == self.offsets[at][0])

    def sentence(self, at: int) -> int:
        return bisect_right(self.starts, at) - 1

    def begins_sentence(self, at: int) -> bool:
        """Whether nothing but signs comes before a word in its sentence."""
        first = self.starts[self.sentence(at)]
        return not any(char.isalnum() for word in self.words[first:at] for char in word)

    def _called(self, chosen: ResolvedMention) -> Called | None:
        words = self.words_of(chosen)
        if not words or not chosen.span.is_continuous:
            return None
        words = words[: short_end(words)]
        kind = kind_of(words, self.lower)
        if kind < DESCRIPTION or not can_be_called(words):
            return None
        start = chosen.span.start
        if len(words) == 1 and words[0].islower():
            before = self.word(start - 1).lower()
            if words[0] in BASE_FORMS or before == "to" or before in AUXILIARIES | PRONOUNS:
                return None  # most are verbs
        size = kernel(words) if kind == DESCRIPTION else len(words)
        return Called(start, start + size, kind == NAME) if size <= LONGEST else None

    def _nested(self) -> list[bool]:
        nested = [False] * len(self.mentions)
        around: dict[int, int] = {}  # [entity] its mention that reaches furthest
        for at, mention in enumerate(self.mentions):
            before = around.get(mention.entity)
            if before is not None and self.mentions[before].span.end > mention.span.start:
                nested[at] = nested[before] = True
            if before is None or self.mentions[before].span.end < mention.span.end:
                around[mention.entity] = at
        return nested


class Rules:
    """Says which mentions are replaced.

    Args:
        context: The resolution.
        kinds: PRONOUN, DESCRIPTION, NAME: those that are wanted.
        persons: Of pronouns, 1, 2 and 3.
        least: Mentions that belong to their entity with a smaller probability stay.
    """

    def __init__(self, context: Context, kinds: set[int], persons: set[int], least: float) -> None:
        self.context = context
        self.kinds, self.persons, self.least = kinds, persons, least

    def allow(self, at: int) -> bool:
        context, mention, kind = self.context, self.context.mentions[at], self.context.kind[at]
        called = context.called[mention.entity]
        if called is None or kind not in self.kinds or mention.entity_probability < self.least:
            return False
        is_representative = mention.span == context.entities[mention.entity].representative.span
        if is_representative or not mention.span.is_continuous or context.is_nested[at]:
            return False
        if kind == PRONOUN:
            return self._is_wanted_pronoun(mention)
        if mention.span.start == context.first_noun[mention.entity]:
            return False
        return self._is_wanted_noun(at, called)

    def _is_wanted_pronoun(self, mention: ResolvedMention) -> bool:
        context, (start, end) = self.context, mention.span
        word = context.words[start].lower()
        if end != start + 1 or word not in REPLACED or person_of(word) not in self.persons:
            return False
        noun = context.first_noun[mention.entity]
        if start < noun and context.sentence(start) == context.sentence(noun):
            return False  # when she arrived, Ann sat down
        return word in POSSESSIVES or not self._is_repeated(mention)

    def _is_repeated(self, mention: ResolvedMention) -> bool:
        """Whether a pronoun stands beside a noun for the same."""
        context, (start, end), entity = self.context, mention.span, mention.entity
        if (end, entity) in context.noun_starts:
            return True  # we the people
        if context.word(end) == "," and (end + 1, entity) in context.noun_starts:
            return True  # she, Ann Lee,
        before = context.noun_ends.get((start - 1, entity))
        if (
            before is not None
            and context.word(start - 1) == ","
            and context.begins_sentence(before)
        ):
            return True  # Ann, she is the best
        called = context.called[entity]
        if called is None or context.word(end).lower() not in BE | {"'s", "’s"}:
            return False
        name = context.words[called.start : called.end]
        return context.words[end + 1 : end + 1 + len(name)] == name  # she is the mayor

    def _is_wanted_noun(self, at: int, called: Called) -> bool:
        context, mention = self.context, self.context.mentions[at]
        (start, end), entity = mention.span, mention.entity
        words = [word.lower() for word in context.words[start:end]]
        name = [word.lower() for word in context.words[called.start : called.end]]
        if not called.is_name or _contains(words, name):
            return False
        if context.kind[at] == DESCRIPTION and words[0] not in _DEFINITE:
            is_owned = any(word in POSSESSIVE_ENDINGS for word in words[1:4])
            if words[0] in DETERMINERS or not is_owned:
                return False
        before = context.word(start - 1).lower()
        if before in BE or before == "as":
            return False
        # Appositions, with a sign between or none.
        first = start - (before in _BETWEEN)
        last = end + (context.word(end) in _BETWEEN)
        if (start, entity) in context.noun_ends or (first, entity) in context.noun_ends:
            return False
        if (end, entity) in context.noun_starts or (last, entity) in context.noun_starts:
            return False
        return not self._introduces_others(at)

    def _introduces_others(self, at: int) -> bool:
        """Whether another entity has its first noun or its representative inside the mention."""
        mention = self.context.mentions[at]
        for place in range(at + 1, len(self.context.mentions)):
            inner = self.context.mentions[place]
            if inner.span.start >= mention.span.end:
                return False
            chosen = self.context.entities[inner.entity].representative
            if inner is chosen or self.context.first_noun.get(inner.entity) == inner.span.start:
                return len(self.context.entities[inner.entity].mentions) > 1
        return False


def _contains(words: Sequence[str], part: Sequence[str]) -> bool:
    """Whether the words of a part follow each other somewhere.

    >>> _contains(["dr.", "ann", "lee"], ["ann", "lee"]), _contains(["ann", "b.", "lee"], ["ann", "lee"])
    (True, False)
    """
    size = len(part)
    return any(list(words[at : at + size]) == list(part) for at in range(len(words) - size + 1))


def _capitals(words: Sequence[str], starts: Sequence[int]) -> frozenset[str]:
    first = set(starts)
    found = set()
    for at, (word, follows) in enumerate(pairwise([*words, ""])):
        if word[:1].isupper() and at not in first and words[at - 1][-1:].isalnum():
            found |= {word, f"{word} {follows}"}
    return frozenset(found)
