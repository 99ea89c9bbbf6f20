"""Corpora to train an encoder ranker on: where they are, by which scheme, with or without singletons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.document import Document, Span
from corelax.document.clustering import SINGLETONS, Clustering, entity_of_mentions
from corelax.english.exchanged import swapped
from corelax.io import read
from corelax.io.gap import GapItem, read_gap
from corelax.io.tsv import read_rows
from corelax.rankers.encoder.places import Places
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.tokenizer import WordPieces
from corelax.text import document_of
from corelax.train.encoder.examples import UNKNOWN, Example, KnownLinks, Markables, make_example

GAP = "gap"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingCorpus:
    """Annotated documents for training, and perhaps for dev.

    Attributes:
        name: The name that stages use.
        scheme: The annotation scheme.
        train: Files with training documents.
        dev: Files with dev documents; empty if the corpus is not scored.
        singletons: "keep" if entities of one mention are annotated and count, else "drop".
        markables: Files with the same training documents in which more mentions are marked, perhaps with
            entity types and syntactic heads; may be empty.
        teacher: A stage, or a trained model, whose predictions by `scheme` take the place of the entities.
        soft: A stage, or a trained model, whose probabilities by `scheme` are learnt beside the entities.
        swaps: Whether there is a copy of each document in which men and women are exchanged.
        documents: A file with tabs and the columns `document` and `licence`, if some documents are left out.
        licences: The licences that training documents may have, by that file.
        format: The format of all its files; empty goes by suffix or content. `gap` has pairs only: a pronoun
            and two names.
    """

    name: str
    scheme: str = ""
    train: tuple[str, ...] = ()
    dev: tuple[str, ...] = ()
    singletons: str = "drop"
    markables: tuple[str, ...] = ()
    teacher: str = ""
    soft: str = ""
    swaps: bool = False
    documents: str = ""
    licences: tuple[str, ...] = ()
    format: str = ""

    def __post_init__(self) -> None:
        check_choice(f"corpus {self.name}: singletons", self.singletons, SINGLETONS)
        if bool(self.documents) != bool(self.licences):
            raise CorelaxError(f"corpus {self.name}: documents and licences go together")

    @property
    def teachers(self) -> list[str]:
        return list(dict.fromkeys(name for name in (self.teacher, self.soft) if name))

    @property
    def training_files(self) -> list[str]:
        """All files but those of dev."""
        return [*self.train, *self.markables, *([self.documents] if self.documents else [])]

    def for_weight(self, soft: float) -> TrainingCorpus:
        """This corpus; without its soft teacher if the weight is 0."""
        return self if soft else replace(self, soft="")


def read_documents(files: Iterable[str], root: Path, format: str = "") -> list[Document]:
    """The documents of some files, as a ranker of continuous spans can learn them.

    Mentions of several parts or of no word are left out; those in two entities belong to the first.
    """
    return [_plain(document) for file in files for document in read(root / file, format or None)]


def training_examples(
    corpus: TrainingCorpus, root: Path, tokenizer: WordPieces, settings: EncoderSettings
) -> list[Example]:
    if corpus.format == GAP:
        scheme = settings.schemes.index(corpus.scheme)
        items = [item for file in corpus.train for item in read_gap(root / file)]
        return gap_examples(items, tokenizer, settings, scheme)
    documents = read_documents(corpus.train, root, corpus.format)
    rich: Sequence[Document | None] = [None] * len(documents)
    if corpus.markables:
        rich = read_documents(corpus.markables, root, corpus.format)
        if [d.words for d in documents] != [d.words for d in rich if d]:
            raise CorelaxError(f"corpus {corpus.name}: markables are not of the same documents")
    if corpus.documents:
        free = _free_documents(corpus, root)
        chosen = [at for at, document in enumerate(documents) if document.id in free]
        documents, rich = [documents[at] for at in chosen], [rich[at] for at in chosen]
    examples = examples_of(documents, corpus, tokenizer, settings, rich)
    if not corpus.swaps:
        return examples
    twins = examples_of(
        [swapped(document) for document in documents],
        corpus,
        tokenizer,
        settings,
        [None if each is None else swapped(each) for each in rich],
    )
    return [one._replace(twin=two) for one, two in zip(examples, twins, strict=True)]


def dev_examples(
    corpus: TrainingCorpus, root: Path, tokenizer: WordPieces, settings: EncoderSettings
) -> list[Example]:
    documents = read_documents(corpus.dev, root, corpus.format)
    return examples_of(documents, corpus, tokenizer, settings, [None] * len(documents))


def examples_of(
    documents: Sequence[Document],
    corpus: TrainingCorpus,
    tokenizer: WordPieces,
    settings: EncoderSettings,
    markables: Sequence[Document | None],
) -> list[Example]:
    """Documents as a ranker learns from them; those without words are left out."""
    check_choice(f"corpus {corpus.name}: scheme", corpus.scheme, settings.schemes)
    return [
        make_example(
            document,
            tokenizer,
            scheme=settings.schemes.index(corpus.scheme),
            window=settings.window,
            max_width=settings.max_width,
            singletons=corpus.singletons == "keep",
            markables=rich,
            types=settings.types,
        )
        for document, rich in zip(documents, markables, strict=True)
        if document.words
    ]


def _free_documents(corpus: TrainingCorpus, root: Path) -> set[str]:
    rows = read_rows(root / corpus.documents, ["document", "licence"])
    return {cells["document"] for _, cells in rows if cells["licence"] in corpus.licences}


def _plain(document: Document) -> Document:
    """Without mentions of several parts or of no word; each span once."""
    continuous = [[m for m in dict.fromkeys(c) if m.is_continuous] for c in document.clusters]
    entity_of = entity_of_mentions(continuous)
    clusters = [[m for m in c if entity_of[m] == entity] for entity, c in enumerate(continuous)]
    return replace(
        document, clusters=Clustering(c for c in clusters if c)
    )  # with types of mentions


def gap_examples(
    items: Iterable[GapItem], tokenizer: WordPieces, settings: EncoderSettings, scheme: int
) -> list[Example]:
    """Items as a ranker learns from them: whether the pronoun and each name corefer, and nothing else.

    An item is left out if a name is not a stretch of whole words in one sentence.
    """
    examples = []
    for item in items:
        document = document_of(item.text, id=item.id)
        spans = _word_spans(document, [item.pronoun, item.a, item.b])
        if spans is None:
            continue
        example = make_example(
            document.with_clusters(Clustering()),
            tokenizer,
            scheme=scheme,
            window=settings.window,
            max_width=settings.max_width,
        )
        places = Places(example.windows, len(document.words), settings.max_width)
        if not all(places.holds(span) for span in spans):
            continue
        pronoun, *names = spans
        pairs = [(max(pronoun, name), min(pronoun, name)) for name in names]
        same = np.array([item.a_coref, item.b_coref], np.int64)
        coreferent = sorted(
            {span for pair, yes in zip(pairs, same, strict=True) if yes for span in pair}
        )
        unknown = np.full(len(coreferent), UNKNOWN, np.int64)
        examples.append(
            example._replace(
                known=KnownLinks(
                    places.of([later for later, _ in pairs]),
                    places.of([earlier for _, earlier in pairs]),
                    same,
                ),
                markables=Markables(places.of(coreferent), unknown, unknown),
            )
        )
    return examples


def _word_spans(document: Document, spans: Sequence[tuple[int, int]]) -> list[Span] | None:
    """Stretches of characters as stretches of words, or None if one of them cuts a word."""
    offsets: Sequence[tuple[int, int]] = document.layer("offsets")
    starts = {start: at for at, (start, _) in enumerate(offsets)}
    ends = {end: at + 1 for at, (_, end) in enumerate(offsets)}
    if any(start not in starts or end not in ends for start, end in spans):
        return None
    return [Span(starts[start], ends[end]) for start, end in spans]
