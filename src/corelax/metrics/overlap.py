"""Overlap: all that any coreference metric needs to know about gold × system.

Metrics are formulas over an `Overlap` that use nothing but arithmetic and the methods below. The
classes here are abstract about their arrays: exact overlaps count mentions and store the non-empty cells
of the gold × system table only (`counted.py`); relaxed ones (`corelax.relax`) sum probabilities in dense,
differentiable arrays, each when a metric first asks for it. A metric cannot tell the two apart, so the
relaxed metric tends to the exact one by construction.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class Side:
    """One clustering: its entities and its pairs of mentions.

    Attributes:
        size: [entity] number of mentions.
        links: [entity] number of pairs of mentions inside.
        linked_size: [entity] number of mentions that have company: `size`, but 0 for a singleton.
        entities: number of entities.
        mentions: number of mentions.
        between: number of pairs of mentions of one document that lie in different entities.
    """

    size: Any
    links: Any
    linked_size: Any
    entities: Any
    mentions: Any
    between: Any


class Overlap(ABC):
    """Gold × system. A *cell* is a pair of a gold and a system entity.

    Attributes:
        gold: The gold entities.
        system: The system's entities.
        shared: [cell] mentions in both entities.
        written: [cell] those of `shared` that the system really writes out. The same array in exact
            overlaps; relaxed ones weight each mention by its chance to appear.
        nonempty: [cell] 1 where `shared` > 0 (relaxed: the chance of that).
        links: [cell] pairs of mentions that are in both entities.
        matched: number of mentions that both sides have.
        alone_on_both: number of mentions that are a singleton on both sides.
        between: number of pairs of mentions that both sides put in different entities.
    """

    gold: Side
    system: Side
    shared: Any
    written: Any
    nonempty: Any
    links: Any
    matched: Any
    alone_on_both: Any
    between: Any

    @property
    @abstractmethod
    def gold_size(self) -> Any:
        """`gold.size`, laid out so that it broadcasts against cells."""

    @property
    @abstractmethod
    def system_size(self) -> Any:
        """`system.size`, laid out so that it broadcasts against cells."""

    @abstractmethod
    def by_gold(self, cells: Any) -> Any:
        """[cell] → [gold entity]: sums over the system's entities."""

    @abstractmethod
    def by_system(self, cells: Any) -> Any:
        """[cell] → [system entity]: sums over the gold entities."""

    @abstractmethod
    def total(self, values: Any) -> Any:
        """The sum of cells or entities."""

    @abstractmethod
    def share(self, part: Any, whole: Any) -> Any:
        """Elementwise part / whole, 0 where the whole is 0."""

    @abstractmethod
    def best_alignment(self, similarity: Any) -> Any:
        """The largest sum of `similarity` [cell] over one-to-one pairings of entities."""
