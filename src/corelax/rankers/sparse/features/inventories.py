"""Words that are frequent enough in training to be features; all others are stood for by their tag."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from corelax.rankers.sparse.mentions.attributes import Attributes


@dataclass(frozen=True, slots=True)
class Inventories:
    """Lower-cased words of six places in and around mentions."""

    head: frozenset[str] = frozenset()
    first: frozenset[str] = frozenset()
    last: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    governor: frozenset[str] = frozenset()

    @classmethod
    def count(cls, mentions: Iterable[Attributes], cutoff: int) -> Inventories:
        """The words that training mentions have at least `cutoff` times in a place.

        Heads, first and last words are counted for names and noun phrases only.
        """
        places: dict[str, Counter[str]] = {name: Counter() for name in cls.__dataclass_fields__}
        for mention in mentions:
            places["before"][mention.before] += 1
            places["after"][mention.after] += 1
            if mention.governor is not None:
                places["governor"][mention.governor] += 1
            if mention.is_open_class:
                places["head"][mention.head_lc] += 1
                if mention.length > 1:
                    places["first"][mention.first_lc] += 1
                    if mention.last_lc:
                        places["last"][mention.last_lc] += 1
        frequent = {
            name: frozenset(word for word, count in counter.items() if count >= cutoff)
            for name, counter in places.items()
        }
        return cls(**frequent)

    def as_lists(self) -> dict[str, list[str]]:
        """For a JSON file.

        >>> Inventories(head=frozenset(["reed", "car"])).as_lists()["head"]
        ['car', 'reed']
        """
        return {name: sorted(words) for name, words in asdict(self).items()}

    @classmethod
    def from_lists(cls, lists: dict[str, list[str]]) -> Inventories:
        """What `as_lists` gave."""
        return cls(**{name: frozenset(words) for name, words in lists.items()})
