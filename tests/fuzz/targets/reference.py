"""Damaged CoNLL-2012 files through the reference profile: scores or an error of one line."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

from corelax import CorelaxError
from corelax.metrics import score_files
from tests.fuzz.mutate import damaged
from tests.fuzz.seeds import CONLL
from tests.fuzz.target import Target
from tests.fuzz.targets.readers import check_message


def check(case: bytes, folder: Path) -> None:
    """The damaged file against a good one, both ways, and against itself."""
    paths = [folder / "case.conll", folder / "good.conll"]
    for path, content in zip(paths, (case, CONLL[0]), strict=True):
        path.write_bytes(content)
    for gold, system in ((0, 1), (1, 0), (0, 0)):
        try:
            report = score_files(
                gold=paths[gold], system=paths[system], profile="reference", per_document=True
            )
        except CorelaxError as error:
            check_message(error)
            continue
        for name in report.counts:  # CEAF exceeds 1 where gold mentions are repeated
            for value in (report[name].recall, report[name].precision, report[name].f1):
                assert 0 <= value < math.inf, f"{name}: {value}"


TARGET = Target(
    name="read-reference", suffix=".conll", make=partial(damaged, seeds=CONLL), check=check
)
