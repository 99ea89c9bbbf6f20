"""Clauses: who does what, where and when; and sentences made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from corelax.synthetic import words
from corelax.synthetic.entities import Entity, Kind
from corelax.synthetic.references import filler, indefinite, padding, when
from corelax.synthetic.story import Story
from corelax.synthetic.trees import Leaf, Phrase
from corelax.synthetic.words import Verb

Parts = tuple[Leaf | Phrase, ...]
Frame = Callable[[Story, set[int]], Parts]
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


def _agent(story: Story, used: set[int]) -> Phrase:
    kind: Kind = "person" if story.rng.random() < 0.8 else "group"
    return story.argument(kind, "subject", used)[0]


def _object(story: Story, used: set[int], kind: Kind, after: str = "") -> Phrase:
    """What a verb acts on; after a preposition, where or for whom."""
    phrase, _ = story.argument(kind, "object", used)
    return Phrase("PP", (Leaf("TO" if after == "to" else "IN", after), phrase)) if after else phrase


def _acts(verbs: Sequence[Verb], *objects: tuple[Kind, str], subject: Kind | None = None) -> Frame:
    """Somebody, or a subject of one kind, and what is done to objects: each a kind and its preposition."""

    def frame(story: Story, used: set[int]) -> Parts:
        who = story.argument(subject, "subject", used)[0] if subject else _agent(story, used)
        verb = story.rng.choice(verbs) if len(verbs) > 1 else verbs[0]
        rest = [_object(story, used, kind, after) for kind, after in objects]
        return who, predicate(story, verb, *rest)

    return frame


def _acts_on_thing(story: Story, used: set[int]) -> Parts:
    subject = _agent(story, used)
    verb = story.rng.choice(words.ON_THINGS)
    rest = [_object(story, used, "object")]
    if story.rng.random() < 0.25:
        rest.append(_object(story, used, "place", "in"))
    return subject, predicate(story, verb, *rest)


def _acts_on_person(story: Story, used: set[int]) -> Parts:
    subject = _agent(story, used)
    verb = story.rng.choice(words.ON_PEOPLE)
    kind: Kind = "person" if story.rng.random() < 0.85 else "group"
    return subject, predicate(story, verb, _object(story, used, kind))


def _moves(story: Story, used: set[int]) -> Parts:
    subject = _agent(story, used)
    to = story.rng.random() < 0.5
    verb = story.rng.choice(words.MOVING if to else words.STAYING)
    return subject, predicate(story, verb, _object(story, used, "place", "to" if to else "in"))


def _says(story: Story, used: set[int]) -> Parts:
    subject = _agent(story, used)
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
    subject = _agent(story, used)
    verb = story.rng.choice(words.WANTING)
    if story.rng.random() < 0.4:
        return subject, predicate(story, verb, _to_infinitive(Verb("leave", "left", "left")))
    thing = _object(story, used, "object")
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
    return cause, predicate(story, verb, _object(story, used, "object"))


def _exists(story: Story, used: set[int]) -> Parts:
    thing = filler(story.rng, "object", story.ambiguity)
    where = _object(story, used, "place", "in")
    return THERE, Phrase("VP", (Leaf("VBD", "was"), thing, where))


def _weather(story: Story, used: set[int]) -> Parts:
    verb = story.rng.choice((Verb("rain", "rained", "rained"), Verb("snow", "snowed", "snowed")))
    return IT, predicate(story, verb, _object(story, used, "place", "in"))


_FREQUENCIES: dict[Frame, int] = {
    _acts_on_thing: 18,
    _acts_on_person: 16,
    _acts(words.GIVING, ("object", ""), ("person", "to")): 8,
    _moves: 10,
    _acts([Verb("work", "worked", "worked")], ("organisation", "for")): 5,
    _acts(words.OF_FIRMS, ("person", ""), subject="organisation"): 5,
    _says: 8,
    _to_oneself: 3,
    _wants: 7,
    _is_so: 12,
    _is_harmed: 4,
    _acts(words.FAILING, subject="object"): 4,
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
        # A clause with one mention or two ends the document at its size.
        return _top(_acts(words.ALONE, subject="person")(story, set()))
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


def _side_clause(story: Story) -> Phrase:
    link = Leaf("IN", story.rng.choice(words.CLAUSE_LINKS))
    return Phrase("SBAR", (link, Phrase("S", clause(story))))
