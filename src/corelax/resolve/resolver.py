"""Raw text in, entities out: `Resolver.from_pretrained().resolve(text)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from corelax.core.checks import check_choice, check_items, check_number
from corelax.core.errors import CorelaxError
from corelax.core.printable import on_one_line, shortened
from corelax.decode import Decided, Decision, Pairs
from corelax.decode.scored import Scored
from corelax.document import Document, Span
from corelax.document.clustering import SINGLETONS
from corelax.rankers.encoder.batches import Item
from corelax.rankers.encoder.decisions import decided
from corelax.rankers.encoder.model import EncoderModel
from corelax.rankers.encoder.places import Places
from corelax.resolve.batching import batches_of
from corelax.resolve.corrections import Corrections, corrections_of
from corelax.resolve.given import Speakers, Text, checked, in_words, renumbered
from corelax.resolve.hub import fetched, push_folder
from corelax.resolve.loading import load_model
from corelax.resolve.mapping import map_dataset
from corelax.resolve.models import model_folder
from corelax.resolve.parts import without_alone
from corelax.resolve.resolution import Resolution, resolution_of
from corelax.resolve.steps import Prepared, cut_or_given, item_of, prepare

SpanPairs = Iterable[tuple[tuple[int, int], tuple[int, int]]]


class Resolver:
    """Finds the entities of texts: who and what a text is about, and where it mentions them.

    Args:
        model: A trained ranker, from `load_model`.
        folder: Where it was read from, if it was.

    >>> resolver = Resolver.from_pretrained()  # the model small; needs corelax[resolve]
    >>> print(resolver.resolve("Marie Curie moved to Paris. She studied there, and it became her home."))
    Marie Curie: Marie Curie [0:11], She [28:31], her [61:64]
    Paris: Paris [21:26], there [40:45], it [51:53]
    """

    def __init__(self, model: EncoderModel, folder: Path | None = None) -> None:
        self.model = model
        self.folder = folder
        self._loaded_by: tuple[Any, ...] | None = None  # the arguments of `from_pretrained`

    @classmethod
    def from_pretrained(
        cls,
        name_or_folder: str | Path | None = None,
        *,
        device: str = "auto",
        runtime: str = "auto",
        threads: int | None = None,
    ) -> Resolver:
        """A resolver with trained weights.

        Args:
            name_or_folder: A model folder, the name of an installed model, or one of the Hugging Face hub,
                such as "user/model" or "user/model@v2"; None is "small".
            device: "auto", "cpu", "cuda", "cuda:1" and so on, or "mps".
            runtime: "onnx", "torch", or "auto": onnxruntime on a CPU if it is installed and the model has
                graphs for it. "int8" multiplies bytes, by corelax-kernels if that is installed and the
                processor can run it, else by onnxruntime: faster, and not always the same entities.
            threads: How many threads compute on a CPU; None is as many as there are cores.
        """
        folder = model_folder(fetched(name_or_folder))
        model = load_model(folder, device=device, runtime=runtime, threads=threads)
        resolver = cls(model, folder)
        resolver._loaded_by = folder.absolute(), device, runtime, threads
        return resolver

    def __reduce__(self) -> tuple[Any, ...]:
        """How it is sent to another process, as by `multiprocessing.Pool`: that loads the folder, once."""
        if self._loaded_by is None:
            raise CorelaxError(
                "only a resolver of Resolver.from_pretrained can be sent to another process; write the model "
                "with corelax.rankers.encoder.save_ranker and load that folder"
            )
        return _loaded_once, (type(self), *self._loaded_by)

    def push_to_hub(
        self, name: str, *, private: bool = False, message: str = "Upload model"
    ) -> str:
        """Uploads the model to the Hugging Face hub; returns its address there.

        Args:
            name: Such as "user/model". It is created if it is not there.
            private: Whether only you see it, if it is new.
            message: Of the commit.
        """
        if self.folder is not None:
            return push_folder(self.folder, name, private=private, message=message)
        from corelax.rankers.encoder.folder import save_ranker

        with TemporaryDirectory() as folder:
            save_ranker(folder, self.model)
            return push_folder(folder, name, private=private, message=message)

    @property
    def schemes(self) -> tuple[str, ...]:
        """The annotation schemes that the model knows; the first is the default."""
        return self.model.settings.schemes

    def resolve(
        self,
        text: str | Document,
        *,
        speakers: Speakers | None = None,
        mentions: Sequence[tuple[int, int]] | None = None,
        singletons: str = "drop",
        scheme: str | None = None,
        must_link: Pairs | SpanPairs = (),
        cannot_link: Pairs | SpanPairs = (),
        consistent: bool = True,
    ) -> Resolution:
        """The entities of one text.

        Args:
            text: Raw text, or a document whose words are taken as they are.
            speakers: Who says what, as (first character, one past the last, name); for raw text.
            mentions: What to resolve, instead of looking for mentions: (first, one past the last) in
                characters of raw text, in words of a document.
            singletons: "drop" or "keep" mentions that are alone. Given mentions are always kept.
            scheme: The annotation scheme to follow; see `schemes`.
            must_link: Pairs that belong together: of stretches such as ((0, 5), (20, 23)), counted as
                mentions are; or of numbers of given mentions.
            cannot_link: Pairs that do not.
            consistent: Whether people are kept apart (*he* and *she*, *I* of two speakers), and mentions that
                are markup, unlikely verbs or overlap in one entity are left out. If not, every link that the
                network prefers is made. `must_link` goes before it, and given mentions always stay.
        """
        check_choice("singletons", singletons, SINGLETONS)
        source, document = cut_or_given(text, speakers)
        together: list[Any] = check_items("must_link", must_link)
        apart: list[Any] = check_items("cannot_link", cannot_link)
        if mentions is None:
            item = self._item(document, scheme)
            if together or apart:
                as_words = partial(in_words, source=source)
                corrections = corrections_of(together, apart, as_words)
                prepared = Prepared(source, document, item)
                return self._corrected(prepared, corrections, singletons, consistent)
            found = self._decided(document, item, singletons, consistent)
            return Resolution.later(source, found)
        mentions = check_items("mentions", mentions)
        words = in_words(mentions, source)
        given = sorted(set(words))
        position = {span: at for at, span in enumerate(given)}
        numbers = [position[span] for span in words]
        together = renumbered("must_link", together, numbers)
        apart = renumbered("cannot_link", apart, numbers)
        item = self._item(document, scheme, given)
        places = self._places(document, item)
        for mention, span in zip(mentions, words, strict=True):
            if problem := places.problem(span):
                raise CorelaxError(f"mentions: {tuple(mention)} {problem}")
        found = self._decided(document, item, "all", consistent, together, apart)
        return Resolution.later(source, found)

    __call__ = resolve

    def __repr__(self) -> str:
        name = "a model" if self.folder is None else on_one_line(self.folder.name)
        return f"<resolver of {name} by {self.model.runtime}, schemes {', '.join(self.schemes)}>"

    def resolve_mentions(
        self,
        document: Document,
        mentions: Iterable[Span],
        *,
        singletons: str = "drop",
        scheme: str | None = None,
        consistent: bool = True,
    ) -> Resolution:
        """The entities of a document among given mentions, such as annotated ones.

        Mentions that the model cannot look at (with gaps, without words, too long) stay alone, with
        probability 1. `resolve` takes them for an error.

        Args:
            document: A document whose words are taken as they are.
            mentions: Its mentions; those that are repeated count once.
            singletons: "drop" or "keep" mentions that are alone.
            scheme: As in `resolve`.
            consistent: As in `resolve`.
        """
        check_choice("singletons", singletons, SINGLETONS)
        if not isinstance(document, Document):
            raise CorelaxError(f"document must be a Document, not {type(document).__name__}")
        item = self._item(document, scheme, [])
        places = self._places(document, item)
        every = list(dict.fromkeys(check_items("mentions", mentions)))
        for mention in every:
            if not isinstance(mention, Span):
                raise CorelaxError(f"mentions: {mention!r} is not a Span")
        visible = {m for m in every if m.is_continuous and places.holds(m)}
        item = item._replace(given=sorted(visible))
        found = self._decided(document, item, "all", consistent)
        decisions = found.decisions()
        free = 1 + max((decision.entity for decision in decisions), default=-1)
        alone = [mention for mention in every if mention not in visible]
        decisions += [Decision(m, free + i, None, 1.0, 1.0, 1.0) for i, m in enumerate(alone)]
        if singletons == "drop":
            decisions = without_alone(decisions)
        return resolution_of(document, decisions)

    def pipe(
        self,
        texts: Iterable[Text],
        *,
        batch_size: int = 8,
        singletons: str = "drop",
        scheme: str | None = None,
        consistent: bool = True,
        workers: int | None = None,  # noqa: ARG002
    ) -> Iterator[Resolution]:
        """The entities of many texts, in their order.

        If a text is wrong, or what gives the texts raises an error, those before it are resolved first.

        Args:
            texts: Raw texts, documents, or pairs of a raw text and its speakers, as in `resolve`.
            batch_size: How many are resolved together.
            singletons: As in `resolve`.
            scheme: As in `resolve`.
            consistent: As in `resolve`.
        """
        if isinstance(texts, str):
            raise CorelaxError("texts must be several texts, as [text]; resolve takes a single one")
        check_number("batch_size", batch_size, at_least=1, integer=True)
        check_choice("singletons", singletons, SINGLETONS)
        if not hasattr(type(texts), "__iter__"):
            raise CorelaxError(f"texts must be a list or another iterable, not {texts!r}")

        for batch in batches_of(checked(texts), batch_size):
            prepared = prepare(self.model, batch, scheme)
            scored = self.model.score([each.item for each in prepared])
            for each, of_document in zip(prepared, scored, strict=True):
                document = each.document if consistent else None
                found = _decided(of_document, singletons, document)
                yield Resolution.later(each.source, found)

    def map(
        self,
        dataset: Any,
        *,
        column: str = "text",
        batch_size: int = 8,
        scheme: str | None = None,
    ) -> Any:
        """A dataset of the library `datasets` with the entities of its texts as new columns.

        `clusters` has (start, end) in characters, `names` what the entities are called, `resolved_text` the
        text of `Resolution.resolved_text`.

        Args:
            dataset: A `Dataset`, an `IterableDataset`, or a dictionary of splits.
            column: Which column the texts are in.
            batch_size: How many rows are resolved together.
            scheme: As in `resolve`.
        """
        check_number("batch_size", batch_size, at_least=1, integer=True)
        resolve = partial(self.pipe, batch_size=batch_size, scheme=scheme)
        return map_dataset(dataset, resolve, column=column, batch_size=batch_size)

    def _corrected(
        self,
        prepared: Prepared,
        corrections: Corrections,
        singletons: str,
        consistent: bool,
    ) -> Resolution:
        """The entities of a document under constraints on some of its spans.

        All spans that the ranker looks at, and those, are given to it.
        """
        source, document, item = prepared
        places = self._places(document, item)
        for span in sorted(corrections.spans):
            if problem := places.problem(span):
                words = " ".join(document.words[slice(*span)])
                raise CorelaxError(f"constraints: {shortened(words, 40)!r} {problem}")
        candidates = self._decided(document, item, "all", consistent)
        bounds = zip(candidates.start.tolist(), candidates.end.tolist(), strict=True)
        given = sorted({*bounds} | corrections.spans)
        found = self._decided(
            document,
            item._replace(given=given),
            singletons,
            consistent,
            *corrections.numbered(given),
        )
        return Resolution.later(source, found)

    def _decided(
        self,
        document: Document,
        item: Item,
        singletons: str,
        consistent: bool,
        must_link: Pairs = (),
        cannot_link: Pairs = (),
    ) -> Decided:
        """What is decided about the mentions of a document."""
        [scored] = self.model.score([item])
        document_or_none = document if consistent else None
        return _decided(scored, singletons, document_or_none, must_link, cannot_link)

    def memory_bound(self, words: int) -> int:
        """The most bytes that a text takes, without the weights, if no mentions are given.

        Args:
            words: The length of the text.
        """
        check_number("words", words, integer=True)
        return self.model.memory_bound(words)

    def _item(
        self, document: Document, scheme: str | None, given: list[tuple[int, int]] | None = None
    ) -> Item:
        """A document as the ranker takes it."""
        return item_of(self.model, document, scheme, given)

    def _places(self, document: Document, item: Item) -> Places:
        """Which spans of a document the ranker can look at."""
        max_width = self.model.settings.max_width
        return Places(item.windows, len(document.words), max_width)


def _decided(
    scored: Scored,
    singletons: str,
    document: Document | None,
    must_link: Pairs = (),
    cannot_link: Pairs = (),
) -> Decided:
    return decided(
        scored,
        singletons=singletons,
        reach=scored.reach,
        must_link=must_link,
        cannot_link=cannot_link,
        calibration=scored.calibration,
        document=document,
    )


@lru_cache(maxsize=2)
def _loaded_once(
    kind: type[Resolver], folder: Path, device: str, runtime: str, threads: int | None
) -> Resolver:
    """A resolver that was sent to this process; with every text that a pool resolves, it is sent again."""
    return kind.from_pretrained(folder, device=device, runtime=runtime, threads=threads)
