"""The answers of a study to the claims of the paper, with verdicts and numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from corelax.analysis.decisions import ERRORS
from corelax.analysis.significance import Difference, holm
from corelax.render.tables import Cell, Row, Table
from corelax.study.plan import BEST_OF_PAPER
from corelax.study.report.errors import change_text
from corelax.study.report.scores import GAP, OF_BETA, agreement, difference_cells, ordered_systems
from corelax.study.results import Results
from corelax.study.systems import BEST_BETA_SQUARED, CONLL_2012_TEST

# The directions of the paper's table 2.
SHIFT = {"false_anaphor": -1, "wrong_link": -1, "false_new": 1}


class Answer(NamedTuple):
    """A question and what this study says to it.

    Attributes:
        question: The question.
        paper: What the paper says.
        here: The answer, where it does not follow from a difference alone.
        difference: The difference that it is about; the verdict then stands before `here`.
        wanted: How many points of CoNLL the paper gains.
    """

    question: str
    paper: str
    here: str = ""
    difference: Difference | None = None
    wanted: float = 0.0


def answers_table(results: Results) -> Table:
    """Question, the paper's answer, the verdict of this study with its numbers; p corrected for all rows."""
    answers = [
        *_gains(results),
        *_best_beta(results),
        *_error_shift(results),
        *_order(results),
    ]
    adjusted = iter(holm([a.difference.p_value for a in answers if a.difference]))
    rows = []
    for answer in answers:
        here: str = answer.here
        numbers: list[Cell] = [GAP, GAP, GAP]
        if answer.difference:
            corrected = next(adjusted)
            judged = verdict(answer.difference, answer.wanted, corrected)
            here = f"{judged}: {here}" if here else judged
            numbers = difference_cells(answer.difference, corrected)
        rows.append(Row([answer.question, answer.paper, here, *numbers]))
    caption = (
        "Differences of the CoNLL score with 95 % bootstrap intervals over documents and seeds; p of a "
        "permutation test over documents, corrected for all questions of this table. β is compared on dev "
        "(the best of several values on the documents that it was chosen by), the rest on the reported part."
    )
    columns = ["question", "the paper", "here", "difference [95 %]", "p", "p (Holm)"]
    return Table("answers", "The questions", columns, rows, caption)


def verdict(difference: Difference, wanted: float = 0.0, corrected: float | None = None) -> str:
    """Whether there is a gain that is not chance, and whether it is as large as wanted.

    >>> verdict(Difference(0.006, -0.001, 0.013, 0.06, 30, 5, 10_000, False), wanted=0.48)
    'as much, but it may be chance'
    >>> verdict(Difference(0.006, 0.001, 0.013, 0.01, 30, 5, 10_000, False), corrected=0.1)
    'yes, but not after the correction'
    """
    as_much = 100 * difference.mean >= wanted
    is_significant = difference.p_value < 0.05 and (difference.low > 0 or difference.high < 0)
    if is_significant:
        text = "no, it is worse"
        if difference.mean > 0:
            text = "yes" if as_much else "a smaller gain"
        passes = corrected is None or corrected < 0.05
        return text if passes else f"{text}, but not after the correction"
    if wanted and as_much:
        return "as much, but it may be chance"
    return "not shown"


def _gains(results: Results) -> Iterator[Answer]:
    """Do the metric losses beat the baseline by as much as in the paper?"""
    for name, loss in zip(BEST_OF_PAPER, ("L_β,B³", "L_β,LEA"), strict=True):
        if outcome := results.outcome(name):
            wanted = CONLL_2012_TEST[name] - CONLL_2012_TEST["baseline"]
            question = (
                f"Does {loss} beat the heuristic baseline, and by {wanted:.2f} CoNLL in the mean?"
            )
            gain = results.difference(outcome)
            yield Answer(question, f"+{wanted:.2f}", difference=gain, wanted=wanted)
    if outcome := results.outcome("continued"):
        question = "Does the baseline gain by as many more epochs of its own loss?"
        yield Answer(question, "–", difference=results.difference(outcome))


def _best_beta(results: Results) -> Iterator[Answer]:
    """Is a β above 1 best?"""
    for name, loss in OF_BETA.items():
        grid = results.study.grid(name)
        gains = results.beta_gains(grid) if grid else {}
        if grid is None or not gains:
            continue
        best = max(gains, key=lambda value: gains[value].mean)
        question = f"Is β > 1 best for {loss}, on dev?"
        paper = f"yes, β² = {BEST_BETA_SQUARED[name]:g}"
        if best > 1:
            edge = ", the largest that was tried" if best == max(grid.values) else ""
            yield Answer(question, paper, f"best β² = {best:g}{edge}", gains[best])
        else:
            yield Answer(question, paper, f"no: best β² = {best:g}")


def _error_shift(results: Results) -> Iterator[Answer]:
    """Fewer false anaphors and wrong links, more false new?"""
    for outcome in results.named(BEST_OF_PAPER):
        changes = {kind: results.error_change(outcome, kind) for kind in ERRORS}
        word = "no"
        if all(changes[kind].mean * sign > 0 for kind, sign in SHIFT.items()):
            ends = [end * SHIFT[kind] for kind, c in changes.items() for end in (c.low, c.high)]
            word = "yes" if min(ends) > 0 else "yes, but it may be chance"
        numbers = ", ".join(
            f"{kind.replace('_', ' ')} {change_text(change)}" for kind, change in changes.items()
        )
        yield Answer(
            f"Does the error profile of {outcome.row.title} shift as in the paper's table 2?",
            "fewer false anaphors and wrong links, more false new",
            f"{word}; {numbers}",
        )


def _order(results: Results) -> Iterator[Answer]:
    """Do the systems of the paper's table come in the published order?"""
    if order := agreement(results):
        word = "yes" if order.low > 0 else "no" if order.high < 0 else "not shown"
        tau = f"{order.tau:.2f} [{order.low:.2f}, {order.high:.2f}]".replace("-", "−")
        yield Answer(
            f"Do the {len(ordered_systems(results))} systems come in the published order?",
            "as in the table of their order",
            f"{word}: Kendall's τ {tau}, {order.agreeing} of {order.pairs} pairs in that order",
        )
