"""A BERT with two layers and random weights, whose words are those of some documents."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
import torch

from corelax import Document
from corelax.rankers.encoder.folder import new_ranker
from corelax.rankers.encoder.model import EncoderModel
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.tokenizer import WordPieces
from corelax.synthetic import Shape, generate
from corelax.train.checkpoint import History
from corelax.train.encoder.corpora import TrainingCorpus, examples_of
from corelax.train.encoder.examples import Example
from corelax.train.loop import Progress
from corelax.train.settings import StageSettings

MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SIZES = {"span_size": 32, "hidden_size": 32, "max_width": 10, "window": 128, "dropout": 0.1}

RECIPE = """
[ranker]
schemes = ["one", "two"]
window = 40
max_width = 8
span_size = 16
hidden_size = 16

[corpora.a]
scheme = "one"
train = ["a.conll"]
dev = ["dev.conll"]

[corpora.b]
scheme = "two"
singletons = "keep"
train = ["b.conll"]
dev = ["dev.conll"]

[corpora.taught]
scheme = "two"
teacher = "first"
train = ["a.conll"]

[stages.first]
corpora = ["2*a", "b"]
epochs = 1
batch = 2

[stages.second]
start = ["first"]
corpora = ["taught"]
epochs = 2

[stages.metric]
start = ["first"]
corpora = ["a"]
objective = "metric"
family = "pairwise"
epochs = 1
"""


class Letters:
    """Cuts words into letters."""

    cls_token_id, sep_token_id, unk_token_id, pad_token_id = 1, 2, 3, 0

    def __call__(self, words, **_):
        return {"input_ids": [[ord(letter) for letter in word] for word in words]}


LETTERS = WordPieces(Letters())


def made(number: int, seed: int = 0, mentions: int = 25) -> list[Document]:
    """Invented documents."""
    shape = Shape.conll2012().scaled(mentions)
    return list(generate(number, seed=seed, shape=shape, ambiguity=0.1))


def save_encoder(folder: Path, documents: Iterable[Document]) -> Path:
    """A folder as Hugging Face writes it."""
    transformers = pytest.importorskip("transformers")
    words = sorted({word.lower() for document in documents for word in document.words})
    transformers.utils.logging.disable_progress_bar()
    tokenizer = transformers.BertTokenizerFast(vocab={w: i for i, w in enumerate([*MARKS, *words])})
    tokenizer.save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(MARKS) + len(words),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    torch.manual_seed(0)
    transformers.BertModel(config).save_pretrained(folder)
    return folder


def tiny_model(folder: Path, seed: int = 0, **settings: object) -> EncoderModel:
    """A ranker with random weights on top of a saved encoder."""
    torch.manual_seed(seed)
    return new_ranker(folder, EncoderSettings(**{**SIZES, **settings}))


def examples(
    model: EncoderModel, documents: list[Document], *, singletons: str = "drop", scheme: str = ""
) -> list[Example]:
    """Documents as the model learns from them."""
    settings = model.ranker.settings
    corpus = TrainingCorpus(
        name="made", scheme=scheme or settings.schemes[0], singletons=singletons
    )
    nothing = [None] * len(documents)
    return examples_of(documents, corpus, model.tokenizer, settings, nothing)


class Listener(Progress):
    """Remembers what it is told, and falls over where it is asked to."""

    def __init__(self, after_epoch: int = 0, at_document: tuple[int, int] = (0, 0)) -> None:
        self.epochs: list[tuple[str, int]] = []
        self.documents: list[tuple[int, int, int]] = []
        self._after_epoch, self._at_document = after_epoch, at_document

    def document(self, *what: object) -> None:
        _, epoch, _, done, documents = what
        self.documents.append((epoch, done, documents))
        if (epoch, done) == self._at_document:
            raise KeyboardInterrupt

    def epoch(self, config: StageSettings, history: History) -> None:
        self.epochs.append((config.stage, len(history.epochs)))
        if len(history.epochs) == self._after_epoch:
            raise KeyboardInterrupt


def bounds_of(windows, found):
    """The spans that a network kept of the windows of a document, as first word and one past the last."""
    table, kept = found.table, found.kept
    places = zip(*(column[kept].tolist() for column in table[:3]), strict=True)
    return [(windows[w].first + s, windows[w].first + s + width + 1) for w, s, width in places]
