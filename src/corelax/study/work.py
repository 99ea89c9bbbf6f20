"""One job of a study: trains a stage, predicts with it, and leaves the results in files."""

from __future__ import annotations

import gc
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import torch

from corelax.core.device import choose_device
from corelax.core.errors import CorelaxError
from corelax.core.version import VERSION
from corelax.metrics import Tally
from corelax.rankers.sparse.features.cache import FeatureCorpus
from corelax.rankers.sparse.folder import is_finished
from corelax.rankers.sparse.ranker import Ranker, decode_table
from corelax.study.files import DEV, Files, uses_vectors
from corelax.study.folder import delete_predictions, predicted_path, record_path, seed_folder
from corelax.study.records import Predicted, Record, save
from corelax.train.checkpoint import LOG
from corelax.train.sparse.config import Config
from corelax.train.sparse.data import Data, scored_documents
from corelax.train.sparse.evaluate import tally_document
from corelax.train.sparse.stage import train_chain

CHECKPOINT_SECONDS = 10.0  # an epoch may take less time than its checkpoint


class Job(NamedTuple):
    """A stage to train, and what to predict with it. All stages before it are finished.

    Attributes:
        chain: The stages; all but the last are finished.
        out: The folder of the study.
        files: The documents.
        device: "auto", "cpu" or "cuda".
        predict: (part, decoding) to predict when the last stage is trained. A stage that only others
            start from predicts nothing and leaves no record.
    """

    chain: tuple[Config, ...]
    out: Path
    files: Files
    device: str
    predict: tuple[tuple[str, str], ...] = ()

    @property
    def stage(self) -> str:
        """The stage that is trained."""
        return self.chain[-1].stage

    @property
    def seed(self) -> int:
        """Its seed."""
        return self.chain[-1].seed


class Worker:
    """Runs jobs one after another; documents that several of them need are loaded once."""

    def __init__(self) -> None:
        self._files: Files | None = None
        self._data: dict[str, Data] = {}  # by settings of features
        self._test: dict[str, FeatureCorpus] = {}

    def run(self, job: Job) -> None:
        """Trains what is not trained yet, predicts, and writes the results."""
        device = choose_device(job.device)
        config = job.chain[-1]
        data = self._training_data(config, job.files)
        folder = seed_folder(job.out, job.seed)
        is_new = not is_finished(folder / job.stage)
        model = train_chain(
            job.chain,
            folder,
            data,
            device=device,
            resume=True,
            checkpoint_seconds=CHECKPOINT_SECONDS,
        )
        record = record_path(job.out, job.stage, job.seed)
        if is_new:  # a record that exists is of a model that was deleted
            record.unlink(missing_ok=True)
        is_known = record.exists()
        if not is_known:
            delete_predictions(job.out, job.stage, job.seed)
        for part, decoding in job.predict:
            path = predicted_path(job.out, job.stage, job.seed, part, decoding)
            if not path.exists():
                corpus = data.dev if part == DEV else self._test_documents(config, job.files, data)
                save(path, _predict(model.ranker, corpus, config.singletons, decoding))
        if job.predict and not is_known:  # last: a record that exists has its predictions
            save(record, _record(job.chain, folder / job.stage, model.training, device))
        del model
        if device == "cuda":  # frees memory for the processes beside this one
            gc.collect()
            torch.cuda.empty_cache()

    def _training_data(self, config: Config, files: Files) -> Data:
        """Training and dev documents. Those of one study are kept, with their test documents."""
        if files != self._files:
            self._data, self._test = {}, {}  # before others are loaded
            self._files = files
        key = _features(config)
        if key not in self._data:
            self._data[key] = files.load(config)
        return self._data[key]

    def _test_documents(self, config: Config, files: Files, data: Data) -> FeatureCorpus:
        if files.test is None:
            raise CorelaxError("test documents are to be predicted, but the study has none")
        key = _features(config)
        if key not in self._test:
            vocabulary = data.train.vocabulary
            self._test[key] = scored_documents(config, files.test, vocabulary, format=files.format)
        return self._test[key]


def _features(config: Config) -> str:
    """What decides the features that a stage sees of a document."""
    settings = sorted(config.features.items())
    return repr((config.mentions, config.feature_set, settings, uses_vectors(config)))


def _record(
    chain: Sequence[Config], folder: Path, training: Mapping[str, Any], device: str
) -> Record:
    """The record of a trained stage, from its folder."""
    lines = (folder / LOG).read_text(encoding="utf-8").splitlines()
    epochs = [json.loads(line) for line in lines]
    return Record(
        chain=[asdict(config) for config in chain],
        data=training["data"],
        epochs=epochs,
        epoch=training["epoch"],
        dev=training["dev"],
        seconds=round(sum(epoch["seconds"] for epoch in epochs), 3),
        device=torch.cuda.get_device_name() if device == "cuda" else "CPU",
        program=f"corelax {VERSION}, torch {torch.__version__}",
    )


def _predict(ranker: Ranker, corpus: FeatureCorpus, singletons: str, decoding: str) -> Predicted:
    """Entities and counts of each document."""
    counts: dict[str, list[list[float]]] = {}
    entities = []
    for table in corpus.tables:
        clusters = decode_table(ranker, table, singletons=singletons, decoding=decoding)
        system = table.clusters_of(clusters)
        tally = Tally()
        tally_document(tally, table, system, singletons)
        for metric, numbers in tally.counts().items():
            counts.setdefault(metric, []).append([float(number) for number in numbers.as_tuple()])
        entities.append([[[m.start, m.end] for m in entity] for entity in system])
    names = [table.key for table in corpus.tables]
    return Predicted(digest=corpus.digest, documents=names, counts=counts, entities=entities)
