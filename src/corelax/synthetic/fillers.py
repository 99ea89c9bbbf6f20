"""Noun phrases and other words that refer to nothing in the story."""

from __future__ import annotations

from random import Random

from corelax.synthetic import words
from corelax.synthetic.entities import Kind
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
