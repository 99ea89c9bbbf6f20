"""CoNLL-2012: what its rows mean, and that nothing of a document is lost on the way out and in."""

from pathlib import Path

import pytest

from corelax import Clustering, Document, Span, io
from corelax.io import conll2012_write
from tests.io.io_helpers import check_readable_or_refused, conll, save

GOLD = """\
#begin document (nw/x); part 000
nw/x 0 0 Ann   NNP (TOP(S(NP*)  ann  -   1 Sp#1 (PERSON) (ARG0*) *      (0)
nw/x 0 1 left  VBD (VP*         leave 01 2 Sp#1 *        (V*)    *      -
nw/x 0 2 happy JJ  (ADJP*)))    -    -   - Sp#1 *        *       (V*)   -

nw/x 0 0 She   PRP (TOP(NP*))   -    -   - -    *        (0)

#end document
"""
WINOBIAS = """\
#begin document (wb//0); part 000
wb//0\t0\t0\tThe\t-\t-\t-\t-\t-\tSpeaker#1\t*\t*\t*\t*\t(1
wb//0\t0\t1\tcook\t-\t-\t-\t-\t-\tSpeaker#1\t*\t*\t*\t*\t1)

#end document
"""


def read_one(folder: Path, content: str | bytes, name: str = "a.conll") -> Document:
    [doc] = io.read(save(folder, content, name))
    return doc


def oddities(folder: Path, content: str) -> list[tuple[int | None, str]]:
    problems = io.validate(save(folder, content))
    assert not problems.errors
    return [(item.line, item.message) for item in problems.oddities]


# Reading: columns


@pytest.mark.parametrize(
    ("layer", "values"),
    [
        ("pos", ("NNP", "VBD", "JJ", "PRP")),
        ("parse", ("(TOP(S(NP*)", "(VP*", "(ADJP*)))", "(TOP(NP*))")),
        ("lemma", ("ann", "leave", None, None)),
        ("frame", (None, "01", None, None)),
        ("sense", ("1", "2", None, None)),
        ("speaker", ("Sp#1", "Sp#1", "Sp#1", None)),
        ("ner", ("(PERSON)", "*", "*", "*")),
        ("arguments", (("(ARG0*)", "*"), ("(V*)", "*"), ("*", "(V*)"), ())),
    ],
)
def test_each_column_becomes_a_layer(tmp_path: Path, layer: str, values: tuple[object]) -> None:
    assert read_one(tmp_path, GOLD).layers[layer] == values


def test_sentences_may_differ_in_width(tmp_path: Path) -> None:
    text = conll("(0)", "", "-").replace("w0\t", "w0\tNN\t")
    assert read_one(tmp_path, text).layers == {"pos": ("NN", None)}


def test_without_layers_only_words_and_clusters_are_read(tmp_path: Path) -> None:
    full = read_one(tmp_path, GOLD)
    [bare] = io.stream(tmp_path / "a.conll", layers=False)
    assert bare == Document(
        id="nw/x",
        part=0,
        words=full.words,
        sentence_starts=(0, 3),
        clusters=Clustering([[Span(0, 1), Span(3, 4)]]),
    )


# Reading: lines and separators


def test_a_blank_is_part_of_the_word_where_columns_are_apart_by_tabs(tmp_path: Path) -> None:
    assert read_one(tmp_path, conll("(0)").replace("w0", "New York")).words == ("New York",)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="carriage returns"),
        pytest.param(lambda text: text.rstrip("\n"), id="no final newline"),
        pytest.param(lambda text: text.replace("\n\n", "\n \t \n"), id="white-space-only lines"),
        pytest.param(lambda text: text.replace("\n\n", "\n\n\n\n"), id="many blank lines"),
        pytest.param(lambda text: "\ufeff" + text, id="byte order mark"),
        pytest.param(lambda text: "\n\n" + text + "\n\n", id="blank lines around"),
        pytest.param(lambda text: text.replace("#", "# "), id="blank after the hash"),
        pytest.param(lambda text: text.replace("\n#begin", "\n\n#begin"), id="blank before begin"),
    ],
)
def test_line_ends_and_blank_lines_do_not_matter(tmp_path: Path, change) -> None:
    text = conll("(0", "0)", "", "(0)") + conll("-", header="(e); part 000")
    assert io.read(save(tmp_path, change(text))) == io.read(save(tmp_path, text, "b.conll"))


# Reading: documents


def test_parts_are_documents_of_their_own(tmp_path: Path) -> None:
    text = conll("(0)", header="(d); part 000") + conll("(0)", header="(d); part 012")
    docs = io.read(save(tmp_path, text))
    assert [(doc.id, doc.part, doc.key) for doc in docs] == [("d", 0, "d_0"), ("d", 12, "d_12")]


