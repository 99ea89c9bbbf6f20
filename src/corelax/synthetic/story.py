"""The state of a document that is being written, and the choices that keep it in shape."""

from __future__ import annotations

from random import Random

from corelax.synthetic.entities import Cast, Entity, Kind
from corelax.synthetic.references import Case, References, filler
from corelax.synthetic.shape import Shape
from corelax.synthetic.trees import Leaf, Phrase, Text

WARM_UP = 20  # mentions that a story is taken to begin with, all of them in shape
NOVELTY = 0.25  # at most this share of references introduces somebody or something
PULL = 4  # how strongly a deviation from the shape is corrected
WHO = Phrase("WHNP", (Leaf("WP", "who"),))
LEFT = (Phrase("VP", (Leaf("VBN", "left"), Phrase("ADVP", (Leaf("RB", "early"),)))),)


class Story:
    """What clauses are written with: arguments, and whether to say more.

    Shares and lengths are held by correction: whatever the story has too little of becomes more
    likely, so every document of some length has the density of the corpus.

    Attributes:
        text: What is written so far.
        size: Mentions it shall have.
        clauses: How many have been written.
        together: Those who talk, if they are two: "we".
    """

    def __init__(self, rng: Random, shape: Shape, size: int, ambiguity: float) -> None:
        self.rng = rng
        self.shape = shape
        self.size = size
        self.ambiguity = ambiguity
        self.text = Text()
        self.cast = Cast(rng, ambiguity)
        self.references = References(self.cast, rng)
        self.clauses = 0
        self.together: Entity | None = None

    @property
    def room(self) -> int:
        """Mentions that are still to come."""
        return self.size - self.text.candidates

    def argument(self, kind: Kind, case: Case, used: set[int]) -> tuple[Phrase, Entity | None]:
        """A noun phrase for a place in a clause, and the entity if it refers to one."""
        likely = self.shape.clustered + (0.28 if case == "subject" else -0.22)
        if self.rng.random() >= likely + PULL * self._lack_of_references():
            return self._filler(kind, used), None
        entity = self._present(kind, used)
        if entity is None and self.rng.random() >= min(NOVELTY, 1.1 / self.shape.cluster_size):
            entity = self.cast.recent(kind, used, once=self._clusters_are_large())
        entity = entity or self._newcomer(kind, used)
        used |= entity.numbers
        return self.references.refer(entity, case), entity

    def pads(self) -> bool:
        """Whether to add words that hold no mention, because the text is too dense."""
        text, wanted = self.text, self.shape.tokens_per_mention
        tokens = len(text.words) + WARM_UP * wanted
        lack = 1 - tokens / (wanted * (text.candidates + WARM_UP))
        return self.rng.random() < 0.3 + 2 * PULL * lack

    def length(self) -> int:
        """How many clauses the next sentence has: about as many as its drawn length needs."""
        wanted = self.shape.tokens_per_sentence
        drawn = self.rng.gammavariate(4, wanted / 4)
        typical = (len(self.text.words) + 9 * WARM_UP) / (self.clauses + WARM_UP)
        return max(1, min(round(drawn / typical), self.room // 2))

    def _lack_of_references(self) -> float:
        """By how much the share of mentions in clusters is too small."""
        known = self.text.candidates + WARM_UP
        return self.shape.clustered - (self.cast.clustered + WARM_UP * self.shape.clustered) / known

    def _clusters_are_large(self) -> bool:
        """Whether more clusters are wanted rather than larger ones."""
        return self.cast.clustered > self.shape.cluster_size * self.cast.clusters

    def _present(self, kind: Kind, used: set[int]) -> Entity | None:
        """One of those who talk, who mostly talk about themselves."""
        speaker, addressee = self.references.speaker, self.references.addressee
        if speaker is None or addressee is None or self.rng.random() < 0.4:
            return None
        if kind == "group" and self.together is not None:
            entity = self.together
        elif kind == "person":
            entity = speaker if self.rng.random() < 0.6 else addressee
        else:
            return None
        return None if entity.numbers & used else entity

    def _filler(self, kind: Kind, used: set[int]) -> Phrase:
        """A noun phrase that refers to nothing, though one inside it may."""
        phrase = filler(self.rng, kind, self.ambiguity)
        draw = self.rng.random()
        if kind == "person" and draw < 0.1 and self.pads():
            left = Phrase("S", (Phrase("VP", (Leaf("VBD", "had"), *LEFT)),))
            return Phrase("NP", (phrase, Phrase("SBAR", (WHO, left))))
        if kind in ("person", "object") and draw > 0.9:
            other = self.cast.recent("person", used)
            if other is not None:
                used |= other.numbers
                link = Leaf("IN", "with" if kind == "person" else "from")
                inner = Phrase("PP", (link, self.references.refer(other, "object")))
                return Phrase("NP", (phrase, inner))
        return phrase

    def _newcomer(self, kind: Kind, used: set[int]) -> Entity:
        """A new entity, sometimes related to people who were mentioned: her sister, their car."""
        if kind in ("person", "object", "group") and self.rng.random() < 0.4:
            known = self.cast.recent("person", used if kind == "group" else set())
            if known is None:
                return self.cast.new(kind)
            if kind == "object":
                return self.cast.owned(known)
            if kind == "person":
                return self.cast.relative(known)
            other = self.cast.recent("person", used | known.numbers)
            if other is not None and known.name and other.name:
                return self.cast.couple(known, other)
        return self.cast.new(kind)
