"""Raw text in, entities out: `Resolver.from_pretrained().resolve(text)`."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import index
from pathlib import Path

from corelax.core.checks import check_choice, check_number
from corelax.core.device import choose_device
from corelax.core.errors import CorelaxError
from corelax.decode import Pairs
from corelax.document import Document
from corelax.document.clustering import SINGLETONS
from corelax.rankers.encoder.decisions import decide
from corelax.rankers.encoder.folder import EncoderModel, load_ranker
from corelax.rankers.encoder.inputs import encoder_input
from corelax.rankers.encoder.scoring import (
    PIECES,
    Item,
    memory_bound,
    score_documents,
)
from corelax.resolve.models import model_folder
from corelax.resolve.resolution import Resolution, resolution_of
from corelax.text import document_of

Speakers = Sequence[tuple[int, int, str]]


class Resolver:
    """Finds who and what a text is about, and where it speaks of them.

    Args:
        model: A trained ranker, from `load_ranker`.

    >>> resolver = Resolver.from_pretrained()  # the model in the package; needs corelax[encoders]
    >>> print(resolver.resolve("Marie Curie moved to Paris. She studied there, and it became her home."))
    Marie Curie: Marie Curie [0:11], She [28:31], her [61:64]
    Paris: Paris [21:26], there [40:45], it [51:53]
    """

    def __init__(self, model: EncoderModel) -> None:
        self.model = model

    @classmethod
    def from_pretrained(
        cls, name_or_folder: str | Path | None = None, *, device: str = "auto"
    ) -> Resolver:
        """A resolver with trained weights.

        Args:
            name_or_folder: A model folder, or "small", the model that ships with the package (default).
            device: "cpu", "cuda" or "auto".
        """
        return cls(load_ranker(model_folder(name_or_folder), choose_device(device)))

    @property
    def schemes(self) -> tuple[str, ...]:
        """Ways to annotate that the model knows; the first is the default."""
        return self.model.ranker.settings.schemes

    def resolve(
        self,
        text: str | Document,
        *,
        speakers: Speakers | None = None,
        mentions: Sequence[tuple[int, int]] | None = None,
        singletons: str = "drop",
        scheme: str | None = None,
        must_link: Pairs = (),
        cannot_link: Pairs = (),
    ) -> Resolution:
        """The entities of one text.

        Args:
            text: Raw text, or a document whose words are taken as they are.
            speakers: Who says what, as (first character, one past the last, name); for raw text.
            mentions: What to resolve, instead of looking for mentions: (first, one past the last) in
                characters of raw text, in words of a document.
            singletons: "drop" or "keep" mentions that are alone. Given mentions are always kept.
            scheme: Which way to annotate; see `schemes`.
            must_link: Pairs of numbers of given mentions that belong together.
            cannot_link: Pairs that do not.
        """
        check_choice("singletons", singletons, SINGLETONS)
        document = _document(text, speakers)
        must_link, cannot_link = list(must_link), list(cannot_link)
        given = None
        if mentions is not None:
            words = _in_words(mentions, document, is_raw=isinstance(text, str))
            given = sorted(set(words))
            place = {span: at for at, span in enumerate(given)}
            numbers = [place[span] for span in words]
            must_link = _renumbered("must_link", must_link, numbers)
            cannot_link = _renumbered("cannot_link", cannot_link, numbers)
        elif must_link or cannot_link:
            raise CorelaxError(
                "must_link and cannot_link are numbers of mentions; give mentions too"
            )
        item = self._item(document, scheme, given)
        if mentions is not None:
            _check_reach(mentions, words, document, item, self.model.ranker.settings.max_width)
        decisions = []
        for scored in score_documents(self.model.ranker, [item]):
            decisions = decide(
                scored,
                singletons=singletons if given is None else "all",
                reach=self.model.ranker.settings.reach,
                must_link=must_link,
                cannot_link=cannot_link,
            )
        return resolution_of(document, decisions, text if isinstance(text, str) else None)

    def pipe(
        self,
        texts: Iterable[str | Document | tuple[str, Speakers]],
        *,
        batch_size: int = 8,
        singletons: str = "drop",
        scheme: str | None = None,
    ) -> Iterator[Resolution]:
        """The entities of many texts, in their order.

        Args:
            texts: Raw texts, documents, or pairs of a raw text and its speakers, as in `resolve`.
            batch_size: So many are resolved together.
            singletons: As in `resolve`.
            scheme: As in `resolve`.
        """
        if isinstance(texts, str):
            raise CorelaxError("texts must be several texts, as [text]; resolve takes a single one")
        check_number("batch_size", batch_size, at_least=1)
        check_choice("singletons", singletons, SINGLETONS)
        reach = self.model.ranker.settings.reach
        rest = iter(texts)
        while batch := list(islice(rest, batch_size)):
            pairs = [text if isinstance(text, tuple) else (text, None) for text in batch]
            documents = [_document(text, speakers) for text, speakers in pairs]
            every = score_documents(
                self.model.ranker, [self._item(document, scheme) for document in documents]
            )
            for (text, _), document, scored in zip(pairs, documents, every, strict=True):
                decisions = decide(scored, singletons=singletons, reach=reach)
                yield resolution_of(document, decisions, text if isinstance(text, str) else None)

    def memory_bound(self, words: int) -> int:
        """The most bytes that a text of so many words takes, beside the weights, if no mentions are given."""
        ranker, config = self.model.ranker, self.model.ranker.encoder.config
        return memory_bound(
            ranker.settings,
            size=int(config.hidden_size),
            heads=int(config.num_attention_heads),
            pieces=PIECES[ranker.device.type],
            words=words,
        )

    def _item(
        self, document: Document, scheme: str | None, given: list[tuple[int, int]] | None = None
    ) -> Item:
        scheme = check_choice("scheme", scheme or self.schemes[0], self.schemes)
        settings = self.model.ranker.settings
        windows = encoder_input(document, self.model.tokenizer, settings.window)
        return Item(windows, self.schemes.index(scheme), given)


def _document(text: str | Document, speakers: Speakers | None) -> Document:
    if not isinstance(text, Document):
        return document_of(text, speakers=speakers)
    if speakers is not None:
        raise CorelaxError("speakers of a document are its layer 'speaker'")
    return text


def _in_words(
    mentions: Sequence[tuple[int, int]], document: Document, *, is_raw: bool
) -> list[tuple[int, int]]:
    """Mentions as (first word, one past the last)."""
    size = len(document.words)
    if is_raw:
        offsets = document.layer("offsets")
        starts = {start: at for at, (start, _) in enumerate(offsets)}
        ends = {end: at + 1 for at, (_, end) in enumerate(offsets)}
    else:
        starts = {at: at for at in range(size)}
        ends = {at + 1: at + 1 for at in range(size)}
    found = []
    for start, end in _checked_pairs("mentions", mentions):
        if start not in starts or end not in ends or ends[end] <= starts[start]:
            unit = "characters" if is_raw else "words"
            raise CorelaxError(
                f"mentions: ({start}, {end}) is not a stretch of whole words; give {unit}, half-open"
            )
        found.append((starts[start], ends[end]))
    return found


def _check_reach(
    mentions: Sequence[tuple[int, int]],
    words: Sequence[tuple[int, int]],
    document: Document,
    item: Item,
    max_width: int,
) -> None:
    """Mentions that the model cannot look at are an error: it takes stretches of one sentence."""
    windows = [window.first for window in item.windows]
    for given, (start, end) in zip(mentions, words, strict=True):
        problem = None
        if end - start > max_width:
            problem = f"has {end - start} words; the model takes {max_width} at most"
        elif bisect(document.sentence_starts, start) != bisect(document.sentence_starts, end - 1):
            problem = "goes beyond its sentence; give mentions of one sentence each"
        elif bisect(windows, start) != bisect(windows, end - 1):
            problem = "is where a long sentence is cut; give shorter sentences"
        if problem:
            raise CorelaxError(f"mentions: {tuple(given)} {problem}")


def _renumbered(name: str, pairs: Pairs, numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of mentions as the user counts them, as pairs of mentions in the order of the text."""
    found = []
    for a, b in _checked_pairs(name, pairs):
        if not (0 <= a < len(numbers) and 0 <= b < len(numbers)):
            raise CorelaxError(f"{name}: ({a}, {b}): there are {len(numbers)} mentions, from 0 on")
        found.append((numbers[a], numbers[b]))
    return found


def _checked_pairs(name: str, pairs: Pairs) -> Iterator[tuple[int, int]]:
    for pair in pairs:
        try:
            a, b = map(index, pair)
        except (TypeError, ValueError):
            raise CorelaxError(f"{name}: {pair!r} is no pair of whole numbers") from None
        yield a, b
