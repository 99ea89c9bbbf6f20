"""Files that are wrong: one line says where and what, and `validate` finds all of it."""

import contextlib
import gzip
import os
import zlib
from pathlib import Path

import pytest

from corelax import CorelaxError, io
from tests.io.io_helpers import conll, conllu, save

BEGIN, END = "#begin document (d); part 000\n", "#end document\n"
LONG = "9" * 5000  # more digits than Python turns into a number

CONLL = {
    # what is wrong: (file, line, words of the message)
    "closes without opening": (conll("-", "0)"), 3, "entity 0 closes but was never opened"),
    "closes twice": (conll("(0", "0)", "0)"), 4, "entity 0 closes but was never opened"),
    "closes in the next document": (
        conll("(0", "0)") + conll("0)", header="(e); part 000"),
        7,
        "entity 0 closes but was never opened",
    ),
    "never closed": (conll("-", "(7", "-"), 3, "entity 7 opens but is never closed"),
    "never closed, inner one": (conll("(7", "(7", "7)"), 2, "entity 7 opens but is never closed"),
    "the same one-token mention twice": (conll("-", "(0)|(0)"), 3, "twice"),
    "the same mention twice": (conll("(0|(0", "0)|0)"), 3, "twice"),
    "closes and opens on one token": (conll("(0", "0)|(0", "0)"), 3, "closes and opens"),
    "letters as number": (conll("(e1)"), 2, "cannot read the coreference cell"),
    "letters after the number": (conll("(1x)"), 2, "cannot read the coreference cell"),
    "nothing between bars": (conll("(1)||(2)"), 2, "cannot read the coreference cell"),
    "a bar at the end": (conll("(1)|"), 2, "cannot read the coreference cell"),
    "a number alone": (conll("1"), 2, "cannot read the coreference cell"),
    "an empty bracket": (conll("()"), 2, "cannot read the coreference cell"),
    "a plus sign": (conll("(1+2)"), 2, "cannot read the coreference cell"),
    "an empty cell": (conll("-").replace("\t-", "\t"), 2, "cannot read the coreference cell"),
    "a number of 30 digits": (conll(f"({'1' * 30})"), 2, "more than 18 digits"),
    "a number of 5000 digits": (conll(f"({LONG})"), 2, "more than 18 digits"),
    "a short row": (conll("-", "-", "-").replace("0\t1\tw1", "0\tw1"), 3, "columns"),
    "a long row": (conll("-", "-", "-").replace("w1", "w1\tNN"), 3, "columns"),
    "three columns": (conll("-").replace("d\t0\t", ""), 2, "columns"),
    "one column": (BEGIN + "word\n" + END, 2, "columns"),
    "an empty word": (conll("-", "-").replace("w1", ""), 3, "the word is empty"),
    "a token before any document": ("d\t0\t0\tw\t-\n" + conll("-"), 1, "outside any document"),
    "a token after a document": (conll("-") + "\nd\t0\t0\tw\t-\n", 6, "outside any document"),
    "no end at the end of the file": (BEGIN + "d\t0\t0\tw\t-\n", 2, "no '#end document'"),
    "no end in the middle": (
        conll("-").replace(END, "") + conll("-", header="(e); part 000"),
        4,
        "no '#end document'",
    ),
    "an end without a beginning": (conll("-") + END, 5, "without '#begin document'"),
    "a document twice": (conll("-") + conll("-"), 5, "occurs again (first at line 1)"),
    "no name": (conll("-", header=""), 1, "no name"),
    "an empty name": (conll("-", header="(); part 000"), 1, "no name"),
}

WORD = ("1", "a", "_")


def with_head(head: str) -> str:
    return conllu("# sent_id = 1", WORD, f"2\tb\t_\t_\t_\t_\t{head}\t_\t_\t_")


