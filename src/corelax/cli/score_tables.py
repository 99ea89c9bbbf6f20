"""Reports as tables for CSV and LaTeX: metrics below each other, or documents or files with a row each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from corelax.metrics import FilesReport, Report, Score, rounded_percent
from corelax.metrics.registry import title_of
from corelax.render.tables import Cell, Row, Table

MEAN, POOLED = "mean of files", "all pooled"
Percent = Callable[[float], str]


def score_table(report: Report, percent: Percent = rounded_percent) -> Table:
    """What CSV and LaTeX show: documents if the report has them, else files, else metrics."""
    if report.documents:
        return _documents(report, percent)
    return (
        files_table(report, percent)
        if isinstance(report, FilesReport)
        else _metrics(report, percent)
    )


def _metrics(report: Report, percent: Percent) -> Table:
    """A row for each metric: recall, precision, F; then CoNLL."""
    rows = [
        Row([title_of(name), *(_cell(share, percent) for share in score)])
        for name, score in report.items()
    ]
    if report.has_conll:
        rows.append(Row(["CoNLL", "–", "–", _cell(report.conll, percent)]))
    return Table("scores", "", ["metric", "recall", "precision", report.f_name], rows)


def _documents(report: Report, percent: Percent) -> Table:
    """A row for each document."""
    if isinstance(report, FilesReport):
        named = [
            ([file, key], doc)
            for file, of_file in report.files.items()
            for key, doc in of_file.documents.items()
        ]
        return _wide(report, ["file", "document"], named, percent)
    return _wide(report, ["document"], (([k], doc) for k, doc in report.documents.items()), percent)


def files_table(report: FilesReport, percent: Percent = rounded_percent) -> Table:
    """A row for each file, then their mean and the pooled scores."""
    files = (([name], of_file) for name, of_file in report.files.items())
    table = _wide(report, ["file"], files, percent)
    mean = [_score_cell(report, report.macro(metric), percent) for metric in report]
    if report.has_conll:
        mean.append(_cell(report.macro_conll, percent))
    pooled = _wide(report, ["file"], [([POOLED], report)], percent).rows
    return Table("files", "", table.columns, [*table.rows, Row([MEAN, *mean]), *pooled])


def _wide(
    report: Report,
    labels: Sequence[str],
    named: Iterable[tuple[Sequence[str], Report]],
    percent: Percent,
) -> Table:
    """A row for each report, a column for each metric: F is shown, recall and precision are behind it."""
    titles = [title_of(name) for name in report]
    rows = []
    for names, each in named:
        cells = [_score_cell(report, each[metric], percent) for metric in report]
        cells += [_cell(each.conll, percent)] if report.has_conll else []
        rows.append(Row([*names, *cells]))
    conll = ["CoNLL"] if report.has_conll else []
    return Table("documents", "", [*labels, *titles, *conll], rows)


def _score_cell(report: Report, score: Score, percent: Percent) -> Cell:
    values = {"recall": score.recall, "precision": score.precision, report.f_name: score.f}
    return Cell(percent(score.f), {name: 100 * share for name, share in values.items()})


def _cell(share: float, percent: Percent) -> Cell:
    return Cell(percent(share), {"value": 100 * share})
