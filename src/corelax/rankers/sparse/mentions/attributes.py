"""What is known of a mention: its words, type and surroundings, and what mentions of one entity agree in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from corelax.english import pronouns
from corelax.rankers.sparse.mentions.analysis import NO_NAME, Analysis, Mention

if TYPE_CHECKING:
    from corelax.rankers.sparse.features.settings import FeatureSettings
    from corelax.rankers.sparse.mentions.lexicons import GenderCounts, Lexicons

PROPER, NOMINAL, PRONOMINAL, DEMONSTRATIVE = "PROPER", "NOMINAL", "PRONOMINAL", "DEMONSTRATIVE"
PROPER_TAGS = frozenset(["NNP", "PROPN", "Aa"])
PLURAL_TAGS = frozenset(["NNS", "NNPS"])
COORDINATIONS = frozenset(["CC", "CCONJ"])
INANIMATE_NAMES = frozenset(
    ["LOCATION", "MONEY", "NUMBER", "PERCENT", "DATE", "TIME", "FAC", "GPE", "WEA", "ORG"]
)
MANY = 2  # the largest gender needs at least this many times the counts of the others together
ENOUGH = 3  # and at least this many counts


class Attributes(NamedTuple):
    """A mention with all that its features are made of.

    `places` are words in lower case with their tags: `head`, `first` and `last` in the span (`last` is empty
    where it is the head), `before` and `after` around it, and `governor` above the head if there is syntax.
    `context` and `long_context` are the tags above the head with the side they are on.
    """

    mention: Mention
    text: str
    head: str
    type: str
    ner: str
    number: str
    gender: str
    animacy: str
    person: str
    canonical: str
    speaker: str
    places: dict[str, tuple[str, str]]
    governor_is_left: bool
    context: str | None
    long_context: str | None
    index_in_sentence: int

    @property
    def governor(self) -> str | None:
        return self.places["governor"][0] if "governor" in self.places else None

    @property
    def is_open_class(self) -> bool:
        return self.type in (PROPER, NOMINAL)

    @property
    def length(self) -> int:
        return self.mention.end - self.mention.start


def mention_attributes(
    analysis: Analysis,
    mentions: tuple[Mention, ...],
    lexicons: Lexicons,
    settings: FeatureSettings,
) -> Iterator[Attributes]:
    """The attributes of each mention of a document, in order."""
    words = analysis.document.words

    def place(token: int) -> tuple[str, str]:
        return words[token].lower(), tag_of(analysis, token)

    sentence, index = -1, 0
    for mention in mentions:
        start, end, head, node = mention[1:]
        index = index + 1 if mention.sentence == sentence else 1
        sentence = mention.sentence
        first, last = analysis.document.sentence_bounds[sentence]
        type = mention_type(analysis, mention, plural_names=settings.plural_names)
        places = {
            "head": place(head),
            "first": place(start),
            "last": place(end - 1) if end - 1 != head else ("", ""),
            "before": place(start - 1) if start > first else ("<s>", "<S>"),
            "after": place(end) if end < last else ("</s>", "</S>"),
        }
        above, context, long_context = -1, None, None
        if analysis.governors is not None:
            above = analysis.governors[node]
            places["governor"] = place(above) if above >= 0 else ("[root]", "[ROOT]")
            context = _above(analysis, node)
            long_context = f"{context}-{_above(analysis, above)}"
        yield Attributes(
            mention=mention,
            text=" ".join(words[start:end]),
            head=words[head],
            type=type,
            ner=analysis.names[head],
            number=number_of(analysis, mention, type, lexicons, settings),
            gender=mention_gender(analysis, mention, type, lexicons),
            animacy=animacy_of(analysis, mention, type, lexicons, settings),
            person=person_of(analysis, head, settings),
            canonical=canonical_of(analysis, words[head].lower(), head, type),
            speaker=analysis.speakers[head],
            places=places,
            governor_is_left=0 <= above < node,
            context=context,
            long_context=long_context,
            index_in_sentence=index,
        )


def _above(analysis: Analysis, token: int) -> str:
    """The tag of a token's governor, and the side that it is on."""
    if analysis.governors is None or token < 0 or (above := analysis.governors[token]) < 0:
        return "NULL"
    return f"{tag_of(analysis, above)}({'L' if token > above else 'R'})"


def mention_type(analysis: Analysis, mention: Mention, *, plural_names: bool = False) -> str:
    """PROPER, NOMINAL, PRONOMINAL or DEMONSTRATIVE; pronouns are single tokens."""
    head = analysis.document.words[mention.head].lower()
    if mention.end - mention.start == 1:
        if head in pronouns.DEMONSTRATIVES:
            return DEMONSTRATIVE
        if head in pronouns.PRONOUNS or analysis.pronouns[mention.head]:
            return PRONOMINAL
    tag = tag_of(analysis, mention.head)
    is_name = tag in PROPER_TAGS or (plural_names and tag == "NNPS")
    return PROPER if is_name or analysis.names[mention.head] != NO_NAME else NOMINAL


def tag_of(analysis: Analysis, token: int) -> str:
    """The tag of a token; how it is written, where there are no tags."""
    if analysis.tags is not None:
        return analysis.tags[token]
    word = analysis.document.words[token]
    if word[0].isupper():
        return "Aa"
    return "aa" if word[0].islower() else "##" if word[0].isdigit() else "."


