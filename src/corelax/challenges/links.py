"""Whether predicted entities link a pronoun and a name that are given by their characters.

A pronoun has to be found as it is. A name is often part of a longer mention, so there are three rules
for it, named in `MATCHES`:

- `head`: mention and name end at the same character, a possessive ending aside. `the actress Zoe
  Telford` and `Telford's` are mentions of `Zoe Telford`, `Zoe Telford's mother` is not. An apposition or
  clause that a mention takes in behind the name (`Zoe Telford, who ...`) makes it another mention.
- `exact`: mention and name have the same characters.
- `nested`: one of them contains the other. Lenient: `Zoe Telford's mother` counts as `Zoe Telford`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.english.pronouns import POSSESSIVE_ENDINGS

CharSpan = tuple[int, int]  # the first character and the one after the last
CharClusters = Iterable[Iterable[CharSpan]]
T = TypeVar("T")


def _head(text: str, mention: CharSpan, name: CharSpan) -> bool:
    return _last_word_end(text, mention) == _last_word_end(text, name)


def _exact(_text: str, mention: CharSpan, name: CharSpan) -> bool:
    return mention == name


def _nested(_text: str, mention: CharSpan, name: CharSpan) -> bool:
    inside = name[0] <= mention[0] and mention[1] <= name[1]
    return inside or (mention[0] <= name[0] and name[1] <= mention[1])


MATCHES: dict[str, Callable[[str, CharSpan, CharSpan], bool]] = {
    "head": _head,
    "exact": _exact,
    "nested": _nested,
}


def pronoun_entities(
    clusters: CharClusters, *, text: str, pronoun: CharSpan, where: str
) -> list[list[CharSpan]]:
    """The entities that have the pronoun: one, or none, unless entities share mentions.

    >>> text = "Ann saw Bo. She waved."
    >>> pronoun_entities([[(0, 3), (12, 15)], [(8, 10)]], text=text, pronoun=(12, 15), where="item")
    [[(0, 3), (12, 15)]]
    """
    entities = []
    for cluster in clusters:
        mentions = [(int(start), int(end)) for start, end in cluster]
        for start, end in mentions:
            if not 0 <= start < end <= len(text):
                message = f"mention ({start}, {end}) is not in its text of {len(text)} characters"
                raise CorelaxError(f"{where}: {message}")
        if pronoun in mentions:
            entities.append(mentions)
    return entities


def is_linked(
    entities: Iterable[Iterable[CharSpan]], *, text: str, name: CharSpan, match: str = "head"
) -> bool:
    """Whether one of the pronoun's entities has a mention of the name.

    >>> text = "Ann's mother saw the tall Ann. She waved."
    >>> is_linked([[(17, 29)]], text=text, name=(26, 29))
    True
    >>> is_linked([[(0, 12)]], text=text, name=(0, 3))
    False
    >>> is_linked([[(0, 12)]], text=text, name=(0, 3), match="nested")
    True
    """
    matches = MATCHES[check_choice("match", match, MATCHES)]
    return any(matches(text, mention, name) for mentions in entities for mention in mentions)


class PronounItem(Protocol):
    """A text with a pronoun to resolve."""

    @property
    def id(self) -> str:
        """Its name."""

    @property
    def text(self) -> str:
        """The text."""

    @property
    def pronoun(self) -> CharSpan:
        """The characters of the pronoun."""


def linked_names(
    item: PronounItem, clusters: CharClusters, *, names: Sequence[CharSpan], match: str = "head"
) -> list[bool]:
    """For each name, whether predicted entities link the pronoun of an item with it."""
    entities = pronoun_entities(
        clusters, text=item.text, pronoun=item.pronoun, where=f"item {item.id}"
    )
    return [is_linked(entities, text=item.text, name=name, match=match) for name in names]


def answered(
    items: Sequence[T], predicted: Iterable[CharClusters]
) -> Iterator[tuple[T, CharClusters]]:
    """Each item with its entities. One side longer than the other is an error.

    >>> list(answered(["a", "b"], [[]]))
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: there are 2 items but 1 answers; give one list of entities for each item
    """
    number = 0
    for number, clusters in enumerate(predicted, 1):
        if number <= len(items):
            yield items[number - 1], clusters
    if number != len(items):
        raise CorelaxError(
            f"there are {len(items)} items but {number} answers; give one list of entities for each item"
        )


def _last_word_end(text: str, span: CharSpan) -> int:
    """Where the words of a span end, without white space and a possessive ending."""
    words = text[slice(*span)].rstrip()
    for ending in POSSESSIVE_ENDINGS:
        if words.endswith(ending):
            words = words.removesuffix(ending).rstrip()
            break
    return span[0] + len(words)