@pytest.mark.parametrize("header", ["(d); ", "(d);", "d", "(d); part 0", "(d);part 000  "])
def test_the_part_of_a_header_may_be_missing(tmp_path: Path, header: str) -> None:
    doc = read_one(tmp_path, conll("-", header=header))
    assert (doc.id, doc.part) == ("d", 0)


def test_a_name_may_have_brackets_and_semicolons(tmp_path: Path) -> None:
    doc = read_one(tmp_path, conll("-", header="(a (b); c); part 003"))
    assert (doc.id, doc.part) == ("a (b); c", 3)


# Reading: brackets


@pytest.mark.parametrize(
    ("cells", "clusters"),
    [
        pytest.param(["(0)", "-"], [[(0, 1)]], id="one token"),
        pytest.param(["(0", "-", "0)"], [[(0, 3)]], id="several tokens"),
        pytest.param(["(0", "(1", "1)", "0)"], [[(0, 4)], [(1, 3)]], id="nested"),
        pytest.param(["(0", "(0)", "0)"], [[(0, 3), (1, 2)]], id="nested in itself"),
        pytest.param(["(0|(0", "0)", "0)"], [[(0, 2), (0, 3)]], id="the inner one closes first"),
        pytest.param(["(0|(1", "0)", "1)"], [[(0, 2)], [(0, 3)]], id="same beginning"),
        pytest.param(["(0", "(1", "0)|1)"], [[(0, 3)], [(1, 3)]], id="same end, outer one first"),
        pytest.param(["(0", "(1", "0)", "1)"], [[(0, 3)], [(1, 4)]], id="crossing"),
        pytest.param(["(0)|(1)", "(0)"], [[(0, 1), (1, 2)], [(0, 1)]], id="in two entities"),
        pytest.param(["(0", "", "0)"], [[(0, 2)]], id="over a sentence end"),
        pytest.param(["(0", "0)|(0)"], [[(0, 2), (1, 2)]], id="ends on a mention of itself"),
        pytest.param(["(0|0)", "-"], [[(0, 1)]], id="opens and closes on one token"),
        pytest.param(["(7)", "(007)"], [[(0, 1)], [(1, 2)]], id="zeros in front matter"),
        pytest.param(["(0(1", "1)0)"], [[(0, 2)], [(0, 2)]], id="no bars"),
        pytest.param(["_", "*"], [], id="other marks for no mention"),
    ],
)
def test_brackets_become_clusters(tmp_path: Path, cells: list[str], clusters: list) -> None:
    found = read_one(tmp_path, conll(*cells)).clusters
    assert found == Clustering([[Span(*pair) for pair in cluster] for cluster in clusters])


@pytest.mark.parametrize(
    ("cells", "line", "word"),
    [
        pytest.param(["(0(1", "1)", "0)"], 2, "bars", id="no bars"),
        pytest.param(["(0", "(1", "0)", "1)"], 4, "crosses", id="crossing"),
        pytest.param(["(0", "", "0)"], 4, "sentence", id="over a sentence end"),
        pytest.param(["-", "(0)|(1)"], 3, "two entities", id="in two entities"),
    ],
)
def test_what_is_unusual_is_odd_and_no_error(
    tmp_path: Path, cells: list[str], line: int, word: str
) -> None:
    [(found, message)] = oddities(tmp_path, conll(*cells))
    assert found == line
    assert word in message


# Writing


def test_a_document_is_written_with_twelve_columns_and_tabs() -> None:
    doc = Document(
        id="d",
        part=3,
        words=("Ann", "left", "Hi"),
        sentence_starts=(0, 2),
        clusters=Clustering([[Span(0, 2)], [Span(2, 3)]], labels=["7", "4"]),
        layers={"pos": ("NNP", "VBD", None), "parse": ("(S*", "*)", "*"), "speaker": ("A",) * 3},
    )
    assert conll2012_write.write(doc) == (
        "#begin document (d); part 003\n"
        "d\t3\t0\tAnn\tNNP\t(S*\t-\t-\t-\tA\t*\t(7\n"
        "d\t3\t1\tleft\tVBD\t*)\t-\t-\t-\tA\t*\t7)\n"
        "\n"
        "d\t3\t0\tHi\t-\t*\t-\t-\t-\tA\t*\t(4)\n"
        "\n"
        "#end document\n"
    )


@pytest.mark.parametrize(
    ("clusters", "cells"),
    [
        pytest.param([[(0, 3)], [(0, 2)]], ["(0|(1", "1)", "0)"], id="longest opens first"),
        pytest.param([[(0, 3)], [(1, 3)]], ["(0", "(1", "1)|0)"], id="innermost closes first"),
        pytest.param([[(0, 2), (0, 1)]], ["(0|(0)", "0)", "-"], id="one token inside"),
        pytest.param([[(0, 2)], [(1, 3)]], ["(0", "(1|0)", "1)"], id="crossing"),
    ],
)
def test_brackets_are_in_nesting_order(clusters: list, cells: list[str]) -> None:
    doc = Document.from_sentences("d", [["a", "b", "c"]], clusters=clusters)
    rows = conll2012_write.write(doc).splitlines()[1:4]
    assert [row.split("\t")[-1] for row in rows] == cells


