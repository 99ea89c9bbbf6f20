"""Whom and what a story is about, and who was mentioned last."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from corelax.synthetic import words

Kind = Literal["person", "group", "organisation", "place", "object"]
TITLES = {"doctor": "Dr.", "surgeon": "Dr.", "dentist": "Dr.", "professor": "Prof."}
RECENT = 1  # sentences back to which a mention competes for a pronoun


@dataclass(slots=True, eq=False)
class Entity:
    """Something that can be referred to again.

    Attributes:
        number: Its place in the cast.
        kind: What it is.
        pronoun: he, she, it or they; never changes.
        noun: What "the ..." calls it.
        adjective: What tells it from others with the same noun.
        name: First and last name, or the words of another name, or nothing.
        owner: Whose car, whose sister.
        members: The two people of a couple.
        mentions: How often it has been mentioned.
        last: The sentence of its last mention.
    """

    number: int
    kind: Kind
    pronoun: str
    noun: str
    adjective: str
    name: tuple[str, ...] = ()
    owner: Entity | None = None
    members: tuple[Entity, ...] = ()
    mentions: int = 0
    last: int = -1

    @property
    def title(self) -> str:
        """How a person is addressed before the last name."""
        return TITLES.get(self.noun, "Mr." if self.pronoun == "he" else "Ms.")

    @property
    def numbers(self) -> set[int]:
        """Itself and its members: what cannot be mentioned once more in a clause."""
        return {self.number, *(member.number for member in self.members)}


class Cast:
    """The entities of one document.

    Attributes:
        ambiguity: From 0 to 1, how often new entities resemble those there are.
        sentence: The sentence being written.
        clustered, clusters: Mentions of entities mentioned at least twice, and their number.

    >>> cast = Cast(Random(0), ambiguity=0)
    >>> cast.mention(first := cast.person())
    >>> second = cast.person()
    >>> {first.pronoun, second.pronoun} == {"he", "she"}  # nothing is ambiguous
    True
    """

    def __init__(self, rng: Random, ambiguity: float) -> None:
        self.rng = rng
        self.ambiguity = ambiguity
        self.sentence = 0
        self.clustered = self.clusters = 0
        self.names: Counter[str] = Counter()  # how many people have this first or last name
        self.nouns: Counter[str] = Counter()  # how many entities are a doctor, a car, ...
        self._places: dict[str, Entity] = {}
        self._size = 0
        self._recent: defaultdict[str, list[Entity]] = defaultdict(list)  # by kind, latest last
        self._by_pronoun: defaultdict[str, list[Entity]] = defaultdict(list)

    def person(self, *, named: bool = True) -> Entity:
        """Somebody with a first and a last name, or only known as "the doctor"."""
        people = [p for p in self._recent["person"] if p.name]
        gender = self.rng.choice(("he", "she"))
        if people:
            alike = self.rng.random() < self.ambiguity
            gender = people[-1].pronoun if alike else _other(people[-1].pronoun)
        stock = words.PERSON_NOUNS[None] + words.PERSON_NOUNS[gender] * 2
        shared = [p.noun for p in people if p.noun in stock]
        noun = self.rng.choice(shared) if shared and self._shares(2) else None
        noun = noun or self._fresh(stock, self.nouns)
        if not named:
            return self._new("person", gender, noun)
        family = self.rng.choice(people).name[1] if people and self._shares(3) else None
        first = self._fresh(words.FIRST_NAMES[gender], self.names)
        last = family or self._fresh(words.LAST_NAMES, self.names)
        self.names.update((first, last))
        return self._new("person", gender, noun, name=(first, last))

    def relative(self, owner: Entity) -> Entity:
        """Somebody who is only known as somebody's sister or brother."""
        alike = self.rng.random() < self.ambiguity
        gender = owner.pronoun if alike else _other(owner.pronoun)
        noun = self._fresh(words.RELATIVES[gender], self.nouns)
        return self._new("person", gender, noun, owner=owner)

    def couple(self, first: Entity, second: Entity) -> Entity:
        """Two people together."""
        return self._new("group", "they", "couple", members=(first, second))

    def owned(self, owner: Entity | None) -> Entity:
        """An object, which may belong to somebody."""
        shared = [entity.noun for entity in self._recent["object"][-8:]]
        noun = self.rng.choice(shared) if shared and self._shares(2) else None
        noun = noun or self._fresh(words.OBJECT_NOUNS, self.nouns)
        return self._new("object", "it", noun, owner=owner)

    def new(self, kind: Kind) -> Entity:
        """An entity that was not there before."""
        if kind == "person":
            return self.person(named=self.rng.random() < 0.8)
        if kind == "group":
            return self._new(kind, "they", self._fresh(words.GROUP_NOUNS, self.nouns))
        if kind == "organisation":
            noun = self.rng.choice(words.ORGANISATION_NOUNS)
            name = (self._fresh(words.ORGANISATION_NAMES, self.names), noun)
            self.names.update(name[:1])
            return self._new(kind, "it", words.ORGANISATION_KINDS.get(noun, "company"), name=name)
        if kind == "place":
            place = self._fresh(words.PLACES, self.names)
            if self.names[place]:  # the map is used up; there is one Oslo only
                return self._places[place]
            self.names[place] += 1
            noun = "country" if place in words.COUNTRIES else "city"
            self._places[place] = self._new(kind, "it", noun, name=(place,))
            return self._places[place]
        return self.owned(None)

    def recent(self, kind: Kind, without: set[int], *, once: bool = False) -> Entity | None:
        """An entity mentioned before (or just once), mostly a recent one; none of those in `without`."""
        known = self._recent[kind]
        if once:
            known = [entity for entity in known[-20:] if entity.mentions == 1]
        if not known:
            return None
        if self.rng.random() < 0.1:
            entity = self.rng.choice(known)
            return None if entity.numbers & without else entity
        for entity in reversed(known):
            if self.rng.random() < 0.6 and not entity.numbers & without:
                return entity
        return None

    def mention(self, entity: Entity) -> None:
        """Notes that an entity is mentioned here."""
        entity.mentions += 1
        entity.last = self.sentence
        if entity.mentions == 2:
            self.clusters += 1
        if entity.mentions > 1:
            self.clustered += 2 if entity.mentions == 2 else 1
        for row in (self._recent[entity.kind], self._by_pronoun[entity.pronoun]):
            if entity in row:
                row.remove(entity)
            row.append(entity)

    def is_clear(self, entity: Entity) -> bool:
        """Whether the entity's pronoun can mean nothing else of the cast."""
        others = (e for e in reversed(self._by_pronoun[entity.pronoun]) if e is not entity)
        rival = next(others, None)
        return rival is None or rival.last < self.sentence - RECENT

    def _new(
        self,
        kind: Kind,
        pronoun: str,
        noun: str,
        *,
        name: tuple[str, ...] = (),
        owner: Entity | None = None,
        members: tuple[Entity, ...] = (),
    ) -> Entity:
        number = self._size
        self._size += 1
        self.nouns[noun] += 1
        stock = words.OBJECT_ADJECTIVES if kind == "object" else words.PERSON_ADJECTIVES
        adjective = self.rng.choice(stock)
        return Entity(number, kind, pronoun, noun, adjective, name, owner, members)

    def _shares(self, part: int) -> bool:
        """Whether a new entity takes over a name or noun: at most one in `part`."""
        return self.rng.random() < self.ambiguity / part

    def _fresh(self, stock: Sequence[str], taken: Counter[str]) -> str:
        """A word that is not taken yet, unless the stock is nearly used up."""
        for _ in range(8):
            word = self.rng.choice(stock)
            if not taken[word]:
                break
        return word


def _other(gender: str) -> str:
    return "she" if gender == "he" else "he"
