"""CorefUD: `Entity=` in all its shapes, nodes that are no tokens, and exact round trips."""

from pathlib import Path

import pytest

from corelax import Clustering, Document, Span, io
from corelax.document import EmptyId
from corelax.document.gold import GLOBAL_ENTITY, MENTIONS
from corelax.io import corefud_write
from corelax.text import document_of
from tests.io.io_helpers import check_readable_or_refused, conllu, save

GUM = """\
# newdoc id = GUM_x
# global.Entity = GRP-etype-infstat-salience-centering-minspan-link-identity
# meta::genre = academic
# sent_id = GUM_x-1
# speaker = Ann
# text = Dogs don't bark
1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t4\tnsubj\t4:nsubj\tDiscourse=a:1->2|Entity=(1-animal-new-nnnnn-cf1-1-sgl)
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t4:aux\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t4:advmod\t_
4\tbark\tbark\tVERB\tVB\t_\t0\troot\t0:root|4.1:conj\tSpaceAfter=No
4.1\tbark\tbark\tVERB\tVB\t_\t_\t_\t4:conj\tCopyOf=4

# sent_id = GUM_x-2
# text = Big dogs do
1\tBig\tbig\tADJ\tJJ\t_\t2\tamod\t_\tBridge=1<2|Entity=(2-animal-new-nnnnn-cf1-2-coref(3-abstract-new-nnnnn-cf2-1-coref-Big_(film))
2\tdogs\tdog\tNOUN\tNNS\t_\t3\tnsubj\t_\tEntity=2)|XML=<w>
3\tdo\tdo\tVERB\tVBP\t_\t0\troot\t_\t_

""".replace("Big_(film)", "Big_film")

COREFUD = """\
# newdoc id = cs_x
# global.Entity = eid-etype-head-minspan-other
# sent_id = s1
# text = Přišla Eva
0.1\t_\tona\tPRON\t_\t_\t_\t_\t1:nsubj\tEntity=(e1-person-1)
1\tPřišla\tpřijít\tVERB\tVp\t_\t0\troot\t0:root\t_
2\tEva\tEva\tPROPN\tNN\t_\t1\tnsubj\t1:nsubj\tEntity=(e1-person-1)|SpaceAfter=No

# sent_id = s2
# text = A ona i pes spali
1\tA\ta\tCCONJ\tJ\t_\t5\tcc\t_\t_
2\tona\ton\tPRON\tPP\t_\t5\tnsubj\t_\tEntity=(e2[1/2]-person-1-1,2-x:y(e1-person-1)e2[1/2])
3\ti\ti\tCCONJ\tJ\t_\t4\tcc\t_\t_
4\tpes\tpes\tNOUN\tNN\t_\t2\tconj\t_\tEntity=(e2[2/2])
5\tspali\tspát\tVERB\tVp\t_\t0\troot\t_\t_

"""


def read_one(folder: Path, *rows: tuple[str, str, str] | str) -> Document:
    [doc] = io.read(save(folder, conllu(*rows), "a.conllu"))
    return doc


def written_and_read(folder: Path, docs: list[Document]) -> list[Document]:
    io.write(docs, folder / "again.conllu")
    return io.read(folder / "again.conllu")


# Reading: brackets


@pytest.mark.parametrize(
    ("fields", "opening", "entity"),
    [
        ("eid-etype-head-other", "(e1-person-1-x", "e1"),
        ("eid-etype-head-other", "(e1", "e1"),
        ("GRP-etype-infstat", "(1-person-new", "1"),
        ("etype-eid-head", "(person-e1-1", "e1"),
        ("etype-head-GRP", "(person-1-17", "17"),
        ("etype-eid", "(-e1", "e1"),
        ("eid-etype-other", "(e1--a-b-c", "e1"),
    ],
)
def test_the_name_of_an_entity_is_where_global_entity_says(
    tmp_path: Path, fields: str, opening: str, entity: str
) -> None:
    doc = read_one(
        tmp_path,
        f"# global.Entity = {fields}",
        ("1", "a", f"Entity={opening}"),
        ("2", "b", f"Entity={entity})"),
    )
    assert dict(zip(doc.clusters.labels, doc.clusters, strict=True)) == {entity: (Span(0, 2),)}


