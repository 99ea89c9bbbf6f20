"""A training document as an epoch meets it: whole, in part, in short cuts, with men and women exchanged."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from corelax.decode.arrays import Ints
from corelax.rankers.encoder.features import LAYERS
from corelax.rankers.encoder.inputs import TextWindow
from corelax.train.encoder.config import EncoderConfig
from corelax.train.encoder.examples import Example

SENTENCE, SPEAKER = LAYERS.index("sentence"), LAYERS.index("speaker")
LONGEST_CUT = 5  # sentences
TOGETHER = 12  # paragraphs
Draw = Callable[[int], int]  # a random number below the one given


def varied(examples: Sequence[Example], config: EncoderConfig, draw: Draw) -> list[Example]:
    """The documents that a step makes of those of a batch.

    Either all are cut or none: documents of like lengths need little filling up.
    """
    is_cut = draw(1000) < 1000 * config.cuts
    result = []
    for example in examples:
        if example.twin is not None and draw(1000) < 1000 * config.swaps:
            example = example.twin
        part = part_from(example, config.max_words, draw(len(example.windows)))
        result += cuts(part, draw) if is_cut and example.known is None else [part]
    return result


def grouped(examples: Sequence[Example]) -> list[list[Example]]:
    """Documents as they are drawn: alone, but those of which only pairs are known several together.

    Those are paragraphs: a step for two of them would cost as much as one for two long documents.
    """
    whole = [[example] for example in examples if example.known is None]
    pairs = [example for example in examples if example.known is not None]
    return whole + [pairs[at : at + TOGETHER] for at in range(0, len(pairs), TOGETHER)]


def part_from(example: Example, max_words: int, first: int) -> Example:
    """The document; if it is too long, the windows from `first` on that have at most `max_words` words."""
    if example.words <= max_words:
        return example
    last, words = first + 1, example.windows[first].size
    while last < len(example.windows) and words + example.windows[last].size <= max_words:
        words += example.windows[last].size
        last += 1
    return example.part(first, last)


def cuts(example: Example, draw: Draw) -> list[Example]:
    """The document in pieces of one to five sentences, each a document of its own.

    A text of two sentences is then nothing new to a ranker.
    """
    pieces = []
    for number, window in enumerate(example.windows):
        sentences = window.layers[:, SENTENCE]
        starts = [0, *(np.flatnonzero(np.diff(sentences)) + 1).tolist()]
        at = 0
        while at < len(starts):
            after = at + 1 + draw(LONGEST_CUT)
            end = starts[after] if after < len(starts) else window.size
            pieces.append(_cut(example.part(number, number + 1), starts[at], end))
            at = after
    return pieces


def _cut(example: Example, start: int, end: int) -> Example:
    def inside(where: Ints) -> NDArray[np.bool_]:
        return (where[:, 1] >= start) & (where[:, 1] + where[:, 2] < end)

    [window] = example.windows
    return example.only((_window(window, start, end),), inside, (0, start, 0))


def _window(window: TextWindow, start: int, end: int) -> TextWindow:
    """Words `start` to `end` of a window, with the name of who speaks at the start."""
    owners = window.owners
    first = int(np.flatnonzero(owners == start)[0])
    last = int(np.flatnonzero(owners == end - 1)[-1]) + 1
    name = _name_before(owners, first)
    if not window.layers[start, SPEAKER]:
        name = name[:0]
    taken = np.concatenate([[0], name, np.arange(first, last), [len(owners) - 1]])
    return TextWindow(
        first=window.first + start,
        pieces=window.pieces[taken],
        owners=np.where(owners[taken] >= 0, owners[taken] - start, -1),
        layers=window.layers[start:end],
    )


def _name_before(owners: np.ndarray, piece: int) -> np.ndarray:
    """The pieces of the last name of a speaker before a piece; piece 0 is the mark of the beginning.

    >>> _name_before(np.array([-1, -1, -1, 0, 1, -1, 2, -1]), 4).tolist()
    [1, 2]
    """
    marks = np.flatnonzero(owners[1:piece] < 0) + 1
    if not len(marks):
        return marks
    runs = np.flatnonzero(np.diff(marks) > 1)
    return marks[runs[-1] + 1 :] if len(runs) else marks