def canonical_of(analysis: Analysis, head_lc: str, head: int, type: str) -> str:
    """The form that stands for all forms of a pronoun; for others their type.

    Pronouns that the English table does not know are told by their person, number and gender.
    """
    if type in (PROPER, NOMINAL):
        return type
    known = pronouns.CANONICAL.get(head_lc)
    if known is None and analysis.morphology and "Person" in analysis.morphology[head]:
        features = analysis.morphology[head]
        return "-".join(features.get(name, "") for name in ("Person", "Number", "Gender"))
    return known or head_lc


def _is(analysis: Analysis, head: int, feature: str, value: str, forms: frozenset[str]) -> bool:
    """Whether the morphology of a head says so; where it says nothing, whether its form does."""
    annotated = analysis.morphology[head].get(feature) if analysis.morphology else None
    if annotated is not None:
        return annotated == value
    return analysis.document.words[head].lower() in forms


def person_of(analysis: Analysis, head: int, settings: FeatureSettings) -> str:
    """1st, 2nd, 3rd (if there is such a value) or OTHER."""
    if _is(analysis, head, "Person", "1", pronouns.FIRST_PERSON):
        return "1st"
    if _is(analysis, head, "Person", "2", pronouns.SECOND_PERSON):
        return "2nd"
    is_third = settings.third_person and _is(analysis, head, "Person", "3", pronouns.THIRD_PERSON)
    return "3rd" if is_third else "OTHER"


def number_of(
    analysis: Analysis, mention: Mention, type: str, lexicons: Lexicons, settings: FeatureSettings
) -> str:
    """SINGULAR or PLURAL; of pronouns also UNKNOWN."""
    head = mention.head
    if type == PRONOMINAL:
        if _is(analysis, head, "Number", "Sing", pronouns.SINGULAR):
            return "SINGULAR"
        return "PLURAL" if _is(analysis, head, "Number", "Plur", pronouns.PLURAL) else "UNKNOWN"
    if settings.number_by_tag and analysis.tags is not None:
        is_plural = _is(analysis, head, "Number", "Plur", frozenset())
        is_plural = is_plural or analysis.tags[head] in PLURAL_TAGS
        return "PLURAL" if is_plural or _is_coordination(analysis, mention) else "SINGULAR"
    counts = _counts(analysis, mention, lexicons)
    singular = counts.masculine + counts.feminine + counts.neuter
    return "SINGULAR" if singular >= counts.plural else "PLURAL"


def _is_coordination(analysis: Analysis, mention: Mention) -> bool:
    """Whether the head has a conjunct to its right, in the mention."""
    if analysis.tags is None or analysis.governors is None:
        return False
    for token in range(mention.head + 1, mention.end):
        if analysis.tags[token] in COORDINATIONS:
            above = analysis.governors[token]
            # In constituency trees the head governs the conjunction, in UD the conjunct does.
            if above == mention.node or (above >= 0 and analysis.governors[above] == mention.node):
                return True
    return False


def _counts(analysis: Analysis, mention: Mention, lexicons: Lexicons) -> GenderCounts:
    words = analysis.document.words
    return lexicons.counts_of(words[mention.start : mention.end], words[mention.head])


def mention_gender(analysis: Analysis, mention: Mention, type: str, lexicons: Lexicons) -> str:
    """MALE, FEMALE, NEUTRAL or UNKNOWN. Of a person with a first name, that decides."""
    words, head = analysis.document.words, mention.head
    if type == PRONOMINAL:
        for gender, short, forms in (
            ("MALE", "Masc", pronouns.MALE),
            ("FEMALE", "Fem", pronouns.FEMALE),
            ("NEUTRAL", "Neut", pronouns.NEUTRAL),
        ):
            if _is(analysis, head, "Gender", short, forms):
                return gender
        return "UNKNOWN"
    counts = _counts(analysis, mention, lexicons)
    if analysis.names[head] == "PERSON" and words[head][0].isupper() and head > mention.start:
        first_name = words[head - 1]
        if first_name[0].isupper():
            counts = lexicons.count_of_word(first_name)
    return gender_of(counts)


def gender_of(counts: GenderCounts) -> str:
    """The gender that has most of the counts, if it has enough. Plurals do not matter."""
    genders = counts[:3]
    for name, count in zip(("MALE", "FEMALE", "NEUTRAL"), genders, strict=True):
        if count >= ENOUGH and count >= MANY * (sum(genders) - count):
            return name
    return "UNKNOWN"


def animacy_of(
    analysis: Analysis, mention: Mention, type: str, lexicons: Lexicons, settings: FeatureSettings
) -> str:
    """ANIMATE, INANIMATE or UNKNOWN: by the type of name, else by word lists."""
    head, ner = analysis.document.words[mention.head], analysis.names[mention.head]
    if type == PRONOMINAL and settings.pronoun_animacy == "rule":
        form = canonical_of(analysis, head.lower(), mention.head, type)
        if form in pronouns.ANIMATE:
            return "ANIMATE"
        return "INANIMATE" if form in pronouns.INANIMATE else "UNKNOWN"
    if type != PRONOMINAL:
        if ner.startswith("PER") and (ner != "PERCENT" or settings.percent_animate):
            return "ANIMATE"
        if ner in INANIMATE_NAMES or ner.startswith("LOC"):
            return "INANIMATE"
        if type == PROPER and lexicons.own_lists and not settings.animacy_as_written:
            return "UNKNOWN"  # asked in lower case, "John" would be the thing
    head = head.lower() if settings.lowercase_animacy else head
    return lexicons.animacy(head, as_written=settings.animacy_as_written)