@pytest.mark.parametrize(
    "misc",
    ["Entity=(e1)", "A=1|Entity=(e1)", "Entity=(e1)|SpaceAfter=No", "A=1|Entity=(e1)|Z=2|B=3"],
)
def test_entity_may_be_anywhere_in_misc(tmp_path: Path, misc: str) -> None:
    assert read_one(tmp_path, ("1", "a", misc)).clusters == Clustering([[Span(0, 1)]])


@pytest.mark.parametrize(
    ("cells", "clusters"),
    [
        pytest.param(["(e1)", ""], [[(0, 1)]], id="one node"),
        pytest.param(["(e1", "(e2)", "e1)"], [[(0, 3)], [(1, 2)]], id="nested"),
        pytest.param(["(e1(e2", "e2)", "e1)"], [[(0, 3)], [(0, 2)]], id="same beginning"),
        pytest.param(["(e1", "(e2", "e1)e2)"], [[(0, 3)], [(1, 3)]], id="any order of closings"),
        pytest.param(["(e1", "(e2", "e1)", "e2)"], [[(0, 3)], [(1, 4)]], id="crossing"),
        pytest.param(["(e1", "e1)(e1", "e1)"], [[(0, 2), (1, 3)]], id="closes, then opens"),
        pytest.param(["(e1", "e1)(e1)"], [[(0, 2), (1, 2)]], id="closes, then one node"),
        pytest.param(["(e1(e1", "e1)", "e1)"], [[(0, 2), (0, 3)]], id="nested in itself"),
        pytest.param(["(e1)(e2)", ""], [[(0, 1)], [(0, 1)]], id="one mention in two entities"),
        pytest.param(
            ["(e1[1/2]", "e1[1/2])", "", "(e1[2/2])"], [[(0, 4, ((0, 2), (3, 4)))]], id="two parts"
        ),
        pytest.param(
            ["(e1[1/3])", "", "(e1[2/3])", "", "(e1[3/3])"],
            [[(0, 5, ((0, 1), (2, 3), (4, 5)))]],
            id="three parts",
        ),
        pytest.param(
            ["(e1[1/2])", "(e1)", "(e1[2/2])"],
            [[(0, 3, ((0, 1), (2, 3))), (1, 2)]],
            id="a mention in the gap of another",
        ),
        pytest.param(
            ["(e1[1/2])", "(e1[2/2])", "(e1[1/2])", "", "(e1[2/2])"],
            [[(0, 2, ((0, 1), (1, 2))), (2, 5, ((2, 3), (4, 5)))]],
            id="two discontinuous mentions",
        ),
    ],
)
def test_brackets_become_clusters(tmp_path: Path, cells: list[str], clusters: list) -> None:
    rows = [(str(i), "w", f"Entity={cell}" if cell else "_") for i, cell in enumerate(cells, 1)]
    doc = read_one(tmp_path, *rows)
    assert doc.clusters == Clustering([[Span(*mention) for mention in c] for c in clusters])


def test_a_mention_given_twice_is_odd_and_counts_once(tmp_path: Path) -> None:
    path = save(tmp_path, conllu(("1", "a", "Entity=(e1)(e1)")), "a.conllu")
    assert [(p.line, p.is_error) for p in io.validate(path).items] == [(1, False)]
    assert io.read(path)[0].clusters == Clustering([[Span(0, 1)]])


# Reading: nodes that are no tokens


def test_a_mention_may_have_empty_nodes_at_both_edges_and_inside(tmp_path: Path) -> None:
    doc = read_one(
        tmp_path,
        ("0.1", "_", "Entity=(e1"),
        ("1", "a", "_"),
        ("1.1", "_", "_"),
        ("2", "b", "_"),
        ("2.1", "_", "_"),
        ("2.2", "_", "Entity=e1)"),
    )
    assert doc.clusters == Clustering(
        [[Span(0, 2, empty=(EmptyId(0, 0, 1), EmptyId(0, 2, 1), EmptyId(0, 2, 2)))]]
    )


