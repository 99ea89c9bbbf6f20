"""Damaged files: reading gives documents or a CorelaxError, and what was read can be written."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax import CorelaxError, Document, io

CONLL = [
    b"""\
#begin document (nw/x); part 000
nw/x 0 0 Ann   NNP (TOP(S(NP*)  ann   -  1 Sp#1 (PERSON) (ARG0*) *     (0|(1)
nw/x 0 1 left  VBD (VP*         leave 01 2 Sp#1 *        (V*)    *     -
nw/x 0 2 happy JJ  (ADJP*)))    -     -  - Sp#1 *        *       (V*)  0)

nw/x 0 0 She   PRP (TOP(NP*))   -     -  - -    *        (1)

#end document
#begin document (nw/x); part 001
nw/x 1 0 It PRP * - - - - * -

#end document
""",
    b"""\
#begin document (d); part 000
d\t0\t0\tNew York\t(0|(12
d\t0\t1\tcaf\xc3\xa9\t(3)
d\t0\t2\t10\xc2\xa0000\t12)|(4

# comment
d\t0\t0\t(7)\t4)|0)
d\t0\t1\t#\t(3)

#end document
""",
    b"""\xef\xbb\xbf#begin document (a (b); c); part 003\r
x\t3\t7\ta\tNN\t*\t-\t-\t-\tS\t*\t*\t(0(1\r
x\t3\t8\tb\tNN\t*\t-\t-\t-\tS\t*\t*\t1)\r
x\t3\t9\tc\tNN\t*\t-\t-\t-\tS\t*\t(V*)\t0)\r
\r
#end document\r
""",
]

CONLLU = [
    b"""\
# newdoc id = GUM_x
# global.Entity = GRP-etype-infstat-minspan-link
# speaker = Ann
# text = Dogs don't bark
1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t4\tnsubj\t4:nsubj\tDiscourse=a|Entity=(1-animal-new-1-sgl)
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t4:aux\tEntity=(2-event(3-x
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\tEntity=3)
4\tbark\tbark\tVERB\tVB\t_\t0\troot\t_\tEntity=2)|SpaceAfter=No

# sent_id = 2
1\tdogs\tdog\tNOUN\tNNS\t_\t0\troot\t_\tEntity=(1-animal)

# newdoc id = y
1\t_\t_\tPUNCT\t_\t_\t0\troot\t_\t_

""",
    b"""\
# newdoc id = cs
# global.Entity = eid-etype-head-minspan-other
# sent_id = s1
0.1\t_\tona\tPRON\t_\t_\t_\t_\t1:nsubj\tEntity=(e1-person-1)
1\tP\xc5\x99i\xc5\xa1la\tp\tVERB\tVp\t_\t0\troot\t0:root\tEntity=(e3
1.1\t_\t_\t_\t_\t_\t_\t_\t_\tEntity=e3)
2\tEva\tEva\tPROPN\tNN\t_\t1\tnsubj\t_\tEntity=(e1-person-1)|SpaceAfter=No

1\tona\ton\tPRON\tPP\t_\t4\tnsubj\t_\tEntity=(e2[1/2]-person-1-1,2-x:y)(e1
2\ti\ti\tCCONJ\tJ\t_\t3\tcc\t_\tEntity=e1)(e1
3\tpes\tpes\tNOUN\tNN\t_\t1\tconj\t_\tEntity=e1)(e2[2/2])
4\tspali\tsp\tVERB\tVp\t_\t0\troot\t_\t_

""",
    b"""\
# global.Entity = etype-eid
1\ta\t_\t_\t_\t_\t_\t_\t_\tA=1|Entity=(person-e1|Z=2
2\tb\t_\t_\t_\t_\t_\t_\t_\tEntity=(place-e2
3\tc\t_\t_\t_\t_\t_\t_\t_\tEntity=e1)
4\td\t_\t_\t_\t_\t_\t_\t_\tEntity=e2)
""",
]

E2E = {
    "doc_key": "nw/x_0",
    "sentences": [["Ann", "left"], ["She"]],
    "speakers": [["A", "A"], ["-"]],
    "clusters": [[[0, 0], [2, 2]], [[0, 1]]],
}
FLAT = {"doc_key": "y", "tokens": ["a", "b"], "sent_id": [0, 1], "clusters": [[[0, 1]]], "x": 1.5}
WL_COREF = {
    "document_id": "x",
    "part_id": 2,
    "cased_words": ["Ann", "left", "."],
    "sent_id": [0, 0, 1],
    "speaker": ["A", "B", "B"],
    "pos": ["N", "V", "."],
    "deprel": ["s", "r", "p"],
    "head": [1, None, 1],
    "span_clusters": [[[0, 1], [1, 3]]],
    "word_clusters": [[0, 2]],
}
LAYERS = {
    "doc_key": "x",
    "sentences": [["a", "é\U0001f600"], ["c"]],
    "clusters": [[[0, 1]], [[0, 1], [2, 2]]],
    "layers": {
        "pos": ["N", None, "V"],
        "arguments": [["*"], ["*"], []],
        "head": [-1, 0, -1],
        "misc": ["A=1", None, "B=2"],
        "numbering": [["x", "0", "0"], ["x", "0", "1"], ["x", "0", "0"]],
    },
}
NO_NAME = {
    "tokens": ["no", "name"],
    "layers": {"offsets": [[0, 2], [3, 7]], "parse": ["(S*", "*)"]},
}
JSON = [
    "".join(json.dumps(fields) + "\n" for fields in file).encode()
    for file in ([E2E, FLAT], [WL_COREF], [LAYERS, NO_NAME])
]

SEEDS = {"conll": CONLL, "conllu": CONLLU, "jsonl": JSON}
INSERTED = st.sampled_from(
    [
        *(b"\n", b"\n\n", b"\r", b"\t", b" ", b"\x00", b"\x0b", b"\x0c", b"\xff", b"\x80", b"\\n"),
        *(b"\xef\xbb\xbf", b"\xc2\xa0", b"\xe2\x80\xa8", b"\xc2\x85", b"\xd9\xa3", b"\\u0000"),
        *b'|(-)-_-*-#-0-9-00-=-[-]-[1/2]-[1/1]-0.1-1-2-,-"-{-}-null-Entity=-#end document'.split(
            b"-"
        ),
    ]
)


@st.composite
def damaged(draw: st.DrawFn, seeds: list[bytes]) -> bytes:
    """One to four small accidents, most of them inside a line or with whole lines."""
    text = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(1, 4))):
        text = draw(st.sampled_from(ACCIDENTS))(draw, text)
    return text


def _change_lines(draw: st.DrawFn, text: bytes) -> bytes:
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    here = draw(st.integers(0, len(lines) - 1))
    there = draw(st.integers(0, len(lines) - 1))
    match draw(st.sampled_from(["delete", "duplicate", "swap", "copy"])):
        case "delete":
            del lines[here]
        case "duplicate":
            lines.insert(here, lines[here])
        case "swap":
            lines[here], lines[there] = lines[there], lines[here]
        case "copy":
            lines.insert(there, lines[here])
    return b"".join(lines)


def _change_bytes(draw: st.DrawFn, text: bytes) -> bytes:
    here = draw(st.integers(0, len(text)))
    size = draw(st.integers(0, 3))  # how many are deleted or replaced
    new = draw(st.just(b"") | INSERTED | st.binary(min_size=1, max_size=2))
    return text[:here] + new + text[here + size :]


def _change_characters(draw: st.DrawFn, text: bytes) -> bytes:
    characters = text.decode(errors="ignore")
    here = draw(st.integers(0, len(characters)))
    there = draw(st.integers(0, len(characters)))
    copied = characters[there : there + draw(st.integers(0, 6))]
    return (characters[:here] + copied + characters[here + draw(st.integers(0, 6)) :]).encode()


def _cut(draw: st.DrawFn, text: bytes) -> bytes:
    return text[: draw(st.integers(0, len(text)))]


Accident = Callable[[st.DrawFn, bytes], bytes]
ACCIDENTS: list[Accident] = [
    *([_change_lines] * 3),
    *([_change_bytes] * 4),
    *([_change_characters] * 4),
    _cut,
]

often = settings(max_examples=300, deadline=None)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


def read_or_refuse(path: Path) -> list[Document]:
    """The documents, or none where reading refuses the file in one line. All else gets through."""
    try:
        return io.read(path)
    except CorelaxError as error:
        check_message(error, path)
        return []


def check_message(error: CorelaxError, path: Path) -> None:
    assert str(error).startswith(f"{path}:")
    assert "\n" not in str(error)


@pytest.mark.parametrize("suffix", SEEDS)
def test_the_files_to_be_damaged_are_good(folder: Path, suffix: str) -> None:
    for text in SEEDS[suffix]:
        (folder / f"seed.{suffix}").write_bytes(text)
        assert io.read(folder / f"seed.{suffix}")


@pytest.mark.parametrize("suffix", SEEDS)
@given(data=st.data())
@often
def test_reading_gives_documents_or_an_error_of_one_line(
    folder: Path, suffix: str, data: st.DataObject
) -> None:
    path = folder / f"read.{suffix}"
    path.write_bytes(data.draw(damaged(SEEDS[suffix])))
    read_or_refuse(path)


@pytest.mark.parametrize("suffix", SEEDS)
@given(data=st.data())
@often
def test_validate_never_fails_and_agrees_with_reading(
    folder: Path, suffix: str, data: st.DataObject
) -> None:
    path = folder / f"validate.{suffix}"
    path.write_bytes(data.draw(damaged(SEEDS[suffix])))
    problems = io.validate(path)
    assert bool(problems.errors) == (not read_or_refuse(path))


@pytest.mark.parametrize("suffix", SEEDS)
@given(data=st.data())
@often
def test_what_was_read_can_be_written_in_all_formats_and_read_again(
    folder: Path, suffix: str, data: st.DataObject
) -> None:
    path = folder / f"write.{suffix}"
    path.write_bytes(data.draw(damaged(SEEDS[suffix])))
    docs = read_or_refuse(path)
    for other in SEEDS:
        target = folder / f"written.{other}"
        try:
            io.write(docs, target)
        except CorelaxError:
            continue
        if docs:
            assert [doc.words for doc in io.read(target)] == [doc.words for doc in docs]


@pytest.mark.parametrize("suffix", SEEDS)
@given(data=st.data())
@often
def test_what_was_read_comes_back_in_its_own_format(
    folder: Path, suffix: str, data: st.DataObject
) -> None:
    path = folder / f"own.{suffix}"
    path.write_bytes(data.draw(damaged(SEEDS[suffix])))
    docs = read_or_refuse(path)
    try:
        lost = io.write(docs, path)
    except CorelaxError:
        return
    if docs and not lost:
        assert io.read(path) == docs


@pytest.mark.parametrize("format", io.FORMATS)
@given(content=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
@often
def test_any_bytes_are_read_or_refused(folder: Path, format: str, content: bytes) -> None:
    path = folder / "any"
    path.write_bytes(content)
    try:
        io.read(path, format)
    except CorelaxError as error:
        check_message(error, path)


@given(data=st.data())
@often
def test_damaged_gzip_files_are_read_or_refused(folder: Path, data: st.DataObject) -> None:
    packed = gzip.compress(CONLL[0], mtime=0)
    path = folder / "damaged.conll.gz"
    here = data.draw(st.integers(0, len(packed)))
    path.write_bytes(packed[:here] + data.draw(st.binary(max_size=4)) + packed[here + 2 :])
    read_or_refuse(path)
