"""What a resolver finds in a text: mentions, their characters and probabilities, grouped into entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, overload

from corelax.core.errors import CorelaxError
from corelax.core.printable import on_one_line, shortened
from corelax.decode import Antecedent, Decision
from corelax.document import Document, Span
from corelax.document.clustering import Clustering
from corelax.resolve.records import COLUMNS, from_record, record_of, rows_of
from corelax.resolve.representative import representative, short_end

if TYPE_CHECKING:
    from corelax.resolve.replaced import ResolvedText

__all__ = ["Resolution", "ResolvedEntity", "ResolvedMention", "resolution_of"]

SHOWN = 50  # characters of a text in its repr


@dataclass(frozen=True, slots=True, repr=False)
class ResolvedMention(Decision):
    """A mention in its text: what was decided, and its characters.

    Its `entity` is a position in `Resolution.entities`, its `antecedent` one in `Resolution.mentions`.

    Attributes:
        start: Its first character.
        end: One past its last character.
        text: The characters.
    """

    start: int
    end: int
    text: str

    def __repr__(self) -> str:
        place = f"[{self.start}:{self.end}], entity {self.entity}, {self.entity_probability:.2f}"
        return f"<mention {shortened(self.text, SHOWN)!r} {place}>"


@dataclass(frozen=True, slots=True, repr=False)
class ResolvedEntity:
    """The mentions of one thing in the order of the text, and what to call it.

    Attributes:
        mentions: All of them.
        representative: The one that it is called by.
        name: The text of that one without relative clause, apposition and possessive ending.
    """

    mentions: tuple[ResolvedMention, ...]
    representative: ResolvedMention
    name: str

    @property
    def probability(self) -> float:
        """The mean `entity_probability` of its mentions."""
        return sum(m.entity_probability for m in self.mentions) / len(self.mentions)

    def __repr__(self) -> str:
        return (
            f"<entity {shortened(self.name, SHOWN)!r}, {_counted(len(self.mentions), 'mention')}>"
        )


@dataclass(frozen=True, slots=True, repr=False)
class Resolution:
    """A text with its entities. Printed, it is a line for each; in a notebook, a coloured page.

    `len`, indexing and iteration are those of its entities.

    Attributes:
        text: The text; all characters are counted in it.
        document: Its words, with the entities as `clusters` and the characters as layer `offsets`.
        mentions: All mentions in the order of the text, outer ones first.
        entities: The entities by their first mention.

    >>> doc = Document(id="d", words=("Ann", "said", "she", "left"))
    >>> ann = Decision(Span(0, 1), 7, None, 1.0, 0.9, 0.9)
    >>> she = Decision(Span(2, 3), 7, 0, 1.0, 0.8, 0.7)
    >>> resolution = resolution_of(doc, [ann, she])
    >>> print(resolution)
    Ann: Ann [0:3], she [9:12]
    >>> resolution, resolution[0], [entity.name for entity in resolution]
    (<resolution of 'Ann said she left': 1 entity, 2 mentions>, <entity 'Ann', 2 mentions>, ['Ann'])
    >>> resolution.clusters, round(resolution.entities[0].probability, 2)
    ([[(0, 3), (9, 12)]], 0.8)
    """

    text: str
    document: Document
    mentions: tuple[ResolvedMention, ...]
    entities: tuple[ResolvedEntity, ...]

    @property
    def clusters(self) -> list[list[tuple[int, int]]]:
        """The entities as (start, end) in characters."""
        return [[(m.start, m.end) for m in entity.mentions] for entity in self.entities]

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON takes it; `from_dict` reads it again.

        `tokens`, `sentence_starts`, `entities` and `mentions`: the latter in the order of the text, each with
        its `entity`; entities have the same dicts. A mention's `id` is its position in that order, which
        `antecedent` counts too. All ends are exclusive.
        """
        return record_of(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Resolution:
        """The resolution that `as_dict` was called on, with probabilities of four digits.

        Args:
            record: What `as_dict` gives, or `corelax resolve --json` prints.

        >>> doc = Document(id="d", words=("Ann", "left"))
        >>> resolution = resolution_of(doc, [Decision(Span(0, 1), 0, None, 1, 1, 1)])
        >>> Resolution.from_dict(resolution.as_dict()) == resolution
        True
        """
        return resolution_of(*from_record(record))

    def to_pandas(self) -> Any:
        """A data frame with a row for each mention: entity, its name, text, places, probabilities."""
        try:
            import pandas
        except ImportError:
            raise CorelaxError("pandas is not installed; pip install 'corelax[pandas]'") from None
        return pandas.DataFrame(rows_of(self), columns=COLUMNS)

    def __len__(self) -> int:
        return len(self.entities)

    def __iter__(self) -> Iterator[ResolvedEntity]:
        return iter(self.entities)

    @overload
    def __getitem__(self, number: int) -> ResolvedEntity: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[ResolvedEntity, ...]: ...
    def __getitem__(self, number: int | slice) -> ResolvedEntity | tuple[ResolvedEntity, ...]:
        return self.entities[number]

    def resolved_text(
        self,
        *,
        kinds: Collection[str] = ("pronouns", "nominals"),
        persons: Collection[int] = (3,),
        least_probability: float = 0.0,
    ) -> ResolvedText:
        """The text with mentions replaced by the names of their entities, as a reader would write it.

        What stays as it is, and why, is in `corelax.resolve.resolved_text`.

        Args:
            kinds: Which mentions: "pronouns", "nominals" (definite descriptions such as *the city*), "names"
                (shorter ones, by the name of the entity).
            persons: Of pronouns: 3 is *she*, 1 is *I*, 2 is *you*. Frequent verbs after *I* and *you* are
                adapted.
            least_probability: Mentions with a smaller `entity_probability` stay.

        Returns:
            A `str` with the methods `to_new` and `to_original`, from characters of the one text to the other.

        >>> doc = Document(id="d", words=("Ann", "fed", "her", "dog"))
        >>> ann, her = Decision(Span(0, 1), 0, None, 1, 1, 1), Decision(Span(2, 3), 0, 0, 1, 1, 0.7)
        >>> resolution = resolution_of(doc, [ann, her])
        >>> print(resolution.resolved_text())
        Ann fed Ann's dog
        >>> print(resolution.resolved_text(least_probability=0.9))
        Ann fed her dog
        """
        from corelax.resolve.resolved_text import resolved_text

        return resolved_text(
            self, kinds=kinds, persons=persons, least_probability=least_probability
        )

    def to_html(self) -> str:
        """A page of its own with the text, mentions coloured by entity; see `corelax.render.page`."""
        from corelax.render.page import resolutions_html

        return resolutions_html([self])

    def _repr_html_(self) -> str:
        from corelax.render.page import notebook_html

        return notebook_html(self)

    def __str__(self) -> str:
        return "\n".join(map(_line, self.entities))

    def __repr__(self) -> str:
        entities = _counted(len(self.entities), "entity", "entities")
        mentions = _counted(len(self.mentions), "mention")
        return f"<resolution of {shortened(self.text, SHOWN)!r}: {entities}, {mentions}>"


def resolution_of(
    document: Document, decisions: Iterable[Decision], text: str | None = None
) -> Resolution:
    """Puts decisions in the order of the text and entities in the order of their first mentions.

    Args:
        document: The words. Its clusters are replaced.
        decisions: One for each mention, in any order.
        text: What the `offsets` of the document count in. None: the `raw_text` of the document; if it has
            none, the words joined by blanks, with offsets to fit.

    >>> doc = Document(id="d", words=("It", "is"), layers={"offsets": ((1, 3), (3, 5))})
    >>> it = Decision(Span(0, 1), 0, None, 1.0, 1.0, 1.0)
    >>> resolution_of(doc, [it], "¡It’s").mentions[0].text
    'It'
    """
    text = document.raw_text if text is None else text
    if text is None:
        text, offsets = _joined(document.words)
        document = replace(document, layers={**document.layers, "offsets": offsets})
    else:
        offsets = _checked_offsets(document, text)
    listed = list(decisions)
    _check(listed, len(document.words))
    order = sorted(range(len(listed)), key=lambda i: (listed[i].span.start, -listed[i].span.end, i))
    position = {old: new for new, old in enumerate(order)}
    number: dict[int, int] = {}  # of entities, by their first mentions
    mentions = []
    for old in order:
        decision = listed[old]
        start, end = _characters(decision.span, offsets, len(text))
        mentions.append(
            ResolvedMention(
                span=decision.span,
                entity=number.setdefault(decision.entity, len(number)),
                antecedent=None if decision.antecedent is None else position[decision.antecedent],
                probability=_clipped(decision.probability),
                link_probability=_clipped(decision.link_probability),
                entity_probability=_clipped(decision.entity_probability),
                antecedents=tuple(
                    Antecedent(span, _clipped(p)) for span, p in decision.antecedents
                ),
                head=decision.head,
                start=start,
                end=end,
                text=text[start:end],
            )
        )
    groups: list[list[ResolvedMention]] = [[] for _ in number]
    for mention in mentions:
        groups[mention.entity].append(mention)
    lower = frozenset(word for word in document.words if word.islower())
    entities = tuple(_entity(group, document.words, lower, text, offsets) for group in groups)
    clusters = Clustering([[m.span for m in entity.mentions] for entity in entities])
    resolved = document.with_clusters(clusters, heads_of(document, mentions))
    return Resolution(text, resolved, tuple(mentions), entities)


def without_alone(
    decisions: Sequence[Decision], stay: Collection[Span] = frozenset()
) -> list[Decision]:
    """The decisions about mentions that are not alone, or that `stay`, with the new positions of antecedents.

    >>> left = without_alone([Decision(Span(i, i + 1), i % 2, None, 1, 1, 1) for i in range(3)])
    >>> [decision.span.start for decision in left]
    [0, 2]
    """
    sizes = Counter(decision.entity for decision in decisions)
    chosen = [at for at, d in enumerate(decisions) if sizes[d.entity] > 1 or d.span in stay]
    position = {old: new for new, old in enumerate(chosen)}
    return [
        decisions[at]
        if (antecedent := decisions[at].antecedent) is None
        else replace(decisions[at], antecedent=position[antecedent])
        for at in chosen
    ]


def heads_of(document: Document, mentions: Iterable[Decision]) -> dict[Span, int]:
    """The heads of mentions as the ranker sees them; none where the document has trees, which know better."""
    if "head" in document.layers:
        return {}
    return {mention.span: mention.head for mention in mentions if mention.head is not None}


def _clipped(probability: float) -> float:
    """A probability that was summed may be 1.0000001."""
    return min(max(float(probability), 0.0), 1.0)


def _entity(
    mentions: Sequence[ResolvedMention],
    words: Sequence[str],
    lower: frozenset[str],
    text: str,
    offsets: Sequence[tuple[int, int]],
) -> ResolvedEntity:
    of_mentions = [words[m.span.start : m.span.end] for m in mentions]
    number = representative(of_mentions, lower)
    chosen = mentions[number]
    span = Span(chosen.span.start, chosen.span.start + short_end(of_mentions[number]))
    start, end = _characters(span, offsets, len(text))
    return ResolvedEntity(tuple(mentions), chosen, text[start:end])


def _joined(words: Sequence[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Words with a blank between them, and where each is.

    >>> _joined(["a", "bc"])
    ('a bc', ((0, 1), (2, 4)))
    """
    offsets = []
    end = -1
    for word in words:
        start = end + 1
        end = start + len(word)
        offsets.append((start, end))
    return " ".join(words), tuple(offsets)


def _checked_offsets(document: Document, text: str) -> tuple[tuple[int, int], ...]:
    """The layer `offsets`, if it goes through the text from left to right."""
    offsets = document.layers.get("offsets")
    if offsets is None or None in offsets:
        raise CorelaxError(
            f"document {document.key}: a text needs the layer offsets; leave out the text"
        )
    edges = [0, *chain.from_iterable(offsets), len(text)]
    if edges != sorted(edges):
        raise CorelaxError(f"document {document.key}: its offsets do not fit the text")
    return offsets


def _check(decisions: Sequence[Decision], size: int) -> None:
    """Decisions that contradict each other or the document are an error."""
    seen = set()
    for decision in decisions:
        span, antecedent = decision.span, decision.antecedent
        place = span.bounds
        if not 0 <= span.start <= span.end <= size:
            raise CorelaxError(f"mention {place} is outside the {size} words")
        if span in seen:
            raise CorelaxError(f"mention {place} is decided twice")
        seen.add(span)
        if antecedent is None:
            continue
        if not 0 <= antecedent < len(decisions):
            raise CorelaxError(f"mention {place}: there is no decision {antecedent} to link to")
        if decisions[antecedent].entity != decision.entity or decisions[antecedent].span == span:
            raise CorelaxError(
                f"mention {place}: its antecedent must be another of the same entity"
            )


def _characters(span: Span, offsets: Sequence[tuple[int, int]], size: int) -> tuple[int, int]:
    """The first character of a mention and one past its last. One of no word is before its next word."""
    if span.start == span.end:
        place = offsets[span.start][0] if span.start < len(offsets) else size
        return place, place
    return offsets[span.start][0], offsets[span.end - 1][1]


def _counted(number: int, word: str, plural: str | None = None) -> str:
    """A number with its noun.

    >>> _counted(1, "mention"), _counted(2, "entity", "entities")
    ('1 mention', '2 entities')
    """
    return f"{number} {word if number == 1 else plural or word + 's'}"


def _line(entity: ResolvedEntity) -> str:
    mentions = (f"{on_one_line(m.text)} [{m.start}:{m.end}]" for m in entity.mentions)
    return f"{on_one_line(entity.name)}: {', '.join(mentions)}"
