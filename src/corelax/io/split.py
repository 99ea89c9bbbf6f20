"""Split antecedents: an entity that stands for several others together, as "they" for Ann and Bo.

Formats write them in different ways; a document has them under `SPLIT` in `Document.extra`, the labels of the
antecedents by the label of the entity that stands for them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from corelax.io.problems import Problems, quote

NOT_SCORED = "split antecedents are kept but not scored"


class SplitAntecedents:
    """The split antecedents of one document, built while it is read.

    >>> split = SplitAntecedents(Problems("a.conllu"))
    >>> split.read("Entity=(e3)|SplitAnte=e1<e3,e2<e3", line=1)
    >>> split.of(["e1", "e2", "e3"])
    {'e3': ('e1', 'e2')}
    """

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._elements: dict[str, dict[str, None]] = {}  # by set, in order
        self._lines: dict[str, int] = {}  # where each entity is named first

    def add(self, element: str, wholes: Iterable[str], line: int) -> None:
        """An entity is an element of others."""
        self._problems.odd_once(line, NOT_SCORED)
        for whole in wholes:
            self._elements.setdefault(whole, {})[element] = None
            for entity in (element, whole):
                self._lines.setdefault(entity, line)

    def read(self, misc: str, line: int) -> None:
        """The attribute `SplitAnte=e1<e3,e2<e3` of CorefUD."""
        for item in misc.split("|"):
            if item.startswith("SplitAnte="):
                for pair in item.removeprefix("SplitAnte=").split(","):
                    element, mark, whole = pair.partition("<")
                    if mark and element and whole:
                        self.add(element, [whole], line)
                    else:
                        self._problems.error(line, f"SplitAnte= needs e1<e2, not {quote(pair)}")

    def of(self, labels: Collection[str]) -> dict[str, tuple[str, ...]]:
        """The antecedents of each entity that has several, of the entities that there are."""
        known = set(labels)
        for entity, line in self._lines.items():
            if entity not in known:
                self._problems.odd(
                    line, f"split antecedents name entity {quote(entity)}, which has no mention"
                )
        found = {
            whole: tuple(entity for entity in elements if entity in known)
            for whole, elements in self._elements.items()
            if whole in known
        }
        return {whole: elements for whole, elements in found.items() if elements}
