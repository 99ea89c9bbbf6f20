"""A document of raw text: tokens that are slices of it, sentences, and who speaks where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from corelax.core.checks import check_items
from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.text.sentences import sentence_starts
from corelax.text.tokens import token_spans


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
    check_text(text, id)
    layers: dict[str, tuple[Any, ...]] = {}
    if speakers is None:
        words, starts, spans = _cut(text)
    else:
        words, starts, spans, said_by = [], [], [], []
        for begin, end, name in _turns(text, speaker_ranges(speakers, text, id)):
            its_words, its_starts, its_spans = _cut(text[begin:end])
            starts += [start + len(words) for start in its_starts]
            spans += [(first + begin, last + begin) for first, last in its_spans]
            words += its_words
            said_by += [name] * len(its_words)
        layers["speaker"] = tuple(said_by)
    return Document(
        id=id,
        words=tuple(words),
        sentence_starts=tuple(starts),
        layers={"offsets": tuple(spans), **layers},
        raw_text=text,
    )


def _cut(text: str) -> tuple[list[str], list[int], list[tuple[int, int]]]:
    """The words of a text, the first of each sentence, and the characters of each word."""
    spans = token_spans(text)
    words = [text[start:end] for start, end in spans]
    return words, sentence_starts(text, words, spans), spans


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