CONLLU = {
    "nine columns": (conllu(WORD, "2" + "\t_" * 8), 2, "columns"),
    "eleven columns": (conllu(WORD, "2" + "\t_" * 10), 2, "columns"),
    "blanks for tabs": (conllu("# text = a", "1 a _ _ _ _ _ _ _ _"), 2, "columns"),
    "words from 0": (conllu(("0", "a", "_")), 1, "'0'; 1 was expected"),
    "a number left out": (conllu(WORD, ("3", "b", "_")), 2, "'3'; 2 was expected"),
    "a number twice": (conllu(WORD, WORD), 2, "'1'; 2 was expected"),
    "letters as number": (conllu(("x", "a", "_")), 1, "'x'; 1 was expected"),
    "no number": (conllu(("", "a", "_")), 1, "''; 1 was expected"),
    "a number of 5000 digits": (conllu((LONG, "a", "_")), 1, "1 was expected"),
    "an empty node twice": (conllu(WORD, *[("1.1", "a", "_")] * 2), 3, "wrong place"),
    "an empty node out of place": (conllu(WORD, ("5.1", "a", "_")), 2, "wrong place"),
    "a multiword token out of place": (conllu(("2-3", "ab", "_"), WORD), 1, "wrong place"),
    "a multiword token backwards": (conllu(("1-0", "ab", "_"), WORD), 1, "wrong place"),
    "a multiword token twice": (
        conllu(("1-2", "ab", "_"), ("1-2", "ab", "_"), WORD, ("2", "b", "_")),
        2,
        "",
    ),
    "a multiword token too long": (
        conllu("# text = x", WORD, ("2-3", "bc", "_"), ("2", "b", "_")),
        3,
        "past the end",
    ),
    "an empty word": (conllu(("1", "", "_")), 1, "the word is empty"),
    "a head too high": (with_head("3"), 3, "head '3'"),
    "a head below zero": (with_head("-1"), 3, "head '-1'"),
    "a head that is a word": (with_head("x"), 3, "head 'x'"),
    "a head of 5000 digits": (with_head(LONG), 3, "head"),
    "closes without opening": (conllu(WORD, ("2", "b", "Entity=e1)")), 2, "never opened"),
    "never closed": (conllu(WORD, ("2", "b", "Entity=(e1-x")), 2, "e1 opens but is never closed"),
    "another name closes": (
        conllu(("1", "a", "Entity=(e1"), ("2", "b", "Entity=e2)")),
        2,
        "entity e2 closes but was never opened",
    ),
    "no brackets": (conllu(("1", "a", "Entity=e1")), 1, "cannot read the brackets"),
    "an empty bracket": (conllu(("1", "a", "Entity=()")), 1, "cannot read the brackets"),
    "a bracket of nothing": (conllu(("1", "a", "Entity=(")), 1, "cannot read the brackets"),
    "a bracket without a name": (conllu(("1", "a", "Entity=(-person)")), 1, ""),
    "part two without part one": (conllu(("1", "a", "Entity=(e1[2/2])")), 1, "part 2/2"),
    "part one without part two": (conllu(WORD, ("2", "b", "Entity=(e1[1/2])")), 2, "part 2/2"),
    "part three after part one": (
        conllu(("1", "a", "Entity=(e1[1/3])"), ("2", "b", "Entity=(e1[3/3])")),
        2,
        "part 3/3",
    ),
    "a document twice": (
        conllu("# newdoc id = d", WORD, "", "# newdoc id = d", WORD),
        4,
        "document d occurs again (first at line 1)",
    ),
}


def json_with(fields: str) -> str:
    return '{"tokens": ["a"]}\n{"tokens": ["a", "b"], ' + fields + "}\n"


