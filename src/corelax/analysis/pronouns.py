"""Personal pronouns in resolved documents: are they linked right, and are people kept apart?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass
from typing import TYPE_CHECKING, Any

from corelax.document import Document, Span
from corelax.document.clustering import entity_of_mentions
from corelax.english.pronouns import CANONICAL, FEMALE, MALE
from corelax.metrics.counts import ratio

if TYPE_CHECKING:
    from corelax.resolve.resolution import Resolution

FIRST_SINGULAR = "i"
PERSONS = (FIRST_SINGULAR, "you", "he", "she")  # canonical forms


@dataclass(frozen=True, slots=True)
class PronounCounts:
    """Pronouns that gold links to something earlier, and how many of them are linked right. They add.

    Attributes:
        pronouns: Pronouns with an earlier mention in their gold entity.
        linked: Those that have a mention of their gold entity among their predicted antecedents: the
            antecedent, its antecedent, and so on.
        direct: Those whose predicted antecedent itself is one.

    >>> (PronounCounts(2, 2, 1) + PronounCounts(2, 1, 1)).as_dict()
    {'pronouns': 4, 'linked': 0.75, 'direct': 0.5}
    """

    pronouns: int = 0
    linked: int = 0
    direct: int = 0

    def __add__(self, other: PronounCounts) -> PronounCounts:
        return PronounCounts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def as_dict(self) -> dict[str, Any]:
        return {
            "pronouns": self.pronouns,
            "linked": float(ratio(self.linked, self.pronouns)),
            "direct": float(ratio(self.direct, self.pronouns)),
        }


@dataclass(frozen=True, slots=True)
class PeopleCounts:
    """Entities of two or more mentions, and those in which people are mixed up. They add.

    Attributes:
        entities: All entities.
        gendered: Those with a masculine or feminine pronoun (he, she, ...).
        he_and_she: Those with both.
        first_person: Those with a first-person singular pronoun (I, my, ...) of a known speaker.
        two_speakers: Those in which two speakers say one.

    >>> words = ["Ann", "met", "Bo", ".", "She", "saw", "him"]
    >>> doc = Document.from_sentences("d", [words], clusters=[[(0, 1), (4, 5), (6, 7)], [(2, 3)]])
    >>> people_counts(doc).as_dict()["he_and_she"]
    1.0
    """

    entities: int = 0
    gendered: int = 0
    he_and_she: int = 0
    first_person: int = 0
    two_speakers: int = 0

    def __add__(self, other: PeopleCounts) -> PeopleCounts:
        return PeopleCounts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def as_dict(self) -> dict[str, Any]:
        """The counts; `he_and_she` and `two_speakers` as shares of `entities` and of `first_person`."""
        return {
            **asdict(self),
            "he_and_she": float(ratio(self.he_and_she, self.entities)),
            "two_speakers": float(ratio(self.two_speakers, self.first_person)),
        }


def people_counts(document: Document) -> PeopleCounts:
    """Counts the entities of a document in which people are mixed up; those of one mention do not count."""
    speakers = document.layer("speaker")
    total = PeopleCounts()
    for entity in document.clusters.drop_singletons():
        words = [(document.words[span.start].lower(), span) for span in entity if is_word(span)]
        he = any(word in MALE for word, _ in words)
        she = any(word in FEMALE for word, _ in words)
        said_by = {
            speakers[span.start] for word, span in words if CANONICAL.get(word) == FIRST_SINGULAR
        } - {None}
        total += PeopleCounts(
            1, int(he or she), int(he and she), int(bool(said_by)), int(len(said_by) > 1)
        )
    return total


def pronoun_counts(gold: Document, resolution: Resolution) -> dict[str, PronounCounts]:
    """Counts the pronouns that are linked right, by canonical form (`PERSONS`).

    >>> from corelax.decode import Decision
    >>> from corelax.document import Clustering
    >>> from corelax.resolve.resolution import resolution_of
    >>> gold = Document(id="d", words=("Ann", "saw", "her", "dog")).with_clusters(
    ...     Clustering([[Span(0, 1), Span(2, 3)]]))
    >>> ann, her = Decision(Span(0, 1), 0, None, 1, 1, 1), Decision(Span(2, 3), 0, 0, 1, 1, 1)
    >>> pronoun_counts(gold, resolution_of(gold, [ann, her]))["she"]
    PronounCounts(pronouns=1, linked=1, direct=1)
    """
    entity_of = entity_of_mentions(gold.clusters)
    place = {mention.span: at for at, mention in enumerate(resolution.mentions)}
    totals = dict.fromkeys(PERSONS, PronounCounts())
    earlier: set[int] = set()  # gold entities that have a mention before this one
    for span in sorted(entity_of):
        entity = entity_of[span]
        kind = CANONICAL.get(gold.words[span.start].lower()) if is_word(span) else None
        if kind in totals and entity in earlier:
            chain = _antecedents(resolution, place.get(span))
            is_right = [entity_of.get(antecedent) == entity for antecedent in chain]
            totals[kind] += PronounCounts(1, int(any(is_right)), int(is_right[:1] == [True]))
        earlier.add(entity)
    return totals


def is_word(span: Span) -> bool:
    return span.is_continuous and span.end - span.start == 1


def _antecedents(resolution: Resolution, mention: int | None) -> Iterator[Span]:
    """The antecedent of a mention, the antecedent of that, and so on."""
    while mention is not None:
        mention = resolution.mentions[mention].antecedent
        if mention is not None:
            yield resolution.mentions[mention].span
