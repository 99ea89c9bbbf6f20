"""Logs of training for other programs: CSV files, TensorBoard, Weights & Biases.

A log is a `Progress` like any other: a class with the callbacks that it needs. A run that is continued has
every epoch in its log once, whenever it was interrupted.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.core.files import write_text
from corelax.train.checkpoint import Epoch, History
from corelax.train.loop import Progress
from corelax.train.settings import StageSettings

CSV_LOG, TENSORBOARD = "log.csv", "tensorboard"


class Callbacks(Progress):
    """Several progress callbacks as one, called in their order."""

    def __init__(self, members: Sequence[Progress]) -> None:
        self._members = members

    def begin(self, config: StageSettings, folder: Path, history: History) -> None:
        """Before the first epoch of a stage."""
        for member in self._members:
            member.begin(config, folder, history)

    def document(self, stage: str, epoch: int, epochs: int, done: int, documents: int) -> None:
        """After a training document."""
        for member in self._members:
            member.document(stage, epoch, epochs, done, documents)

    def epoch(self, config: StageSettings, history: History) -> None:
        """After an epoch."""
        for member in self._members:
            member.epoch(config, history)

    def end(self, config: StageSettings, training: Mapping[str, Any]) -> None:
        """After a stage."""
        for member in self._members:
            member.end(config, training)


class CsvLog(Progress):
    """A table of epochs in each model folder, `log.csv`.

    >>> from tempfile import TemporaryDirectory
    >>> config, history = StageSettings(stage="s"), History()
    >>> history.epochs.append(
    ...     Epoch(stage="s", epoch=1, loss=0.5, dev=0.25, temperature=1.0, seconds=2.0, documents=3)
    ... )
    >>> with TemporaryDirectory() as folder:
    ...     log = CsvLog(Path(folder))
    ...     log.begin(config, Path(folder), history)
    ...     log.epoch(config, history)
    ...     print(Path(folder, "log.csv").read_text())
    stage,epoch,loss,dev,temperature,seconds,documents,criterion
    s,1,0.5,0.25,1.0,2.0,3,CoNLL F1
    <BLANKLINE>
    """

    def __init__(self, out: Path) -> None:
        self._folder = out

    def begin(self, config: StageSettings, folder: Path, history: History) -> None:  # noqa: ARG002
        """Remembers the folder of the stage."""
        self._folder = folder

    def epoch(self, config: StageSettings, history: History) -> None:
        """Writes all epochs, as a whole."""
        text = io.StringIO()
        names = [field.name for field in fields(Epoch)]
        writer = csv.DictWriter(text, [*names, "criterion"], lineterminator="\n")
        writer.writeheader()
        writer.writerows({**asdict(e), "criterion": config.criterion} for e in history.epochs)
        write_text(self._folder / CSV_LOG, text.getvalue())


class TensorBoardLog(Progress):
    """Scalars in OUT/tensorboard/STAGE. Needs the package `tensorboard`."""

    def __init__(self, out: Path) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            raise _missing("tensorboard") from None
        self._make, self._out = SummaryWriter, out
        self._writer: Any = None

    def begin(self, config: StageSettings, folder: Path, history: History) -> None:  # noqa: ARG002
        """Opens the log of a stage; what an interrupted run logged is replaced by its history."""
        self._writer = self._make(
            str(self._out / TENSORBOARD / config.stage), purge_step=1 if history.epochs else None
        )
        for epoch in history.epochs:
            self._add(config, epoch)

    def epoch(self, config: StageSettings, history: History) -> None:
        """Logs the last epoch."""
        self._add(config, history.epochs[-1])
        self._writer.flush()

    def _add(self, config: StageSettings, epoch: Epoch) -> None:
        for name, value in _values(config, epoch).items():
            self._writer.add_scalar(name, value, epoch.epoch)

    def end(self, config: StageSettings, training: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Closes the log of a stage."""
        self._writer.close()


class WandbLog(Progress):
    """A run of Weights & Biases for each stage, in the project `corelax` or the one that WANDB_PROJECT names.

    Needs the package `wandb`. A run that is continued has the same id, so that its epochs are added.
    """

    def __init__(self, out: Path) -> None:
        try:
            import wandb  # type: ignore[import-not-found,unused-ignore]
        except ImportError:
            raise _missing("wandb") from None
        self._wandb, self._out = wandb, out
        self._run: Any = None

    def begin(self, config: StageSettings, folder: Path, history: History) -> None:
        """Starts the run of a stage, or takes it up again."""
        self._out.mkdir(parents=True, exist_ok=True)
        self._run = self._wandb.init(
            project=os.environ.get("WANDB_PROJECT", "corelax"),
            name=f"{self._out.resolve().name}/{config.stage}",
            id=hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16],
            resume="allow",
            dir=str(self._out),
            config=asdict(config),
        )
        for epoch in history.epochs:
            if epoch.epoch >= self._run.step:  # the run has those before
                self._run.log(_values(config, epoch), step=epoch.epoch)

    def epoch(self, config: StageSettings, history: History) -> None:
        """Logs the last epoch."""
        last = history.epochs[-1]
        self._run.log(_values(config, last), step=last.epoch)

    def end(self, config: StageSettings, training: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Ends the run, with the epoch that was kept."""
        self._run.summary.update({"kept epoch": training["epoch"], "kept dev": training["dev"]})
        self._run.finish()


LOGS: Mapping[str, Callable[[Path], Progress]] = {
    "csv": CsvLog,
    "tensorboard": TensorBoardLog,
    "wandb": WandbLog,
}


def with_logs(progress: Progress | None, logs: str | Sequence[str], out: Path) -> Progress | None:
    """Progress callbacks with the logs of these names; errors of missing packages come at once.

    >>> with_logs(None, "csv, please", Path())
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: unknown log 'csv, please'; choose from csv, tensorboard, wandb
    """
    names = dict.fromkeys([logs] if isinstance(logs, str) else logs)
    for name in names:
        if name not in LOGS:
            raise CorelaxError(f"unknown log {name!r}; choose from {', '.join(LOGS)}")
    if not names:
        return progress
    members = [] if progress is None else [progress]
    return Callbacks([*members, *(LOGS[name](out) for name in names)])


def _values(config: StageSettings, epoch: Epoch) -> dict[str, float]:
    """What is plotted of an epoch."""
    return {
        "loss": epoch.loss,
        f"dev {config.criterion}": epoch.dev,
        "temperature": epoch.temperature,
        "seconds": epoch.seconds,
    }


def _missing(package: str) -> CorelaxError:
    return CorelaxError(f"--log {package} needs {package}: pip install 'corelax[{package}]'")
