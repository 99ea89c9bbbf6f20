"""φ_a: the features of a mention, one value for each template."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from corelax.rankers.sparse.features.settings import FeatureSettings
from corelax.rankers.sparse.mentions.analysis import Analysis
from corelax.rankers.sparse.mentions.attributes import PRONOMINAL, Attributes

RARE = "RARE"
# A pronoun and a noun never share a number feature, in the original.
PRONOUN_NUMBERS = {"SINGULAR": "SING", "PLURAL": "PLU", "UNKNOWN": "UNKNOWN"}


@dataclass(frozen=True, slots=True)
class Inventories:
    """The words that are features, lower-cased, in six places; others are stood for by their tag."""

    head: frozenset[str] = frozenset()
    first: frozenset[str] = frozenset()
    last: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    governor: frozenset[str] = frozenset()

    @classmethod
    def count(cls, mentions: Iterable[Attributes], cutoff: int) -> Inventories:
        """The words that training mentions have at least `cutoff` times in a place."""
        places: dict[str, Counter[str]] = {name: Counter() for name in cls.__dataclass_fields__}
        for mention in mentions:
            counted = {"before", "after", "governor"}
            if mention.is_open_class:
                counted |= {"head", "first", "last"} if mention.length > 1 else {"head"}
            for place, (word, _) in mention.places.items():
                if word and place in counted:
                    places[place][word] += 1
        frequent = {
            name: frozenset(word for word, count in counter.items() if count >= cutoff)
            for name, counter in places.items()
        }
        return cls(**frequent)


@dataclass(frozen=True, slots=True)
class Context:
    """What the features of a mention need to know of its document."""

    genre: str
    speakers: frozenset[str]  # normalised

    @classmethod
    def of(cls, analysis: Analysis, settings: FeatureSettings) -> Context:
        """Genre and speakers of a document."""
        speakers = {normalise_speaker(speaker) for speaker in set(analysis.speakers)}
        if not settings.empty_speakers:
            speakers.discard("")
        return cls(genre_of(analysis.document.id, settings.genre), frozenset(speakers))


def normalise_speaker(speaker: str) -> str:
    """A speaker's name as it may be found in words. "No speaker" becomes empty."""
    return speaker.translate({ord(mark): None for mark in "-_."}).lower()


def genre_of(id: str, how: str) -> str:
    """The genre that the name of a document tells.

    >>> genre_of("GUM_court_loan", "word"), genre_of("bc/cnn/00/cnn_0001", "word")
    ('court', 'bc')
    >>> genre_of("GUM_court_loan", "prefix")
    'GU'
    """
    if how == "prefix":
        return id[:2]
    if "/" in id:
        return id.split("/", 1)[0]
    parts = id.split("_")
    return parts[1] if len(parts) > 2 and parts[0] == "GUM" else "-"


def mention_values(
    mention: Attributes, context: Context, inventories: Inventories, settings: FeatureSettings
) -> list[str | None]:
    """The value of each template of `settings.mention_templates`; None where there is none."""
    shown = {
        place: word if word in getattr(inventories, place) else tag
        for place, (word, tag) in mention.places.items()
    }
    governor = shown.get("governor")
    if governor is not None and settings.governor_side:
        governor = f"{'l' if mention.governor_is_left else 'r'}-{governor}"
    head = mention.head.lower()
    is_apart = mention.type == PRONOMINAL and not settings.shared_number
    known_head = head == shown["head"] and (settings.own_tag_is_known or head in inventories.head)
    values = {
        "type": mention.type,
        "ner1": mention.ner,
        "len": _count(mention.length, settings),
        "head": shown["head"],
        "first": shown["first"],
        "last": shown["last"],
        "prec": shown["before"],
        "foll": shown["after"],
        "ctx1": mention.context,
        "ctx2": mention.long_context,
        "gov": governor,
        "sentidx": _count(mention.index_in_sentence, settings),
        "ner2": mention.ner,
        "anim": mention.animacy,
        "gender": mention.gender,
        "number": PRONOUN_NUMBERS[mention.number] if is_apart else mention.number,
        "person": mention.person,
        "canon": mention.canonical,
        "speaker": mention.speaker,
        "genre": context.genre,
        "headcase": mention.head if known_head else RARE,
        "head_in_spk": truth(any(head in speaker for speaker in context.speakers)),
        "spk_in_head": truth(any(speaker in head for speaker in context.speakers)),
    }
    return [values[template] for template in settings.mention_templates]


def _count(number: int, settings: FeatureSettings) -> str:
    return str(min(number, settings.largest_count) if settings.largest_count else number)


def truth(value: bool) -> str:
    """The value of a yes-or-no feature."""
    return "true" if value else "false"
