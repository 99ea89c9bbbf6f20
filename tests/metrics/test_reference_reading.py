"""The reference scorer's reading, rule by rule."""

import gzip
import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax import FormatError
from corelax.metrics.reference_files import (
    ReferenceDocument,
    parse_cell,
    read_reference,
    stream_reference,
)
from tests.io.io_helpers import save

CASES = Path(__file__).parents[1] / "data" / "reference_scorer.json"
Pairs = list[list[tuple[int, int]]]


def read(text: str) -> list[ReferenceDocument]:
    """Lines end with a line feed only; carriage returns stay."""
    return list(read_reference(StringIO(text, newline="\n"), "key.conll"))


def names(text: str) -> list[str]:
    return [doc.name for doc in read(text)]


def pairs(doc: ReferenceDocument) -> Pairs:
    """Each entity's mentions as (first token, last token), both in the order of reading."""
    return [[(m.start, m.end - 1) for m in cluster] for cluster in doc.entities()]


def clusters(*lines: str) -> Pairs:
    """What is read from these lines inside one document."""
    [doc] = read("\n".join(["#begin document d", *lines, "#end document", ""]))
    return pairs(doc)


# 2.1 Lines


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("#begin document (bc/cctv/00/cctv_0001); part 000\n", "(bc/cctv/00/cctv_0001); part 000"),
        ("#   begin document x\n", "x"),
        ("#\tbegin document x\n", "x"),
        ("#begin document  x\n", " x"),
        ("#begin document x  \n", "x  "),
        ("#begin document x\r\n", "x"),
        ("#begin document x\r\r\n", "x\r"),
        ("#begin document x \r\n", "x "),
    ],
)
def test_a_name_is_all_the_rest_of_the_line(header: str, name: str) -> None:
    assert names(header + "#end document\n") == [name]


@pytest.mark.parametrize(
    "line",
    [
        " #begin document x",
        "x #begin document x",
        "#begin document",
        "#begin  document x",
        "#Begin document x",
        "begin document x",
        "##begin document x",
    ],
)
def test_other_lines_begin_no_document(line: str) -> None:
    assert names(f"{line}\nw\t(0)\n#end document\n") == []


@pytest.mark.parametrize(
    "line", ["#end document", "# \tend document", "w\t(5) #end document of sorts", "#end documents"]
)
def test_an_end_anywhere_in_a_line_ends_the_document(line: str) -> None:
    [doc] = read(f"#begin document d\nw\t(0)\n{line}\nw\t(0)\n")
    assert pairs(doc) == [[(0, 0)]]


def test_every_other_line_is_a_token_comments_too() -> None:
    assert clusters("# text (5)", "w\t(0)", "#", "w\t(0)") == [[(0, 0)], [(1, 1), (3, 3)]]


# 2.2 The coreference cell


def test_empty_columns_at_the_end_are_dropped() -> None:
    assert clusters("w\t(0)\t\t") == [[(0, 0)]]


def test_a_row_without_tabs_is_searched_as_a_whole() -> None:
    assert clusters("d 0 0 w (NP* (0", "d 0 1 (7) *) 0)") == [[(0, 1)], [(1, 1)]]


# 2.3 Errors


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        pytest.param(["w\t-", "w\t0)"], 3, id="closes without opening"),
        pytest.param(["w\t(0)|0)"], 2, id="closes after a one-token mention"),
        pytest.param(["w\t(0", "w\t0)", "w\t0)"], 4, id="closes twice"),
        pytest.param(["w\t-", "w\t(0", "w\t-"], 3, id="never closed"),
        pytest.param(["w\t(e1)"], 2, id="a letter before the digits: 1) is seen"),
        pytest.param(["w\t(1e)"], 2, id="a letter after the digits: (1 is seen"),
        pytest.param(["w\t(1+23)"], 2, id="plus and two digits"),
        pytest.param(["w\t(+1)"], 2, id="plus without digits before it: 1) is seen"),
    ],
)
def test_brackets_that_do_not_match_stop_the_scorer(lines: list[str], line: int) -> None:
    [doc] = read("\n".join(["#begin document d", *lines, "#end document", ""]))
    with pytest.raises(FormatError) as caught:
        doc.entities()
    assert str(caught.value).startswith(f"key.conll:{line}: ")


def test_what_is_open_when_the_file_ends_is_forgotten() -> None:
    [doc] = read("#begin document d\nw\t(0)\nw\t(0\nw\t(1")
    assert pairs(doc) == [[(0, 0)]]


def test_a_document_without_an_end_line_goes_on_to_the_next_one() -> None:
    first, second = read("#begin document a\nw\t(0\n#begin document b\nw\t(1)|0)\n#end document\n")
    assert pairs(first) == [[(0, 2)], [(2, 2)]]
    with pytest.raises(FormatError, match=r"key\.conll:4: entity 0 closes"):
        second.entities()


def test_brackets_in_a_header_inside_a_document_are_read() -> None:
    first, second = read("#begin document a\nw\t-\n#begin document (7); x\nw\t(0)\n#end document\n")
    assert pairs(first) == [[(1, 1)], [(2, 2)]]
    assert pairs(second) == [[(0, 0)]]


# Files


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_a_file_may_have_any_encoding(tmp_path: Path, pack) -> None:
    content = b"#begin document caf\xe9\r\nna\xefve\t(0)\r\n\r\n\xff\t(0)\r\n#end document\r\n"
    [doc] = stream_reference(str(save(tmp_path, pack(content))))
    assert (doc.name, pairs(doc)) == ("caf\xe9", [[(0, 0), (1, 1)]])


def test_a_carriage_return_alone_ends_no_line(tmp_path: Path) -> None:
    [doc] = stream_reference(str(save(tmp_path, b"#begin document d\na\rb\t(0)\n#end document\n")))
    assert pairs(doc) == [[(0, 0)]]


# What the scorer itself reads


@pytest.mark.parametrize(
    "case", json.loads(CASES.read_text())["reading"], ids=lambda case: case["id"]
)
def test_the_recorded_cases_are_read_as_the_reference_scorer_does(case: dict[str, Any]) -> None:
    docs = read(case["text"])
    if case.get("error"):
        with pytest.raises(FormatError):
            [doc.entities() for doc in docs]
        return
    assert [{"document": doc.name, "clusters": pairs(doc)} for doc in docs] == [
        {
            "document": doc["document"],
            "clusters": [[tuple(mention) for mention in cluster] for cluster in doc["clusters"]],
        }
        for doc in case["documents"]
    ]


def deleted_one_by_one(cell: str) -> tuple[list[str], list[str], list[str]]:
    """The brackets of a cell as the reference scorer takes them: delete the leftmost, look again."""
    found: list[list[str]] = []
    for pattern in (r"\([0-9]+\+[0-9]\)", r"\(([0-9]+)\)", r"\(([0-9]+)", r"([0-9]+)\)"):
        found.append([])
        while match := re.search(pattern, cell):
            found[-1].append(match[match.re.groups])
            cell = cell[: match.start()] + cell[match.end() :]
    return found[1], found[2], found[3]


@given(st.text("()+|019x", max_size=40))
@settings(max_examples=300)
def test_cells_are_read_as_if_brackets_were_deleted_one_by_one(cell: str) -> None:
    assert tuple(map(list, parse_cell(cell))) == deleted_one_by_one(cell)
