"""The answers of a study to the questions of the paper, and to ours, in words and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from corelax.analysis.decisions import ERRORS
from corelax.analysis.errors import ErrorCounts
from corelax.analysis.significance import Difference
from corelax.analysis.written import interval, p_text
from corelax.render.report import Row, Table
from corelax.study.plan import BEST_OF_PAPER
from corelax.study.report.published import BEST_BETA_SQUARED, CONLL_2012_TEST
from corelax.study.report.tables import row_title
from corelax.study.results import Outcome, Results, Spread

Errors = Mapping[str, Sequence[ErrorCounts]]
Answer = tuple[str, str, str]  # question, the paper's answer, the answer here


def answers_table(results: Results, errors: Errors) -> Table:
    """Question, the paper's answer, and the answer of this study."""
    answers = [
        *_gains(results),
        *_best_beta(results),
        *_error_shift(results, errors),
        *_ours(results),
    ]
    caption = (
        "Differences of the CoNLL score with 95 % bootstrap intervals over documents and seeds; p of a "
        "permutation test over documents. β is compared on dev (the best of several values on the "
        "documents that it was chosen by), the rest on the reported part."
    )
    columns = ["question", "the paper", "here"]
    rows = [Row(list(answer)) for answer in answers]
    return Table("answers", "The questions", columns, rows, caption)


def verdict(difference: Difference, wanted: float = 0.0) -> str:
    """Whether there is a gain that is not chance, and whether it is as large as wanted.

    >>> verdict(Difference(0.006, -0.001, 0.013, 0.06, 30, 5, 10_000, False), wanted=0.48)
    'as much, but it may be chance'
    """
    as_much = 100 * difference.mean >= wanted
    is_significant = difference.p_value < 0.05 and (difference.low > 0 or difference.high < 0)
    if is_significant and difference.mean < 0:
        return "no, it is worse"
    if is_significant:
        return "yes" if as_much else "a gain, but a smaller one"
    if wanted and as_much:
        return "as much, but it may be chance"
    return "not shown"


def _judged(difference: Difference, wanted: float = 0.0) -> str:
    """The verdict with its numbers."""
    return f"{verdict(difference, wanted)} ({interval(difference)}, p {p_text(difference.p_value)})"


def _gains(results: Results) -> Iterator[Answer]:
    """Do the metric losses beat the baseline by as much as in the paper?"""
    for name, loss in zip(BEST_OF_PAPER, ("L_β,B³", "L_β,LEA"), strict=True):
        if outcome := results.outcome(name):
            wanted = CONLL_2012_TEST[name] - CONLL_2012_TEST["baseline"]
            question = (
                f"Does {loss} beat the heuristic baseline, and by {wanted:.2f} CoNLL in the mean?"
            )
            yield question, f"+{wanted:.2f}", _judged(results.difference(outcome), wanted)
    if outcome := results.outcome("continued"):
        question = "Does the baseline gain by as many more epochs of its own loss?"
        yield question, "–", _judged(results.difference(outcome))


def _best_beta(results: Results) -> Iterator[Answer]:
    """Is a β above 1 best? And in the pairwise family?"""
    for name, title, row in (
        ("b3", "Is β > 1 best for L_B³, on dev?", "b3_beta"),
        ("lea", "Is β > 1 best for L_LEA, on dev?", "lea_beta"),
        ("pair_b3", "Is β > 1 best for pairwise B³, on dev?", ""),
        ("pair_lea", "Is β > 1 best for pairwise LEA, on dev?", ""),
    ):
        grid = results.reproduction.study.grid(name)
        if grid and (best_and_gain := results.beta_gain(grid)):
            best, gain = best_and_gain
            paper = f"yes, β² = {BEST_BETA_SQUARED[row]:g}" if row else "–"
            if best > 1:
                yield title, paper, f"{_judged(gain)}: best β² = {best:g}"
            else:
                yield title, paper, f"no: best β² = {best:g}"


def _error_shift(results: Results, errors: Errors) -> Iterator[Answer]:
    """Fewer false anaphors and wrong links, more false new?"""
    before = errors[results.baseline.row.name]
    for name in BEST_OF_PAPER:
        outcome = results.outcome(name)
        if outcome is None:
            continue
        changes = {}
        for kind in ERRORS:
            old = Spread.of(counts.number(kind) for counts in before).mean
            changes[kind] = Spread.of(counts.number(kind) for counts in errors[name]).mean - old
        yes = (
            changes["false_anaphor"] < 0 and changes["wrong_link"] < 0 and changes["false_new"] > 0
        )
        text = ", ".join(
            f"{kind.replace('_', ' ')} {change:+.0f}" for kind, change in changes.items()
        )
        yield (
            f"Does the error profile of {row_title(outcome)} shift as in the paper's table 2?",
            "fewer false anaphors and wrong links, more false new",
            f"{'yes' if yes else 'no'}; {text}".replace("-", "−"),
        )


def _ours(results: Results) -> Iterator[Answer]:
    """Annealing, the CoNLL average as an objective, decoding."""
    for name, other, title in (
        ("annealed", "soft_lea", "Does annealing T help, against T = 1?"),
        ("annealed_links", "soft_lea", "Does annealing the link temperature help, against T = 1?"),
        ("pairwise_lea", "soft_lea", "Is pairwise LEA better than entity-soft LEA, at β = 1?"),
        ("baseline_entities", "baseline", "Does entity decoding help the baseline?"),
    ):
        outcome, base = results.outcome(name), results.outcome(other)
        if outcome and base and results.are_paired(outcome, base):
            yield title, "–", _judged(results.difference(outcome, to=base))
    if conll := results.outcome("soft_conll"):
        names = ("soft_muc", "soft_b_cubed", "soft_ceaf_e", "soft_blanc", "soft_lea", "soft_conll")
        rivals = [outcome for name in names if (outcome := results.outcome(name))]
        ranked = sorted(rivals, key=lambda o: -_conll(o, results.part))
        place = ranked.index(conll) + 1
        best = f"{row_title(ranked[0])}, {_conll(ranked[0], results.part):.2f}"
        here = f"{_conll(conll, results.part):.2f}"
        yield (
            "Is the soft CoNLL average the best soft metric to train for the CoNLL score?",
            "–",
            f"{'yes' if place == 1 else 'no'}; place {place} of {len(ranked)} ({here}; best: {best})",
        )


def _conll(outcome: Outcome, part: str) -> float:
    return Spread.of(100 * score.f1 for score in outcome.scores(part, "conll")).mean
