"""One run of a study: trains a stage, predicts with it, and leaves the results in files."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import torch

from corelax.core.device import choose_device
from corelax.core.errors import CorelaxError
from corelax.core.version import VERSION
from corelax.metrics import Tally
from corelax.rankers.sparse.features.cache import FeatureCorpus
from corelax.rankers.sparse.folder import Model, Ranker, is_finished
from corelax.study.files import DEV, Files, uses_vectors
from corelax.study.folder import Run, delete_predictions, predicted_path, record_path, seed_folder
from corelax.study.records import Predicted, Record, save
from corelax.train.checkpoint import LOG
from corelax.train.sparse.config import Config
from corelax.train.sparse.data import Data, scored_documents
from corelax.train.sparse.evaluate import decode_table, tally_document
from corelax.train.sparse.stage import train_chain
from corelax.train.stage import RunOptions

CHECKPOINT_SECONDS = 10.0  # an epoch may take less time than its checkpoint

Ended = tuple[tuple[int, str], Exception | None]  # the key of a run, and its error if it failed


def make_worker(out: Path, files: Files, device: str) -> Callable[[Run], Ended]:
    """A function that does a run, for `map_in_processes`."""
    return RunWorker(out, files, device)


class RunWorker:
    """Does runs one after the other, with one thread; documents that several of them need are loaded once."""

    def __init__(self, out: Path, files: Files, device: str) -> None:
        self._out, self._files, self._device = out, files, choose_device(device)
        self._data: dict[str, Data] = {}  # by settings of features
        self._test: dict[str, FeatureCorpus] = {}

    def __call__(self, run: Run) -> Ended:
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # in every process: results are those of one process, bit for bit
        try:
            self.do(run)
        except Exception as error:  # other runs can be done all the same
            return run.key, error
        finally:
            torch.set_num_threads(threads)
        return run.key, None

    def do(self, run: Run) -> None:
        """Trains what is not trained yet, predicts, and writes the results."""
        config, out, data = run.chain[-1], self._out, self._training_data(run.chain[-1])
        folder = seed_folder(out, run.seed)
        record = record_path(out, run.stage, run.seed)
        is_new = not is_finished(folder / run.stage)
        model = train_chain(
            run.chain,
            folder,
            data,
            device=self._device,
            options=RunOptions(resume=True, checkpoint_seconds=CHECKPOINT_SECONDS),
        )
        if is_new:  # a record that exists is of a model that was deleted
            record.unlink(missing_ok=True)
        is_known = record.exists()
        if not is_known:
            delete_predictions(out, run.stage, run.seed)
        for part, decoding in run.predict:
            path = predicted_path(out, run.stage, run.seed, part, decoding)
            if not path.exists():
                corpus = data.dev if part == DEV else self._test_documents(config, data)
                save(path, _predict(model.ranker, corpus, config.singletons, decoding))
        if run.predict and not is_known:  # last: a record that exists has its predictions
            save(record, _record(run, folder, model, self._device))
        del model
        if self._device == "cuda":  # frees memory for the processes beside this one
            gc.collect()
            torch.cuda.empty_cache()

    def _training_data(self, config: Config) -> Data:
        key = _features(config)
        if key not in self._data:
            self._data[key] = self._files.load(config)
        return self._data[key]

    def _test_documents(self, config: Config, data: Data) -> FeatureCorpus:
        if self._files.test is None:
            raise CorelaxError("test documents are to be predicted, but the study has none")
        key = _features(config)
        if key not in self._test:
            file, format = self._files.test, self._files.format
            self._test[key] = scored_documents(config, file, data.train.vocabulary, format=format)
        return self._test[key]


def _features(config: Config) -> str:
    """What decides the features that a stage sees of a document."""
    settings = sorted(config.features.items())
    return repr((config.mentions, config.feature_set, settings, uses_vectors(config)))


def _record(run: Run, folder: Path, model: Model, device: str) -> Record:
    lines = (folder / run.stage / LOG).read_text(encoding="utf-8").splitlines()
    epochs = [json.loads(line) for line in lines]
    return Record(
        chain=[asdict(config) for config in run.chain],
        data=model.training["data"],
        epochs=epochs,
        epoch=model.training["epoch"],
        dev=model.training["dev"],
        seconds=round(sum(epoch["seconds"] for epoch in epochs), 3),
        device=torch.cuda.get_device_name() if device == "cuda" else "CPU",
        program=f"corelax {VERSION}, torch {torch.__version__}",
    )


def _predict(ranker: Ranker, corpus: FeatureCorpus, singletons: str, decoding: str) -> Predicted:
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
