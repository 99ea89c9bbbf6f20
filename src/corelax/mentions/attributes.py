"""What is known of a mention: type, number, gender, animacy, person, and its surroundings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from corelax.mentions import pronouns
from corelax.mentions.analysis import Analysis, Mention
from corelax.mentions.names import NO_NAME

if TYPE_CHECKING:
    from corelax.features.settings import FeatureSettings
    from corelax.mentions.lexicons import Counts, Lexicons

PROPER, NOMINAL, PRONOMINAL, DEMONSTRATIVE = "PROPER", "NOMINAL", "PRONOMINAL", "DEMONSTRATIVE"
PROPER_TAGS = frozenset(["NNP", "PROPN", "Aa"])
PLURAL_TAGS = frozenset(["NNS", "NNPS"])
COORDINATIONS = frozenset(["CC", "CCONJ"])
INANIMATE_NAMES = frozenset(
    ["LOCATION", "MONEY", "NUMBER", "PERCENT", "DATE", "TIME", "FAC", "GPE", "WEA", "ORG"]
)
MANY = 2  # the larger gender must have so many times the counts of the others together
ENOUGH = 3  # and so many counts at least


class Attributes(NamedTuple):
    """A mention with all that its features are made of. Words ending in `_lc` are lower-cased.

    `before` and `after` are the (lower-cased) words around the span, `governor` the word above the head, each
    with its tag. `context` and `long_context` are the tags above the head with the side they are on.
    """

    mention: Mention
    text: str
    head: str
    head_lc: str
    head_tag: str
    first_lc: str
    first_tag: str
    last_lc: str
    last_tag: str
    type: str
    ner: str
    number: str
    gender: str
    animacy: str
    person: str
    canonical: str
    speaker: str
    before: str
    before_tag: str
    after: str
    after_tag: str
    governor: str | None
    governor_tag: str
    governor_is_left: bool
    context: str | None
    long_context: str | None
    index_in_sentence: int

    @property
    def is_open_class(self) -> bool:
        """Whether it is a name or a noun phrase, not a pronoun."""
        return self.type in (PROPER, NOMINAL)

    @property
    def length(self) -> int:
        """Number of tokens."""
        return self.mention.end - self.mention.start


def mention_type(analysis: Analysis, mention: Mention, *, plural_names: bool = False) -> str:
    """PROPER, NOMINAL, PRONOMINAL or DEMONSTRATIVE; pronouns are single tokens."""
    head = analysis.document.words[mention.head].lower()
    if mention.end - mention.start == 1:
        if head in pronouns.DEMONSTRATIVES:
            return DEMONSTRATIVE
        if head in pronouns.PRONOUNS or analysis.pronouns[mention.head]:
            return PRONOMINAL
    tag = _tag(analysis, mention.head)
    is_name = tag in PROPER_TAGS or (plural_names and tag == "NNPS")
    return PROPER if is_name or analysis.names[mention.head] != NO_NAME else NOMINAL


def attributes(
    analysis: Analysis,
    mentions: tuple[Mention, ...],
    lexicons: Lexicons,
    settings: FeatureSettings,
) -> Iterator[Attributes]:
    """The attributes of each mention of a document, in order."""
    words = analysis.document.words
    lower = [word.lower() for word in words]
    bounds = analysis.document.sentence_bounds
    sentence, index = -1, 0
    for mention in mentions:
        start, end, head, node = mention[1:]
        index = index + 1 if mention.sentence == sentence else 1
        sentence = mention.sentence
        first, last = bounds[sentence]
        type = mention_type(analysis, mention, plural_names=settings.plural_names)
        governor, context, long_context = None, None, None
        above, governor_tag = -1, ""
        if analysis.governors is not None:
            above = analysis.governors[node]
            governor = lower[above] if above >= 0 else "[root]"
            governor_tag = _tag(analysis, above) if above >= 0 else "[ROOT]"
            context = _above(analysis, node)
            long_context = f"{context}-{_above(analysis, above)}"
        yield Attributes(
            mention=mention,
            text=" ".join(words[start:end]),
            head=words[head],
            head_lc=lower[head],
            head_tag=_tag(analysis, head),
            first_lc=lower[start],
            first_tag=_tag(analysis, start),
            last_lc=lower[end - 1] if end - 1 != head else "",
            last_tag=_tag(analysis, end - 1) if end - 1 != head else "",
            type=type,
            ner=analysis.names[head],
            number=_number(analysis, mention, type, lexicons, settings),
            gender=_gender(analysis, mention, type, lexicons),
            animacy=_animacy(analysis, mention, type, lexicons, settings),
            person=_person(analysis, lower[head], head, settings),
            canonical=_canonical(analysis, lower[head], head, type),
            speaker=analysis.speakers[head],
            before=lower[start - 1] if start > first else "<s>",
            before_tag=_tag(analysis, start - 1) if start > first else "<S>",
            after=lower[end] if end < last else "</s>",
            after_tag=_tag(analysis, end) if end < last else "</S>",
            governor=governor,
            governor_tag=governor_tag,
            governor_is_left=0 <= above < node,
            context=context,
            long_context=long_context,
            index_in_sentence=index,
        )


def _tag(analysis: Analysis, token: int) -> str:
    """The tag of a token; how it is written, where there are no tags."""
    if analysis.tags is not None:
        return analysis.tags[token]
    word = analysis.document.words[token]
    if word[0].isupper():
        return "Aa"
    return "aa" if word[0].islower() else "##" if word[0].isdigit() else "."


def _above(analysis: Analysis, token: int) -> str:
    """The tag of a token's governor, and the side that it is on."""
    if analysis.governors is None or token < 0 or (above := analysis.governors[token]) < 0:
        return "NULL"
    return f"{_tag(analysis, above)}({'L' if token > above else 'R'})"


