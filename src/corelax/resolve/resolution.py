"""What a resolver finds in a text: mentions, their characters and probabilities, grouped into entities."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from corelax.core.errors import CorelaxError
from corelax.core.printable import on_one_line, shortened
from corelax.decode import Decided, Decision
from corelax.document import Clustering, Document
from corelax.resolve.parts import (
    SHOWN,
    ResolvedEntity,
    ResolvedMention,
    check_decisions,
    clusters_of,
    counted,
    entities_of,
    heads_of,
    mentions_of,
    with_characters,
)
from corelax.resolve.records import COLUMNS, from_record, record_of, rows_of

if TYPE_CHECKING:
    from corelax.resolve.replaced import ResolvedText

__all__ = ["Resolution", "ResolvedEntity", "ResolvedMention", "resolution_of"]


@dataclass(frozen=True, eq=False, repr=False)
class Resolution:
    """A text with its entities. Printed, it is a line for each; in a notebook, a coloured page.

    `len`, indexing and iteration are those of its entities. It cannot be changed. Mentions and entities are
    made when they are asked for.

    Attributes:
        text: The text; all characters are counted in it.
        source: Its words, with the characters as layer `offsets`.
        decided: What was decided about its mentions.

    >>> from corelax.document import Span
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
    source: Document
    decided: Decided | tuple[Decision, ...]

    @cached_property
    def mentions(self) -> tuple[ResolvedMention, ...]:
        """All mentions in the order of the text, outer ones first."""
        decided = self.decided
        decisions = decided.decisions() if isinstance(decided, Decided) else decided
        return mentions_of(decisions, self.source, self.text)

    @cached_property
    def entities(self) -> tuple[ResolvedEntity, ...]:
        """The entities by their first mention."""
        return entities_of(self.mentions, self.source, self.text)

    @cached_property
    def document(self) -> Document:
        """The words, with the entities as `clusters` and the characters as layer `offsets`."""
        clusters = Clustering([[m.span for m in entity.mentions] for entity in self.entities])
        return self.source.with_clusters(clusters, heads_of(self.source, self.mentions))

    @property
    def clusters(self) -> list[list[tuple[int, int]]]:
        """The entities as (start, end) in characters; they need no mentions."""
        if isinstance(self.decided, Decided):
            return clusters_of(self.source.layer("offsets"), self.decided)
        return [[(m.start, m.end) for m in entity.mentions] for entity in self.entities]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Resolution):
            return NotImplemented
        return self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    @property
    def _parts(self) -> tuple[Any, ...]:
        return self.text, self.document, self.mentions, self.entities

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

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

        >>> from corelax.document import Span
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

        >>> from corelax.document import Span
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
        """A page of its own with the text, mentions coloured by entity."""
        from corelax.render.resolution_page import resolutions_html

        return resolutions_html([self])

    def _repr_html_(self) -> str:
        from corelax.render.resolution_page import notebook_html

        return notebook_html(self)

    def __str__(self) -> str:
        return "\n".join(map(_line, self.entities))

    def __repr__(self) -> str:
        entities = counted(len(self.entities), "entity", "entities")
        mentions = counted(len(self.mentions), "mention")
        return f"<resolution of {shortened(self.text, SHOWN)!r}: {entities}, {mentions}>"


def resolution_of(
    document: Document, decisions: Iterable[Decision] | Decided, text: str | None = None
) -> Resolution:
    """Puts decisions in the order of the text and entities in the order of their first mentions.

    Args:
        document: The words. Its clusters are replaced.
        decisions: One for each mention, in any order; or the arrays of `corelax.decode.decide`.
        text: What the `offsets` of the document count in. None: the `raw_text` of the document; if it has
            none, the words joined by blanks, with offsets to fit.

    >>> from corelax.document import Span
    >>> doc = Document(id="d", words=("It", "is"), layers={"offsets": ((1, 3), (3, 5))})
    >>> it = Decision(Span(0, 1), 0, None, 1.0, 1.0, 1.0)
    >>> resolution_of(doc, [it], "¡It’s").mentions[0].text
    'It'
    """
    source, text = with_characters(document, text)
    if isinstance(decisions, Decided):
        return Resolution(text, source, decisions)
    listed = tuple(decisions)
    check_decisions(listed, len(document.words))
    return Resolution(text, source, listed)


def _line(entity: ResolvedEntity) -> str:
    mentions = (f"{on_one_line(m.text)} [{m.start}:{m.end}]" for m in entity.mentions)
    return f"{on_one_line(entity.name)}: {', '.join(mentions)}"
