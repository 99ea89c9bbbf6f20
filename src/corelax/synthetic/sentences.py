"""Sentences made of clauses."""

from __future__ import annotations

from corelax.synthetic import words
from corelax.synthetic.clauses import Parts, clause, predicate
from corelax.synthetic.entities import Entity
from corelax.synthetic.story import Story
from corelax.synthetic.trees import Leaf, Phrase

COMMA = Leaf(",", ",")


def sentence(story: Story) -> Phrase:
    """A sentence of as many clauses as the shape asks for."""
    rng = story.rng
    if story.room < 4:
        return _top(_short(story))
    clauses = story.length()
    opening: Parts = ()
    if clauses > 1 and rng.random() < 0.2:
        clauses -= 1
        opening = (_side_clause(story), COMMA)
    elif story.pads() and rng.random() < 0.4:
        opening = (Phrase("ADVP", (Leaf("RB", rng.choice(words.OPENINGS)),)), COMMA)
    parts: Parts = (*opening, *clause(story))
    for _ in range(clauses - 1):
        if rng.random() < 0.5:
            parts = (*parts, _side_clause(story))
        else:
            link = Leaf("CC", rng.choice(words.LINKS))
            parts = (Phrase("S", parts), COMMA, link, Phrase("S", clause(story)))
    return _top(parts)


def greeting(story: Story, addressee: Entity) -> Phrase:
    """Hello, Anna!"""
    name = Leaf("NNP", addressee.name[0])
    person = Phrase("NP", (Phrase("", (name,), name="PERSON"),), addressee.number)
    story.cast.mention(addressee)
    hello = Phrase(
        "INTJ", (Leaf("UH", story.rng.choice(("hello", "well", "yes", "no", "please"))),)
    )
    return Phrase("TOP", (Phrase("FRAG", (hello, COMMA, person, Leaf(".", "."))),))


def _top(parts: Parts) -> Phrase:
    return Phrase("TOP", (Phrase("S", (*parts, Leaf(".", "."))),))


def _short(story: Story) -> Parts:
    """A clause with one mention or two, to end a document at its size."""
    used: set[int] = set()
    subject, _ = story.argument("person", "subject", used)
    return subject, predicate(story, story.rng.choice(words.ALONE))


def _side_clause(story: Story) -> Phrase:
    link = Leaf("IN", story.rng.choice(words.CLAUSE_LINKS))
    return Phrase("SBAR", (link, Phrase("S", clause(story))))
