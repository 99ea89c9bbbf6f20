"""Constraints on a text whose mentions are looked for: pairs of stretches that are one, or are not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple

from corelax.core.errors import CorelaxError

Bounds = tuple[int, int]
InWords = Callable[[Sequence[Bounds]], list[Bounds]]


class Corrections(NamedTuple):
    """Constraints in words.

    Attributes:
        must_link: Pairs of (first word, one past the last) that are one entity.
        cannot_link: Pairs that are not.
    """

    must_link: list[tuple[Bounds, Bounds]]
    cannot_link: list[tuple[Bounds, Bounds]]

    @property
    def spans(self) -> set[Bounds]:
        """All that is spoken of."""
        return {span for pair in (*self.must_link, *self.cannot_link) for span in pair}

    def numbered(
        self, mentions: Collection[Bounds]
    ) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """The pairs as positions in the sorted mentions."""
        place = {span: at for at, span in enumerate(sorted(mentions))}
        return (
            [(place[a], place[b]) for a, b in self.must_link],
            [(place[a], place[b]) for a, b in self.cannot_link],
        )


def corrections_of(
    must_link: Iterable[Any], cannot_link: Iterable[Any], in_words: InWords
) -> Corrections:
    """Constraints that do not contradict each other.

    Args:
        must_link: Pairs such as ((0, 5), (20, 23)), as the user counts.
        cannot_link: The same.
        in_words: From stretches as the user counts to words; an error if they are none.

    >>> corrections_of([((0, 1), (4, 5))], [], list).must_link
    [((0, 1), (4, 5))]
    >>> corrections_of([((0, 1), (4, 5))], [((4, 5), (0, 1))], list)
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: cannot_link: (4, 5) and (0, 1) must be linked as well
    """
    together = [_pair("must_link", pair) for pair in must_link]
    apart = [_pair("cannot_link", pair) for pair in cannot_link]
    group = {span: {span} for pair in together for span in pair}
    for a, b in together:
        merged = group[a] | group[b]
        group.update(dict.fromkeys(merged, merged))
    for a, b in apart:
        if a == b:
            raise CorelaxError(f"cannot_link: {a} is the same mention twice")
        if b in group.get(a, ()):
            raise CorelaxError(f"cannot_link: {a} and {b} must be linked as well")
    return Corrections(
        [_pair_in_words("must_link", pair, in_words) for pair in together],
        [_pair_in_words("cannot_link", pair, in_words) for pair in apart],
    )


def _pair_in_words(
    name: str, pair: tuple[Bounds, Bounds], in_words: InWords
) -> tuple[Bounds, Bounds]:
    try:
        first, second = in_words(pair)
    except CorelaxError as error:
        raise CorelaxError(f"{name}: {str(error).removeprefix('mentions: ')}") from None
    return first, second


def _pair(name: str, pair: Any) -> tuple[Bounds, Bounds]:
    try:
        (a, b), (c, d) = pair
    except (TypeError, ValueError):
        raise CorelaxError(
            f"{name}: {pair!r} is not a pair of stretches, as ((0, 5), (20, 23)); "
            "numbers of mentions go with mentions"
        ) from None
    return (a, b), (c, d)
