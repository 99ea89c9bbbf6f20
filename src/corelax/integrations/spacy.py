"""A spaCy component: `nlp.add_pipe("corelax")` puts entities into `doc.spans["coref_clusters_1"]`, `_2`, ...

The groups come by first mention. Their `attrs` have the entity's `probability` and the place of its
`representative` mention in the group. `doc._.coref_clusters`, `doc._.resolved_text` and `token._.entity` are
read from them, so that they are there again when a document is loaded from disk; `doc.user_data["corelax"]`
has the prefix of the groups and the number of each token's innermost entity. A second call overwrites the
groups of the first. Tokens are spaCy's; sentences too, if a component has set them, otherwise they are those
that `corelax.text` finds.

When a document fails, spaCy's error handler is called with it alone, whatever batch it was in. The default
handler raises. If one is set that does not (`nlp.set_error_handler`), `nlp(text)` returns the document
without entities and `nlp.pipe` leaves it out, as with spaCy's own components. A model that cannot be
loaded is an error of `nlp.pipe` whatever the handler.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import count, islice
from typing import TYPE_CHECKING, Any, Optional

from corelax.core.checks import check_choice, check_number
from corelax.core.errors import CorelaxError
from corelax.document import Document, Span
from corelax.document.clustering import SINGLETONS
from corelax.resolve.models import DEFAULT
from corelax.text.sentences import sentence_starts
from corelax.text.tokens import is_visible

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from corelax.resolve import Resolution

try:
    from spacy.language import Language
    from spacy.tokens import SpanGroup
except ImportError:
    has_spacy = False
else:
    has_spacy = True

__all__ = ["CoreferenceComponent", "Settings", "document_from", "make_component"]

USER_DATA = "corelax"
PREFIX = "coref_clusters"
_ENGLISH = {"en", "xx"}  # xx: of several languages
ErrorHandler = Callable[[str, Any, list[Any], Exception], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of the component. A saved pipeline has these and no weights.

    Attributes:
        model: The folder of a model, or the name of an installed one; None is "small". A saved pipeline has
            no copy of it.
        prefix: What the names of the span groups start with, before `_1`.
        batch_size: How many documents `nlp.pipe` gives to the model at once (spaCy's own batch size if
            that is less).
        singletons: "drop" or "keep" entities of one mention.
        scheme: The annotation scheme, of those that the model knows; None is its first.
        device: "auto", "cpu" or "cuda".

    >>> Settings(batch_size=0)
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: batch_size must be a whole number and at least 1, not 0
    """

    model: str | None = None
    prefix: str = PREFIX
    batch_size: int = 8
    singletons: str = "drop"
    scheme: str | None = None
    device: str = "auto"

    def __post_init__(self) -> None:
        check_choice("singletons", self.singletons, SINGLETONS)
        check_number("batch_size", self.batch_size, at_least=1, integer=True)
        if not self.prefix:
            raise CorelaxError("prefix must be a word, as 'coref_clusters'")


