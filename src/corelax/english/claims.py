"""What mentions say about their entity, and what they rule out: gender, who speaks, a name.

A claim is a bit. An entity clashes if one of its mentions claims what another refuses: *he* and *she*,
*I* said by two people, *I* and *you* said by one, *Mr. Woodhouse* and *Mr. Knightley*, *Henry* and *George*.
What a mention claims, others may share: the speaker Ann is *I* where Ann speaks, and *Ann* everywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import compress
from operator import or_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax.document import Document
from corelax.english.people import IS_FEMALE, IS_MALE, may_be_one_person, person_called
from corelax.english.pronouns import CANONICAL, SECOND_PERSON

_LONGEST = 5  # words of a mention that is looked at
_GENDER = IS_MALE | IS_FEMALE
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


def claims_of(document: Document, spans: Sequence[tuple[int, int]] | NDArray[np.integer]) -> Claims:
    """The claims of mentions.

    Gender comes from pronouns, titles before names, nouns such as *daughter* and first names. Speakers are
    those of the layer `speaker`: *I* is the speaker, *you* is not, and if there are two speakers it is the
    other. A mention of a speaker's name is the one of that name. *Mr.* comes with one surname. A first name
    alone says nothing if a longer name in the document ends with it: *Rose* beside *Henry Rose*.

    Args:
        document: The words and, if they are known, speakers.
        spans: (first word, one past the last) of the mentions.

    >>> doc = Document(id="d", words=("Mr.", "Li", "saw", "her", "and", "his", "sister"))
    >>> claims_of(doc, [(0, 2), (3, 4), (5, 6), (5, 7)])
    Claims(made=[5, 2, 1, 2], refused=[2, 1, 2, 1], speakers=[])
    """
    speakers = document.layers.get("speaker")
    bits = _Bits(_speaker_names(speakers or ()))
    made, refused = [0] * len(spans), [0] * len(spans)
    people = {}
    for number, (start, end) in enumerate(np.asarray(spans).reshape(-1, 2).tolist()):
        if end - start <= _LONGEST:
            person = person_called(tuple(document.words[start:end]))
            if person is not None:
                people[number] = start, person
    last_names = {person.last for _, person in people.values()} - {None}
    surnames: dict[int, int] = {}
    first_names: dict[int, str] = {}
    for number, (start, person) in people.items():
        if person.surname:
            surnames[number] = made[number] = bits.of(("surname", person.surname))
        if person.alone not in last_names:
            made[number] |= person.gender
            refused[number] |= _GENDER ^ person.gender if person.gender else 0
            if person.given:
                first_names[number] = person.given
        if speakers is not None:
            said, unsaid = bits.speech(number, person.lowered, speakers[start])
            made[number] |= said
            refused[number] |= unsaid
    _keep_apart(first_names, bits, made, refused)
    every = 0
    for bit in surnames.values():
        every |= bit
    for number, bit in surnames.items():
        refused[number] |= every & ~bit
    return Claims(made, refused, list(bits.mentions.values()))


def _keep_apart(names: dict[int, str], bits: _Bits, made: list[int], refused: list[int]) -> None:
    """Adds claims of first names, each of which refuses those that cannot be of the same person."""
    bit = {name: bits.of(("first name", name)) for name in dict.fromkeys(names.values())}
    others = {
        name: sum(bit[other] for other in bit if not may_be_one_person(name, other)) for name in bit
    }
    for number, name in names.items():
        made[number] |= bit[name]
        refused[number] |= others[name]


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