JSON = {
    "not JSON": ('{"tokens": ["a"]}\n{"tokens": \n', 2, "not a JSON object"),
    "words instead of JSON": ("hello world\n", 1, "not a JSON object"),
    "brackets without end": ("[" * 100_000 + "\n", 1, "not a JSON object"),
    "a number of 5000 digits": (json_with(f'"x": {LONG}'), 2, "not a JSON object"),
    "a list": ("[1, 2]\n", 1, "object is needed, not [1, 2]"),
    "a number": ("3\n", 1, "object is needed, not 3"),
    "no words": ('{"doc_key": "d", "clusters": []}\n', 1, "no words"),
    "sentences of no lists": ('{"sentences": ["a"]}\n', 1, "lists of words"),
    "sentences of numbers": ('{"sentences": [[1]]}\n', 1, "lists of words"),
    "sentences no list": ('{"sentences": {"0": ["a"]}}\n', 1, "lists of words"),
    "tokens of lists": ('{"tokens": [["a"]]}\n', 1, "list of words"),
    "tokens of nothing": ('{"tokens": null}\n', 1, "list of words"),
    "cased_words no list": ('{"cased_words": "a"}\n', 1, "list of words"),
    "sent_id too short": (json_with('"sent_id": [0]'), 2, "sent_id"),
    "sent_id of words": (json_with('"sent_id": ["0", "1"]'), 2, "sent_id"),
    "clusters no list": (json_with('"clusters": 3'), 2, "list of lists"),
    "clusters of mentions": (json_with('"clusters": [[0, 1]]'), 2, "a mention is [start, end]"),
    "clusters of numbers": (json_with('"clusters": [0]'), 2, "list of lists"),
    "a mention past the end": (json_with('"clusters": [[[0, 2]]]'), 2, "[0, 2] is not inside"),
    "an exclusive end past the end": (
        json_with('"span_clusters": [[[0, 3]]]'),
        2,
        "[0, 3] is not inside",
    ),
    "an empty exclusive mention": (json_with('"span_clusters": [[[1, 1]]]'), 2, "not inside"),
    "a mention below zero": (json_with('"clusters": [[[-1, 0]]]'), 2, "[-1, 0] is not inside"),
    "a mention backwards": (json_with('"clusters": [[[1, 0]]]'), 2, "[1, 0] is not inside"),
    "a mention of three": (json_with('"clusters": [[[0, 1, 1]]]'), 2, "not [0, 1, 1]"),
    "a mention of booleans": (json_with('"clusters": [[[false, true]]]'), 2, "[false, true]"),
    "a mention of words": (json_with('"clusters": [[["0", "1"]]]'), 2, '["0", "1"]'),
    "a mention of fractions": (json_with('"clusters": [[[0.0, 1.0]]]'), 2, "[0.0, 1.0]"),
    "a mention twice": (json_with('"clusters": [[[0, 1], [0, 1]]]'), 2, "twice"),
    "speakers too few": (json_with('"speakers": ["A"]'), 2, "2 tokens"),
    "speakers too many": (json_with('"speakers": [["A", "B"], ["C"]]'), 2, "2 tokens"),
    "speakers no list": (json_with('"speakers": {"0": "A"}'), 2, "2 tokens"),
    "a layer too short": (json_with('"layers": {"pos": ["NN"]}'), 2, "pos"),
    "layers no object": (json_with('"layers": [1]'), 2, "layers"),
    "a line end in the name of a layer": (json_with('"layers": {"p\\nos": []}'), 2, "p"),
    "a name that is a list": (json_with('"doc_key": ["d"]'), 2, "doc_key"),
    "an empty name": (json_with('"doc_key": ""'), 2, "doc_key"),
    "a document twice": (
        '{"doc_key": "d", "tokens": []}\n' * 2,
        2,
        "document d occurs again (first at line 1)",
    ),
    "a part twice": (
        '{"doc_key": "d_1", "part_id": 1, "tokens": []}\n{"doc_key": "d_1", "tokens": []}\n',
        2,
        "document d_1 occurs again",
    ),
    "a name of two lines twice": ('{"doc_key": "d\\ne", "tokens": []}\n' * 2, 2, "occurs again"),
}

TABLE = [
    pytest.param(name, *case, id=f"{name}: {what}")
    for name, cases in (("a.conll", CONLL), ("a.conllu", CONLLU), ("a.jsonl", JSON))
    for what, case in cases.items()
]


