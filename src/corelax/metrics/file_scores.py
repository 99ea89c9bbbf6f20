"""Several files scored at once: each by itself, all of them pooled, and the mean over files.

The pooled score sums counts over the documents of all files, as within one file, so that large files weigh
more. The macro average is the plain mean of the files' scores, the way in which the CRAC shared tasks rank
systems over data sets.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from operator import add
from typing import Any

from corelax.io.file_sets import match_files
from corelax.metrics.counts import Score
from corelax.metrics.options import ScoreFilesOptions
from corelax.metrics.report import Report
from corelax.metrics.scoring import score_files

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


@dataclass(frozen=True)
class FilesReport(Report):
    """The pooled scores of several files, with a report for each file.

    Attributes:
        files: A report for each pair of files, by their common name.
    """

    files: Mapping[str, Report] = field(default_factory=dict)

    def macro(self, metric: str) -> Score:
        """The plain mean over files of recall, precision and F of a metric."""
        scores = [report[metric] for report in self.files.values()]
        recall, precision, f = (sum(shares) / len(scores) for shares in zip(*scores, strict=True))
        return Score(recall, precision, f, self.beta)

    @property
    def macro_conll(self) -> float:
        """The plain mean over files of the CoNLL score."""
        return float(sum(report.conll for report in self.files.values()) / len(self.files))

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers: the pooled scores as of one file, then "files" and "macro"."""
        pooled = super().as_dict()
        pooled.pop("documents", None)  # each file has its own
        pooled.pop("differences", None)
        macro: dict[str, Any] = {metric: self.macro(metric).as_dict() for metric in self}
        if self.has_conll:
            macro["conll"] = self.macro_conll
        files = {name: report.as_dict() for name, report in self.files.items()}
        return pooled | {"files": files, "macro": macro}


def score_file_sets(
    *, gold: Paths, system: Paths, options: ScoreFilesOptions | None = None, **keywords: Any
) -> Report:
    """Scores files and folders against files and folders of the same names, without suffix.

    Args:
        gold: A file, a folder, or several of them.
        system: The same.
        options: What is scored and how.
        **keywords: Fields of `ScoreFilesOptions`.

    Returns:
        The report of `score_files` for a pair of files, a `FilesReport` for folders and several files.

    >>> report = score_file_sets(gold="examples/data/gold.conll", system="examples/data/system.conll")
    >>> report["mentions"].recall  # 22 of 24
    0.9166666666666666
    """
    options = replace(options or ScoreFilesOptions(), **keywords)
    ours, theirs = ([s] if isinstance(s, str | os.PathLike) else list(s) for s in (gold, system))
    pairs = match_files(gold=ours, system=theirs)
    if pairs == {name: (os.fspath(ours[0]), os.fspath(theirs[0])) for name in pairs}:
        return score_files(gold=ours[0], system=theirs[0], options=options)
    reports = {
        name: score_files(gold=gold_file, system=system_file, options=options)
        for name, (gold_file, system_file) in pairs.items()
    }
    return pooled(reports)


def pooled(files: Mapping[str, Report]) -> FilesReport:
    """The pooled report of several files.

    >>> from corelax.metrics import evaluate
    >>> right = evaluate(gold=[["a", "b"]], system=[["a", "b"]])
    >>> half = evaluate(gold=[["a", "b"], ["c", "d"]], system=[["a", "b"]])
    >>> report = pooled({"en": right, "de": half})
    >>> round(report["mentions"].recall, 4), report.macro("mentions").recall  # 4 of 6; 1 and 1/2
    (0.6667, 0.75)
    """
    reports = list(files.values())
    counts = {
        metric: reduce(add, (report.counts[metric] for report in reports)) for metric in reports[0]
    }
    common = {f.name: getattr(reports[0], f.name) for f in fields(Report)}  # such as β
    documents, differences = (
        {
            f"{name}: {key}": value
            for name, report in files.items()
            for key, value in getattr(report, by_document).items()
        }
        for by_document in ("documents", "differences")
    )
    merged = {
        "counts": counts,
        "documents": documents,
        "differences": differences,
        "oddities": [line for report in reports for line in report.oddities],
        "files": dict(files),
    }
    return FilesReport(**(common | merged))
