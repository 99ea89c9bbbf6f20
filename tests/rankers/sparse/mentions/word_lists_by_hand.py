"""Word lists for tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from corelax.rankers.sparse.mentions.lexicons import GenderCounts, Lexicons


def word_lists(
    counts: Mapping[str, tuple[int, int, int, int]] | None = None,
    animate: Iterable[str] = (),
    inanimate: Iterable[str] = (),
    *,
    own_lists: bool = False,
) -> Lexicons:
    return Lexicons(
        counts={phrase: GenderCounts(*numbers) for phrase, numbers in (counts or {}).items()},
        animate=frozenset(animate),
        inanimate=frozenset(inanimate),
        name="by hand",
        digest="by hand",
        own_lists=own_lists,
    )
