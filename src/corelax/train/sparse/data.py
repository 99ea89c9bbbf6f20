"""The documents that a sparse ranker is trained and scored on, as tables of features."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from corelax.core.errors import CorelaxError
from corelax.core.settings import check_key, read_value
from corelax.rankers.sparse.features.cache import FeatureCorpus, other_corpus, training_corpus
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.mentions.lexicons import load_lexicons
from corelax.rankers.sparse.settings import DEEP
from corelax.train.configuration import Configuration
from corelax.train.files import Paths, document_files
from corelax.train.sparse.config import Config
from corelax.train.sparse.vectors import MOST_WORDS, WordVectors, read_vectors
from corelax.train.stage import Note, ignore


class Data(NamedTuple):
    """Training and dev documents."""

    train: FeatureCorpus
    dev: FeatureCorpus
    vectors: WordVectors | None = None

    @property
    def identity(self) -> dict[str, str]:
        """Digests of the documents and the word lists, by which a stage knows what it was trained on."""
        lists = self.train.vocabulary.lexicons
        known = {"train": self.train.digest, "dev": self.dev.digest, "word lists": lists}
        return known if self.vectors is None else {**known, "vectors": self.vectors.digest}


def load_data(
    config: Config,
    train: Paths,
    dev: Paths,
    note: Note = ignore,
    format: str | None = None,
    vectors: str | Path | None = None,
) -> Data:
    """The features of training and dev documents, from the cache if it has them.

    Args:
        config: The last stage of a chain.
        train: Files with training documents, or folders of such files.
        dev: Files with dev documents.
        note: Receives messages about what takes time.
        format: The format of both files; None goes by suffix or content.
        vectors: Word vectors that a deep ranker starts from; see `corelax.train.sparse.vectors`.
    """
    train, dev = document_files(train), document_files(dev)  # errors come before minutes of work
    lexicons = load_lexicons()
    settings, mentions = config.feature_settings, config.mentions
    if mentions not in ("detect", "gold"):
        raise CorelaxError(f"mentions must be 'detect' or 'gold' in training, not {mentions!r}")
    deep = config.network == DEEP
    if vectors is not None and not deep:
        raise CorelaxError(f"{vectors}: only deep rankers have word vectors; set network=deep")
    given = None if vectors is None else read_vectors(vectors)
    if given is not None and given.size != config.word_size:
        raise CorelaxError(
            f"{vectors}: vectors of {given.size} values, not {config.word_size}; set word_size={given.size}"
        )
    training = training_corpus(train, settings, lexicons, mentions, note, format, words=deep)
    if given is not None:
        known = training.vocabulary.with_words(given.words[:MOST_WORDS])
        training = training._replace(vocabulary=known)
        given = given.only(known.words or ())  # which decide the result, and nothing else
    elif deep:
        note("no word vectors are given (--vectors): those of training words start at random")
    dev_corpus = scored_documents(config, dev, training.vocabulary, note, format)
    return Data(training, dev_corpus, given)


def scored_documents(
    config: Config,
    files: Paths,
    vocabulary: Vocabulary,
    note: Note = ignore,
    format: str | None = None,
) -> FeatureCorpus:
    """The features of dev or test documents, by the vocabulary of training."""
    names = document_files(files)
    corpus = other_corpus(names, vocabulary, load_lexicons(), config.mentions, note, format)
    if not any(len(table.gold_mentions) for table in corpus.tables):
        raise CorelaxError(f"{', '.join(names)}: no document has entities to score against")
    return corpus


def training_documents(tables: Sequence[DocumentTable], config: Config) -> list[DocumentTable]:
    """The documents to learn from: cut to the limit, without those that have no coreference."""
    cut = [table.first(config.max_mentions) if config.max_mentions else table for table in tables]
    if config.singletons == "drop":
        cut = [table for table in cut if table.is_anaphoric.any()]
    cut = [table for table in cut if table.size]
    if not cut:
        raise CorelaxError("no training document has two mentions of an entity; nothing to learn")
    return cut


def corpus_files(
    config: Configuration, root: Path
) -> tuple[tuple[str, ...], tuple[str, ...], str | None]:
    """The training files, the dev files and the format of the corpus that a configuration names."""
    if len(config.corpora) != 1:
        raise CorelaxError(f"{config.source}: a sparse ranker learns from one corpus")
    [(name, corpus)] = config.corpora.items()
    for key in corpus:
        check_key(key, ["train", "dev", "singletons", "format"])
    files = []
    for part in ("train", "dev"):
        names = read_value(f"corpus {name}: {part}", corpus.get(part, ()), tuple[str, ...])
        if not names:
            raise CorelaxError(f"{config.source}: corpus {name}: {part} must name a file")
        files.append(document_files([root / file for file in names]))
    return files[0], files[1], corpus.get("format")