def test_an_empty_node_is_known_by_its_sentence_and_id(tmp_path: Path) -> None:
    doc = read_one(
        tmp_path,
        ("0.1", "_", "_"),
        ("1", "a", "_"),
        "",
        ("0.1", "_", "Entity=(e1)"),
        ("1", "b", "_"),
    )
    assert doc.clusters == Clustering([[Span(1, 1, empty=(EmptyId(1, 0, 1),))]])


# Reading: layers and documents


@pytest.mark.parametrize(
    ("layer", "values"),
    [
        ("lemma", ("dog", "do", "not", "bark", "big", "dog", "do")),
        ("upos", ("NOUN", "AUX", "PART", "VERB", "ADJ", "NOUN", "VERB")),
        ("pos", ("NNS", "VBP", "RB", "VB", "JJ", "NNS", "VBP")),
        ("feats", ("Number=Plur", None, None, None, None, None, None)),
        ("head", (3, 3, 3, -1, 5, 6, -1)),
        ("relation", ("nsubj", "aux", "advmod", "root", "amod", "nsubj", "root")),
        ("deps", ("4:nsubj", "4:aux", "4:advmod", "0:root|4.1:conj", None, None, None)),
        ("speaker", ("Ann", "Ann", "Ann", "Ann", None, None, None)),
        ("misc", ("Discourse=a:1->2", None, None, "SpaceAfter=No", "Bridge=1<2", "XML=<w>", None)),
    ],
)
def test_each_column_becomes_a_layer(tmp_path: Path, layer: str, values: tuple[object]) -> None:
    [doc] = io.read(save(tmp_path, GUM, "a.conllu"))
    assert doc.layers[layer] == values


def test_a_word_and_a_lemma_may_be_an_underscore(tmp_path: Path) -> None:
    doc = read_one(tmp_path, "1\t_\t_\tPUNCT" + "\t_" * 6)
    assert (doc.words, doc.layers["lemma"]) == (("_",), ("_",))


def test_a_head_is_a_token_of_the_document_however_it_is_written(tmp_path: Path) -> None:
    root = "1\ta\t_\t_\t_\t_\t00\t_\t_\t_"
    doc = read_one(tmp_path, "1\ta\t_\t_\t_\t_\t0\t_\t_\t_", "", root)
    assert doc.layers["head"] == (-1, -1)


def test_without_layers_only_words_nodes_and_clusters_are_read(tmp_path: Path) -> None:
    [doc] = io.stream(save(tmp_path, GUM, "a.conllu"), layers=False)
    assert (doc.layers, list(doc.extra)) == ({}, [GLOBAL_ENTITY])
    assert [str(node.id) for node in doc.empty_nodes] == ["4.1"]
    assert doc.clusters == Clustering([[Span(0, 1)], [Span(4, 6)], [Span(4, 5)]])


def test_each_newdoc_begins_a_document(tmp_path: Path) -> None:
    row = ("1", "a", "Entity=(e1)")
    text = conllu("# newdoc id = x", row, "", "# newdoc id = y z", row, "", row)
    docs = io.read(save(tmp_path, text, "a.conllu"))
    assert [(doc.id, len(doc.words)) for doc in docs] == [("x", 1), ("y z", 2)]


def test_global_entity_holds_until_the_next_one(tmp_path: Path) -> None:
    text = conllu(
        "# newdoc id = x",
        "# global.Entity = etype-eid",
        ("1", "a", "Entity=(person-e1)"),
        "",
        "# newdoc id = y",
        ("1", "a", "Entity=(person-e1)"),
        "",
        "# newdoc id = z",
        "# global.Entity = eid-etype",
        ("1", "a", "Entity=(e1-person)"),
    )
    docs = io.read(save(tmp_path, text, "a.conllu"))
    assert [doc.clusters.labels for doc in docs] == [("e1",)] * 3


