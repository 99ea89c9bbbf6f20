"""Coreference brackets: mentions that open on one token and close on another.

CoNLL-2012 and CorefUD write them differently, but what can go wrong is the same: something closes
that was never opened, is never closed, or occurs twice.
"""

from __future__ import annotations

from collections.abc import Iterable

from corelax.document import Span
from corelax.document.clustering import Clustering
from corelax.io.problems import Problems


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
        self._open: dict[str, list[tuple[int, int, str]]] = {}  # bracket → first token, line, note
        self._entity_of: dict[Span, str] = {}

    def open(
        self, bracket: str, token: int, line: int, *, entity: str | None = None, note: str = ""
    ) -> None:
        """A bracket opens: the beginning of a mention of `entity` (by default the bracket's name)."""
        self._clusters.setdefault(bracket if entity is None else entity, [])
        self._open.setdefault(bracket, []).append((token, line, note))

    def close(self, brackets: Iterable[str], line: int) -> list[tuple[str, int, str]]:
        """Brackets close on one token: name, first token and note of each."""
        closed = []
        for bracket in brackets:
            stack = self._open.get(bracket)
            if not stack:
                self._problems.error(line, f"entity {bracket} closes but was never opened")
                continue
            token, _, note = stack.pop()
            closed.append((bracket, token, note))
            if not stack:
                del self._open[bracket]
        if self._open:
            # What was opened after a mention that ends here, and is still open, crosses it.
            latest = max(stack[-1][0] for stack in self._open.values())
            for bracket, start, _ in closed:
                if start < latest:
                    self._problems.odd(line, f"a mention of entity {bracket} crosses another one")
        return closed

    def add(self, entity: str, span: Span, line: int, sentence_start: int = 0) -> None:
        """A mention is complete."""
        cluster = self._clusters.setdefault(entity, [])
        if span not in self._entity_of:
            self._entity_of[span] = entity
        elif span in cluster:
            report = self._problems.error if self._refuse_twice else self._problems.odd
            report(line, f"entity {entity} has the same mention twice")
            return
        else:
            entities = f"{self._entity_of[span]} and {entity}"
            self._problems.odd(line, f"one mention is in two entities, {entities}")
        if span.start < sentence_start:
            self._problems.odd(line, f"a mention of entity {entity} runs over a sentence end")
        cluster.append(span)

    def finish(self) -> Clustering[Span]:
        """The document ends."""
        for entity, stack in self._open.items():
            for _, line, _ in stack:
                self._problems.error(line, f"entity {entity} opens but is never closed")
        return Clustering(self._clusters.values(), self._clusters)
