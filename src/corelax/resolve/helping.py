"""What a helper of `overlap.py` does: prepares texts, or decides on what the network says of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from corelax.decode import Decided
from corelax.document import Document
from corelax.rankers.encoder.items import Item
from corelax.rankers.encoder.reader import Reader
from corelax.rankers.encoder.scored import ScoredDocument
from corelax.resolve.given import Speakers
from corelax.resolve.sending import (
    Arrays,
    Row,
    SentCuts,
    SentItems,
    rows_of,
    sent_cuts,
    sent_items,
    tuples_of,
)
from corelax.resolve.steps import conclude, cut_or_given, item_of
from corelax.text.cutting import numbered
from corelax.text.raw import CutText

Given = tuple[str | Document, Speakers | None]


class Options(NamedTuple):
    """How texts are resolved; as in `Resolver.pipe`."""

    scheme: str | None
    singletons: str
    consistent: bool


class PreparedPart(NamedTuple):
    """What a helper has prepared of some texts: those before the first that is wrong.

    Attributes:
        cuts: Their tokens and sentences.
        items: What the network reads.
        problem: What is wrong with the text that follows.
    """

    cuts: SentCuts
    items: SentItems
    problem: Exception | None


class Part(NamedTuple):
    """Some texts of a batch that one helper has prepared and one decides on, with their schemes."""

    given: list[str | Document]
    cuts: SentCuts
    schemes: list[int]


def helper(reader: Reader, options: Options) -> Callable[[tuple[str, Any]], Any]:
    """What a helper does: prepares texts, or decides on what was scored."""

    def prepare_all(texts: Sequence[Given]) -> PreparedPart:
        sources: list[CutText | Document] = []
        items: list[Item] = []
        problem: Exception | None = None
        for text, speakers in texts:
            try:
                source, document = cut_or_given(text, speakers)
                items.append(item_of(reader, document, options.scheme))
            except Exception as error:
                problem = error
                break
            sources.append(source)
        return PreparedPart(sent_cuts(sources), sent_items(items), problem)

    def decide_all(task: tuple[Part, list[Row]]) -> list[Row]:
        part, rows = task
        sources = part.cuts.sources(part.given)
        results = conclude(
            reader,
            [s if isinstance(s, Document) else _document(s) for s in sources],
            part.schemes,
            [ScoredDocument(*arrays) for arrays in tuples_of(rows)],
            singletons=options.singletons,
            consistent=options.consistent,
        )
        return rows_of([_complete(decided) for decided in results])

    steps: dict[str, Callable[[Any], Any]] = {"prepare": prepare_all, "decide": decide_all}
    return lambda task: steps[task[0]](task[1])


def _document(cut: CutText) -> Document:
    """The words of a text, as they are decided on."""
    return cut.document(numbered(cut.words), offsets=False)


def _complete(decided: Decided) -> Arrays:
    """All that was decided, as arrays."""
    arrays: tuple[Any, ...] = decided.complete()
    return arrays