def test_without_newdoc_all_is_one_document(tmp_path: Path) -> None:
    doc = read_one(tmp_path, ("1", "a", "_"), "", ("1", "b", "_"))
    assert (doc.id, doc.words) == ("document_1", ("a", "b"))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="carriage returns"),
        pytest.param(lambda text: text.rstrip("\n"), id="no final newline"),
        pytest.param(lambda text: text.replace("\n\n", "\n \n\n"), id="white-space-only lines"),
        pytest.param(lambda text: "\ufeff" + text, id="byte order mark"),
        pytest.param(lambda text: "\n\n" + text, id="blank lines in front"),
    ],
)
@pytest.mark.parametrize("text", [GUM, COREFUD], ids=["gum", "corefud"])
def test_line_ends_and_blank_lines_do_not_matter(tmp_path: Path, text: str, change) -> None:
    assert io.read(save(tmp_path, change(text), "a.conllu")) == io.read(
        save(tmp_path, text, "b.conllu")
    )


def test_nested_mentions_of_one_entity_have_their_own_fields(tmp_path: Path) -> None:
    doc = read_one(
        tmp_path,
        ("1", "a", "Entity=(e1-person-1-x(e1-place-2-y"),
        ("2", "b", "Entity=e1)"),
        ("3", "c", "Entity=e1)"),
    )
    assert doc.extra[MENTIONS] == {
        ("e1", Span(0, 2)): "place-2-y",
        ("e1", Span(0, 3)): "person-1-x",
    }


def test_the_first_part_of_a_discontinuous_mention_may_have_the_fields(tmp_path: Path) -> None:
    doc = read_one(
        tmp_path,
        ("1", "a", "Entity=(e1[1/2]-person-1)"),
        ("2", "b", "_"),
        ("3", "c", "Entity=(e1[2/2])"),
    )
    [mention] = doc.clusters.mentions
    assert doc.extra[MENTIONS] == {("e1", mention): "person-1"}


# Writing


def test_a_bare_document_is_written_with_numbers_and_names() -> None:
    doc = Document.from_sentences(
        "d", [["Ann", "left"], ["She"]], clusters=[[(0, 2), (2, 3)]], layers={"speaker": "AAB"}
    )
    blank = "\t_" * 7
    assert corefud_write.write(doc) == (
        "# newdoc id = d\n"
        "# global.Entity = eid-etype-head-other\n"
        "# sent_id = d-1\n"
        "# speaker = A\n"
        "# text = Ann left\n"
        f"1\tAnn{blank}\tEntity=(0\n"
        f"2\tleft{blank}\tEntity=0)\n"
        "\n"
        "# sent_id = d-2\n"
        "# speaker = B\n"
        "# text = She\n"
        f"1\tShe{blank}\tEntity=(0--1)\n"
        "\n"
    )


def test_gum_comes_out_as_it_went_in(tmp_path: Path) -> None:
    io.write(io.read(save(tmp_path, GUM, "a.conllu")), tmp_path / "b.conllu")
    assert (tmp_path / "b.conllu").read_text() == GUM


def test_entity_is_put_among_the_attributes_in_alphabetical_order() -> None:
    doc = Document.from_sentences("d", [["a"]], clusters=[[(0, 1)]], layers={"misc": ["A=1|Z=2"]})
    assert "\tA=1|Entity=(0--1)|Z=2\n" in corefud_write.write(doc)


@pytest.mark.parametrize(
    "doc",
    [
        pytest.param(Document(id="d", words=("a\tb",)), id="a tab in a word"),
        pytest.param(Document(id="d", words=("",)), id="an empty word"),
        pytest.param(Document(id="d\ne", words=("a",)), id="a line end in the name"),
        pytest.param(
            Document(id="d", words=("a",), layers={"lemma": ("a\tb",)}), id="tab in a layer"
        ),
        pytest.param(Document(id="d", words=("a",), layers={"head": (7,)}), id="head elsewhere"),
        pytest.param(Document(id="d", words=("a",), layers={"misc": (7,)}), id="a number in MISC"),
        pytest.param(
            Document(id="d", words=("a",), layers={"misc": ("Entity=(x",)}), id="brackets in MISC"
        ),
    ],
)
def test_what_could_not_be_read_back_is_refused(tmp_path: Path, doc: Document) -> None:
    check_readable_or_refused(doc, tmp_path / "a.conllu")


