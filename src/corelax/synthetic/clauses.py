"""Clauses: who does what, where and when; and sentences made of them."""

from __future__ import annotations

from collections.abc import Callable

from corelax.synthetic import words
from corelax.synthetic.entities import Entity, Kind
from corelax.synthetic.references import filler, indefinite, padding, when
from corelax.synthetic.story import Story
from corelax.synthetic.trees import Leaf, Phrase
from corelax.synthetic.words import Verb

Parts = tuple[Leaf | Phrase, ...]
IT = Phrase("NP", (Leaf("PRP", "it"),))  # of the weather: refers to nothing
THERE = Phrase("NP", (Leaf("EX", "there"),))


def clause(story: Story) -> Parts:
    """A subject and what is said of it, with an adverbial at the end now and then."""
    story.clauses += 1
    frame = story.rng.choices(FRAMES, WEIGHTS)[0]
    return frame(story, set())


def predicate(story: Story, verb: Verb, *rest: Leaf | Phrase) -> Phrase:
    """A verb in the past, or with an auxiliary, and what follows it."""
    rng = story.rng
    more: list[Leaf | Phrase] = list(rest)
    if rng.random() < 0.15:
        more.append(when(rng))
    if story.pads() and rng.random() < 0.6:
        more.append(padding(rng))
    adverb = [Phrase("ADVP", (Leaf("RB", rng.choice(words.MANNER)),))] if story.pads() else []
    if not (story.pads() and rng.random() < 0.7):
        phrase = Phrase("VP", (*adverb, Leaf("VBD", verb.past), *more))
    elif rng.random() < 0.5:
        inner = Phrase("VP", (Leaf("VBN", verb.participle), *more))
        phrase = Phrase("VP", (Leaf("VBD", "had"), *adverb, inner))
    else:
        inner = Phrase("VP", (Leaf("VB", verb.base), *more))
        phrase = Phrase("VP", (Leaf("MD", rng.choice(("would", "could"))), *adverb, inner))
    return phrase


def _to_infinitive(verb: Verb, *rest: Leaf | Phrase) -> Phrase:
    inner = Phrase("VP", (Leaf("VB", verb.base), *rest))
    return Phrase("S", (Phrase("VP", (Leaf("TO", "to"), inner)),))


def _preposition(word: str, phrase: Phrase) -> Phrase:
    return Phrase("PP", (Leaf("TO" if word == "to" else "IN", word), phrase))


def _agent(story: Story, used: set[int]) -> tuple[Phrase, Entity | None]:
    kind: Kind = "person" if story.rng.random() < 0.8 else "group"
    return story.argument(kind, "subject", used)


def _acts_on_thing(story: Story, used: set[int]) -> Parts:
    subject, _ = _agent(story, used)
    verb = story.rng.choice(words.ON_THINGS)
    thing, _ = story.argument("object", "object", used)
    if story.rng.random() < 0.25:
        return subject, predicate(story, verb, thing, _preposition("in", _place(story, used)))
    return subject, predicate(story, verb, thing)


def _acts_on_person(story: Story, used: set[int]) -> Parts:
    subject, _ = _agent(story, used)
    verb = story.rng.choice(words.ON_PEOPLE)
    kind: Kind = "person" if story.rng.random() < 0.85 else "group"
    return subject, predicate(story, verb, story.argument(kind, "object", used)[0])


def _gives(story: Story, used: set[int]) -> Parts:
    subject, _ = _agent(story, used)
    verb = story.rng.choice(words.GIVING)
    thing, _ = story.argument("object", "object", used)
    to = _preposition("to", story.argument("person", "object", used)[0])
    return subject, predicate(story, verb, thing, to)


def _moves(story: Story, used: set[int]) -> Parts:
    subject, _ = _agent(story, used)
    to = story.rng.random() < 0.5
    verb = story.rng.choice(words.MOVING if to else words.STAYING)
    where = _preposition("to" if to else "in", _place(story, used))
    return subject, predicate(story, verb, where)


def _works_for(story: Story, used: set[int]) -> Parts:
    subject, _ = _agent(story, used)
    firm = _preposition("for", story.argument("organisation", "object", used)[0])
    return subject, predicate(story, Verb("work", "worked", "worked"), firm)