def _canonical(analysis: Analysis, head_lc: str, head: int, type: str) -> str:
    if type in (PROPER, NOMINAL):
        return type
    known = pronouns.CANONICAL.get(head_lc)
    if known is None and analysis.morphology and "Person" in analysis.morphology[head]:
        features = analysis.morphology[head]
        return "-".join(features.get(name, "") for name in ("Person", "Number", "Gender"))
    return known or head_lc


def _person(analysis: Analysis, head_lc: str, head: int, settings: FeatureSettings) -> str:
    said = analysis.morphology[head].get("Person") if analysis.morphology else None
    if said == "1" or (said is None and head_lc in pronouns.FIRST_PERSON):
        return "1st"
    if said == "2" or (said is None and head_lc in pronouns.SECOND_PERSON):
        return "2nd"
    is_third = said == "3" or (said is None and head_lc in pronouns.THIRD_PERSON)
    return "3rd" if is_third and settings.third_person else "OTHER"


def _number(
    analysis: Analysis, mention: Mention, type: str, lexicons: Lexicons, settings: FeatureSettings
) -> str:
    head = mention.head
    said = analysis.morphology[head].get("Number") if analysis.morphology else None
    head_lc = analysis.document.words[head].lower()
    if type == PRONOMINAL:
        if said == "Sing" or (said is None and head_lc in pronouns.SINGULAR):
            return "SINGULAR"
        is_plural = said == "Plur" or (said is None and head_lc in pronouns.PLURAL)
        return "PLURAL" if is_plural else "UNKNOWN"
    if settings.number_by_tag and analysis.tags is not None:
        is_plural = said == "Plur" or analysis.tags[head] in PLURAL_TAGS
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


def _counts(analysis: Analysis, mention: Mention, lexicons: Lexicons) -> Counts:
    words = analysis.document.words
    return lexicons.counts_of(words[mention.start : mention.end], words[mention.head])


def _gender(analysis: Analysis, mention: Mention, type: str, lexicons: Lexicons) -> str:
    words, head = analysis.document.words, mention.head
    if type == PRONOMINAL:
        said = analysis.morphology[head].get("Gender") if analysis.morphology else None
        head_lc = words[head].lower()
        for gender, short, forms in (
            ("MALE", "Masc", pronouns.MALE),
            ("FEMALE", "Fem", pronouns.FEMALE),
            ("NEUTRAL", "Neut", pronouns.NEUTRAL),
        ):
            if said == short or (said is None and head_lc in forms):
                return gender
        return "UNKNOWN"
    counts = _counts(analysis, mention, lexicons)
    if analysis.names[head] == "PERSON" and words[head][0].isupper() and head > mention.start:
        first_name = words[head - 1]
        if first_name[0].isupper():
            counts = lexicons.count_of_word(first_name)
    return gender_of(counts)


def gender_of(counts: Counts) -> str:
    """The gender that has most of the counts, if it has enough. Plurals do not matter.

    >>> from corelax.mentions.lexicons import Counts
    >>> gender_of(Counts(500, 200, 50, 60)), gender_of(Counts(0, 0, 2, 0))
    ('MALE', 'UNKNOWN')
    """
    genders = counts[:3]
    for name, count in zip(("MALE", "FEMALE", "NEUTRAL"), genders, strict=True):
        if count >= ENOUGH and count >= MANY * (sum(genders) - count):
            return name
    return "UNKNOWN"


def _animacy(
    analysis: Analysis, mention: Mention, type: str, lexicons: Lexicons, settings: FeatureSettings
) -> str:
    head, ner = analysis.document.words[mention.head], analysis.names[mention.head]
    if type == PRONOMINAL and settings.pronoun_animacy == "rule":
        form = _canonical(analysis, head.lower(), mention.head, type)
        if form in pronouns.ANIMATE:
            return "ANIMATE"
        return "INANIMATE" if form in pronouns.INANIMATE else "UNKNOWN"
    if type != PRONOMINAL:
        if ner.startswith("PER") and (ner != "PERCENT" or settings.percent_animate):
            return "ANIMATE"
        if ner in INANIMATE_NAMES or ner.startswith("LOC"):
            return "INANIMATE"
        if type == PROPER and lexicons.own_lists:
            return "UNKNOWN"  # asked in lower case, "John" would be the thing
    return lexicons.animacy(head.lower() if settings.lowercase_animacy else head)
