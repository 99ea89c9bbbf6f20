"""A document of raw text: tokens that are slices of it, sentences, and who speaks where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax.core.checks import check_items
from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.text.cutting import cut_texts
from corelax.text.sentences import sentence_starts
from corelax.text.vocabulary import joined


class CutText(NamedTuple):
    """A text that was cut into tokens and sentences, as arrays.

    Attributes:
        text: The text.
        id: The name of the document.
        spans: [token, 2] first and last + 1 character.
        starts: [sentence] the first token.
        turns: (speaker, number of tokens) of stretches in their order; None if no speakers are known.
    """

    text: str
    id: str
    spans: NDArray[np.integer]
    starts: NDArray[np.integer]
    turns: tuple[tuple[str | None, int], ...] | None

    @property
    def words(self) -> list[str]:
        """The tokens."""
        return [self.text[start:end] for start, end in self.spans.tolist()]

    def document(self, words: tuple[str, ...] | None = None, *, offsets: bool = True) -> Document:
        """The text as a document.

        Args:
            words: The tokens, if they are at hand.
            offsets: Whether it has the layer `offsets`, which not everybody needs.
        """
        layers: dict[str, tuple[Any, ...]] = {}
        if offsets:
            layers["offsets"] = tuple(zip(*self.spans.T.tolist(), strict=True))
        if self.turns is not None:
            layers["speaker"] = tuple(name for name, size in self.turns for _ in range(size))
        return Document(
            id=self.id,
            words=tuple(self.words) if words is None else words,
            sentence_starts=tuple(self.starts.tolist()),
            layers=layers,
            raw_text=self.text,
        )


def document_of(
    text: str, id: str = "text", speakers: Sequence[tuple[int, int, str]] | None = None
) -> Document:
    """Cuts a text into sentences and tokens, as treebanks of English do.

    A token is never altered: it is the slice of the text that the layer `offsets` gives; the text itself
    is kept as `raw_text`. Between tokens
    there is nothing but white space and characters that cannot be seen. Other scripts than Latin are
    cut at blanks and signs, Chinese at every character, Japanese also where kana begin and end. The
    time is linear in the length of the text, whatever it holds.

    Args:
        text: Any text, also an empty one.
        id: The name of the document.
        speakers: Who says what: first and last + 1 character, name. Tokens outside of all ranges have
            the speaker None. Where the speaker changes, a token and a sentence end.

    >>> text = "Ann didn't call. Dr. Li wasn't in."
    >>> doc = document_of(text, speakers=[(0, 16, "Bo"), (17, 34, "Cy")])
    >>> doc.sentences
    (('Ann', 'did', "n't", 'call', '.'), ('Dr.', 'Li', 'was', "n't", 'in', '.'))
    >>> doc.layers["offsets"][6], text[21:23], doc.layers["speaker"][6]
    ((21, 23), 'Li', 'Cy')
    """
    cut, words = cut_document(text, id, speakers)
    return cut.document(words)


def cut_document(
    text: str, id: str = "text", speakers: Sequence[tuple[int, int, str]] | None = None
) -> tuple[CutText, tuple[str, ...]]:
    """A text that is cut, and its tokens; arguments as for `document_of`."""
    check_text(text, id)
    if speakers is None:
        [alone] = cut_documents([text], id)
        return alone
    stretches = _turns(text, speaker_ranges(speakers, text, id))
    row = cut_texts([text[begin:end] for begin, end, _ in stretches])
    every = zip(stretches, row.parts(), sentence_starts(row), strict=True)
    parts, size = [], 0
    every_span, every_start, turns = [np.zeros((0, 2), np.int64)], [np.zeros(0, np.int64)], []
    for (begin, _, name), (words, spans), starts in every:
        every_start.append(starts + size)
        every_span.append(spans + begin)
        turns.append((name, len(words)))
        parts.append(words)
        size += len(words)
    cut = CutText(text, id, np.concatenate(every_span), np.concatenate(every_start), tuple(turns))
    return cut, joined(parts)


def cut_documents(texts: Sequence[str], id: str = "text") -> list[tuple[CutText, tuple[str, ...]]]:
    """What `cut_document` says of each of several texts without speakers, which are cut together."""
    for text in texts:
        check_text(text, id)
    row = cut_texts(texts)
    every = zip(texts, row.parts(), sentence_starts(row), strict=True)
    return [
        (CutText(text, id, spans, starts, None), words) for text, (words, spans), starts in every
    ]


def check_text(text: object, id: str = "text") -> None:
    """An error if a text is something else.

    >>> check_text(b"Ann")
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: document text: a text is a str, not bytes
    """
    if not isinstance(text, str):
        raise CorelaxError(f"document {id}: a text is a str, not {type(text).__name__}")


def speaker_ranges(
    speakers: Iterable[tuple[int, int, str]], text: str, id: str = "text"
) -> list[tuple[int, int, str]]:
    """Who says what, from left to right; an error if that is not in the text, or by two at once."""
    given = check_items(f"document {id}: speakers", speakers)
    ranges = sorted((_speaker_range(each, text, id) for each in given), key=lambda r: r[:2])
    for (_, done, _), (begin, end, name) in pairwise(ranges):
        if begin < done:
            raise CorelaxError(
                f"document {id}: the speaker range {begin} to {end} ({name}) begins before another ends; "
                "ranges must not overlap"
            )
    return ranges


def _turns(text: str, ranges: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str | None]]:
    """The text as stretches of one speaker. What only blanks divide is one stretch."""
    turns: list[tuple[int, int, str | None]] = []
    done = 0
    for begin, end, name in ranges:
        if text[done:begin].strip():
            turns.append((done, begin, None))
        if turns and turns[-1][2] == name:
            turns[-1] = (turns[-1][0], end, name)
        else:
            turns.append((begin, end, name))
        done = end
    return [*turns, (done, len(text), None)]


def _speaker_range(given: tuple[int, int, str], text: str, id: str) -> tuple[int, int, str]:
    """Who says what, if it is in the text."""
    match given:
        case (int(begin), int(end), str(name)) if 0 <= begin <= end <= len(text):
            return begin, end, name
    raise CorelaxError(
        f"document {id}: {given!r} is not a speaker range; needed are (start, end, name), characters of the "
        f"text from 0 to {len(text)}"
    )
