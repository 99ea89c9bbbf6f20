"""The work of one process: to train a stage and predict with it, and to leave the results in files."""

from __future__ import annotations

import gc
import json
import os
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import torch

from corelax.core.device import choose_device
from corelax.core.version import VERSION
from corelax.metrics import Tally
from corelax.rankers.sparse.features.cache import Corpus
from corelax.rankers.sparse.network import SparseRanker
from corelax.study.records import (
    Predicted,
    Record,
    forget_predictions,
    predicted_path,
    record_path,
    save,
)
from corelax.study.units import seed_folder
from corelax.train.checkpoint import LOG
from corelax.train.sparse.config import Config
from corelax.train.sparse.evaluate import resolve, tally_document
from corelax.train.sparse.folder import is_finished
from corelax.train.sparse.loop import Data
from corelax.train.sparse.stages import load_data, scored_documents, train_chain

DEV, TEST = "dev", "test"


class Files(NamedTuple):
    """The documents of a study. Their format is told by suffix or content where it is None."""

    train: str
    dev: str
    test: str | None = None
    format: str | None = None


class Job(NamedTuple):
    """A piece of work that waits for nothing.

    Attributes:
        chain: Stages; all but the last are finished.
        out: The folder of the study.
        files: The documents.
        device: "auto", "cpu" or "cuda".
        predict: (part, decoding) to predict when the last stage is trained; for a stage that only others
            start from there is nothing to predict, and no record.
    """

    chain: tuple[Config, ...]
    out: Path
    files: Files
    device: str
    predict: tuple[tuple[str, str], ...] = ()

    @property
    def stage(self) -> str:
        """What is trained."""
        return self.chain[-1].stage

    @property
    def seed(self) -> int:
        """With which seed."""
        return self.chain[-1].seed


def do_job(job: Job) -> None:
    """Trains what is not trained yet, predicts, and writes what came of it."""
    device = choose_device(job.device)
    config = job.chain[-1]
    data = _data(config, job.files)
    folder = seed_folder(job.out, job.seed)
    is_new = not is_finished(folder / job.stage)
    model = train_chain(job.chain, folder, data, device=device, resume=True)
    record = record_path(job.out, job.stage, job.seed)
    if is_new:  # what was known is of a model that is not here any more
        record.unlink(missing_ok=True)
    is_known = record.exists()
    if not is_known:
        forget_predictions(job.out, job.stage, job.seed)
    for part, decoding in job.predict:
        path = predicted_path(job.out, job.stage, job.seed, part, decoding)
        if not path.exists():
            corpus = data.dev if part == DEV else _test(config, job.files, data)
            save(path, _predict(model.ranker, corpus, config.singletons, decoding))
    if job.predict and not is_known:  # last: who sees a record finds the predictions too
        save(record, _record(job.chain, folder / job.stage, model.training, device))
    del model
    if device == "cuda":  # memory goes back, for the processes beside this one
        gc.collect()
        torch.cuda.empty_cache()


def start_worker(threads: int, parent: int) -> None:
    """Prepares a process for jobs: few threads, and an end when its parent has ended.

    Args:
        threads: How many.
        parent: The process that it works for, which may have ended by now.
    """
    torch.set_num_threads(threads)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told, and ends its workers

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


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


def _predict(ranker: SparseRanker, corpus: Corpus, singletons: str, decoding: str) -> Predicted:
    """Entities and counts of each document."""
    counts: dict[str, list[list[float]]] = {}
    entities = []
    for table in corpus.tables:
        found = resolve(ranker, table, singletons=singletons, decoding=decoding)
        system = table.clusters_of(found)
        tally = Tally()
        tally_document(tally, table, system, singletons)
        for metric, numbers in tally.counts().items():
            counts.setdefault(metric, []).append([float(number) for number in numbers.as_tuple()])
        entities.append([[[m.start, m.end] for m in entity] for entity in system])
    names = [table.key for table in corpus.tables]
    return Predicted(digest=corpus.digest, documents=names, counts=counts, entities=entities)


_loaded: dict[str, Any] = {}  # what a process reads once for all its jobs


def _data(config: Config, files: Files) -> Data:
    """Training and dev documents."""
    key = _key("train", config, files)
    if key not in _loaded:
        _loaded.clear()  # a study has one set of features; that of another need not stay
        _loaded[key] = load_data(config, files.train, files.dev, format=files.format)
    data: Data = _loaded[key]
    return data


def _test(config: Config, files: Files, data: Data) -> Corpus:
    """The test documents."""
    assert files.test is not None
    key = _key("test", config, files)
    if key not in _loaded:
        vocabulary = data.train.vocabulary
        _loaded[key] = scored_documents(config, files.test, vocabulary, format=files.format)
    corpus: Corpus = _loaded[key]
    return corpus


def _key(part: str, config: Config, files: Files) -> str:
    return repr((part, files, config.mentions, config.feature_set, sorted(config.features.items())))
