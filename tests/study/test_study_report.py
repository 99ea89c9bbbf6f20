"""The report of a study: tables, figures, answers and the page, from predictions that were made up."""

from __future__ import annotations

import csv
import json
import re
import shutil
from statistics import mean, median, stdev

import pytest

import corelax
from corelax.analysis.errors import count_errors
from corelax.analysis.significance import Difference
from corelax.io import read, write
from corelax.render.pages import write_report
from corelax.study.plan import (
    BETA_SQUARED,
    LEARNING_RATES,
    full_study,
    quick_study,
)
from corelax.study.report.answers import verdict
from corelax.study.report.errors import document_groups
from corelax.study.report.page import study_page
from corelax.study.report.training import curves_figure
from corelax.study.reproduction import Reproduction
from corelax.study.results import Results
from corelax.study.systems import CONLL_2012_TEST, ORDERED
from tests.study.study_runs import (
    alone,  # noqa: F401  (a fixture for all tests here)
    damaged,
    documents,
    files_in,
    invented_training,
    make_files,
    make_runner,
    record_of,
    system_of,
)

pytestmark = pytest.mark.slow  # trains a whole study

SEEDS = (1, 2)
METRICS = {
    "MUC": "muc",
    "B³": "b_cubed",
    "CEAF-m": "ceaf_m",
    "CEAF-e": "ceaf_e",
    "BLANC": "blanc",
    "LEA": "lea",
}
DIFFERENCE = "to baseline [95 %]"
PUBLISHED = "published"
STUDY = full_study()
IN_ORDER = [row.name for row in STUDY.rows if row.name in ORDERED]

# Shares of mentions that are moved to another entity, missed, or added to one. What is not named here has
# those of the baseline, spoilt a little more by the length of its name.
BASELINE = {"moved": 0.3, "added": 0.2}
SHARES = {
    "baseline": BASELINE,
    "continued": {"moved": 0.6, "added": 0.4, "missed": 0.1},
    **{f"lea_{v:g}": {"missed": min(0.5, 0.1 + abs(v - 1.8) / 10)} for v in BETA_SQUARED},
    **{f"b3_{v:g}": {**BASELINE, "missed": min(0.6, abs(v - 1) / 5)} for v in BETA_SQUARED},
}


def shares(unit):
    if "_rates_" in unit:
        first, second = map(float, unit.rpartition("_rates_")[2].split("_"))
        return {"moved": abs(first - 0.1) + 10 * second}  # 0.1, 0.002 are best
    return SHARES.get(unit, {**BASELINE, "missed": len(unit) / 100})


def answer(doc, unit, seed, _):
    if unit == "b3_1":  # as good as the baseline: better here, worse there
        return damaged(doc, seed, moved=0.25 if len(doc.words) % 2 else 0.4, added=0.2)
    if unit.startswith("cm_") and len(doc.words) % 2:  # worse in some documents only
        return damaged(doc, seed, **BASELINE)
    return damaged(doc, seed, **shares(unit))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    make_files(folder)
    write(documents(11, seed=20, mentions=40), folder / "dev.conll")
    write(documents(12, seed=30, mentions=40), folder / "test.conll")
    return folder


def reproduction(out, folder, study=STUDY, seeds=SEEDS):
    return Reproduction(study, make_runner(out, files_in(folder)), seeds)


@pytest.fixture(scope="module")
def out(folder, tmp_path_factory):
    """A full study whose units are trained by nobody."""
    out = tmp_path_factory.mktemp("study")
    with invented_training(answer):
        assert reproduction(out, folder).run()
    return out


@pytest.fixture(scope="module")
def results(out, folder):
    return Results([reproduction(out, folder)])


@pytest.fixture(scope="module")
def page(results):
    return study_page(results, title="A study", command="corelax reproduce", examples=3)


