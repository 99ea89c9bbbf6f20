"""A tiny encoder with random weights, written as Hugging Face writes them, and rankers on top of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from corelax.document import Document
from corelax.rankers.encoder.folder import new_ranker, save_ranker
from corelax.rankers.encoder.inputs import encoder_input
from corelax.rankers.encoder.model import EncoderModel
from corelax.rankers.encoder.settings import EncoderSettings

transformers = pytest.importorskip("transformers")

WORDS = "ann bob dog the a her she it he said barked at saw cat house old man s".split()
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SIGNS = list(".,!?'’\"()-")
VOCABULARY = [
    *["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
    *dict.fromkeys([*WORDS, *LETTERS, *SIGNS]),
    *[f"##{letter}" for letter in LETTERS],
]
SETTINGS = EncoderSettings(
    schemes=("one", "two"),
    window=24,
    max_width=4,
    span_ratio=0.5,
    antecedents=3,
    reach=9,
    span_size=16,
    hidden_size=12,
    dropout=0.2,
)


def write_encoder(folder: Path, **sizes: int) -> Path:
    """A BERT that knows a few words and all lower-case letters."""
    torch.manual_seed(3)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    config = transformers.BertConfig(
        vocab_size=len(VOCABULARY),
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=128,
        initializer_range=0.5,  # or all words would look alike
        **{"hidden_size": 32, "intermediate_size": 64, **sizes},
    )
    transformers.BertModel(config).save_pretrained(folder)
    transformers.BertTokenizerFast.from_pretrained(folder).save_pretrained(folder)
    return folder


STORY = [
    "Ann saw the old man .",
    "He said her dog barked at the cat .",
    "The old man 's house , she said , it saw .",
    "Bob !",
    "the Dog saw Ann and the cat 's house and bob and a man and it and her",
    "She said it barked at the old man .",
]


def tiny_model(folder: Path, seed: int = 0, **changes: object) -> EncoderModel:
    """A ranker with random weights on top of the encoder in a folder, ready to resolve.

    Scores are far apart. About half of the spans of the story are likely mentions and have a likely link.
    """
    torch.manual_seed(seed)
    model = new_ranker(folder, replace(SETTINGS, **changes))
    ranker = model.ranker.eval()
    with torch.no_grad():
        for name, weight in ranker.named_parameters():
            if not name.startswith("encoder."):
                weight.normal_(std=0.2)
        windows = encoder_input(a_document(STORY), model.tokenizer, ranker.settings.window)
        # A little more than the median, which would be a tie.
        ranker.spans.out.bias -= ranker([windows], [0]).logits.median() + 0.01
        best = ranker([windows], [0]).candidates.scores[0, 1:, 1:].amax(-1)
        ranker.antecedents.out.bias -= best.median() + 0.01
    return model


def a_document(sentences: list[str], speakers: list[str | None] | None = None) -> Document:
    """A document of sentences whose words blanks divide, and a speaker for each sentence."""
    words = [sentence.split() for sentence in sentences]
    layers = {}
    if speakers is not None:
        layers["speaker"] = [s for s, line in zip(speakers, words, strict=True) for _ in line]
    return Document.from_sentences("d", words, layers=layers)


def tiny_folder(parent: Path, sizes: Mapping[str, int] | None = None, **changes: object) -> Path:
    """A folder with a tiny model, its weights in bytes; sizes are of the encoder, changes of the settings."""
    torch.manual_seed(1)
    model = tiny_model(write_encoder(parent / "encoder", **(sizes or {})), seed=2, **changes)
    save_ranker(parent / "model", model, precision="int8")
    return parent / "model"
