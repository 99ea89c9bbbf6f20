"""Noun phrases: how an entity is referred to, and those that refer to nothing in the story."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal

from corelax.synthetic import words
from corelax.synthetic.entities import Cast, Entity, Kind
from corelax.synthetic.trees import Leaf, Phrase


def noun_phrase(*children: Leaf | Phrase) -> Phrase:
    """A noun phrase that belongs to no entity."""
    return Phrase("NP", children)


def indefinite(*modified: str) -> Phrase:
    """A noun with its adjectives and the article that it takes.

    >>> [leaf.word for leaf in indefinite("old", "friend").children]
    ['an', 'old', 'friend']
    """
    *adjectives, noun = modified
    article = "an" if modified[0][0] in "aeiou" else "a"
    middle = [Leaf("JJ", adjective) for adjective in adjectives]
    return Phrase("NP", (Leaf("DT", article), *middle, Leaf("NN", noun)))


def filler(rng: Random, kind: Kind, ambiguity: float) -> Phrase:
    """A noun phrase that nothing else refers to, for a place where something of a kind is expected.

    With `ambiguity` it is, more often, the kind of noun that entities of the story have too.
    """
    alike = rng.random() < ambiguity / 2
    draw = rng.random()
    if kind == "person":
        if draw < 0.2:
            return noun_phrase(Leaf("NN", rng.choice(("everyone", "nobody", "somebody"))))
        noun = rng.choice(words.PERSON_NOUNS[None] if alike else words.OTHER_PEOPLE)
        return _modified(rng, rng.choice(words.PERSON_ADJECTIVES), noun)
    if kind == "group":
        return _several(rng, words.GROUP_NOUNS if alike else ("people", "strangers", "children"))
    if kind == "organisation":
        return _modified(
            rng,
            rng.choice(words.FIRM_ADJECTIVES),
            rng.choice(("bank", "company", "committee", "court")),
        )
    if kind == "place":
        return _modified(rng, rng.choice(words.PLACE_ADJECTIVES), rng.choice(words.OTHER_PLACES))
    if draw < 0.2:
        mass = Leaf("NN", rng.choice(words.MASS_NOUNS))
        return noun_phrase(*((Leaf("DT", "some"),) if draw < 0.1 else ()), mass)
    if draw < 0.35:
        paper = Leaf("NN", rng.choice(("newspaper", "magazine", "calendar", "guidebook")))
        place = Phrase("", (Leaf("NNP", rng.choice(words.PLACES)),), name="GPE")
        return noun_phrase(Leaf("DT", "some"), place, paper)
    noun = rng.choice(words.OBJECT_NOUNS if alike else words.OTHER_THINGS)
    return _modified(rng, rng.choice(words.OBJECT_ADJECTIVES), noun)


def _modified(rng: Random, adjective: str, noun: str) -> Phrase:
    return indefinite(adjective, noun) if rng.random() < 0.5 else indefinite(noun)


def _several(rng: Random, nouns: tuple[str, ...]) -> Phrase:
    noun = Leaf("NNS", rng.choice(nouns))
    if rng.random() < 0.5:
        return noun_phrase(Leaf("JJ", rng.choice(("many", "several", "other"))), noun)
    return noun_phrase(number(rng), noun)


def number(rng: Random) -> Phrase:
    """A numeral, which names a quantity but nothing that can be mentioned."""
    return Phrase("", (Leaf("CD", rng.choice(words.NUMBERS)),), name="CARDINAL")


def when(rng: Random) -> Phrase:
    """An adverbial of time: on Monday, last week, at the end of a long day."""
    draw = rng.random()
    if draw < 0.35:
        day = Phrase("", (Leaf("NNP", rng.choice(words.DAYS)),), name="DATE")
        return Phrase("PP", (Leaf("IN", "on"), noun_phrase(day)))
    if draw < 0.6:
        period = (Leaf("JJ", "last"), Leaf("NN", rng.choice(words.PERIODS)))
        return noun_phrase(Phrase("", period, name="DATE"))
    if draw < 0.75:
        year = Phrase("", (Leaf("CD", str(rng.randint(1950, 2020))),), name="DATE")
        return Phrase("PP", (Leaf("IN", "in"), noun_phrase(year)))
    edge = noun_phrase(Leaf("DT", "the"), Leaf("NN", rng.choice(words.EDGES)))
    day = indefinite(rng.choice(("long", "cold", "busy", "bad")), rng.choice(("day", "night")))
    return Phrase(
        "PP", (Leaf("IN", "at"), noun_phrase(edge, Phrase("PP", (Leaf("IN", "of"), day))))
    )


def padding(rng: Random) -> Phrase:
    """Words at the end of a clause that hold no noun phrase.

    >>> padding(Random(3)).label in ("ADVP", "PP")
    True
    """
    adverb = rng.choice(("quickly", "slowly", "quietly", "badly", "carefully", "well"))
    draw = rng.randrange(5)
    if draw == 0:
        return Phrase("ADVP", (Leaf("RB", "very"), Leaf("RB", adverb), Leaf("RB", "indeed")))
    if draw == 1:
        again = Leaf("RB", "again")
        return Phrase("ADVP", (again, Leaf("CC", "and"), again))
    if draw == 2:
        return Phrase("ADVP", (Leaf("RB", "far"), Leaf("RB", "too"), Leaf("RB", adverb)))
    if draw == 3:
        waiting = Phrase("S", (Phrase("VP", (Leaf("VBG", "waiting"), _adverb("longer"))),))
        return Phrase("PP", (Leaf("IN", "without"), waiting))
    return Phrase("PP", (Leaf("IN", "for"), Phrase("ADVP", (Leaf("RB", "once"),))))


def _adverb(word: str) -> Phrase:
    return Phrase("ADVP", (Leaf("RB", word),))


Case = Literal["subject", "object", "possessive", "reflexive"]
CASES: tuple[Case, ...] = ("subject", "object", "possessive", "reflexive")
PRONOUNS = {
    "I": ("I", "me", "my", "myself"),
    "you": ("you", "you", "your", "yourself"),
    "he": ("he", "him", "his", "himself"),
    "she": ("she", "her", "her", "herself"),
    "it": ("it", "it", "its", "itself"),
    "we": ("we", "us", "our", "ourselves"),
    "they": ("they", "them", "their", "themselves"),
}
PRONOUN_SHARE = {"person": 0.75, "group": 0.7, "organisation": 0.5, "place": 0.2, "object": 0.55}
NAME_TYPES = {"person": "PERSON", "organisation": "ORG", "place": "GPE"}
REACH = 2  # sentences after which a pronoun no longer reaches back


@dataclass(slots=True)
class References:
    """Writes references to the entities of a cast.

    Attributes:
        cast: Who was mentioned when.
        rng: Where chance comes from.
        speaker, addressee: Who are "I" and "you" in the sentence being written.
    """

    cast: Cast
    rng: Random
    speaker: Entity | None = None
    addressee: Entity | None = None

    def refer(self, entity: Entity, case: Case = "subject") -> Phrase:
        """A noun phrase for an entity, as the story stands."""
        pronoun = self.pronoun(entity)
        if case == "reflexive" or pronoun in ("I", "you", "we") or self._pronominal(entity):
            phrase = self._pronoun(entity, pronoun, case)
        elif entity.mentions == 0:
            phrase = self._first(entity, case)
        else:
            phrase = self._again(entity, case)
        self.cast.mention(entity)
        return phrase

    def pronoun(self, entity: Entity) -> str:
        """The entity's pronoun in the subject case, as the present speaker says it."""
        if self.speaker is not None:
            if entity is self.speaker:
                return "I"
            if entity is self.addressee:
                return "you"
            if set(entity.members) == {self.speaker, self.addressee}:
                return "we"
        return entity.pronoun

    def full_name(self, entity: Entity, case: Case = "object") -> Phrase:
        """First and last name, or the whole name of a firm or place."""
        return self._named(entity, entity.name, case)

    def _pronominal(self, entity: Entity) -> bool:
        """Whether a pronoun will do: never over a long stretch, and between rivals rarely."""
        if entity.mentions == 0 or self.cast.sentence - entity.last > REACH:
            return False
        share = PRONOUN_SHARE[entity.kind]
        if not self.cast.is_clear(entity):
            share *= self.cast.ambiguity
        return self.rng.random() < share

    def _pronoun(self, entity: Entity, pronoun: str, case: Case) -> Phrase:
        word = PRONOUNS[pronoun][CASES.index(case)]
        if case == "possessive":  # stands inside the noun phrase of what is owned
            return Phrase("", (Leaf("PRP$", word),), entity.number)
        return Phrase("NP", (Leaf("PRP", word),), entity.number)

    def _first(self, entity: Entity, case: Case) -> Phrase:
        if entity.members:
            return self._coordination(entity, case)
        if entity.owner is not None:
            return self._owned(entity, entity.owner, case)
        draw = self.rng.random()
        if not entity.name and entity.kind == "person" and case != "possessive":
            return self._description(entity)._replace(entity=entity.number)
        # Subjects only: what follows a subject never swallows the second comma.
        if entity.kind == "person" and entity.name and case == "subject" and draw < 0.45:
            name = self._name_words(entity, entity.name)
            comma = Leaf(",", ",")
            inner = Phrase("NP", (name,))
            return Phrase("NP", (inner, comma, self._description(entity), comma), entity.number)
        if entity.name:
            return self.full_name(entity, case)
        if entity.kind == "group":
            few = number(self.rng) if draw < 0.5 else Leaf("DT", "some")
            return self._close((few, Leaf("NNS", entity.noun)), entity, case)
        return self._close(indefinite(entity.adjective, entity.noun).children, entity, case)

    def _again(self, entity: Entity, case: Case) -> Phrase:
        rng, cast = self.rng, self.cast
        draw = rng.random()
        if entity.owner is not None and (draw < 0.5 or entity.kind == "person"):
            return self._owned(entity, entity.owner, case)
        if entity.members and draw < 0.6:
            return self._coordination(entity, case)
        if entity.kind == "person" and entity.name and draw < 0.65:
            first, last = entity.name
            short = first if draw < 0.2 else last
            if not self._tells(cast.names[short]):
                return self.full_name(entity, case)
            return self._named(entity, (short,), case, titled=draw > 0.5)
        if entity.name and draw < (0.75 if entity.kind == "person" else 0.5):
            return self.full_name(entity, case)
        if entity.name and not self._tells(cast.nouns[entity.noun]):
            return self.full_name(entity, case)
        plain = self._tells(cast.nouns[entity.noun]) and rng.random() < 0.7
        described = entity.kind in ("person", "object") and not plain
        adjective = (Leaf("JJ", entity.adjective),) if described else ()
        noun = Leaf("NNS" if entity.kind == "group" and not entity.members else "NN", entity.noun)
        return self._close((Leaf("DT", "the"), *adjective, noun), entity, case)

    def _tells(self, bearers: int) -> bool:
        """Whether a name or noun is good enough: it is unique, or ambiguity lets it pass."""
        return bearers == 1 or self.rng.random() < self.cast.ambiguity

    def _named(
        self, entity: Entity, name: tuple[str, ...], case: Case, titled: bool = False
    ) -> Phrase:
        title = (Leaf("NNP", entity.title),) if titled else ()
        return self._close((*title, self._name_words(entity, name)), entity, case)

    def _name_words(self, entity: Entity, name: tuple[str, ...]) -> Phrase:
        leaves = tuple(Leaf("NNP", word) for word in name)
        return Phrase("", leaves, name=NAME_TYPES[entity.kind])

    def _close(self, children: tuple[Leaf | Phrase, ...], entity: Entity, case: Case) -> Phrase:
        """A noun phrase of the entity, with 's where it owns something."""
        if case == "possessive":
            plural = isinstance(last := children[-1], Leaf) and last.tag == "NNS"
            children = (*children, Leaf("POS", "'" if plural else "'s"))
        return Phrase("NP", children, entity.number)

    def _owned(self, entity: Entity, owner: Entity, case: Case) -> Phrase:
        whose = self.refer(owner, "possessive")
        described = entity.kind == "object" and self.rng.random() < 0.4
        adjective = (Leaf("JJ", entity.adjective),) if described else ()
        return self._close((whose, *adjective, Leaf("NN", entity.noun)), entity, case)

    def _coordination(self, entity: Entity, case: Case) -> Phrase:
        first, second = (self._member(member) for member in entity.members)
        return self._close((first, Leaf("CC", "and"), second), entity, case)

    def _member(self, entity: Entity) -> Phrase:
        name = entity.name[:1] if self._tells(self.cast.names[entity.name[0]]) else entity.name
        self.cast.mention(entity)
        return self._named(entity, name, "object")

    def _description(self, entity: Entity) -> Phrase:
        """A young doctor from Oslo: what an apposition adds to a name."""
        described = indefinite(entity.adjective, entity.noun)
        if self.rng.random() < 0.5:
            return described
        place = self.cast.recent("place", set()) or self.cast.new("place")
        origin = Phrase("PP", (Leaf("IN", "from"), self.full_name(place)))
        self.cast.mention(place)
        return Phrase("NP", (described, origin))