@pytest.fixture(scope="module")
def report(page, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    write_report(page, folder)
    return folder


@pytest.fixture(scope="module")
def reports(out, folder):
    """The score of each unit, seed, part and decoding that was asked for."""
    known = {}

    def scored(unit, seed, part, decoding="links"):
        key = unit, seed, part, decoding
        if key not in known:
            gold = read(folder / f"{part}.conll")
            system = system_of(out, gold, *key)
            known[key] = corelax.score(gold=gold, system=system, singletons="drop")
        return known[key]

    return scored


def table(report, key):
    return json.loads((report / "tables" / f"{key}.json").read_text())


TITLES = {
    "scores": "Table 1: scores on test",
    "dev_scores": "Scores on dev",
    "errors": "Table 2: errors by type of mention",
    "learning_rates": "Learning rates",
}


def markdown_lines(report, key):
    """The lines of a table in the page."""
    after = (report / "report.md").read_text().partition(f"### {TITLES[key]}\n")[2]
    lines = after.partition("\n#")[0].splitlines()
    return [line for line in lines if line.startswith("|")]


def markdown_rows(report, key):
    """The rows of a table that are no headings, as cells without escapes."""
    lines = markdown_lines(report, key)
    rows = [[c.strip().replace("\\", "") for c in line.strip("|").split(" | ")] for line in lines]
    return [row for row in rows[2:] if any(row[1:])]


def chosen(out, row):
    """The unit of a row with the best mean of its records."""
    means = [mean(record_of(out, name, seed)["dev"] for seed in SEEDS) for name in row.units]
    return row.units[means.index(max(means))]


# Scores


@pytest.mark.parametrize(("key", "part"), [("scores", "test"), ("dev_scores", "dev")])
def test_scores_are_means_over_seeds_of_the_scores_of_documents(out, report, reports, key, part):
    rows = table(report, key)
    with (report / "tables" / f"{key}.csv").open(newline="") as file:
        csv_rows = list(csv.DictReader(file))
    for row, found, in_csv in zip(STUDY.rows, rows, csv_rows, strict=True):
        scores = [reports(chosen(out, row), seed, part) for seed in SEEDS]
        assert found["group"] == in_csv["group"] == row.group
        for title, metric in METRICS.items():
            expected = {
                "recall": 100 * mean(score[metric].recall for score in scores),
                "precision": 100 * mean(score[metric].precision for score in scores),
                "F1": 100 * mean(score[metric].f1 for score in scores),
            }
            assert found[title] == pytest.approx(expected)
            assert float(in_csv[f"{title} F1"]) == pytest.approx(expected["F1"])
        of_seeds = [100 * score.conll for score in scores]
        expected = {"mean": mean(of_seeds), "sd": stdev(of_seeds), "seeds": len(SEEDS)}
        assert found["CoNLL"] == pytest.approx(expected)
        assert float(in_csv["CoNLL mean"]) == pytest.approx(expected["mean"])
        assert float(in_csv["CoNLL sd"]) == pytest.approx(expected["sd"])


def holm_by_hand(p_values):
    """The largest of n·p of the smallest, (n − 1)·p of the next, ... up to this one; 1 at most."""
    return [
        min(1.0, max(sum(q >= other for q in p_values) * other for other in p_values if other <= p))
        for p in p_values
    ]


@pytest.mark.parametrize("key", ["scores", "dev_scores"])
def test_p_values_are_corrected_over_all_comparisons(out, report, key):
    """Rows that chose the same unit are compared with the baseline once."""
    rows = table(report, key)[1:]
    resolvers = [chosen(out, row) for row in STUDY.rows[1:]]
    p_values = dict(zip(resolvers, (row["p"] for row in rows), strict=True))
    assert len(p_values) < len(rows)
    adjusted = dict(zip(p_values, holm_by_hand(list(p_values.values())), strict=True))
    expected = [adjusted[resolver] for resolver in resolvers]
    assert [row["p (Holm)"] for row in rows] == pytest.approx(expected)
    assert len(set(expected)) > 1
    shown = markdown_rows(report, key)[1:]
    assert [row[-3].startswith("**") for row in shown] == [p < 0.05 for p in expected]
    assert {p < 0.05 for p in expected} == {True, False}
    if key == "scores":  # or bold could be for what passes without the correction
        assert any(p >= 0.05 > row["p"] for p, row in zip(expected, rows, strict=True))


def test_a_row_says_what_was_chosen_for_it(out, report):
    for row, found in zip(STUDY.rows, table(report, "scores"), strict=True):
        unit = chosen(out, row)
        assert found["name"].startswith(row.title)
        value = found["name"].removeprefix(row.title)
        if len(row.units) == 1:
            assert value == ""
        else:
            assert value == f": β² = {unit.split('_')[-1]}"


def test_published_figures_stand_in_the_rows_of_the_papers(report):
    paper = {"baseline", "entity_ce", "b3", "b3_beta", "lea", "lea_beta"}
    others = set(CONLL_2012_TEST) - paper
    assert others & set(ORDERED)
    rows = zip(STUDY.rows, table(report, "scores"), markdown_rows(report, "scores"), strict=True)
    for row, found, shown in rows:
        number, gain = re.fullmatch(r"([\d.]*)–?(?: \((.*)\))?", shown[8]).groups()
        assert found[PUBLISHED] == CONLL_2012_TEST.get(row.name)
        assert bool(number) == (row.name in paper | others)
        assert (gain is not None) == (bool(number) and row.name != "baseline")
        if number:
            assert float(number) == CONLL_2012_TEST[row.name]
        if gain:
            assert float(gain.replace("−", "-")) == pytest.approx(
                CONLL_2012_TEST[row.name] - CONLL_2012_TEST["baseline"]
            )


# Errors, learning rates, times


def test_errors_are_means_over_seeds_with_their_change(out, folder, report):
    gold = read(folder / "test.conll")
    rows = zip(STUDY.rows, table(report, "errors"), markdown_rows(report, "errors"), strict=True)
    first = {}
    header = (report / "tables" / "errors.csv").read_text().splitlines()[0].split(",")
    for row, found, shown in rows:
        counts = [
            count_errors(
                gold=gold,
                system=system_of(out, gold, chosen(out, row), seed, "test"),
            )
            for seed in SEEDS
        ]
        columns = markdown_lines(report, "errors")[0].split("|")
        titles = [title.strip() for title in columns][1:]
        for short, kind in (("FA", "false_anaphor"), ("FN", "false_new"), ("WL", "wrong_link")):
            for name in ("proper", "nominal", "pronominal", "all"):
                column = titles.index(f"{short} {name}")
                numbers = [c.number(kind, None if name == "all" else name) for c in counts]
                title = f"{short} {name}"
                assert f"{title} mean" in header
                expected = {"mean": mean(numbers), "sd": stdev(numbers)}
                assert found[title] == pytest.approx(expected)
                before = first.setdefault(title, mean(numbers))
                text = f"{mean(numbers):.0f}"
                if name == "all" and row.name != "baseline":
                    change = f"{100 * (mean(numbers) / before - 1):+.0f} %" if before else "–"
                    text += f" ({change})".replace("-", "−")
                assert shown[column] == text
        right = [c.number("correct_link") for c in counts]
        assert found["correct"] == pytest.approx({"mean": mean(right), "sd": stdev(right)})
    assert first["FA all"] > 0
    assert first["WL all"] > 0


def test_learning_rates_are_shown_with_the_chosen_ones_bold(out, report):
    rows, shown = table(report, "learning_rates"), markdown_rows(report, "learning_rates")
    tuned = ["baseline", "entity_ce", "b3_1", "lea_1"]
    titles = ["Baseline", "L_ec", "L_B³", "L_LEA"]
    assert list(rows[0])[1:] == titles
    assert len(rows) == len(LEARNING_RATES)
    for column, name in enumerate(tuned, 1):
        devs = [record_of(out, f"{name}_rates_{a:g}_{b:g}")["dev"] for a, b in LEARNING_RATES]
        found = [row[titles[column - 1]] for row in rows]
        assert found == pytest.approx([100 * dev for dev in devs])
        best = devs.index(max(devs))
        assert LEARNING_RATES[best] == (0.1, 0.002)
        assert [row[column].startswith("**") for row in shown] == [n == best for n in range(8)]
    assert [row[0] for row in shown] == [f"{a:g}, {b:g}" for a, b in LEARNING_RATES]


def test_times_are_those_of_the_records(out, report):
    for row, found in zip(STUDY.rows, table(report, "times"), strict=True):
        records = [record_of(out, chosen(out, row), seed) for seed in SEEDS]
        seconds = [record["seconds"] for record in records]
        assert found["seconds a run"] == pytest.approx(
            {"mean": mean(seconds), "sd": stdev(seconds)}
        )
        assert found["epochs"] == 2
        assert found["ms a document"] == pytest.approx(1000 * sum(seconds) / (2 * 2 * 5))
        assert found["epochs kept"] == {"median": 2, "least": 2, "most": 2}


# Analyses


def gain(reports, one, other, part="test"):
    """The mean difference over seeds of CoNLL, in points."""
    pairs = [[reports(unit, seed, part).conll for unit in (one, other)] for seed in SEEDS]
    return mean(100 * (ours - theirs) for ours, theirs in pairs)


def test_the_order_of_systems_stands_beside_the_published_one(report):
    rows = table(report, "order")
    published = [row["published"] for row in rows]
    assert published == sorted(published, reverse=True)
    assert len(rows) == len(IN_ORDER) > 5
    scores = {row["name"]: row["CoNLL"]["mean"] for row in table(report, "scores")}
    for row in rows:
        assert row["here"]["mean"] == scores[row["name"]]
        assert row["place here"] == 1 + sum(r["here"]["mean"] > row["here"]["mean"] for r in rows)
    agreeing = sum(
        one["here"]["mean"] > other["here"]["mean"]
        for n, one in enumerate(rows)
        for other in rows[n + 1 :]
    )
    [answer] = [text for name, text in answers(report).items() if "published order" in name]
    assert f"{agreeing} of {len(rows) * (len(rows) - 1) // 2} pairs" in answer


def test_pairs_are_compared_with_each_other(out, report, reports):
    rows = {row.title: row for row in STUDY.rows}
    found = table(report, "pairs")
    assert {row["group"] for row in found} >= {
        "A metric or reward against as many more epochs of the baseline's loss",
        "Softmax-margin against the max-margin of the authors, the same network",
        "β chosen on dev against β = 1, the same loss",
    }
    for row in found:
        titles = [row["this"], row["against"]]
        pair = [rows.get(title) or rows[title.partition(": ")[0]] for title in titles]
        expected = gain(reports, *(chosen(out, one) for one in pair))
        assert row["difference [95 %]"]["mean"] == pytest.approx(expected)
    p_values = [row["p"] for row in found]
    assert [row["p (Holm)"] for row in found] == pytest.approx(holm_by_hand(p_values))


def test_the_price_of_each_beta_is_told_on_dev(out, report, reports):
    grids = {
        "L_B³": "b3_beta",
        "L_LEA": "lea_beta",
    }
    found = table(report, "beta_price")
    for title, name in grids.items():
        rows = [row for row in found if row["group"] == title]
        assert [row["β²"] for row in rows] == list(STUDY.grid(name).values)
        of_grid = STUDY.grid(name)
        units = dict(zip(of_grid.values, of_grid.units, strict=True))
        for row in rows:
            unit = units[row["β²"]]
            expected = gain(reports, unit, units[1], part="dev")
            told = row["to β = 1 [95 %]"]
            assert told is None if row["β²"] == 1 else told["mean"] == pytest.approx(expected)
            assert row["chosen"] == (chosen(out, of_grid) == unit)
            recall = mean(
                100
                * mean(reports(unit, seed, "dev")[m].recall for m in ("muc", "b_cubed", "ceaf_e"))
                for seed in SEEDS
            )
            assert row["recall"]["mean"] == pytest.approx(recall)


def test_gains_on_short_and_long_documents(out, folder, report):
    gold = read(folder / "test.conll")
    middle = median(len(doc.words) for doc in gold)
    halves = (
        [doc for doc in gold if len(doc.words) <= middle],
        [doc for doc in gold if len(doc.words) > middle],
    )
    rows = [row for row in table(report, "gains") if row["group"] == "By length"]
    assert [row["number"] for row in rows] == [len(half) for half in halves]
    [lea] = [row for row in STUDY.rows if row.name == "lea_beta"]
    for row, half in zip(rows, halves, strict=True):
        scores = [
            [
                corelax.score(
                    gold=half, system=system_of(out, half, u, s, "test"), singletons="drop"
                )
                for u in (chosen(out, lea), "baseline")
            ]
            for s in SEEDS
        ]
        expected = mean(100 * (ours.conll - theirs.conll) for ours, theirs in scores)
        [value] = [value for name, value in row.items() if name.startswith("L_β,LEA")]
        assert value["mean"] == pytest.approx(expected)


def test_changes_of_errors_are_those_of_the_table_of_errors(report):
    errors = {row["name"]: row for row in table(report, "errors")}
    base = next(iter(errors.values()))
    for row in table(report, "error_changes"):
        now = errors[row["group"]]
        for short in SHORT:
            title = f"{short} {row['type of mention']}"
            assert row[short]["mean"] == pytest.approx(now[title]["mean"] - base[title]["mean"])
            assert row[short]["low"] <= row[short]["mean"] <= row[short]["high"]


def test_genres_have_rows_where_there_are_several():
    def doc(id):
        return corelax.Document.from_sentences(id, [["word"] * len(id)])

    ids = [f"GUM_{genre}_{n}" for genre in ("news", "court") for n in range(4)]
    groups = document_groups([doc(id) for id in [*ids, "GUM_bio_1"]])
    assert groups["By genre"] == {
        "court": (4, 5, 6, 7),
        "news": (0, 1, 2, 3),
    }  # of bio there is one
    assert "By genre" not in document_groups([doc(id) for id in ids[:4]])


# Figures


def spread(values):
    percent = [100 * value for value in values]
    return pytest.approx((mean(percent), stdev(percent)))


def test_curves_have_a_point_for_each_epoch(out, results):
    figure = curves_figure(results)
    assert len(figure.panels) == 2
    for panel in figure.panels:
        for series in panel.series:
            [row] = [row for row in STUDY.rows if row.title.split(" (")[0] == series.label]
            logs = [record_of(out, chosen(out, row), seed)["epochs"] for seed in SEEDS]
            assert list(series.x) == [1, 2]
            for number, point in enumerate(zip(series.y, series.spread, strict=True)):
                assert point == spread([log[number]["dev"] for log in logs])
    labels = [series.label for series in figure.panels[0].series]
    names = ["baseline", "entity_ce", "b3_beta", "lea_beta", "lea"]  # β² of B³ is 1 here
    titles = {row.name: row.title.split(" (")[0] for row in STUDY.rows}
    assert labels == [titles[name] for name in names]


# Answers


def difference(mean, low, high):
    return Difference(mean / 100, low / 100, high / 100, 0.04, 10, 2, 10_000, False)


@pytest.mark.parametrize(
    ("found", "wanted", "words"),
    [
        (difference(0.6, 0.1, 1.1), 0.48, "yes"),
        (difference(0.4, 0.1, 0.7), 0.48, "a smaller gain"),
        (difference(0.6, -0.1, 1.3), 0.48, "as much, but it may be chance"),
        (difference(0.4, -0.1, 0.9), 0.48, "not shown"),
        (difference(-0.4, -0.9, 0.1), 0.48, "not shown"),
        (difference(-0.4, -0.7, -0.1), 0.48, "no, it is worse"),
        (difference(0.4, 0.1, 0.7), 0.0, "yes"),
        (difference(0.4, -0.1, 0.9), 0.0, "not shown"),
        (difference(0.0, 0.0, 0.0), 0.0, "not shown"),
        (difference(-0.4, -0.7, -0.1), 0.0, "no, it is worse"),
    ],
)
def test_verdicts(found, wanted, words):
    assert verdict(found, wanted) == words


def answers(report):
    return {row["question"]: row["here"] for row in table(report, "answers")}


def test_answers_follow_from_what_the_units_were_made_to_do(report):
    found = answers(report)
    starts = {
        "Does L_β,B³ beat": "not shown",
        "Does L_β,LEA beat": "yes",
        "Does the baseline gain": "no, it is worse",
        "Is β > 1 best for L_B³": "no: best β² = 1",
        "Is β > 1 best for L_LEA": "yes",
        "Does the error profile of L_β,B³": "no; ",
        "Does the error profile of L_β,LEA": "yes, but it may be chance; ",  # false new +6 [−1, +14]
        f"Do the {len(IN_ORDER)} systems come": ("yes: Kendall's τ ", "not shown: Kendall's τ "),
    }
    assert len(found) == len(starts)
    for question, start in starts.items():
        [here] = [text for name, text in found.items() if name.startswith(question)]
        assert here.startswith(start), question
    assert found["Is β > 1 best for L_B³, on dev?"] == "no: best β² = 1"  # not compared with itself
    assert found["Is β > 1 best for L_LEA, on dev?"].endswith(": best β² = 1.8")
    numbers = {row["question"]: row["difference [95 %]"] for row in table(report, "answers")}
    assert numbers["Is β > 1 best for L_B³, on dev?"] is None


SHORT = ("FA", "FN", "WL")


# The page


TABLES = [
    "answers", "scores", "dev_scores", "order", "pairs", "errors", "error_changes", "gains",
    "beta_price", "learning_rates", "times",
]  # fmt: skip
AFTER = ["errors", "error_changes", "gains", "times"]
FIGURES = ["beta", "curves"]


def names_in(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_full_report_has_every_table_and_figure(report):
    assert names_in(report) == {
        "report.html",
        "report.md",
        *(f"tables/{name}.{suffix}" for name in TABLES for suffix in ("csv", "json")),
        *(f"figures/{name}.{suffix}" for name in FIGURES for suffix in ("png", "svg")),
    }
    for name in ("report.html", "report.md"):
        text = (report / name).read_text()
        assert "A study" in text
        assert "corelax reproduce" in text
        assert "not comparable" in text


def test_facts(page):
    facts = dict(page.facts)
    assert facts["Documents"] == "5 training (with coreference), 11 dev, 12 test"
    assert facts["Seeds"] == "1, 2"
    assert "learning rates" in facts["Chosen on dev"]


def test_the_lead_tells_of_the_paper_and_of_the_best_row(page, report):
    rows = table(report, "scores")
    best = max(rows[1:], key=lambda row: row[DIFFERENCE]["mean"])
    for row in (best, *(row for row in rows if row["name"].startswith("L_β,"))):
        assert f"{row['name']} {row[DIFFERENCE]['mean']:+.2f} [".replace("-", "−") in page.lead[1]
    last = page.lead[1].rpartition("The largest")[2]
    assert f"{best['name']} " in last


def test_passages_show_both_systems(report, folder):
    text = (report / "report.md").read_text().partition("## Where systems differ")[2]
    names = [doc.name for doc in read(folder / "test.conll")]
    heads = [line for line in text.splitlines() if line.startswith("**")]
    assert len(heads) == 3
    for line in heads:
        assert any(f"**{name}**" in line.replace("\\", "") for name in names)
        assert "L_β,LEA, β on dev: " in line.replace("\\", "")
        assert "Baseline (heuristic loss): " in line


@pytest.mark.slow
def test_the_same_results_give_the_same_bytes(results, report, tmp_path):
    again = study_page(results, title="A study", command="corelax reproduce", examples=3)
    write_report(again, tmp_path)
    assert names_in(tmp_path) == names_in(report)
    for name in names_in(report):
        assert (tmp_path / name).read_bytes() == (report / name).read_bytes()


@pytest.fixture(scope="module")
def quick(folder, tmp_path_factory):
    """The results of a quick study with one seed."""
    with invented_training(answer):
        study = reproduction(tmp_path_factory.mktemp("quick"), folder, quick_study(), (1,))
        assert study.run()
    return Results([study])


def test_the_report_of_a_quick_study(quick, tmp_path):
    page = study_page(quick, title="Quick", examples=0)
    write_report(page, tmp_path / "report")
    tables = [
        "answers",
        "scores",
        "dev_scores",
        "order",
        "errors",
        "error_changes",
        "gains",
        "times",
    ]
    assert names_in(tmp_path / "report") == {
        "report.html",
        "report.md",
        *(f"tables/{name}.{suffix}" for name in tables for suffix in ("csv", "json")),
        *(f"figures/curves.{suffix}" for suffix in ("png", "svg")),
    }
    text = (tmp_path / "report" / "report.md").read_text()
    assert "How this report was made" not in text
    assert "Where systems differ" not in text
    # The paper's figures for the β of these losses, not those for β = 1.
    published = [row[PUBLISHED] for row in table(tmp_path / "report", "scores")]
    names = ("baseline", "entity_ce", "b3_beta", "lea_beta")
    assert published == [CONLL_2012_TEST[name] for name in names]
    for row in markdown_rows(tmp_path / "report", "scores"):
        assert "±" not in row[7]  # of one seed there is no deviation


def test_a_report_about_dev_has_one_table_of_scores(folder, tmp_path):
    runner = make_runner(tmp_path, files_in(folder)._replace(test=None))
    study = Reproduction(quick_study(), runner, (1, 2))
    with invented_training(answer):
        assert study.run()
    results = Results([study])
    page = study_page(results, title="Dev")
    assert [t.key for t in page.tables] == ["answers", "scores", "order", *AFTER]
    gold = read(folder / "dev.conll")
    [score] = [
        corelax.score(
            gold=gold, system=system_of(tmp_path, gold, "lea", seed, "dev"), singletons="drop"
        )["lea"]
        for seed in (2,)
    ]
    assert results.outcome("lea_beta").scores("dev", "lea")[1] == pytest.approx(score)
    assert dict(page.facts)["Documents"] == "5 training (with coreference), 11 dev"


def test_a_report_of_a_study_that_is_not_finished(out, folder, tmp_path):
    """Whatever is missing, the rest can be shown."""
    shutil.copytree(out / "results", tmp_path / "results")
    gone = ["entity_ce.*", "lea_[48]*", "b3_*"]
    for name in gone:
        for path in (tmp_path / "results").glob(f"seed*/{name}"):
            if "_rates_" not in path.name:
                path.unlink()
    for path in (tmp_path / "results" / "seed2").glob("*.test.*"):
        path.unlink()
    found = Results([reproduction(tmp_path, folder)])
    page = study_page(found, title="A part")
    assert [t.key for t in page.tables] == TABLES
    assert [len(f.panels) for f in page.figures if f.key == "beta"] == [1]
    rows = {outcome.row.name for outcome in found.outcomes}
    assert {"baseline", "continued", "lea_beta"} <= rows
    assert not rows & {"entity_ce", "b3", "b3_beta"}
    write_report(page, tmp_path / "report")
    assert {row["CoNLL"]["seeds"] for row in table(tmp_path / "report", "scores")} == {1}
    assert {row["CoNLL"]["seeds"] for row in table(tmp_path / "report", "dev_scores")} == {2}


def test_files_of_the_size_of_conll_2012_are_comparable(quick, monkeypatch):
    from corelax.study.report import page as module

    for sizes, words in (((11, 12), "are comparable"), ((11, 13), "not comparable")):
        monkeypatch.setattr(
            module, "CONLL_2012_SIZES", dict(zip(("dev", "test"), sizes, strict=True))
        )
        page = study_page(quick, title="", examples=0)
        [section] = [section for section in page.sections if section.title == "Scores"]
        assert words in section.paragraphs[0]
