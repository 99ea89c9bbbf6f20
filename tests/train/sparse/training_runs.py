"""Small training runs: invented documents, tiny networks."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from corelax.rankers.sparse.features.cache import FeatureCorpus
from corelax.rankers.sparse.features.extract import describe, fit, mention_source, table
from corelax.rankers.sparse.features.settings import FEATURE_SETS
from corelax.rankers.sparse.mentions.lexicons import load_lexicons
from corelax.synthetic import Shape, generate
from corelax.train import stage_chain, train_chain
from corelax.train.loop import Progress
from corelax.train.sparse.data import Data
from corelax.train.stage import RunOptions

SMALL = {"hidden_mention": "8", "hidden_pair": "12"}
SHORT = {"anaphoricity.epochs": "2", "antecedent.epochs": "2", "baseline.epochs": "2"}


def documents(number, *, seed=0, mentions=40, ambiguity=0.3):
    shape = Shape.conll2012().scaled(mentions)
    return list(generate(number, seed=seed, shape=shape, ambiguity=ambiguity))


def make_data(train, dev, *, features="default", mentions="detect", words=False):
    """Training and dev documents as tables, without files."""
    settings, lexicons = FEATURE_SETS[features], load_lexicons("shipped")
    source = mention_source(mentions)

    def described(docs):
        return [describe(doc, settings, lexicons, source) for doc in docs]

    vocabulary, tables = fit(described(train), settings, lexicons, words=words)
    others = [table(document, vocabulary) for document in described(dev)]
    return Data(
        FeatureCorpus(tables, vocabulary, "train"), FeatureCorpus(others, vocabulary, "dev")
    )


class Quiet(Progress):
    """Listens, and remembers."""

    def __init__(self):
        self.documents, self.epochs = [], []

    def document(self, *what):
        self.documents.append(what)

    def epoch(self, config, history):
        self.epochs.append((config.stage, len(history.epochs)))


def run(preset, out, data, *, resume=False, progress=None, notes=None, **settings):
    """Trains a preset; keys with a dot are given as `baseline__epochs`."""
    given = {key.replace("__", "."): str(value) for key, value in settings.items()}
    chain = stage_chain(preset, {**SMALL, **given})
    return train_chain(
        chain,
        Path(out),
        data,
        device="cpu",
        options=RunOptions(
            resume=resume,
            progress=progress or Quiet(),
            note=(notes if notes is not None else []).append,
        ),
    )


def log_of(folder):
    return [json.loads(line) for line in (Path(folder) / "log.jsonl").read_text().splitlines()]


def weights_of(model):
    return {name: tensor.clone() for name, tensor in model.ranker.state_dict().items()}


def same_weights(one, other, names=None):
    """Whether they are equal to the last bit."""
    return all(torch.equal(one[name], other[name]) for name in names or one)
