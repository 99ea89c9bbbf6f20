"""What the rules of resolved text look at: the words around mentions, and what entities are called."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from corelax.english.phrases import can_be_called, kernel
from corelax.english.pronouns import PRONOUNS
from corelax.english.representative import DESCRIPTION, NAME, kind_of, short_end
from corelax.english.verbs import AUXILIARIES, BASE_FORMS

if TYPE_CHECKING:
    from corelax.resolve.resolution import Resolution, ResolvedMention

LONGEST = 10  # words of what an entity is called; more would be hard to read


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


def _capitals(words: Sequence[str], starts: Sequence[int]) -> frozenset[str]:
    first = set(starts)
    found = set()
    for at, (word, follows) in enumerate(pairwise([*words, ""])):
        if word[:1].isupper() and at not in first and words[at - 1][-1:].isalnum():
            found |= {word, f"{word} {follows}"}
    return frozenset(found)
