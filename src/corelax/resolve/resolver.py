"""Raw text in, entities out: `Resolver.from_pretrained().resolve(text)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from corelax.core.checks import check_items, check_number
from corelax.core.device import available_threads
from corelax.core.errors import CorelaxError
from corelax.core.printable import on_one_line
from corelax.core.workers import map_in_processes
from corelax.decode import Decision, ResolveOptions, decide
from corelax.document import Document, Span
from corelax.rankers.encoder.model import EncoderModel
from corelax.resolve.constraints import Bounds, Constraints, SpanConstraints, given_constraints
from corelax.resolve.given import Speakers, Text, batches_of, document_given, documents_given
from corelax.resolve.hub import fetched, push_folder
from corelax.resolve.loading import load_model
from corelax.resolve.mapping import map_dataset
from corelax.resolve.models import model_folder
from corelax.resolve.parts import without_alone
from corelax.resolve.resolution import Resolution, resolution_of

Pairs = Iterable[tuple[int, int]]
SpanPairs = Iterable[tuple[Bounds, Bounds]]


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
        mentions: Iterable[Bounds] | None = None,
        must_link: Pairs | SpanPairs = (),
        cannot_link: Pairs | SpanPairs = (),
        **options: Any,
    ) -> Resolution:
        """The entities of one text.

        Args:
            text: Raw text, or a document whose words are taken as they are.
            speakers: Who says what, as (first character, one past the last, name); for raw text.
            mentions: What to resolve, instead of looking for mentions: (first, one past the last) in
                characters of raw text, in words of a document.
            must_link: Pairs that belong together: of stretches such as ((0, 5), (20, 23)), counted as
                mentions are; or of numbers of given mentions.
            cannot_link: Pairs that do not.
            **options: `singletons` "drop" or "keep" mentions that are alone (given mentions are always kept);
                `scheme`, the annotation scheme to follow (see `schemes`); `consistent`, whether people are
                kept apart (*he* and *she*, *I* of two speakers), and mentions that are markup, unlikely verbs
                or overlap in one entity are left out. If not, every link that the network prefers is made.
                `must_link` goes before it, and given mentions always stay.
        """
        if isinstance(text, list | tuple):
            raise CorelaxError("resolve takes a single text; for several there is pipe")
        chosen = _chosen(options)
        document = document_given(text, speakers)
        is_raw = not isinstance(text, Document)
        together = check_items("must_link", must_link)
        apart = check_items("cannot_link", cannot_link)
        if mentions is None and not together and not apart:
            [resolution] = self._resolved([document], chosen)
            return resolution
        constraints = given_constraints(document, is_raw, mentions, together, apart)
        return self._constrained(document, constraints, chosen)

    __call__ = resolve

    def __repr__(self) -> str:
        name = "a model" if self.folder is None else on_one_line(self.folder.name)
        return f"<resolver of {name} by {self.model.runtime}, schemes {', '.join(self.schemes)}>"

    def resolve_mentions(
        self, document: Document, mentions: Iterable[Span], **options: Any
    ) -> Resolution:
        """The entities of a document among given mentions, such as annotated ones.

        Mentions that the model cannot look at (with gaps, without words, too long) stay alone, with
        probability 1. `resolve` takes them for an error.

        Args:
            document: A document whose words are taken as they are.
            mentions: Its mentions; those that are repeated count once.
            **options: As in `resolve`; `singletons` "drop" leaves out given mentions that are alone, too.
        """
        chosen = _chosen(options)
        if not isinstance(document, Document):
            raise CorelaxError(f"document must be a Document, not {type(document).__name__}")
        every = list(dict.fromkeys(check_items("mentions", mentions)))
        for mention in every:
            if not isinstance(mention, Span):
                raise CorelaxError(f"mentions: {mention!r} is not a Span")
        places = self.model.places(document_given(document))
        visible = {m for m in every if m.is_continuous and places.holds(m)}
        found = self._constrained(document, SpanConstraints("written", {}), chosen, visible)
        alone = [mention for mention in every if mention not in visible]
        if chosen.singletons != "keep" or not alone:
            return found
        free = len(found.entities)
        decisions = [Decision(m, free + i, None, 1.0, 1.0, 1.0) for i, m in enumerate(alone)]
        return resolution_of(document, [*found.mentions, *decisions])

    def corrected(self, found: Resolution, constraints: Constraints, **options: Any) -> Resolution:
        """A resolution resolved again, so that its entities respect constraints.

        The mentions are those that were found and those of the constraints, less those that are removed.
        Links that are not constrained are the model's. Mentions of the constraints stay also where they are
        alone; those with gaps or without words, which only files with annotated mentions have, are left out.

        Args:
            found: The text with its entities.
            constraints: In characters of the text.
            **options: As in `resolve`.
        """
        in_words = constraints.in_words(found.source, found.text)
        written = [m.span.bounds for m in found.mentions if m.span.is_continuous]
        written = [(start, end) for start, end in written if end > start]
        return self._constrained(found.source, in_words, _chosen(options), written)

    def pipe(
        self, texts: Iterable[Text], *, batch_size: int = 8, jobs: int = 1, **options: Any
    ) -> Iterator[Resolution]:
        """The entities of many texts, in their order.

        If a text is wrong, or what gives the texts raises an error, those before it are resolved first.

        Args:
            texts: Raw texts, documents, or pairs of a raw text and its speakers, as in `resolve`.
            batch_size: How many are resolved together.
            jobs: In how many processes, each with a model of its own. With more than one, a script needs
                `if __name__ == "__main__":`.
            **options: As in `resolve`.
        """
        if isinstance(texts, str):
            raise CorelaxError("texts must be several texts, as [text]; resolve takes a single one")
        check_number("batch_size", batch_size, at_least=1, integer=True)
        check_number("jobs", jobs, at_least=1, integer=True)
        chosen = _chosen(options)
        if not hasattr(type(texts), "__iter__"):
            raise CorelaxError(f"texts must be a list or another iterable, not {texts!r}")
        batches = batches_of(documents_given(texts), batch_size)
        if jobs > 1:
            yield from self._in_processes(batches, jobs, chosen)
        for batch in batches:  # none are left after several processes
            yield from self._resolved(batch, chosen)

    def _in_processes(
        self, batches: Iterator[list[Document]], jobs: int, options: ResolveOptions
    ) -> Iterator[Resolution]:
        """What other processes resolve; an error of what gives the texts is raised after all results."""
        problem: list[Exception] = []

        def until_problem() -> Iterator[list[Document]]:
            try:
                yield from batches
            except Exception as error:
                problem.append(error)

        _, (kind, *loaded_by, threads) = self.__reduce__()
        arguments = (kind, *loaded_by, threads or max(1, available_threads() // jobs), options)
        results = map_in_processes(until_problem(), jobs, _batch_resolver, arguments, in_order=True)
        for _, resolutions in results:
            yield from resolutions
        if problem:
            raise problem[0]

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

        def resolve(texts: Iterable[str]) -> Iterator[Resolution]:
            return self.pipe(texts, batch_size=batch_size, scheme=scheme)

        return map_dataset(dataset, resolve, column=column, batch_size=batch_size)

    def memory_bound(self, words: int) -> int:
        """The most bytes that a text takes, without the weights, if no mentions are given.

        Args:
            words: The length of the text.
        """
        check_number("words", words, integer=True)
        return self.model.memory_bound(words)

    def _resolved(
        self, documents: Sequence[Document], options: ResolveOptions
    ) -> Iterator[Resolution]:
        every_scored = self.model.scored(documents, scheme=options.scheme)
        for document, scored in zip(documents, every_scored, strict=True):
            yield resolution_of(document, decide(scored, document, options))

    def _constrained(
        self,
        document: Document,
        constraints: SpanConstraints,
        options: ResolveOptions,
        written: Iterable[Bounds] = (),
    ) -> Resolution:
        """The entities of a document under constraints; all mentions are given to the ranker.

        Args:
            document: The words.
            constraints: What the entities have to respect.
            options: How to decide.
            written: The mentions that were found, if these are the others.
        """
        if constraints.mentions:
            places = self.model.places(document)
            for span, name in sorted(constraints.mentions.items()):
                if problem := places.problem(span):
                    raise CorelaxError(f"{name} {problem}")
        others = set(written)
        if constraints.others == "likely":
            [scored] = self.model.scored([document], scheme=options.scheme)
            others = {*scored.bounds}
        given = sorted((others - {*constraints.removed}) | {*constraints.mentions})
        place = {span: at for at, span in enumerate(given)}
        [scored] = self.model.scored([document], scheme=options.scheme, mentions=[given])
        decided = decide(
            scored,
            document,
            options,
            must_link=[(place[a], place[b]) for a, b in constraints.must_link],
            cannot_link=[(place[a], place[b]) for a, b in constraints.cannot_link],
            every_span=constraints.others != "likely",
        )
        if constraints.others != "written" or options.singletons == "keep":
            return resolution_of(document, decided)
        stay = {Span(*span) for span in constraints.mentions}
        return resolution_of(document, without_alone(decided.decisions(), stay))


def _chosen(options: dict[str, Any]) -> ResolveOptions:
    chosen = ResolveOptions(**options)
    if chosen.decoding == "entities":
        raise CorelaxError("an encoder ranker decodes by links; leave out 'entities'")
    return chosen


def _batch_resolver(
    kind: type[Resolver],
    folder: Path,
    device: str,
    runtime: str,
    threads: int,
    options: ResolveOptions,
) -> Callable[[list[Document]], list[Resolution]]:
    resolver = kind.from_pretrained(folder, device=device, runtime=runtime, threads=threads)
    return lambda batch: list(resolver._resolved(batch, options))


@lru_cache(maxsize=2)
def _loaded_once(
    kind: type[Resolver], folder: Path, device: str, runtime: str, threads: int | None
) -> Resolver:
    """A resolver that was sent to this process; with every text that a pool resolves, it is sent again."""
    return kind.from_pretrained(folder, device=device, runtime=runtime, threads=threads)
