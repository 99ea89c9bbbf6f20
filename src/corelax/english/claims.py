"""What mentions say about their entity, and what they rule out: gender, who speaks, a name.

A claim is a bit. An entity clashes if one of its mentions claims what another refuses: *he* and *she*,
*I* said by two people, *I* and *you* said by one, *Mr. Woodhouse* and *Mr. Knightley*, *Henry* and *George*.
What a mention claims, others may share: the speaker Ann is *I* where Ann speaks, and *Ann* everywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import compress
from operator import or_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax.document import Document
from corelax.english.people import (
    FEMALE_NOUNS,
    FEMALE_TITLES,
    FIRST_NAMES,
    GIVEN_NAME_TITLES,
    MALE_NAMES,
    MALE_NOUNS,
    MALE_TITLES,
    SURNAME_TITLES,
    TITLES,
    first_name,
    may_be_one_person,
)
from corelax.english.pronouns import CANONICAL, FEMALE, MALE, POSSESSIVE_ENDINGS, SECOND_PERSON
from corelax.text.remembered import Remembered

Ints = NDArray[np.int64]
_LONGEST = 4  # words of a mention that is looked at
_MOST_PHRASES = 20_000  # mentions that are remembered: in most texts a few are all of them
_JOINING = frozenset("and or & , with of / -".split()) | set(POSSESSIVE_ENDINGS)
_IS_MALE, _IS_FEMALE = 1, 2
_FREE = 2  # the first bit for names and speakers


class Claims(NamedTuple):
    """Bits for each mention of a document.

    Attributes:
        made: [mention] what it says about its entity.
        refused: [mention] what its entity cannot be; never a bit that it claims itself.
        speakers: For each speaker, the mentions by name and those in the first person.
    """

    made: list[int]
    refused: list[int]
    speakers: Sequence[tuple[list[int], list[int]]] = ()

    def claiming(self) -> list[int]:
        """The mentions that claim or refuse anything.

        >>> Claims([1, 0, 0], [2, 0, 1]).claiming()
        [0, 2]
        """
        return list(compress(range(len(self.made)), map(or_, self.made, self.refused)))

    def clash(self, mentions: Iterable[int]) -> bool:
        """Whether some mentions cannot be one entity.

        >>> Claims([1, 0, 2], [2, 0, 1]).clash([0, 2]), Claims([1, 0, 2], [2, 0, 1]).clash([0, 1])
        (True, False)
        """
        made = refused = 0
        for mention in mentions:
            made |= self.made[mention]
            refused |= self.refused[mention]
        return made & refused != 0

    def clashing(self, entities: Sequence[int]) -> set[int]:
        """The entities that clash, of the entity of each mention.

        >>> Claims([1, 0, 2], [2, 0, 1]).clashing([7, 7, 7]), Claims([1, 0, 2], [2, 0, 1]).clashing([7, 7, 8])
        ({7}, set())
        """
        members: dict[int, list[int]] = {}
        for mention in self.claiming():
            members.setdefault(entities[mention], []).append(mention)
        return {entity for entity, mentions in members.items() if self.clash(mentions)}


# The document, if several are decided together, and a name in it.
_Name = tuple[str | None, str]


def claims_of(document: Document, spans: Sequence[tuple[int, int]] | Ints) -> Claims:
    """The claims of mentions.

    Gender comes from pronouns, titles before names, nouns such as *daughter* and first names. Speakers are
    those of the layer `speaker`: *I* is the speaker, *you* is not, and if there are two speakers it is the
    other. A mention of a speaker's name is the one of that name. *Mr.* comes with one surname. A first name
    alone says nothing if a longer name in the document ends with it: *Rose* beside *Henry Rose*. The layer
    `document` tells documents apart that are decided together.

    Args:
        document: The words and, if they are known, speakers.
        spans: (first word, one past the last) of the mentions.

    >>> doc = Document(id="d", words=("Mr.", "Li", "saw", "her", "and", "his", "sister"))
    >>> claims_of(doc, [(0, 2), (3, 4), (5, 6), (5, 7)])
    Claims(made=[5, 2, 1, 2], refused=[2, 1, 2, 1], speakers=[])
    """
    speakers = document.layers.get("speaker")
    bits = _Bits(_speaker_names(speakers or ()))
    bounds = np.array(spans, np.int64).reshape(-1, 2)
    made, refused = [0] * len(bounds), [0] * len(bounds)
    surnames: dict[int, int] = {}
    # First names; of mentions that may be a first name or a surname; at the end of longer names.
    first_names: dict[int, _Name] = {}
    single: dict[int, _Name] = {}
    last_names: set[_Name] = set()
    joined = document.layers.get("document")
    listed = _that_may_claim(document.words, bounds, any_words=speakers is not None)
    for number, (start, end) in zip(listed.tolist(), bounds[listed].tolist(), strict=True):
        if (phrase := _phrase(tuple(document.words[start:end]))) is None:
            continue
        claim = phrase.gender
        refusal = (_IS_MALE | _IS_FEMALE) ^ claim if claim else 0
        here = joined[start] if joined else None
        if phrase.given:
            first_names[number] = here, phrase.given
        if phrase.alone:
            single[number] = here, phrase.alone
        if phrase.last:
            last_names.add((here, phrase.last))
        if phrase.surname:
            surnames[number] = bits.of(("surname", phrase.surname))
            claim |= surnames[number]
        if speakers is not None:
            said, unsaid = bits.speech(number, phrase.lowered, speakers[start])
            claim, refusal = claim | said, refusal | unsaid
        made[number], refused[number] = claim, refusal
    for number, name in single.items():
        if name in last_names:
            made[number] &= ~(_IS_MALE | _IS_FEMALE)
            refused[number] &= ~(_IS_MALE | _IS_FEMALE)
            first_names.pop(number, None)
    _keep_apart(first_names, bits, made, refused)
    every = 0
    for bit in surnames.values():
        every |= bit
    for number, bit in surnames.items():
        refused[number] |= every & ~bit
    return Claims(made, refused, list(bits.mentions.values()))


def _keep_apart(names: dict[int, _Name], bits: _Bits, made: list[int], refused: list[int]) -> None:
    """Adds claims of first names, each of which refuses those that cannot be of the same person."""
    known: dict[str | None, list[str]] = {}
    bit: dict[str, int] = {}
    for document, name in dict.fromkeys(names.values()):
        known.setdefault(document, []).append(name)
        bit[name] = bits.of(("first name", name))
    others = {
        (document, name): sum(bit[o] for o in of_document if not may_be_one_person(name, o))
        for document, of_document in known.items()
        for name in of_document
    }
    for number, (document, name) in names.items():
        made[number] |= bit[name]
        refused[number] |= others[document, name]


def _that_may_claim(words: Sequence[str], bounds: Ints, *, any_words: bool) -> Ints:
    """The numbers of short spans with a title before, a word for people at the end, or a first name.

    With `any_words`, those of all short spans: any may be the name of a speaker.
    """
    first, last = bounds[:, 0], bounds[:, 1] - 1
    is_short = last - first <= _LONGEST
    if not any_words and len(bounds):
        facts = _FACTS.rows(words)
        ends = facts.column(_ENDING)
        last = np.maximum(last - (ends[last] < 0), first)
        is_short &= (facts.column(_BEGINNING)[first] != 0) | (ends[last] > 0)
    return np.flatnonzero(is_short)


_ENDINGS = MALE | FEMALE | MALE_NOUNS | FEMALE_NOUNS
# Columns: 1 for what may tell something there, −1 for a possessive ending.
_BEGINNING, _ENDING = 0, 1


def _facts(word: str) -> tuple[int, int]:
    """The columns of a word."""
    lower = word.lower()
    is_name = word[:1].isupper() and lower in FIRST_NAMES
    ending = -1 if word in POSSESSIVE_ENDINGS else is_name or lower in _ENDINGS
    return is_name or lower.removesuffix(".") in TITLES, ending


_FACTS = Remembered(lambda words: [_facts(word) for word in words])


class _Phrase(NamedTuple):
    """What the words of a mention say by themselves. Names are in lower case.

    Attributes:
        lowered: The words in lower case, without a possessive ending.
        gender: The bit of a gender, or 0.
        given: Its first name.
        alone: A first name that is all of it; it may be a surname, too.
        last: A first name at its end, where it is a surname.
        surname: The surname that a title goes with.
    """

    lowered: tuple[str, ...]
    gender: int
    given: str | None
    alone: str | None
    last: str | None
    surname: str | None


@lru_cache(maxsize=_MOST_PHRASES)
def _phrase(words: tuple[str, ...]) -> _Phrase | None:
    """What a mention of these words says; None where they are several things, or nothing.

    >>> _phrase(("Mr.", "Henry", "'s")).surname, _phrase(("Ann", "and", "Bo"))
    ('henry', None)
    """
    if words[-1] in POSSESSIVE_ENDINGS:
        words = words[:-1]
    lowered = tuple(word.lower() for word in words)
    if not words or not _JOINING.isdisjoint(lowered):
        return None
    title, given = _title(words, lowered), first_name(words)
    name = lowered[-1] if lowered[-1] in FIRST_NAMES else None
    is_last = title is not None and title not in GIVEN_NAME_TITLES
    return _Phrase(
        lowered,
        gender=_gender(lowered, title, given),
        given=given,
        alone=name if len(words) == 1 else None,
        last=name if is_last else None,
        surname=lowered[-1] if title in SURNAME_TITLES else None,
    )


def _gender(lowered: Sequence[str], title: str | None, given: str | None) -> int:
    """The bit of a gender, or 0; of a mention in lower case, its title and its first name."""
    if len(lowered) == 1 and lowered[0] in MALE:
        return _IS_MALE
    if len(lowered) == 1 and lowered[0] in FEMALE:
        return _IS_FEMALE
    if title in MALE_TITLES or lowered[-1] in MALE_NOUNS:
        return 0 if title in FEMALE_TITLES else _IS_MALE
    if title in FEMALE_TITLES or lowered[-1] in FEMALE_NOUNS:
        return _IS_FEMALE
    return 0 if given is None else _IS_MALE if given in MALE_NAMES else _IS_FEMALE


def _title(words: Sequence[str], lowered: Sequence[str]) -> str | None:
    """The first word of a name of two words or more, in lower case, without its full stop."""
    if len(words) < 2 or not all(word[:1].isupper() for word in words):
        return None
    return lowered[0].removesuffix(".")


def _speaker_names(speakers: Sequence[str | None]) -> dict[str, tuple[str, ...]]:
    """The words of each speaker's name, without titles; formats write "-" for nobody."""
    names = {}
    for speaker in dict.fromkeys(speakers):
        if speaker and speaker != "-":
            words = speaker.lower().split()
            names[speaker] = tuple(w for w in words if not w.endswith(".")) or tuple(words)
    return names


