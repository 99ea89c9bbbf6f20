"""`score_files(profile="reference")`: what the reference scorer does with odd files."""

import json
import re

import pytest

from corelax.core.errors import CorelaxError
from corelax.metrics.printed import printed_totals
from corelax.metrics.scoring import score_files
from tests.metrics.conll_writer import document

A, B = "(a); part 000", "(b); part 000"
BROKEN = "#begin document (b); part 000\n0\t(0\n1\t1)\n#end document\n"


@pytest.fixture
def scored(tmp_path):
    """Scores the text of a key file against the text of a response file."""

    def score(key, response, **options):
        (tmp_path / "key.conll").write_bytes(key.encode())
        (tmp_path / "response.conll").write_bytes(response.encode())
        return score_files(
            gold=tmp_path / "key.conll",
            system=tmp_path / "response.conll",
            profile="reference",
            **options,
        )

    return score


def four(report, metric):
    return report.counts[metric].as_tuple()


# Which documents count.


def test_a_document_that_the_response_lacks_counts_as_empty(scored):
    key = document(A, [[0, 1]]) + document(B, [[0, 1, 2]])
    # MUC: 1 of 1 + 2 links. Mentions: 2 of 2 + 3. Precision knows of the first document only.
    report = scored(key, document(A, [[0, 1]]))
    assert four(report, "muc") == (1, 3, 1, 1)
    assert four(report, "mentions") == (2, 5, 2, 2)


def test_a_document_that_only_the_response_has_is_ignored(scored):
    report = scored(document(A, [[0, 1]]), document(A, [[0, 1]]) + document(B, [[0, 1, 2]]))
    assert four(report, "b_cubed") == (2, 2, 2, 2)


def test_a_broken_document_that_only_the_response_has_is_ignored(scored):
    report = scored(document(A, [[0, 1]]), BROKEN + document(A, [[0, 1]]))
    assert four(report, "b_cubed") == (2, 2, 2, 2)


def test_the_last_of_two_key_documents_of_one_name_counts(scored):
    key = document(A, [[0, 1, 2, 3]]) + document(A, [[0, 1]])
    assert four(scored(key, document(A, [[0, 1]])), "muc") == (1, 1, 1, 1)


def test_a_response_of_another_format_is_found_by_the_common_name(tmp_path):
    (tmp_path / "key.conll").write_text(document("(a); part 001", [[0, 1]]), "utf-8")
    line = {"doc_key": "a_1", "sentences": [["x", "y"]], "clusters": [[[0, 0], [1, 1]]]}
    (tmp_path / "response.jsonl").write_text(json.dumps(line), "utf-8")
    report = score_files(
        gold=tmp_path / "key.conll", system=tmp_path / "response.jsonl", profile="reference"
    )
    assert four(report, "muc") == (1, 1, 1, 1)


# Singletons.


def test_singletons_can_be_dropped(scored):
    report = scored(document(A, [[0, 1], [2]]), document(A, [[0, 1], [3]]), singletons="drop")
    assert four(report, "ceaf_e") == (1, 1, 1, 1)


# Repeated mentions.

ELEVEN = list(range(11))


def test_ten_repeated_mentions_are_scored(scored):
    # The second entity is emptied and dropped.
    report = scored(document(A, [ELEVEN]), document(A, [ELEVEN, ELEVEN[:10]]))
    assert four(report, "ceaf_e") == (1, 1, 1, 1)


def test_eleven_repeated_mentions_of_two_documents_are_refused(scored):
    key = document(A, [ELEVEN]) + document(B, [ELEVEN])
    response = document(A, [ELEVEN, ELEVEN[:4]]) + document(B, [ELEVEN, ELEVEN[:7]])
    with pytest.raises(CorelaxError, match="11 mentions are repeated"):
        scored(key, response)


def test_repeated_mentions_without_a_twin_are_never_refused(scored):
    # They all stay: 2 + 11 + 11 mentions, 2 of them right. Distinct spans are 2 + 11.
    spurious = list(range(2, 13))
    report = scored(document(A, [[0, 1]]), document(A, [[0, 1], spurious, spurious]))
    assert four(report, "b_cubed") == (2, 2, 2, 24)
    assert four(report, "mentions") == (2, 2, 2, 13)


# Broken files.


def test_a_mention_never_closed_is_an_error_with_its_line(scored, tmp_path):
    response = "#begin document (a); part 000\n0\t(0)\n1\t(0\n#end document\n"
    where = re.escape(f"{tmp_path / 'response.conll'}:3: ")
    with pytest.raises(CorelaxError, match=f"^{where}entity 0 opens but is never closed"):
        scored(document(A, [[0, 1]]), response)


def test_a_broken_key_is_an_error_with_its_line(scored, tmp_path):
    where = re.escape(f"{tmp_path / 'key.conll'}:3: ")
    with pytest.raises(CorelaxError, match=f"^{where}entity 1 closes"):
        scored(BROKEN, document(B, [[0, 1]]))


# Figures as printed.


def test_percentages_are_cut_and_not_rounded(scored):
    # B³ recall (2 · 2/3) / 3 = 4/9 and precision 2/2: F1 = 8/13. 66.66 is cut from 2/3.
    totals = printed_totals(scored(document(A, [[0, 1, 2]]), document(A, [[0, 1]])))
    assert totals["mentions"]["recall_pct"] == 66.66
    assert totals["b_cubed"] == {
        "recall": "1.33333333333333/3",
        "recall_pct": 44.44,
        "precision": "2/2",
        "precision_pct": 100.0,
        "f1_pct": 61.53,
    }


def test_three_quarters_can_be_printed_as_74_99(scored):
    # As in case S12: CEAF_e recall 3/3 and precision 3/5 make F1 = (2 · 0.6) · 1 / 1.6, in doubles
    # a little less than 0.75.
    key = document(A, [[0, 1], [2, 3], [4]])
    totals = printed_totals(scored(key, document(A, [[0, 1], [2, 3], [4], [5], [5]])))
    assert totals["ceaf_e"] == {
        "recall": "3/3",
        "recall_pct": 100.0,
        "precision": "3/5",
        "precision_pct": 60.0,
        "f1_pct": 74.99,
    }


def test_ceaf_takes_each_pair_as_one_less_its_distance(scored):
    # φ = 2 · 1 / (10 + 10). In doubles 1 − (1 − 0.1) is a little less than 0.1.
    totals = printed_totals(scored(document(A, [range(10)]), document(A, [range(9, 19)])))
    assert totals["ceaf_e"]["recall_pct"] == 9.99


# The sum of a document is complete before it is added to those of other documents. With two equal
# documents no order of documents comes into it.


def test_b_cubed_is_added_document_by_document(scored):
    # 6.3999999999999995 twice, of 20; sixteen times 0.8 on end would be 12.800000000000002.
    key = document(A, [range(10)]) + document(B, [range(10)])
    totals = printed_totals(scored(key, document(A, [range(8)]) + document(B, [range(8)])))
    assert totals["b_cubed"]["recall_pct"] == 63.99


def test_ceaf_is_added_document_by_document(scored):
    # Four pairs of φ = 2 · 2 / (3 + 2) make 3.2, twice, of 8; eight times 0.8 on end is less than 6.4.
    entities = [range(first, first + 3) for first in (0, 3, 6, 9)]
    found = [entity[:2] for entity in entities]
    key = document(A, entities) + document(B, entities)
    totals = printed_totals(scored(key, document(A, found) + document(B, found)))
    assert totals["ceaf_e"]["recall_pct"] == 80
