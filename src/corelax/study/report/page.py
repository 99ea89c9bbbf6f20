"""The report of a study: which tables, figures and passages it has, and what it says about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from corelax.analysis.passages import choose_passages
from corelax.analysis.significance import interval
from corelax.core.version import VERSION
from corelax.render.figures import Figure
from corelax.render.pages import Page, PageItem, Section
from corelax.render.passages import Passages
from corelax.render.tables import Table
from corelax.study.files import DEV, TEST
from corelax.study.plan import BEST_OF_PAPER
from corelax.study.report.answers import answers_table
from corelax.study.report.errors import error_changes_table, errors_table, gains_table
from corelax.study.report.scores import (
    beta_table,
    order_table,
    pairs_table,
    row_title,
    scores_table,
)
from corelax.study.report.training import (
    beta_figure,
    curves_figure,
    rates_table,
    times_table,
)
from corelax.study.results import Outcome, Results, system_documents
from corelax.study.systems import CONLL_2012_SIZES, left_out
from corelax.train.sparse.config import Config

_ABOUT_BETA = "A larger β favours recall: −F_β is the loss, F1 what is measured."
_LONGER = (
    "**Trained as long again**: from its best epoch, the baseline's own loss for as many "
    "epochs as the others; what more training alone brings."
)


def study_page(
    results: Results, *, title: str, command: str = "", examples: int = 6, remark: str = ""
) -> Page:
    """The report as data."""
    scores: list[Table | None] = [scores_table(results, results.part)]
    scores += [scores_table(results, DEV)] if results.part != DEV else []
    longer = [_LONGER] if results.outcome("continued") else []
    parts: list[tuple[str, Sequence[str], Sequence[PageItem | None]]] = [
        ("What was found", [_comparisons(results)], [answers_table(results)]),
        ("Scores", [_comparable(results), *longer], [*scores, order_table(results)]),
        ("One against another", [], [pairs_table(results)]),
        ("Errors", [], [errors_table(results), error_changes_table(results)]),
        ("Genres and lengths", [], [gains_table(results)]),
        ("Recall and precision by β", [_ABOUT_BETA], [beta_figure(results), beta_table(results)]),
        ("Training", [], [curves_figure(results), rates_table(results)]),
        ("Time", [], [times_table(results)]),
        ("Where systems differ", [], [_passages(results, examples)]),
    ]
    sections = []
    figures = 0
    for heading, paragraphs, items in parts:
        present = [item for item in items if item is not None]
        for number, item in enumerate(present):
            if isinstance(item, Figure):
                figures += 1
                present[number] = replace(item, title=f"Figure {figures}: {item.title}")
        if present:
            sections.append(Section(heading, paragraphs, present))
    lead = ([remark] if remark else []) + _lead(results)
    return Page(title, lead, _facts(results), sections, command)


def _lead(results: Results) -> list[str]:
    """The outcome in a few sentences, made from the numbers."""
    lines = [
        "A mention ranker over sparse features, trained with a heuristic loss and then with relaxed metrics "
        "themselves, as in Le & Titov (2017), Optimizing Differentiable Relaxations of Coreference "
        "Evaluation Metrics.",
    ]
    if results.wanted > 1:
        lines.append(
            f"Cross-validation in {results.wanted} folds: each document is tested once, by resolvers that "
            f"were trained and tuned on others; chosen in each fold: {', '.join(_chosen(results))}. Scores "
            "and tests are over the documents of all folds."
        )
    if len(results.folds) < results.wanted:
        lines.append(f"**Only {len(results.folds)} of {results.wanted} folds are done.**")
    of_all_rows = len(results.outcomes) == len(results.study.rows)
    of_all_seeds = set(results.baseline.records) == set(results.seeds)
    if not (results.is_done and of_all_rows and of_all_seeds):
        lines.append(
            "**Not all runs are done.** Rows may be missing or have fewer seeds than others."
        )
    if shown := results.named(BEST_OF_PAPER):
        best = max(results.others, key=lambda outcome: results.difference(outcome).mean)
        text = "; ".join(_gain(results, outcome) for outcome in shown)
        if best not in shown:
            text += f". The largest difference of all rows: {_gain(results, best)}"
        lines.append(f"CoNLL against the baseline on {results.part}, with 95 % intervals: {text}.")
    return lines


def _gain(results: Results, outcome: Outcome) -> str:
    return f"{row_title(outcome)} {interval(results.difference(outcome))}"


def _comparisons(results: Results) -> str:
    """What many comparisons mean for p values."""
    number, documents = len(results.compared), _documents(results, results.part)
    least = 2 / 2**documents  # of an exact permutation test: all documents one way
    text = (
        f"Made from the numbers, row by row. Of {number} comparisons, {0.05 * number:.1f} would be below "
        "p = 0.05 by chance; the tables have p values after Holm's correction too. Yes means that "
        "the interval excludes 0 and p is below 0.05; the answers also say whether that holds after a "
        "correction for all questions."
    )
    if not number:
        return "Nothing but the baseline is done yet."
    if least * number > 0.05:
        text += f" With {documents} documents no p is below {least:.3f}, so that none can pass it."
    return text


def _comparable(results: Results) -> str:
    """Whether published figures can be compared with these."""
    if results.part != TEST:
        return "These are scores on dev, by which everything was chosen."
    config = _config(results)
    is_usual = (config.mentions, config.singletons) == ("detect", "drop")
    if is_usual and all(_documents(results, p) == CONLL_2012_SIZES[p] for p in (DEV, TEST)):
        return "These files have as many documents as CoNLL-2012: published figures are comparable."
    return (
        "Published figures are of CoNLL-2012 English test, **another corpus: they are not comparable**, "
        "only the gains in brackets are, with care."
    )


def _facts(results: Results) -> list[tuple[str, str]]:
    """How the numbers came about."""
    config, records = _config(results), results.baseline.every_record
    parts = [f"{_documents(results, p)} {p}" for p in dict.fromkeys([DEV, results.part])]
    trained = records[0].epochs[0]["documents"]
    each = " in the first fold" if results.wanted > 1 else ""
    programs = {record.program for record in records if record.program}
    facts = [("Folds", f"{len(results.folds)} of {results.wanted}")] if results.wanted > 1 else []
    facts += [
        ("Documents", ", ".join([f"{trained} training{each} (with coreference)", *parts])),
        ("Mentions", f"{config.mentions}; entities of one mention: {config.singletons}"),
        ("Seeds", ", ".join(map(str, sorted(results.baseline.records)))),
        ("Chosen on dev", ", ".join(_chosen(results))),
        ("Device", ", ".join(sorted({record.device for record in records}))),
        ("Program", "; ".join(sorted(programs)) or f"corelax {VERSION}"),
    ]
    rows = results.study.rows
    if any(row.values for row in rows) and (missing := left_out(row.name for row in rows)):
        facts.append(("Left out, for want of word vectors", ", ".join(missing)))
    if config.singletons == "keep":
        facts.append(("Losses of the paper", "without the authors' filter, which drops singletons"))
    return facts


def _chosen(results: Results) -> list[str]:
    """What was chosen on dev."""
    study = results.study
    chosen = ["epoch"] + ["learning rates"] * bool(study.tuned)
    return chosen + ["β"] * any(row.values for row in study.rows)


def _config(results: Results) -> Config:
    """The settings of the baseline."""
    return results.folds[0].folder.chain(results.study.units[0], results.seeds[0])[-1]


def _documents(results: Results, part: str) -> int:
    return results.baseline.counts(part).documents


def _passages(results: Results, number: int) -> Passages | None:
    """Passages in which the paper's best loss and the baseline differ, with the first seed."""
    shown = results.named(BEST_OF_PAPER)
    if not shown or not number:
        return None
    outcome = shown[-1]
    seed = outcome.seeds(results.part)[0]
    systems = {
        compared.row.title: system_documents(results.gold, compared.predicted[results.part][seed])
        for compared in (results.baseline, outcome)
    }
    passages = choose_passages(gold=results.gold, systems=systems, number=number)
    caption = (
        f"Seed {seed}. Passages with the largest difference in errors, in favour of either system by turns. "
        "Equal numbers are one entity; errors are underlined."
    )
    title = f"{outcome.row.title} and the baseline"
    return Passages("passages", title, caption, passages) if passages else None
