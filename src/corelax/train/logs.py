"""Logs of training for other programs, each a `Progress` with the callbacks that it needs.

A run that is continued has every epoch in its log once, whenever it was interrupted.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from corelax.core.checks import check_choice
from corelax.core.files import write_text
from corelax.train.checkpoint import Epoch, History
from corelax.train.loop import Progress
from corelax.train.settings import StageSettings

CSV_LOG = "log.csv"


class Callbacks(Progress):
    """Several progress callbacks as one, called in their order."""

    def __init__(self, members: Sequence[Progress]) -> None:
        self._members = members

    def begin(self, *arguments: Any) -> None:
        for member in self._members:
            member.begin(*arguments)

    def document(self, *arguments: Any) -> None:
        for member in self._members:
            member.document(*arguments)

    def epoch(self, *arguments: Any) -> None:
        for member in self._members:
            member.epoch(*arguments)

    def end(self, *arguments: Any) -> None:
        for member in self._members:
            member.end(*arguments)


class CsvLog(Progress):
    """A table of epochs in each model folder, `log.csv`.

    >>> from tempfile import TemporaryDirectory
    >>> config, history = StageSettings(stage="s"), History()
    >>> history.epochs.append(
    ...     Epoch(stage="s", epoch=1, loss=0.5, dev=0.25, temperature=1.0, seconds=2.0, documents=3)
    ... )
    >>> with TemporaryDirectory() as folder:
    ...     log = CsvLog()
    ...     log.begin(config, Path(folder), history)
    ...     log.epoch(config, history)
    ...     print(Path(folder, "log.csv").read_text())
    stage,epoch,loss,dev,temperature,seconds,documents,criterion
    s,1,0.5,0.25,1.0,2.0,3,CoNLL F1
    <BLANKLINE>
    """

    def begin(self, config: StageSettings, folder: Path, history: History) -> None:  # noqa: ARG002
        self._folder = folder

    def epoch(self, config: StageSettings, history: History) -> None:
        text = io.StringIO()
        names = [field.name for field in fields(Epoch)]
        writer = csv.DictWriter(text, [*names, "criterion"], lineterminator="\n")
        writer.writeheader()
        writer.writerows({**asdict(e), "criterion": config.criterion} for e in history.epochs)
        write_text(self._folder / CSV_LOG, text.getvalue())


LOGS: Mapping[str, type[Progress]] = {"csv": CsvLog}


def with_logs(progress: Progress | None, logs: str | Sequence[str]) -> Progress | None:
    """Progress callbacks with the logs of these names.

    >>> with_logs(None, "csv, please")
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: log must be 'csv', not 'csv, please'
    """
    names = dict.fromkeys([logs] if isinstance(logs, str) else logs)
    chosen = [LOGS[check_choice("log", name, LOGS)]() for name in names]
    if not chosen:
        return progress
    return Callbacks(chosen if progress is None else [progress, *chosen])
