"""Two streams of documents side by side: which gold document goes with which system document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from typing import TypeVar

from corelax.core.errors import CorelaxError
from corelax.document.document import Document

T = TypeVar("T")
SIDES = ("gold", "system")  # in messages


def pair_documents(
    *,
    gold: Iterable[T],
    system: Iterable[T],
    key: Callable[[T], str],
) -> Iterator[tuple[T | None, T | None]]:
    """Yields (gold, system) in the order in which pairs become complete.

    Both sides are read in step; a document waits only until its mate arrives, so two files in the same
    order never take more memory than two documents. What has no mate comes last, with None beside it.

    >>> list(pair_documents(gold=["a", "b"], system=["b", "c"], key=str))
    [('b', 'b'), ('a', None), (None, 'c')]
    """
    waiting_gold: dict[str, T] = {}
    waiting_system: dict[str, T] = {}
    sides = _once(gold, key), _once(system, key)
    for gold_doc, system_doc in zip_longest(*sides):
        if gold_doc is not None:
            if (mate := waiting_system.pop(key(gold_doc), None)) is not None:
                yield gold_doc, mate
            elif system_doc is not None and key(gold_doc) == key(system_doc):
                yield gold_doc, system_doc
                continue
            else:
                waiting_gold[key(gold_doc)] = gold_doc
        if system_doc is not None:
            if (mate := waiting_gold.pop(key(system_doc), None)) is not None:
                yield mate, system_doc
            else:
                waiting_system[key(system_doc)] = system_doc
    yield from ((doc, None) for doc in waiting_gold.values())
    yield from ((None, doc) for doc in waiting_system.values())


def same_documents(
    *,
    gold: Iterable[Document],
    system: Iterable[Document],
    where: str = "",
    sides: tuple[str, str] = SIDES,
) -> Iterator[tuple[Document, Document]]:
    """(gold, system) of documents that both sides must have, with the same words.

    Args:
        gold: The gold documents.
        system: The system's documents, in any order.
        where: The system's name in messages.
        sides: What messages call the two sides.

    >>> doc = Document(id="d", words=("a",))
    >>> [ours is theirs for ours, theirs in same_documents(gold=[doc], system=[doc])]
    [True]
    """
    prefix = f"{where}: " if where else ""
    for ours, theirs in pair_documents(gold=gold, system=system, key=lambda doc: doc.name):
        if theirs is None and ours is not None:
            raise CorelaxError(
                f"{prefix}document {ours.name} is in {sides[0]} but not in {sides[1]}"
            )
        if ours is None and theirs is not None:
            raise CorelaxError(
                f"{prefix}document {theirs.name} is in {sides[1]} but not in {sides[0]}"
            )
        if ours is not None and theirs is not None:
            if difference := word_difference(gold=ours, system=theirs, sides=sides):
                raise CorelaxError(f"{prefix}{difference}")
            yield ours, theirs


def _once(documents: Iterable[T], key: Callable[[T], str]) -> Iterator[T]:
    """The documents; an error at the first name that occurs again."""
    seen: set[str] = set()
    for doc in documents:
        if (name := key(doc)) in seen:
            raise CorelaxError(
                f"document {name} occurs twice on one side ({name}_0 is the same name)"
            )
        seen.add(name)
        yield doc


def word_difference(
    *, gold: Document, system: Document, sides: tuple[str, str] = SIDES
) -> str | None:
    """The first token in which two documents differ, in words; None if their words are the same.

    >>> word_difference(gold=Document(id="d", words=("a",)), system=Document(id="d", words=("b",)))
    "document d: token 0 is 'a' in gold and 'b' in system"
    """
    if gold.words == system.words:
        return None
    for position, (ours, theirs) in enumerate(zip(gold.words, system.words, strict=False)):
        if ours != theirs:
            here, there = f"{ours!r} in {sides[0]}", f"{theirs!r} in {sides[1]}"
            return f"document {gold.name}: token {position} is {here} and {there}"
    sizes = f"{sides[0]} has {len(gold.words)} tokens, {sides[1]} has {len(system.words)}"
    return f"document {gold.name}: {sizes}"
