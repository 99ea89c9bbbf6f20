"""What a user gives to a resolver, checked: texts and speakers, mentions, pairs of mentions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import index
from types import NoneType

from corelax.core.errors import CorelaxError
from corelax.decode import Pairs
from corelax.document import Document
from corelax.text.raw import CutText, check_text, speaker_ranges

Speakers = Sequence[tuple[int, int, str]]
Text = str | Document | tuple[str, Speakers]
Given = tuple[str | Document, Speakers | None]


def checked(texts: Iterable[Text]) -> Iterator[Given]:
    """Texts and their speakers, of which nothing is wrong and which other processes can be sent.

    Raises:
        CorelaxError: Which text is wrong, and what is wrong with it.
    """
    for number, text in enumerate(texts):
        try:
            given = _checked(text)
        except CorelaxError as error:
            raise CorelaxError(f"texts[{number}]: {error}") from None
        yield given


def _checked(text: Text) -> Given:
    given, speakers = _text_and_speakers(text)
    if isinstance(given, Document):
        _check_no_speakers(speakers)
        check_speakers(given)
        return given, None
    check_text(given)
    if speakers is not None:
        speakers = speaker_ranges(speakers, given)
    return str.__str__(given), speakers


def _text_and_speakers(given: Text) -> Given:
    """A text of several, which may be a pair of the text and its speakers."""
    if not isinstance(given, tuple):
        return given, None
    if len(given) != 2:
        raise CorelaxError(f"a pair is a text and its speakers, not {len(given)} values")
    return given


def check_speakers(document: Document) -> None:
    """An error if speakers are not names."""
    speakers = document.layers.get("speaker")
    if speakers is not None and not {type(name) for name in speakers} <= {str, NoneType}:
        raise CorelaxError(f"document {document.key}: speakers must be names, or None")


def check_single(text: str | Document, speakers: Speakers | None) -> None:
    """An error if several texts are given for one, or speakers beside a document."""
    if isinstance(text, list | tuple):
        raise CorelaxError("resolve takes a single text; for several there is pipe")
    if isinstance(text, Document):
        _check_no_speakers(speakers)


def _check_no_speakers(speakers: Speakers | None) -> None:
    """An error if speakers are given beside a document."""
    if speakers is not None:
        raise CorelaxError("speakers of a document are its layer 'speaker'")


def in_words(
    mentions: Sequence[tuple[int, int]], source: CutText | Document
) -> list[tuple[int, int]]:
    """Mentions of a raw text in characters, or of a document in words, as (first word, one past the last)."""
    is_raw = isinstance(source, CutText)
    size = len(source.words)
    if isinstance(source, CutText):
        offsets = source.spans.tolist()
        starts = {start: at for at, (start, _) in enumerate(offsets)}
        ends = {end: at + 1 for at, (_, end) in enumerate(offsets)}
    else:
        starts = {at: at for at in range(size)}
        ends = {at + 1: at + 1 for at in range(size)}
    spans = []
    for start, end in _checked_pairs("mentions", mentions):
        if start not in starts or end not in ends or ends[end] <= starts[start]:
            unit = "characters" if is_raw else "words"
            raise CorelaxError(
                f"mentions: ({start}, {end}) is not a stretch of whole words; give {unit}, half-open"
            )
        spans.append((starts[start], ends[end]))
    return spans


def renumbered(name: str, pairs: Pairs, numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of mentions as the user counts them, as pairs of mentions in the order of the text."""
    renumbered = []
    for a, b in _checked_pairs(name, pairs):
        if not (0 <= a < len(numbers) and 0 <= b < len(numbers)):
            raise CorelaxError(f"{name}: ({a}, {b}): there are {len(numbers)} mentions, from 0 on")
        renumbered.append((numbers[a], numbers[b]))
    return renumbered


def _checked_pairs(name: str, pairs: Pairs) -> Iterator[tuple[int, int]]:
    for pair in pairs:
        try:
            a, b = map(index, pair)
        except (TypeError, ValueError):
            raise CorelaxError(f"{name}: {pair!r} is not a pair of whole numbers") from None
        yield a, b