@pytest.mark.parametrize(("name", "text", "line", "words"), TABLE)
def test_an_error_says_where_and_what_in_one_line(
    tmp_path: Path, name: str, text: str, line: int, words: str
) -> None:
    path = save(tmp_path, text, name)
    with pytest.raises(CorelaxError) as caught:
        io.read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}: ")
    assert words in message
    assert "\n" not in message
    problems = io.validate(path)  # finds the same, and goes on
    assert any(item.line == line and words in item.message for item in problems.errors)
    assert not [item.message for item in problems.items if len(item.message) > 200]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.conll", conll("-", header=f"(d); part {LONG}")),
        ("a.conllu", conllu(("1", "a", f"Entity=(e1[{LONG}/{LONG}])"))),
        ("a.conllu", conllu(("1", "a", f"Entity=(e1[1/{LONG}])"), ("2", "b", "_"))),
        ("a.conllu", conllu((f"1-{LONG}", "a", "_"), WORD)),
        ("a.conllu", conllu(("1", "a", "_"), (f"1.{LONG}", "a", "_"))),
    ],
    ids=["part", "part of a mention", "parts of a mention", "multiword token", "empty node"],
)
def test_more_digits_than_a_number_may_have_are_read_or_refused(
    tmp_path: Path, name: str, text: str
) -> None:
    with contextlib.suppress(CorelaxError):
        io.read(save(tmp_path, text, name))


# Files that are not text of a format


def broken(*, keep: int) -> bytes:
    """The first bytes of a packed file of many lines that cannot be packed well."""
    words = "".join(f"d\t0\t{i}\t{i * 7919 % 10007}\t-\n" for i in range(2000))
    return gzip.compress((BEGIN + words + END).encode(), mtime=0)[:keep]


NOT_TEXT = pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"", "no document", id="empty file"),
        pytest.param(b"\n \n\t\n", "no document", id="only blank lines"),
        pytest.param(b"\xef\xbb\xbf", "no document", id="only a byte order mark"),
        pytest.param(b"# hello\n", "no document", id="only a comment"),
        pytest.param(gzip.compress(b""), "no document", id="packed nothing"),
        pytest.param(b"\x1f\x8b", "gzip", id="nothing but a gzip magic"),
        pytest.param(b"\x1f\x8bthis is not packed", "gzip", id="random bytes after a gzip magic"),
        pytest.param(b"\x1f\x8b\x08" + bytes(range(256)), "gzip", id="gzip header, then no data"),
        pytest.param(broken(keep=1000), "gzip", id="packed data cut short"),
        pytest.param(broken(keep=-4), "gzip", id="packed data without its last bytes"),
        pytest.param(gzip.compress(BEGIN.encode()) + b"more", "gzip", id="more after the end"),
        pytest.param(BEGIN.encode("utf-16"), "UTF-8", id="utf-16"),
        pytest.param(b"\x00", " columns", id="a zero byte"),
        pytest.param(BEGIN.encode() + b"\x00\n" + END.encode(), " columns", id="a line of zero"),
    ],
)


@NOT_TEXT
def test_a_file_that_is_no_text_is_one_error(tmp_path: Path, content: bytes, words: str) -> None:
    path = save(tmp_path, content)
    with pytest.raises(CorelaxError) as caught:
        io.read(path)
    assert str(caught.value).startswith(f"{path}:")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert any(words in problem.message for problem in io.validate(path).errors)


def test_damage_is_named_by_its_line_in_packed_files_of_several_members(tmp_path: Path) -> None:
    cut = broken(keep=1000)
    lines = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(cut).count(b"\n")
    path = save(tmp_path, gzip.compress(b"# a\n# b\n") + cut)
    with pytest.raises(CorelaxError) as caught:
        io.read(path)
    assert lines > 50
    assert str(caught.value).startswith(f"{path}:{2 + lines + 1}: the gzip data is cut short")


@pytest.mark.parametrize("name", ["a.conllu", "a.jsonl"])
@pytest.mark.parametrize("content", [b"", b"\n \n\t\n"], ids=["empty file", "only blank lines"])
def test_a_file_without_documents_is_an_error(tmp_path: Path, name: str, content: bytes) -> None:
    with pytest.raises(CorelaxError, match="no document"):
        io.read(save(tmp_path, content, name))