# Round trips

SAMPLES = {
    "two documents": GUM + COREFUD,
    "no newdoc": conllu(("1", "a", "Entity=(e1)")),
    "the name is not first": conllu("# global.Entity = etype-eid", ("1", "a", "Entity=(x-e1)")),
    "empty fields at the end": conllu(("1", "a", "Entity=(e1-person-1-)")),
    "discontinuous": conllu(
        ("1", "a", "Entity=(e1[1/2]-x-1)"), ("2", "b", "_"), ("3", "c", "Entity=(e1[2/2]-x-1)")
    ),
    "nested, with fields of their own": conllu(
        ("1", "a", "Entity=(e1-x-1-a(e1-y-2-b"),
        ("2", "b", "Entity=e1)"),
        ("3", "c", "Entity=e1)"),
    ),
    "zero pronouns": conllu(
        ("0.1", "_", "Entity=(e1-x)"),
        ("1", "a", "_"),
        ("1.1", "_", "Entity=(e2(e1)e2)"),
        ("1.2", "_", "_"),
    ),
    "edges on empty nodes": conllu(
        ("0.1", "_", "Entity=(e1"),
        ("1", "a", "Entity=e1)(e2"),
        ("1.1", "_", "Entity=(e3"),
        ("1.2", "_", "Entity=e3)e2)"),
    ),
    "a discontinuous mention that begins on an empty node": conllu(
        ("0.1", "_", "Entity=(e1[1/2]"),
        ("1", "a", "Entity=e1[1/2])"),
        ("2", "b", "_"),
        ("3", "c", "Entity=(e1[2/2])"),
    ),
    "a discontinuous mention with a part of no token": conllu(
        ("0.1", "_", "Entity=(e1[1/2])"), ("1", "a", "_"), ("2", "b", "Entity=(e1[2/2])")
    ),
    "misc on an empty node": conllu(("0.1", "_", "A=1|Entity=(e1)|Z=2"), ("1", "a", "_")),
    "multiword tokens": conllu(
        ("1-2", "ab", "SpaceAfter=No"),
        ("1", "a", "_"),
        ("2", "b", "_"),
        ("3-3", "c", "_"),
        ("3", "c", "_"),
    ),
    "speakers": conllu(
        "# speaker = Ann",
        ("1", "a", "_"),
        "",
        ("1", "b", "_"),
        "",
        "#speaker=Bo B.",
        ("1", "c", "_"),
    ),
    "comments alone": conllu("# hello", "", ("1", "a", "_"), "", "# good-bye"),
    "no token at all": conllu("# newdoc id = a", "", "# newdoc id = b", ("1", "a", "_")),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_read_and_written_reads_the_same(tmp_path: Path, name: str) -> None:
    docs = io.read(save(tmp_path, SAMPLES[name], "a.conllu"))
    again = written_and_read(tmp_path, docs)
    assert again == docs
    assert [_labelled(doc) for doc in again] == [_labelled(doc) for doc in docs]


def _labelled(doc: Document) -> dict[str, set[Span]]:
    return {name: set(c) for name, c in zip(doc.clusters.labels, doc.clusters, strict=True)}


def test_a_raw_text_keeps_its_blanks():
    text = "“Ann didn't call (why?),”\n  said Bo.Cy  left."
    written = corefud_write.write(document_of(text, "d"))
    sentences = [block.splitlines() for block in written.strip().split("\n\n")]
    shown, rebuilt = [], []
    for lines in sentences:
        shown += [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]
        rows = [line.split("\t") for line in lines if not line.startswith("#")]
        rebuilt.append("".join(row[1] + " " * ("SpaceAfter=No" not in row[9]) for row in rows))
    assert shown == [sentence.rstrip() for sentence in rebuilt]  # as the guidelines of UD have it
    assert "".join(rebuilt).split() == text.split()
    assert "SpaceAfter" not in corefud_write.write(Document(id="d", words=("a", ".")))