class CoreferenceComponent:
    """What `nlp.add_pipe("corelax")` adds to a pipeline.

    Whether there is a model is checked when the component is added. It is loaded when the first document with
    a word comes. Set `resolver` to use one that is loaded already; it is not saved with the pipeline.
    """

    def __init__(self, name: str = "corelax", settings: Settings | None = None) -> None:
        if not has_spacy:
            raise CorelaxError("spaCy is not installed; pip install 'corelax[spacy]'")
        self.name = name
        self.settings = Settings() if settings is None else settings
        add_attributes()
        self._resolver: Any = None
        self._error_handler: ErrorHandler = _raise_error

    def load(self) -> None:
        """Loads the model now; otherwise that is done when it is needed."""
        if self._resolver is None:
            from corelax.resolve import Resolver

            self._resolver = Resolver.from_pretrained(
                self.settings.model, device=self.settings.device
            )

    @property
    def resolver(self) -> Any:
        """The `corelax.resolve.Resolver` that finds the entities."""
        self.load()
        return self._resolver

    @resolver.setter
    def resolver(self, resolver: Any) -> None:
        self._resolver = resolver

    def set_error_handler(self, error_handler: ErrorHandler) -> None:
        """What to do with a document that fails in `pipe`; see `Language.set_error_handler`."""
        self._error_handler = error_handler

    def get_error_handler(self) -> ErrorHandler:
        """The handler that was set, or one that raises."""
        return self._error_handler

    def __call__(self, doc: Doc) -> Doc:
        """Adds the entities of one document."""
        self._annotate([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int | None = None) -> Iterator[Doc]:
        """Adds entities to documents in batches and yields them in their order."""
        size = min(batch_size or self.settings.batch_size, self.settings.batch_size)
        docs = iter(stream)
        while batch := list(islice(docs, size)):
            if any(map(word_positions, batch)):
                self.load()  # a missing model is not an error of a document
            try:
                self._annotate(batch)
            except Exception:
                yield from self._one_by_one(batch)
            else:
                yield from batch

    def _one_by_one(self, batch: Sequence[Doc]) -> Iterator[Doc]:
        """After an error somewhere in the batch: the documents that can be resolved."""
        for doc in batch:
            try:
                self._annotate([doc])
            except Exception as error:
                self._error_handler(self.name, self, [doc], error)
            else:
                yield doc

    def _annotate(self, docs: Sequence[Doc]) -> None:
        """Adds entities to all documents or, if anything is wrong, to none."""
        filled = [(doc, positions) for doc in docs if (positions := word_positions(doc))]
        if not filled:
            return
        resolutions = self.resolver.pipe(
            [document_from(doc) for doc, _ in filled],
            batch_size=self.settings.batch_size,
            singletons=self.settings.singletons,
            scheme=self.settings.scheme,
        )
        groups_of_docs = [
            self._groups(doc, positions, resolution)
            for (doc, positions), resolution in zip(filled, resolutions, strict=True)
        ]
        for (doc, _), groups in zip(filled, groups_of_docs, strict=True):
            write_groups(doc, groups, self.settings.prefix)

    def _groups(
        self, doc: Doc, positions: Sequence[int], resolution: Resolution
    ) -> list[SpanGroup]:
        """The entities as span groups of the document, white space counted again."""
        groups = []
        for number, entity in enumerate(resolution.entities, 1):
            spans = [
                doc[positions[mention.span.start] : positions[mention.span.end - 1] + 1]
                for mention in entity.mentions
            ]
            attrs = {
                "probability": float(entity.probability),
                "representative": entity.mentions.index(entity.representative),
            }
            name = f"{self.settings.prefix}_{number}"
            groups.append(SpanGroup(doc, name=name, spans=spans, attrs=attrs))
        return groups


def make_component(
    nlp: Language,
    name: str,
    model: Optional[str],  # noqa: UP045
    prefix: str,
    batch_size: int,
    singletons: str,
    scheme: Optional[str],  # noqa: UP045
    device: str,
) -> CoreferenceComponent:
    """The factory behind `nlp.add_pipe("corelax", config={...})`; see `Settings` for the config."""
    from corelax.resolve.loading import check_model

    settings = Settings(
        model=model,
        prefix=prefix,
        batch_size=batch_size,
        singletons=singletons,
        scheme=scheme,
        device=device,
    )
    check_model(model)
    if nlp.lang not in _ENGLISH and model in {None, DEFAULT}:
        warnings.warn(
            f"the model {DEFAULT} is for English; in a pipeline for {nlp.lang!r} its entities mean nothing",
            stacklevel=2,
        )
    return CoreferenceComponent(name, settings)


if has_spacy:
    Language.factory(
        "corelax", default_config=asdict(Settings()), assigns=["doc.spans"], func=make_component
    )


def document_from(doc: Doc) -> Document:
    """A spaCy document as a corelax one: its words without the tokens that cannot be seen."""
    tokens = [doc[place] for place in word_positions(doc)]
    words = [token.text for token in tokens]
    spans = [(token.idx, token.idx + len(token)) for token in tokens]
    is_split = doc.has_annotation("SENT_START")
    starts = _starts_set(doc) if is_split else sentence_starts(doc.text, words, spans)
    return Document(
        id="doc",
        words=tuple(words),
        sentence_starts=tuple(starts),
        layers={"offsets": tuple(spans)},
        raw_text=doc.text,
    )


def word_positions(doc: Doc) -> list[int]:
    """[word] its place among spaCy's tokens, of which some are white space or characters without width."""
    return [token.i for token in doc if is_visible(token.text)]


def _starts_set(doc: Doc) -> list[int]:
    """The first word of each sentence that spaCy has set. White space may begin a sentence there."""
    starts: list[int] = []
    words, pending = 0, True
    for token in doc:
        pending = pending or bool(token.is_sent_start)
        if is_visible(token.text):
            if pending:
                starts.append(words)
            words, pending = words + 1, False
    return starts


def _raise_error(_name: str, _component: Any, _docs: list[Any], error: Exception) -> None:
    raise error


def add_attributes() -> None:
    """Registers the attributes, unless another component has attributes of these names."""
    from spacy.tokens import Doc, Token

    for kind, name, getter in (
        (Doc, "coref_clusters", coref_clusters),
        (Doc, "resolved_text", resolved_text),
        (Token, "entity", entity),
    ):
        if not kind.has_extension(name):
            kind.set_extension(name, getter=getter)


def write_groups(doc: Doc, groups: Sequence[SpanGroup], prefix: str) -> None:
    """Puts span groups into a document, instead of those with the same prefix."""
    ours = re.compile(rf"{re.escape(prefix)}_\d+")
    for key in [key for key in doc.spans if ours.fullmatch(key)]:
        del doc.spans[key]
    numbers = [0] * len(doc)
    widths = [len(doc) + 1] * len(doc)
    for number, group in enumerate(groups, 1):
        doc.spans[group.name] = group
        for span in group:
            for place in range(span.start, span.end):
                if span.end - span.start < widths[place]:
                    numbers[place], widths[place] = number, span.end - span.start
    doc.user_data[USER_DATA] = {"prefix": prefix, "entities": numbers}


def coref_clusters(doc: Doc) -> list[list[tuple[int, int]]]:
    """The entities as (start, end) in characters."""
    return [[(span.start_char, span.end_char) for span in group] for group in _groups(doc)]


def entity(token: Token) -> Any:
    """The representative mention, a `Span`, of the innermost entity that a token is in; else None."""
    noted = token.doc.user_data.get(USER_DATA)
    if noted is not None and len(noted["entities"]) == len(token.doc):
        number = noted["entities"][token.i]
        group = token.doc.spans.get(f"{noted['prefix']}_{number}") if number else None
    else:
        around = [
            (span.end - span.start, number, group)
            for number, group in enumerate(_groups(token.doc))
            for span in group
            if span.start <= token.i < span.end
        ]
        group = min(around)[2] if around else None
    return None if group is None else group[group.attrs["representative"]]


def resolved_text(doc: Doc) -> str:
    """The text with mentions replaced by names, as `Resolution.resolved_text` does by default."""
    from corelax.decode import Decision  # which needs torch
    from corelax.resolve import resolution_of

    place = {position: word for word, position in enumerate(word_positions(doc))}
    decisions = {
        (place[span.start], place[span.end - 1] + 1): number
        for number, group in enumerate(_groups(doc))
        for span in group
    }
    resolution = resolution_of(
        document_from(doc),
        [Decision(Span(*bounds), number, None, 1, 1, 1) for bounds, number in decisions.items()],
    )
    return str(resolution.resolved_text())


def _groups(doc: Doc) -> list[SpanGroup]:
    """The entities of a document, in the order of their numbers."""
    prefix = doc.user_data.get(USER_DATA, {}).get("prefix", PREFIX)
    groups = []
    for number in count(1):
        key = f"{prefix}_{number}"
        if key not in doc.spans:
            break
        groups.append(doc.spans[key])
    return groups
