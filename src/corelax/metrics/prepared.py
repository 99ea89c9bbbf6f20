"""Documents made ready for counting."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from corelax.document import Document
from corelax.metrics.counts import Counts
from corelax.metrics.rules import Rules

if TYPE_CHECKING:
    from corelax.metrics.preparing import PreparationByRules


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document as it is counted.

    Attributes:
        gold: The gold entities; equal mentions of both sides are matched.
        system: The system's entities.
        images: What a mention of either side is called on the other, where that is not its own name.
        supplements: The counts of metrics that look at the nodes of mentions, by name.
    """

    gold: Sequence[Sequence[Hashable]]
    system: Sequence[Sequence[Hashable]]
    images: Mapping[Hashable, Hashable] = field(default_factory=dict)
    supplements: Mapping[str, Counts] = field(default_factory=dict)


class Preparation:
    """Prepares the documents of a run, one after the other.

    Most runs compare spans as they are; what other rules need is loaded when it is asked for.

    Args:
        rules: The rules of the run.
        supplements: Which of the metrics "mor" and "zero" are wanted.
    """

    def __init__(self, rules: Rules, supplements: Sequence[str] = ()) -> None:
        self._rules, self._supplements = rules, supplements
        self._spans_suffice = rules.are_plain and not supplements
        self._by_rules: PreparationByRules | None = None

    def prepare(self, *, gold: Document, system: Document) -> Prepared:
        """The next pair of documents, of the same words."""
        if self._spans_suffice and same_nodes(gold, system):
            return Prepared(list(gold.clusters), list(system.clusters))
        if self._by_rules is None:
            from corelax.metrics.preparing import PreparationByRules

            self._by_rules = PreparationByRules(self._rules, self._supplements)
        return self._by_rules.prepare(gold=gold, system=system)


def same_nodes(gold: Document, system: Document) -> bool:
    """Whether both sides have the same empty nodes, so that equal spans are equal sets of nodes."""
    return [node.id for node in gold.empty_nodes] == [node.id for node in system.empty_nodes]