class _Bits:
    """Bits of speakers, and others as they are asked for."""

    def __init__(self, speakers: dict[str, tuple[str, ...]]) -> None:
        self._next = _FREE
        self._known: dict[object, int] = {}
        self._speakers = {speaker: self.of(("speaker", speaker)) for speaker in speakers}
        self._all = sum(self._speakers.values())
        self.mentions: dict[int, tuple[list[int], list[int]]] = {
            bit: ([], []) for bit in self._speakers.values()
        }
        # A name, or a part of it that only one speaker has.
        parts = Counter(part for name in speakers.values() for part in set(name))
        self._called = {
            part: self._speakers[speaker]
            for speaker, name in speakers.items()
            for part in name
            if parts[part] == 1
        }
        self._called |= {
            " ".join(name): self._speakers[speaker] for speaker, name in speakers.items()
        }

    def of(self, what: object) -> int:
        """The bit for something; a new one if it was not asked for before."""
        if what not in self._known:
            self._known[what] = 1 << self._next
            self._next += 1
        return self._known[what]

    def speech(self, mention: int, lowered: Sequence[str], speaker: str | None) -> tuple[int, int]:
        """What a mention claims and refuses of speakers, if `speaker` says it."""
        said_by = self._speakers.get(speaker or "", 0)
        if said_by and len(lowered) == 1:
            others = self._all & ~said_by
            if CANONICAL.get(lowered[0]) == "i":
                self.mentions[said_by][1].append(mention)
                return said_by, others
            if lowered[0] in SECOND_PERSON:
                return others if len(self._speakers) == 2 else 0, said_by
        named = self._called.get(" ".join(w for w in lowered if not w.endswith(".")), 0)
        if not named:
            return 0, 0
        self.mentions[named][0].append(mention)
        return named, self._all & ~named
