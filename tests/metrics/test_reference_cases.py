"""What the reference scorer v8.01 printed, digit for digit, from files to figures."""

import json
from pathlib import Path

import pytest

from corelax.metrics.printed import printed_totals
from corelax.metrics.reference_files import stream_reference
from corelax.metrics.scoring import score_files
from tests.metrics.conll_writer import document

FILE = Path(__file__).parents[1] / "data" / "reference_scorer.json"
CASES = json.loads(FILE.read_text("utf-8"))["cases"]
OURS = {
    "mentions": "mentions",
    "muc": "muc",
    "bcub": "b_cubed",
    "ceafm": "ceaf_m",
    "ceafe": "ceaf_e",
    "blanc": "blanc",
}


def has_repeats(case):
    """Whether a span occurs twice in a document of one side."""
    for doc in case["key"] + case["response"]:
        spans = [tuple(span) for cluster in doc["clusters"] for span in cluster]
        if len(set(spans)) < len(spans):
            return True
    return False


def with_id(case, *values, name=""):
    return pytest.param(case, *values, id="-".join(filter(None, [case["id"], name])))


each_case = pytest.mark.parametrize("case", [with_id(case) for case in CASES])
each_printed = pytest.mark.parametrize(
    ("case", "metric"),
    [with_id(case, metric, name=metric) for case in CASES for metric in case["printed"]],
)
each_coval = pytest.mark.parametrize(
    "case",
    [
        with_id(case, name="lea")
        for case in CASES
        if "error" not in case["lea"]["coval"] and not has_repeats(case)
    ],
)


@pytest.fixture(scope="module")
def files_of(tmp_path_factory):
    """Key and response file of a case: as given, or written from its clusters."""
    written = {}

    def paths(case):
        if case["id"] not in written:
            folder = tmp_path_factory.mktemp(case["id"])
            written[case["id"]] = [folder / "key.conll", folder / "response.conll"]
            for path in written[case["id"]]:
                text = case.get(f"{path.stem}_conll") or "".join(
                    document(doc["document"], doc["clusters"]) for doc in case[path.stem]
                )
                path.write_bytes(text.encode())
        return written[case["id"]]

    return paths


@pytest.fixture(scope="module")
def report_of(files_of):
    """The report of a case, each case scored once."""
    reports = {}

    def report(case):
        if case["id"] not in reports:
            key, response = files_of(case)
            reports[case["id"]] = score_files(gold=key, system=response, profile="reference")
        return reports[case["id"]]

    return report


@each_case
@pytest.mark.parametrize("side", ["key", "response"])
def test_files_hold_the_clusters_of_the_case(case, side, files_of):
    path = files_of(case)[("key", "response").index(side)]
    found = {
        doc.name: [[[span.start, span.end - 1] for span in cluster] for cluster in doc.entities()]
        for doc in stream_reference(str(path))
    }
    assert found == {doc["document"]: doc["clusters"] for doc in case[side]}


@each_printed
def test_totals_are_printed_like_those_of_the_reference_scorer(case, metric, report_of):
    assert printed_totals(report_of(case))[OURS[metric]] == case["printed"][metric]


@each_case
def test_lea_is_printed_like_that_of_the_lea_branch(case, report_of):
    assert printed_totals(report_of(case))["lea"] == case["lea"]["reference_branch"]


@each_coval
def test_lea_is_that_of_coval_where_no_span_is_repeated(case, report_of):
    assert report_of(case)["lea"].as_dict() == pytest.approx(case["lea"]["coval"], abs=1e-12)
