"""Clusterings: mentions grouped into entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError

if TYPE_CHECKING:
    from corelax.document.differences import Comparison

M = TypeVar("M", bound=Hashable)

SINGLETONS = ("keep", "drop")


class Clustering(Generic[M]):
    """An immutable sequence of entities, each a tuple of mentions.

    Mentions are any hashable things. Order and labels are kept as given, but two clusterings are
    equal when they have the same entities, whatever these are called and in whatever order they come.
    Clusters without mentions are dropped. A mention may be repeated; `repeated` says which ones are.

    >>> a = Clustering([["Ann", "she"], ["dog"]], labels=["7", "9"])
    >>> a == Clustering([["dog"], ["she", "Ann"]])
    True
    >>> a.drop_singletons()
    Clustering([('Ann', 'she')])
    """

    __slots__ = ("_clusters", "_labels")

    def __init__(
        self, clusters: Iterable[Iterable[M]] = (), labels: Iterable[str] | None = None
    ) -> None:
        entities = [tuple(cluster) for cluster in clusters]
        names = [str(i) for i in range(len(entities))] if labels is None else list(labels)
        if len(names) != len(entities):
            raise ValueError(f"{len(names)} labels for {len(entities)} clusters")
        self._clusters = tuple(c for c in entities if c)
        self._labels = tuple(name for name, c in zip(names, entities, strict=True) if c)

    def __len__(self) -> int:
        return len(self._clusters)

    def __iter__(self) -> Iterator[tuple[M, ...]]:
        return iter(self._clusters)

    @overload
    def __getitem__(self, index: int) -> tuple[M, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[tuple[M, ...], ...]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self._clusters[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Clustering):
            return NotImplemented
        return self._clusters == other._clusters or self._as_sets() == other._as_sets()

    def __hash__(self) -> int:
        return hash(frozenset(self._as_sets().items()))

    def __repr__(self) -> str:
        return f"Clustering({list(self._clusters)})"

    def _as_sets(self) -> Counter[frozenset[tuple[M, int]]]:
        return Counter(frozenset(Counter(cluster).items()) for cluster in self._clusters)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the entities: those of the file, or "0", "1", ... where none were given."""
        return self._labels

    @property
    def mentions(self) -> tuple[M, ...]:
        """All mentions, entity by entity."""
        return tuple(mention for cluster in self._clusters for mention in cluster)

    @property
    def singletons(self) -> tuple[M, ...]:
        """The mentions that are alone in their entity."""
        return tuple(cluster[0] for cluster in self._clusters if len(cluster) == 1)

    @property
    def repeated(self) -> tuple[M, ...]:
        """The mentions that occur more than once, in one entity or in several."""
        return tuple(m for m, count in Counter(self.mentions).items() if count > 1)

    def drop_singletons(self) -> Clustering[M]:
        """The entities of two or more mentions."""
        larger = [(c, name) for c, name in zip(self, self._labels, strict=True) if len(c) > 1]
        return Clustering([c for c, _ in larger], [name for _, name in larger])

    def relabel(self, name: Callable[[str], str] | None = None) -> Clustering[M]:
        """The same entities under other names: `name(old)`, or "0", "1", ... in order.

        >>> Clustering([["a"], ["b"]], labels=["x", "y"]).relabel().labels
        ('0', '1')
        """
        return Clustering(self._clusters, map(name, self._labels) if name else None)

    def compare(self, *, system: Clustering[M]) -> Comparison[M]:
        """Where `system` differs from this clustering, which is taken as gold.

        >>> gold = Clustering([["Ann", "she", "her"], ["dog", "it"]])
        >>> gold.compare(system=Clustering([["Ann", "she"], ["her", "dog", "cat"]])).merged
        (('her', 'dog', 'cat'),)
        """
        from corelax.document.differences import Comparison

        return Comparison.of(gold=self, system=system)


def without_singletons(clusters: Iterable[Sequence[M]], singletons: str) -> Iterable[Sequence[M]]:
    """The clusters to score: all of them ("keep"), or those of two and more mentions ("drop")."""
    check_choice("singletons", singletons, SINGLETONS)
    return clusters if singletons == "keep" else [c for c in clusters if len(c) > 1]


def entity_of_mentions(clusters: Iterable[Iterable[M]]) -> dict[M, int]:
    """The number of each mention's entity. A mention of several entities belongs to the first of them.

    The one rule for repeated mentions wherever a mention can have one entity only: features, gold labels of
    losses, comparisons. (The reference scorer has rules of its own: `metrics/reference/matching.py`.)

    >>> entity_of_mentions([["Ann", "she"], ["she", "Bo"]])
    {'Ann': 0, 'she': 0, 'Bo': 1}
    """
    entity_of: dict[M, int] = {}
    for entity, cluster in enumerate(clusters):
        for mention in cluster:
            entity_of.setdefault(mention, entity)
    return entity_of


def check_clusters(clusters: Iterable[Iterable[Hashable]], name: str) -> list[tuple[Hashable, ...]]:
    """The clusters as tuples, or an error that names them if their mentions cannot be compared.

    >>> check_clusters([[[0, 1]]], "gold")
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: gold: mention [0, 1] is a list; make mentions tuples
    """
    result = [tuple(cluster) for cluster in clusters]
    for mention in (mention for cluster in result for mention in cluster):
        if isinstance(mention, list):
            raise CorelaxError(f"{name}: mention {mention} is a list; make mentions tuples")
        if hasattr(mention, "detach"):
            raise CorelaxError(
                f"{name}: mentions are tensors, each equal to itself only; use .tolist()"
            )
    return result