@pytest.mark.parametrize(
    ("name", "header"),
    [("x", "(x); part 000"), ("x_3", "(x); part 003"), ("x_03", "(x_03); part 000")],
)
def test_a_name_from_jsonlines_is_cut_into_name_and_part(name: str, header: str) -> None:
    text = conll2012_write.write(Document(id=name, words=()))
    assert text.startswith(f"#begin document {header}\n")


def test_names_of_entities_become_numbers(tmp_path: Path) -> None:
    doc = Document(
        id="d",
        part=0,
        words=("a", "b"),
        clusters=Clustering([[Span(0, 1)], [Span(1, 2)]], labels=["e5", "7"]),
    )
    lost = io.write([doc], tmp_path / "a.conll")
    assert list(lost) == ["entity names (numbered instead)"]
    assert io.read(tmp_path / "a.conll") == [doc]


def test_a_mention_that_crosses_its_own_entity_is_left_out_and_counted(tmp_path: Path) -> None:
    doc = Document.from_sentences("d", [["a", "b", "c"]], clusters=[[(0, 2), (1, 3)]])
    lost = io.write([doc], tmp_path / "a.conll")
    assert lost == {"mentions that cross another of their entity (left out)": 1}
    assert io.read(tmp_path / "a.conll")[0].clusters == Clustering([[Span(0, 2)]])


@pytest.mark.parametrize(
    "doc",
    [
        pytest.param(Document(id="d", words=("a\tb",)), id="a tab in a word"),
        pytest.param(Document(id="d", words=("a\nb",)), id="a line end in a word"),
        pytest.param(Document(id="d", words=("",)), id="an empty word"),
        pytest.param(Document(id="d\te", words=("a",)), id="a tab in the name"),
        pytest.param(Document(id="#d", words=("a",)), id="a name that looks like a comment"),
        pytest.param(Document(id="", words=("a",)), id="no name"),
        pytest.param(
            Document(id="d", words=("a",), layers={"pos": ("N\tN",)}), id="a tab in a layer"
        ),
        pytest.param(
            Document(id="d", words=("a", "b"), layers={"arguments": (("*",), ())}), id="arguments"
        ),
        pytest.param(
            Document(id="d", words=("a", "b"), layers={"numbering": (("d", "0"), ("d", "0", "1"))}),
            id="numbering",
        ),
        pytest.param(
            Document(id="d", words=("a",), layers={"numbering": (("#", "0", "0"),)}),
            id="numbering that looks like a comment",
        ),
    ],
)
def test_what_could_not_be_read_back_is_refused(tmp_path: Path, doc: Document) -> None:
    check_readable_or_refused(doc, tmp_path / "a.conll")


# Round trips

SAMPLES = {
    "gold": GOLD,
    "automatic": WINOBIAS,
    "five columns": conll("(0", "(1)", "0)", "", "(1)"),
    "several documents": conll("-") + conll("(0)", header="(d); part 001"),
    "unusual numbers": conll("-", "-").replace("\t1\t", "\t7\t"),
    "another name in the rows": conll("-", "-", header="(other); part 002"),
    "crossing": conll("(0", "(1|(2)", "0)", "1)"),
    "over a sentence end": conll("(0", "", "0)"),
    "blank in a word": conll("-").replace("w0", "New York"),
    "no tokens": "#begin document (d); part 000\n#end document\n",
    "a dash among parses": GOLD.replace("(VP* ", "-    "),
    "a star among tags": GOLD.replace("VBD", "*  "),
    "an empty cell": conll("(0)", "-").replace("w0\t", "w0\t\t").replace("w1\t", "w1\tNN\t"),
    "an empty argument": WINOBIAS.replace("*\t*\t*\t*\t(1", "*\t*\t\t*\t(1"),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_read_and_written_reads_the_same(tmp_path: Path, name: str) -> None:
    docs = io.read(save(tmp_path, SAMPLES[name]))
    assert not io.write(docs, tmp_path / "b.conll")
    assert io.read(tmp_path / "b.conll") == docs
    io.write(docs, tmp_path / "c.conll")
    assert (tmp_path / "c.conll").read_bytes() == (tmp_path / "b.conll").read_bytes()


def test_a_row_without_tabs_is_split_at_blanks_also_beside_rows_with_tabs(tmp_path: Path) -> None:
    text = conll("(0)", "(0)").replace("d\t0\t1\tw1\t", "d  0  1  w1  ")
    [doc] = io.read(save(tmp_path, text))
    assert (doc.words, len(doc.clusters[0])) == (("w0", "w1"), 2)
