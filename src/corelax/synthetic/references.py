"""How an entity is referred to: name, description or pronoun."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal

from corelax.synthetic.entities import Cast, Entity
from corelax.synthetic.fillers import indefinite, number
from corelax.synthetic.trees import Leaf, Phrase

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
