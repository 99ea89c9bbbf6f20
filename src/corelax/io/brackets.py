"""Coreference brackets: mentions that open on one token and close on another.

CoNLL-2012 and CorefUD write them differently, but what can go wrong is the same: something closes
that was never opened, is never closed, or occurs twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from corelax.document import Span
from corelax.document.clustering import Clustering
from corelax.io.problems import Problems


@dataclass(slots=True)
class _Opening:
    """An opening bracket: the node that it stands on, its line, and what its reader wants to remember."""

    node: int
    line: int
    note: str
    is_open: bool = True


class OpenMentions:
    """The entities of one document, built while its tokens are read.

    Mentions of one entity nest: a closing bracket ends the one that was opened last. Entities are in
    the order in which they are first met, mentions in the order in which they are complete. A mention
    that an entity has twice counts once; it is an error unless `refuse_twice` is False.
    """

    def __init__(self, problems: Problems, *, refuse_twice: bool = True) -> None:
        self._problems = problems
        self._refuse_twice = refuse_twice
        self._clusters: dict[str, list[Span]] = {}
        self._open: dict[str, list[_Opening]] = {}  # by the bracket's name
        self._openings: list[_Opening] = []  # in their order; the last one is open
        self._entity_of: dict[Span, str] = {}  # the first one that has the mention
        self._others: set[tuple[str, Span]] = set()  # further entities that have it

    def open(
        self, bracket: str, token: int, line: int, *, entity: str | None = None, note: str = ""
    ) -> None:
        """A bracket opens: the beginning of a mention of `entity` (by default the bracket's name)."""
        self._clusters.setdefault(bracket if entity is None else entity, [])
        opening = _Opening(token, line, note)
        self._open.setdefault(bracket, []).append(opening)
        self._openings.append(opening)

    def close(self, brackets: Iterable[str], line: int) -> list[tuple[str, int, str]]:
        """Brackets close on one token: name, first token and note of each."""
        closed = []
        for bracket in brackets:
            stack = self._open.get(bracket)
            if not stack:
                self._problems.error(line, f"entity {bracket} closes but was never opened")
                continue
            opening = stack.pop()
            opening.is_open = False
            closed.append((bracket, opening.node, opening.note))
            if not stack:
                del self._open[bracket]
        while self._openings and not self._openings[-1].is_open:
            self._openings.pop()
        if self._openings:
            # What was opened after a mention that ends here, and is still open, crosses it.
            latest = self._openings[-1].node
            for bracket, start, _ in closed:
                if start < latest:
                    self._problems.odd(line, f"a mention of entity {bracket} crosses another one")
        return closed

    def add(self, entity: str, span: Span, line: int, sentence_start: int = 0) -> None:
        """A mention is complete."""
        cluster = self._clusters.setdefault(entity, [])
        if span not in self._entity_of:
            self._entity_of[span] = entity
        elif self._entity_of[span] == entity or (entity, span) in self._others:
            report = self._problems.error if self._refuse_twice else self._problems.odd
            report(line, f"entity {entity} has the same mention twice")
            return
        else:
            self._others.add((entity, span))
            entities = f"{self._entity_of[span]} and {entity}"
            self._problems.odd(line, f"one mention is in two entities, {entities}")
        if span.start < sentence_start:
            self._problems.odd(line, f"a mention of entity {entity} runs over a sentence end")
        cluster.append(span)

    def finish(self) -> Clustering[Span]:
        """The document ends."""
        for entity, stack in self._open.items():
            for opening in stack:
                self._problems.error(opening.line, f"entity {entity} opens but is never closed")
        return Clustering(self._clusters.values(), self._clusters)
