"""A training document of an encoder ranker: its windows, and where the gold mentions are in them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax.decode.arrays import Ints
from corelax.document import Document, Span
from corelax.document.clustering import Clustering, entity_of_mentions
from corelax.document.gold import MENTIONS
from corelax.rankers.encoder.inputs import TextWindow, encoder_input
from corelax.rankers.encoder.places import Places
from corelax.rankers.encoder.tokenizer import WordPieces

UNKNOWN = -1
Floats = NDArray[np.float32]


class Markables(NamedTuple):
    """Spans that are mentions, coreferent or not.

    Attributes:
        where: [mention, 3] window, first word in it, width less one.
        types: [mention] numbers of entity types, −1 for unknown.
        heads: [mention] the head word, counted from the first; −1 for unknown.
    """

    where: Ints
    types: Ints
    heads: Ints


class KnownLinks(NamedTuple):
    """Pairs of spans of which it is known whether they corefer.

    Attributes:
        later: [pair, 3] places of the later spans, as in `Markables`.
        earlier: [pair, 3] places of the earlier ones.
        same: [pair] 1 where the two corefer, 0 where they do not.
    """

    later: Ints
    earlier: Ints
    same: Ints


class SoftTargets(NamedTuple):
    """What another model believes of a document.

    Attributes:
        anaphor: [link, 3] places of spans.
        antecedent: [link, 3] places of their antecedents; the same place is "new entity".
        link: [link] the probability of each; small ones are left out.
        where: [span, 3] places of likely mentions.
        mention: [span] the probability of each; spans that are not here have none.
    """

    anaphor: Ints
    antecedent: Ints
    link: Floats
    where: Ints
    mention: Floats


class Example(NamedTuple):
    """A document as training data of a ranker.

    Attributes:
        document: The document, for its name and its entities.
        scheme: The number of the scheme that it is annotated by.
        windows: What the encoder reads.
        where: [mention, 3] window, first word in it, width less one, of gold mentions.
        entity: [mention] numbers of entities.
        sizes: [entity] mentions of each entity, those included that no window holds.
        markables: All mentions there are.
        singletons: Whether entities of one mention are annotated, and count.
        known: All that is known, if the document is not annotated as a whole but in a few pairs.
        soft: What another model believes, if it is asked.
        twin: The same document in which men are women and women are men, if there is one.
    """

    document: Document
    scheme: int
    windows: tuple[TextWindow, ...]
    where: Ints
    entity: Ints
    sizes: Ints
    markables: Markables
    singletons: bool
    known: KnownLinks | None = None
    soft: SoftTargets | None = None
    twin: Example | None = None

    @property
    def words(self) -> int:
        return sum(window.size for window in self.windows)

    def part(self, first: int, last: int) -> Example:
        """Windows `first` up to but not including `last`, with the mentions inside."""

        def inside(where: Ints) -> NDArray[np.bool_]:
            return (where[:, 0] >= first) & (where[:, 0] < last)

        return self.only(self.windows[first:last], inside, (first, 0, 0))

    def only(
        self,
        windows: tuple[TextWindow, ...],
        inside: Callable[[Ints], NDArray[np.bool_]],
        shift: tuple[int, int, int],
    ) -> Example:
        """A part of the document: its windows, which places are in it, and where it begins."""
        kept, marked = inside(self.where), inside(self.markables.where)
        entity = self.entity[kept]
        return self._replace(
            soft=None,
            windows=windows,
            where=self.where[kept] - np.array(shift),
            entity=entity,
            sizes=np.bincount(entity, minlength=len(self.sizes)),
            markables=Markables(
                self.markables.where[marked] - np.array(shift),
                self.markables.types[marked],
                self.markables.heads[marked],
            ),
        )


def make_example(
    document: Document,
    tokenizer: WordPieces,
    *,
    scheme: int,
    window: int,
    max_width: int,
    singletons: bool = False,
    markables: Document | None = None,
    types: Sequence[str] = (),
) -> Example:
    """A document as a ranker learns from it."""
    windows = encoder_input(document, tokenizer, window)
    places = Places(windows, len(document.words), max_width)
    rich = markables or document
    every = {m.bounds for doc in (document, rich) for c in doc.clusters for m in c}
    seen = sorted(span for span in every if places.holds(span))
    of_type = _types(rich, types)
    heads = rich.layers.get("head")
    return Example(
        document=document,
        scheme=scheme,
        windows=windows,
        **_entities(document, places, singletons)._asdict(),
        markables=Markables(
            places.of(seen),
            np.array([of_type.get(span, UNKNOWN) for span in seen], np.int64),
            np.array([_head(span, heads) for span in seen], np.int64),
        ),
        singletons=singletons,
    )


def with_entities(
    example: Example, entities: Clustering[Span], max_width: int, *, keep_markables: bool
) -> Example:
    """The same document with other entities, and perhaps other markables: the mentions of those."""
    document = example.document.with_clusters(entities)
    places = Places(example.windows, len(document.words), max_width)
    gold = _entities(document, places, example.singletons)
    changed = example._replace(document=document, **gold._asdict())
    if keep_markables:
        return changed
    seen = sorted(m.bounds for c in entities for m in c if places.holds(m))
    unknown = np.full(len(seen), UNKNOWN, np.int64)
    return changed._replace(markables=Markables(places.of(seen), unknown, unknown))


class _Gold(NamedTuple):
    where: Ints
    entity: Ints
    sizes: Ints


def _entities(document: Document, places: Places, singletons: bool) -> _Gold:
    """Where the gold mentions are, and the number and size of their entities."""
    clusters = [c for c in document.clusters if singletons or len(c) > 1]
    entity = entity_of_mentions([m.bounds for m in c] for c in clusters)
    spans = sorted(span for span in entity if places.holds(span))
    return _Gold(
        where=places.of(spans),
        entity=np.array([entity[span] for span in spans], np.int64),
        sizes=np.array([len(c) for c in clusters], np.int64),
    )


def digest(examples: Sequence[Example]) -> str:
    """What tells documents and their annotation from others."""
    total = hashlib.sha256()
    for example in examples:
        total.update("\n".join(example.document.words).encode("utf-8", "surrogatepass"))
        total.update(bytes([example.scheme, example.singletons]))
        for window in example.windows:  # sentences, speakers
            total.update(window.layers.tobytes())
        for array in (example.where, example.entity, *example.markables):
            total.update(array.tobytes())
    return total.hexdigest()


def _types(document: Document, types: Sequence[str]) -> dict[tuple[int, int], int]:
    number = {name: at for at, name in enumerate(types)}
    fields: Mapping[tuple[str, Span], str] = document.extra.get(MENTIONS, {})
    return {
        span.bounds: number[etype]
        for (_, span), field in fields.items()
        if (etype := field.split("-")[0]) in number
    }


def _head(span: tuple[int, int], heads: Sequence[int | None] | None) -> int:
    """The first word that depends on a word outside the span, counted from its start."""
    start, end = span
    for offset, head in enumerate(heads[start:end] if heads else ()):
        if head is not None and not start <= head < end:
            return offset
    return UNKNOWN
