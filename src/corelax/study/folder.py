"""The folder of a study: where things lie in it, what it is a study of, and what is done.

study.json                         settings, and hashes of the documents
runs/seed1/lea/                    the model folder of a stage
results/seed1/lea.json             the record of a unit
results/seed1/lea.dev.links.json   its predictions
.lock                              while a command is at work in it
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from corelax.core.errors import CorelaxError
from corelax.core.files import check_not_input, file_digest, read_json, write_text
from corelax.core.locks import check_claim
from corelax.rankers.sparse.folder import is_finished
from corelax.rankers.sparse.settings import DECODINGS
from corelax.study.files import DEV, TEST, Files, uses_vectors
from corelax.study.plan import Unit, unit_chain
from corelax.study.records import Predicted, Record, check_record, load_predicted, load_record
from corelax.train.files import Paths, document_files
from corelax.train.sparse.config import Config
from corelax.train.stage import Note, ignore

RESULTS, RUNS, STUDY = "results", "runs", "study.json"
DATA, REPORT, SWEEP = "data", "report", "sweep"
LINKS = "links"


class Run(NamedTuple):
    """A unit with a seed: what is trained, and what it predicts.

    Attributes:
        chain: The stages; the last is the unit's own.
        predict: (part, decoding). A stage that only others start from predicts nothing and leaves no record.
    """

    chain: tuple[Config, ...]
    predict: tuple[tuple[str, str], ...] = ((DEV, LINKS),)

    @property
    def stage(self) -> str:
        """The stage that is trained, by whose name the unit goes."""
        return self.chain[-1].stage

    @property
    def seed(self) -> int:
        """Its seed."""
        return self.chain[-1].seed

    @property
    def key(self) -> tuple[int, str]:
        """Seed and stage: no two stages of a folder have the same."""
        return self.seed, self.stage


def seed_folder(out: Path, seed: int) -> Path:
    """Where the stages of a seed lie."""
    return out / RUNS / f"seed{seed}"


def record_path(out: Path, unit: str, seed: int) -> Path:
    """Where the record of a unit is."""
    return out / RESULTS / f"seed{seed}" / f"{unit}.json"


def predicted_path(out: Path, unit: str, seed: int, part: str, decoding: str) -> Path:
    """Where the predictions of a unit for a part ("dev", "test") are, by a decoding ("links", "entities")."""
    return out / RESULTS / f"seed{seed}" / f"{unit}.{part}.{decoding}.json"


def delete_predictions(out: Path, unit: str, seed: int) -> None:
    """Deletes the predictions of a unit that has no record: they may come from an earlier model."""
    for part in (DEV, TEST):
        for decoding in DECODINGS:
            predicted_path(out, unit, seed, part, decoding).unlink(missing_ok=True)


class StudyFolder:
    """What is done of a study in its folder.

    Files are read once: they do not change, and are asked for again and again.
    """

    def __init__(self, out: Path, files: Files, common: Mapping[str, Any]) -> None:
        self.out, self.files, self.common = out, files, common
        self._chains: dict[tuple[str, int], tuple[Config, ...]] = {}
        self._records: dict[tuple[int, str], Record] = {}
        self._predicted: dict[Path, Predicted] = {}
        self._finished: set[Path] = set()
        # Hashes of documents, by whether word vectors belong to them.
        self._identities: dict[bool, dict[str, str]] = {}

    def prepare(self, config: Config, note: Note = ignore) -> dict[str, str]:
        """Extracts features once, before several processes ask for them; returns hashes of their inputs."""
        identity = self.files.load(config, note).identity
        self._identities[uses_vectors(config)] = identity
        return identity

    def chain(self, unit: Unit, seed: int) -> tuple[Config, ...]:
        """The stages of a unit."""
        key = (repr(unit), seed)
        if key not in self._chains:
            self._chains[key] = tuple(unit_chain(unit, seed, self.common))
        return self._chains[key]

    def run(self, unit: Unit, seed: int, *predict: tuple[str, str]) -> Run:
        """A unit with a seed, as it is trained in this folder."""
        return Run(self.chain(unit, seed), predict)

    def record(self, run: Run) -> Record | None:
        """The record of a unit, if it is done; an error if it belongs to another study."""
        if run.key not in self._records:
            path = record_path(self.out, run.stage, run.seed)
            if not path.exists():
                return None
            record = load_record(path)
            if identity := self._identities.get(uses_vectors(run.chain[-1])):
                check_record(path, record, run.chain, identity)
            self._records[run.key] = record
        return self._records[run.key]

    def predicted(self, unit: str, seed: int, part: str, decoding: str) -> Predicted | None:
        """What a unit has predicted, if it has; an error if it belongs to another test file."""
        path = predicted_path(self.out, unit, seed, part, decoding)
        if path not in self._predicted:
            if not path.exists():
                return None
            predicted = load_predicted(path)
            if part == TEST and predicted.digest != self._test_digest:
                raise CorelaxError(
                    f"{path}: is of another test file; use another --out, or delete it"
                )
            self._predicted[path] = predicted
        return self._predicted[path]

    def is_done(self, run: Run) -> bool:
        """Whether a unit is trained and has predicted everything that it should."""
        if self.record(run) is None:
            return False
        for part, decoding in run.predict:
            if not predicted_path(self.out, run.stage, run.seed, part, decoding).exists():
                return False
            if part == TEST:
                self.predicted(run.stage, run.seed, part, decoding)  # of this file, or an error
        return True

    def is_trained(self, run: Run) -> bool:
        """Whether the models of a run are here; its results can come without them."""
        return all(self.is_finished(run.seed, config.stage) for config in run.chain)

    def is_finished(self, seed: int, stage: str) -> bool:
        """Whether the model of a stage is here."""
        folder = seed_folder(self.out, seed) / stage
        if folder not in self._finished and is_finished(folder):
            self._finished.add(folder)
        return folder in self._finished

    @cached_property
    def _test_digest(self) -> str:
        return file_digest(self.files.test) if self.files.test else ""


def check_out(out: Path) -> None:
    """Raises an error if a study cannot have this folder, because it is a file."""
    if out.exists() and not out.is_dir():
        raise CorelaxError(f"{out}: is a file; name a folder")


def claim_folder(out: Path, identity: Mapping[str, Any]) -> None:
    """Writes what a folder is a study of; an error if it already holds a study of something else."""
    path = out / STUDY
    if not path.exists():
        out.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps(identity, indent=2, ensure_ascii=False) + "\n")
        return
    present = read_json(path)
    if not isinstance(present, dict):
        raise CorelaxError(f"{path}: says nothing about a study; delete it")
    check_claim(out, present, identity, "a study")


def check_inputs(out: Path, *inputs: Paths | None) -> None:
    """An error if a file that is read lies where results are written."""
    files = [file for paths in inputs for file in named_files(paths)]
    tables = (out / f"{SWEEP}.{suffix}" for suffix in ("md", "csv", "json"))
    for target in (out / RUNS, out / RESULTS, out / REPORT, out / STUDY, *tables):
        check_not_input(target, files)


def named_files(paths: Paths | None) -> Sequence[str]:
    """What was named, folders as their files."""
    return [] if not paths else document_files(paths)