@pytest.mark.parametrize("name", ["a.conll", "a.conll.gz"])
def test_the_line_that_is_not_utf8_is_named(tmp_path: Path, name: str) -> None:
    content = conll("-", "-").encode().replace(b"w1", b"caf\xe9")
    path = save(tmp_path, gzip.compress(content) if name.endswith("gz") else content, name)
    with pytest.raises(CorelaxError) as caught:
        io.read(path)
    assert str(caught.value).startswith(f"{path}:3: ")
    assert "0xe9" in str(caught.value)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "none.conll"
    with pytest.raises(CorelaxError) as caught:
        io.read(path)
    assert str(caught.value) == f"{path}: no such file"


def test_a_directory_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(CorelaxError) as caught:
        io.read(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path}: this is a directory")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_one_line(tmp_path: Path) -> None:
    path = save(tmp_path, conll("-"))
    path.chmod(0)
    with pytest.raises(CorelaxError) as caught:
        io.read(path)
    assert str(caught.value) == f"{path}: no permission to open it"


# Several problems in one file


def test_validate_lists_every_problem_of_a_conll2012_file(tmp_path: Path) -> None:
    text = (
        "d\t0\t0\tw\t-\n"  # 1: outside
        "#begin document (d); part 000\n"
        "d\t0\t0\tw\t(0\n"  # 3: never closed
        "d\t0\t1\tw\t1)\n"  # 4: never opened
        "d\t0\t2\tw\t(x)\n"  # 5: unreadable
        "d\t0\tw\t-\n"  # 6: short
        "d\t0\t4\tw\t(2)|(2)\n"  # 7: twice
        "d\t0\t5\t\t-\n"  # 8: no word
        "d\t0\t6\t\t-\n"  # 9: no word
        "\n"
        "#begin document (d); part 000\n"  # 11: no end before, and the document again
        "d\t0\t0\tw\t-\n"
        "#end document\n"
        "#end document\n"  # 14: no beginning
    )
    found = io.validate(save(tmp_path, text)).errors
    assert sorted(problem.line for problem in found) == [1, 3, 4, 5, 6, 7, 8, 9, 11, 11, 14]


def test_validate_lists_every_problem_of_a_corefud_file(tmp_path: Path) -> None:
    text = conllu(
        "# newdoc id = d",
        ("1", "a", "Entity=(e1"),  # 2: never closed
        ("2", "b", "Entity=e2)"),  # 3: never opened
        ("2", "b", "_"),  # 4: number twice
        "short",  # 5: columns
        ("3", "c", "Entity=oops"),  # 6: brackets
        "4\td\t_\t_\t_\t_\t9\t_\t_\t_",  # 7: head
        "5\te\t_\t_\t_\t_\t9\t_\t_\t_",  # 8: head
        "",
        "# newdoc id = d",  # 10: again
        ("1", "", "_"),  # 11: no word
        ("1", "a", "Entity=(e1[2/2])"),  # 12: part
    )
    found = io.validate(save(tmp_path, text, "a.conllu")).errors
    assert sorted(problem.line for problem in found) == [2, 3, 4, 5, 6, 7, 8, 10, 11, 12]


def test_validate_lists_every_problem_of_a_jsonlines_file(tmp_path: Path) -> None:
    text = (
        '{"doc_key": "d", "tokens": ["a"], "clusters": [[[0, 1], [0, 0], [1, 0]]]}\n'  # two
        "oops\n"
        '{"doc_key": "d", "tokens": ["a"], "speakers": ["A", "B"], "layers": {"pos": []}}\n'  # three
        "\n"
        "[]\n"
        '{"doc_key": "e"}\n'
    )
    found = io.validate(save(tmp_path, text, "a.jsonl")).errors
    assert sorted(problem.line for problem in found) == [1, 1, 2, 3, 3, 3, 5, 6]