def _firm_acts(story: Story, used: set[int]) -> Parts:
    subject, _ = story.argument("organisation", "subject", used)
    verb = story.rng.choice(words.OF_FIRMS)
    return subject, predicate(story, verb, story.argument("person", "object", used)[0])


def _says(story: Story, used: set[int]) -> Parts:
    subject, _ = _agent(story, used)
    verb = story.rng.choice(words.SAYING)
    content = Phrase("SBAR", (Leaf("IN", "that"), Phrase("S", clause(story))))
    return subject, Phrase("VP", (Leaf("VBD", verb.past), content))


def _to_oneself(story: Story, used: set[int]) -> Parts:
    subject, entity = story.argument("person", "subject", used)
    if entity is None:
        return subject, predicate(story, story.rng.choice(words.ALONE))
    verb = story.rng.choice(words.ON_ONESELF)
    return subject, predicate(story, verb, story.references.refer(entity, "reflexive"))


def _wants(story: Story, used: set[int]) -> Parts:
    subject, _ = _agent(story, used)
    verb = story.rng.choice(words.WANTING)
    if story.rng.random() < 0.4:
        return subject, predicate(story, verb, _to_infinitive(Verb("leave", "left", "left")))
    thing, _ = story.argument("object", "object", used)
    return subject, predicate(story, verb, _to_infinitive(story.rng.choice(words.ON_THINGS), thing))


def _is_so(story: Story, used: set[int]) -> Parts:
    rng = story.rng
    kinds: tuple[Kind, ...] = ("person", "person", "object", "place", "organisation", "group")
    kind = rng.choice(kinds)
    subject, entity = story.argument(kind, "subject", used)
    pronoun = "they" if kind == "group" else "it"
    if entity is not None:
        pronoun = story.references.pronoun(entity)
    be = Leaf("VBD", "were" if pronoun in ("you", "we", "they") else "was")
    if kind == "person" and entity is not None and entity.name and rng.random() < 0.4:
        # What somebody is said to be is no mention of them in OntoNotes.
        return subject, Phrase("VP", (be, indefinite(entity.noun)))
    degree = [Leaf("RB", rng.choice(("very", "rather", "quite")))] if story.pads() else []
    state = Phrase("ADJP", (*degree, Leaf("JJ", rng.choice(words.STATES[kind]))))
    return subject, Phrase("VP", (be, state, *([when(rng)] if rng.random() < 0.2 else [])))


def _is_harmed(story: Story, used: set[int]) -> Parts:
    cause = filler(story.rng, "object", story.ambiguity)
    verb = story.rng.choice(words.HARMING)
    return cause, predicate(story, verb, story.argument("object", "object", used)[0])


def _fails(story: Story, used: set[int]) -> Parts:
    subject, _ = story.argument("object", "subject", used)
    return subject, predicate(story, story.rng.choice(words.FAILING))


def _exists(story: Story, used: set[int]) -> Parts:
    thing = filler(story.rng, "object", story.ambiguity)
    where = _preposition("in", _place(story, used))
    return THERE, Phrase("VP", (Leaf("VBD", "was"), thing, where))


def _weather(story: Story, used: set[int]) -> Parts:
    verb = story.rng.choice((Verb("rain", "rained", "rained"), Verb("snow", "snowed", "snowed")))
    return IT, predicate(story, verb, _preposition("in", _place(story, used)))


def _place(story: Story, used: set[int]) -> Phrase:
    return story.argument("place", "object", used)[0]


_FREQUENCIES: dict[Callable[[Story, set[int]], Parts], int] = {
    _acts_on_thing: 18,
    _acts_on_person: 16,
    _gives: 8,
    _moves: 10,
    _works_for: 5,
    _firm_acts: 5,
    _says: 8,
    _to_oneself: 3,
    _wants: 7,
    _is_so: 12,
    _is_harmed: 4,
    _fails: 4,
    _exists: 3,
    _weather: 2,
}
FRAMES = tuple(_FREQUENCIES)
WEIGHTS = tuple(_FREQUENCIES.values())


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
