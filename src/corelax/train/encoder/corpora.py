"""Corpora to train an encoder ranker on: where they are, by which scheme, with or without singletons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.document.clustering import SINGLETONS, Clustering, entity_of_mentions
from corelax.io import read
from corelax.rankers.encoder.folder import EncoderModel
from corelax.rankers.encoder.inputs import WordPieces
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.train.encoder.evaluate import predictions
from corelax.train.encoder.examples import Example, make_example, with_entities


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingCorpus:
    """Annotated documents for training, and perhaps for dev.

    Attributes:
        name: What stages call it.
        scheme: By which scheme it is annotated.
        train: Files with training documents.
        dev: Files with dev documents; none if the corpus is not scored.
        singletons: "keep" if entities of one mention are annotated and count, else "drop".
        markables: Files with the same training documents in which more mentions are marked, perhaps with
            entity types and syntactic heads; none if there are none.
        teacher: A stage whose predictions, by `scheme`, take the place of the entities.
        format: Of all its files; else by suffix or content.
    """

    name: str
    scheme: str = ""
    train: tuple[str, ...] = ()
    dev: tuple[str, ...] = ()
    singletons: str = "drop"
    markables: tuple[str, ...] = ()
    teacher: str = ""
    format: str = ""

    def __post_init__(self) -> None:
        check_choice(f"corpus {self.name}: singletons", self.singletons, SINGLETONS)


def read_documents(files: Iterable[str], root: Path, format: str = "") -> list[Document]:
    """The documents of some files, as a ranker of continuous spans can learn them.

    Mentions of several parts or of no word are left out; those in two entities belong to the first.
    """
    return [_plain(document) for file in files for document in read(root / file, format or None)]


def training_examples(
    corpus: TrainingCorpus, root: Path, tokenizer: WordPieces, settings: EncoderSettings
) -> list[Example]:
    """The training documents of a corpus."""
    documents = read_documents(corpus.train, root, corpus.format)
    rich: Sequence[Document | None] = [None] * len(documents)
    if corpus.markables:
        rich = read_documents(corpus.markables, root, corpus.format)
        if [d.words for d in documents] != [d.words for d in rich if d]:
            raise CorelaxError(f"corpus {corpus.name}: markables are not of the same documents")
    return examples_of(documents, corpus, tokenizer, settings, rich)


def dev_examples(
    corpus: TrainingCorpus, root: Path, tokenizer: WordPieces, settings: EncoderSettings
) -> list[Example]:
    """The dev documents of a corpus."""
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


def relabelled(
    examples: Sequence[Example],
    corpus: TrainingCorpus,
    teacher: EncoderModel,
    settings: EncoderSettings,
) -> list[Example]:
    """The same documents with the entities that another model predicts.

    Markables stay as they are where the corpus names files for them; else they are what is predicted, too.
    """
    scheme = settings.schemes.index(corpus.scheme)
    found = predictions(teacher.ranker, examples, scheme)
    return [
        with_entities(example, entities, settings.max_width, keep_markables=bool(corpus.markables))
        for example, entities in zip(examples, found, strict=True)
    ]


def _plain(document: Document) -> Document:
    """Without mentions that are no stretch of words, each span once."""
    continuous = [[m for m in dict.fromkeys(c) if m.is_continuous] for c in document.clusters]
    entity_of = entity_of_mentions(continuous)
    clusters = [[m for m in c if entity_of[m] == entity] for entity, c in enumerate(continuous)]
    return document.with_clusters(Clustering(c for c in clusters if c))
