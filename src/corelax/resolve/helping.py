"""What a helper of `overlap.py` does: prepares texts, or decides on what the network says of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from corelax.decode import Decided
from corelax.decode.scored import Scored
from corelax.document import Document
from corelax.rankers.encoder.reader import Reader
from corelax.resolve.given import Given
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
from corelax.resolve.steps import conclude, prepare
from corelax.text.cutting import numbered
from corelax.text.raw import CutText


class Options(NamedTuple):
    """How texts are resolved; as in `Resolver.pipe`."""

    scheme: str | None
    singletons: str
    consistent: bool


class PreparedPart(NamedTuple):
    """What a helper has prepared of some texts.

    Attributes:
        cuts: Their tokens and sentences.
        items: What the network reads.
    """

    cuts: SentCuts
    items: SentItems


class Part(NamedTuple):
    """Some texts of a batch that one helper has prepared and one decides on, with their schemes."""

    given: list[str | Document]
    cuts: SentCuts
    schemes: list[int]


def helper(reader: Reader, options: Options) -> Callable[[tuple[str, Any]], Any]:
    """What a helper does: prepares texts, or decides on what was scored."""

    def prepare_all(texts: Sequence[Given]) -> PreparedPart:
        sources, _, items = zip(*prepare(reader, texts, options.scheme), strict=True)
        return PreparedPart(sent_cuts(sources), sent_items(items))

    def decide_all(task: tuple[Part, list[Row]]) -> list[Row]:
        part, rows = task
        sources = part.cuts.sources(part.given)
        results = conclude(
            reader,
            [s if isinstance(s, Document) else _document(s) for s in sources],
            part.schemes,
            [Scored(*arrays, reader.settings.reach) for arrays in tuples_of(rows)],  # type: ignore
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
