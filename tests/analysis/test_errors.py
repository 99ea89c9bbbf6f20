"""Errors by kind and type: worked cases, laws, a slow reference, and the command."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from corelax import Clustering, CorelaxError, Document, Span, read, write
from corelax.analysis import ErrorCounts, count_errors, document_errors
from corelax.analysis.decisions import CORRECT_LINK, ERRORS, TYPES
from corelax.analysis.errors import system_names
from corelax.cli.app import app
from corelax.document import EmptyId

TEXT = [
    ["Ann", "saw", "the", "dog", "and", "she", "fed", "it", "."],
    ["Bo", "liked", "that", ";", "Ann", "and", "the", "dog", "left", "him"],
]
ANN, THE_DOG, SHE, IT = (0, 1), (2, 4), (5, 6), (7, 8)
BO, THAT, ANN_2, THE_DOG_2, HIM = (9, 10), (11, 12), (13, 14), (15, 17), (18, 19)
GOLD = [[ANN, SHE, ANN_2], [THE_DOG, IT, THE_DOG_2], [BO, HIM]]
Pairs = Sequence[Sequence[tuple[int, int]]]


def document(clusters: Pairs, name: str = "d", **layers: Sequence[object]) -> Document:
    return Document.from_sentences(name, TEXT, clusters=clusters, layers=layers)


def found(system: Pairs, gold: Pairs = GOLD) -> list[tuple[str, str, str]]:
    listed = document_errors(gold=document(gold), system=document(system))
    return [(error.kind, error.type, error.text) for error in listed]


def counted(system: Pairs, gold: Pairs = GOLD) -> ErrorCounts:
    return count_errors(gold=[document(gold)], system=[document(system)])


@pytest.mark.parametrize(
    ("mention", "type"),
    [
        (ANN_2, "proper"),
        (THE_DOG_2, "nominal"),
        (SHE, "pronominal"),
        (THAT, "pronominal"),  # demonstratives are pronouns
    ],
)
def test_every_kind_with_every_type(mention: tuple[int, int], type: str) -> None:
    text = document([]).text(Span(*mention))
    right, wrong = (0, 1), (2, 4)
    gold = [[right, mention], [wrong]]
    assert found([[wrong], [right, mention]], gold) == []
    assert found([[wrong], [right], [mention]], gold) == [("false_new", type, text)]
    assert found([[wrong], [right]], gold) == [("false_new", type, text)]
    assert found([[right], [wrong, mention]], gold) == [("wrong_link", type, text)]
    assert found([[right, mention]], [[right]]) == [("false_anaphor", type, text)]


def test_the_first_mention_of_a_gold_entity_has_no_gold_antecedent() -> None:
    assert found([[ANN, BO]], [[ANN], [BO, HIM]]) == [
        ("false_anaphor", "proper", "Bo"),
        ("false_new", "pronominal", "him"),
    ]


def test_a_linked_mention_of_no_gold_entity_is_a_false_anaphor() -> None:
    assert found([*GOLD, [(6, 7), THAT]]) == [("false_anaphor", "pronominal", "that")]


def test_a_link_to_a_spurious_mention_is_wrong_or_a_false_anaphor() -> None:
    spurious = (1, 2)
    assert found([[spurious, SHE]], [[ANN, SHE]]) == [("wrong_link", "pronominal", "she")]
    assert found([[spurious, ANN_2]], [[ANN_2, HIM]]) == [
        ("false_anaphor", "proper", "Ann"),
        ("false_new", "pronominal", "him"),
    ]


def test_only_the_closest_system_antecedent_counts() -> None:
    # "Ann" is right for the second "Ann", but "it" stands between them.
    assert found([[ANN, IT, ANN_2]], [[ANN, ANN_2], [THE_DOG, IT]]) == [
        ("wrong_link", "pronominal", "it"),
        ("wrong_link", "proper", "Ann"),
    ]
    assert found([[THE_DOG, IT, ANN, ANN_2]], [[ANN, ANN_2], [THE_DOG, IT]]) == [
        ("false_anaphor", "nominal", "the dog"),
        ("wrong_link", "proper", "Ann"),
    ]


def test_errors_have_the_antecedents_of_both_sides_and_the_sentence() -> None:
    gold, system = document(GOLD), document([[ANN, SHE], [BO, HIM, IT], [SHE, THE_DOG_2]])
    by_text = {error.text: error for error in document_errors(gold=gold, system=system)}
    dog = by_text["the dog"]
    assert (dog.gold_antecedent, dog.system_antecedent) == ("it", None)
    assert dog.span == Span(*THE_DOG_2)
    assert dog.sentence == "Bo liked that ; Ann and [the dog] left him"
    bo = by_text["Bo"]
    assert (bo.document, bo.gold_antecedent, bo.system_antecedent) == ("d", None, "it")
    assert bo.sentence == "[Bo] liked that ; Ann and the dog left him"


def test_a_mention_at_the_end_of_a_sentence_has_this_sentence_only() -> None:
    [error] = document_errors(gold=document([[THE_DOG, (7, 9)]]), system=document([]))
    assert error.sentence == "Ann saw the dog and she fed [it .]"


def test_sentences_around_zeros_gaps_and_sentence_ends() -> None:
    zero, gap, long = (
        Span(9, 9, empty=(EmptyId(0, 9, 1),)),
        Span(0, 4, parts=((0, 1), (3, 4))),
        Span(7, 11),
    )
    gold = document([]).with_clusters(Clustering([[gap, long, zero]]))
    [second, third] = document_errors(gold=gold, system=document([]))
    assert (second.type, second.gold_antecedent) == ("nominal", "Ann … dog")
    assert second.sentence.endswith("fed [it . Bo liked] that ; Ann and the dog left him")
    assert (third.type, third.text) == ("pronominal", "∅")
    assert third.sentence.startswith("[∅] Bo liked")


def test_a_repeated_mention_counts_where_it_is_met_first() -> None:
    assert found([[ANN, SHE, SHE], [THE_DOG, SHE]], [[ANN, SHE], [THE_DOG]]) == []
    assert found([[ANN, SHE]], [[ANN, SHE], [SHE, ANN_2]]) == []


def test_tags_and_names_of_the_gold_side_tell_types() -> None:
    pos = [None] * 19
    pos[3], pos[15], pos[16] = "NNP", "DT", "NNP"
    gold = document([[THE_DOG, THE_DOG_2]], pos=pos)
    system = document([], pos=["NN"] * 19)
    assert count_errors(gold=[gold], system=[system]).number("false_new", "proper") == 1
    ner = ["*"] * 15 + ["(ORG*", "*)", "*", "*"]
    gold = document([[ANN, (15, 17)]], ner=ner)
    assert count_errors(gold=[gold], system=[system]).number("false_new", "proper") == 1


def test_universal_dependencies_tell_types(tmp_path: Path) -> None:
    upos = ["PROPN", "VERB", "DET", "NOUN", "CCONJ", "PRON", "VERB", "PRON", "PUNCT"]
    upos += ["PROPN", "VERB", "PRON", "PUNCT", "NOUN", "CCONJ", "DET", "PROPN", "VERB", "PRON"]
    head = [1, -1, 3, 1, 6, 6, 1, 6, 1, 10, -1, 10, 10, 17, 16, 16, 13, 10, 17]
    relation = ["dep" if governor >= 0 else "root" for governor in head]
    gold = document(GOLD, upos=upos, head=head, relation=relation)
    write([gold], tmp_path / "gold.conllu")
    counts = count_errors(gold=read(tmp_path / "gold.conllu"), system=[document([])])
    # By their tags the second "Ann" is a noun and the second "dog" a name.
    assert [counts.number("false_new", type) for type in TYPES] == [1, 1, 3]
    errors = document_errors(gold=gold, system=document([]))
    assert [e.text for e in errors if e.type == "nominal"] == ["Ann"]


def test_constituency_trees_tell_heads() -> None:
    words = [["The", "king", "of", "Spain", "met", "the", "king", "of", "Spain"]]
    tree = "(TOP(S(NP(NP* *) (PP* (NP*))) (VP* (NP(NP* *) (PP* (NP*))))))"
    layers = {
        "pos": ["DT", "NN", "IN", "NNP", "VBD", "DT", "NN", "IN", "NNP"],
        "parse": tree.split(),
    }
    clusters = [[(0, 4), (5, 9)], [(3, 4), (8, 9)]]
    gold = Document.from_sentences("d", words, clusters=clusters, layers=layers)
    missed = document_errors(gold=gold, system=Document.from_sentences("d", words))
    assert [(e.text, e.type) for e in missed] == [
        ("the king of Spain", "nominal"),
        ("Spain", "proper"),
    ]


def test_examples_are_the_first_of_each_kind() -> None:
    system = [[ANN, IT], [THE_DOG, SHE]]
    gold = [document(GOLD, name) for name in "ab"]
    sides = [document(system, name) for name in "ab"]
    kept = count_errors(gold=gold, system=sides, examples=2).examples
    assert Counter(error.kind for error in kept) == {"false_new": 2, "wrong_link": 2}
    assert {error.document for error in kept} == {"a"}
    assert count_errors(gold=gold, system=sides).examples == ()


def test_false_anaphors_have_no_share() -> None:
    with pytest.raises(CorelaxError, match="choose from false_new"):
        counted(GOLD).share("false_anaphor")


def test_words_must_be_the_same() -> None:
    other = Document(id="d", words=("Eve (x)",))
    with pytest.raises(CorelaxError) as caught:
        count_errors(gold=[document(GOLD)], system=[other], path="s.conll")
    expected = "document d: token 0 is 'Ann' in gold and 'Eve (x)' in system"
    assert str(caught.value) == f"s.conll: {expected}"
    with pytest.raises(CorelaxError) as caught:
        document_errors(gold=document(GOLD), system=other)
    assert str(caught.value) == expected


# Laws, on any two clusterings of spans of the text.

SPANS = st.integers(0, 18).flatmap(
    lambda start: st.tuples(st.just(start), st.integers(start + 1, min(start + 3, 19)))
)


@st.composite
def clusterings(draw: st.DrawFn) -> Pairs:
    mentions = draw(st.lists(SPANS, unique=True, max_size=12))
    labels = draw(st.lists(st.integers(0, 3), min_size=len(mentions), max_size=len(mentions)))
    pairs = list(zip(mentions, labels, strict=True))
    return [[m for m, label in pairs if label == wanted] for wanted in range(4)]


def slow_kinds(gold: Pairs, system: Pairs) -> dict[tuple[int, int], str]:
    """The kinds by asking each mention about all others, as the definitions are worded."""

    def entity(mention: tuple[int, int], side: Pairs) -> Sequence[tuple[int, int]]:
        return next((cluster for cluster in side if mention in cluster), [])

    kinds = {}
    for mention in {m for side in (gold, system) for cluster in side for m in cluster}:
        right = [other for other in entity(mention, gold) if other < mention]
        linked = [other for other in entity(mention, system) if other < mention]
        if linked and not right:
            kinds[mention] = "false_anaphor"
        if right and not linked:
            kinds[mention] = "false_new"
        if right and linked:
            kinds[mention] = "correct_link" if max(linked) in right else "wrong_link"
    return kinds


def anaphoric(gold: Pairs) -> int:
    return sum(max(len(cluster) - 1, 0) for cluster in gold)


@given(clusterings(), clusterings())
def test_kinds_are_those_of_the_slow_reference(gold: Pairs, system: Pairs) -> None:
    expected = slow_kinds(gold, system)
    listed = document_errors(gold=document(gold), system=document(system))
    assert {e.span[:2]: e.kind for e in listed} == {
        mention: kind for mention, kind in expected.items() if kind in ERRORS
    }
    assert [e.span for e in listed] == sorted(e.span for e in listed)
    counts = counted(system, gold)
    for kind in (*ERRORS, CORRECT_LINK):
        assert counts.number(kind) == Counter(expected.values())[kind]


@given(clusterings(), clusterings())
def test_each_anaphoric_mention_is_of_one_kind_and_types_add_up(gold: Pairs, system: Pairs) -> None:
    counts = counted(system, gold)
    assert counts.anaphoric() == anaphoric(gold)
    for kind in (*ERRORS, CORRECT_LINK):
        assert counts.number(kind) == sum(counts.number(kind, type) for type in TYPES)
    for type in TYPES:  # types come from gold, whatever the system
        assert counts.anaphoric(type) == counted([], gold).anaphoric(type)


# The command, registered in an application of its own.


def run(*arguments: object) -> str:
    done = CliRunner().invoke(app, ["errors", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def data(examples: Path) -> Path:
    return examples / "data"


def test_the_table_of_one_system(data: Path) -> None:
    lines = run(data / "gold.conll", data / "system.conll").splitlines()
    assert lines[0].split() == ["Proper", "Nominal", "Pronominal", "Total"]
    assert lines[2].split() == ["False", "anaphor", "0", "0", "1", "1"]
    assert lines[3].split()[2:] == ["1", "100.0%", "1", "33.3%", "0", "0.0%", "2", "14.3%"]
    assert lines[-1].split() == ["Anaphoric", "in", "gold", "1", "3", "10", "14"]
    assert max(map(len, lines)) <= 80


def test_json_has_the_counts_of_every_system(data: Path) -> None:
    paths = [data / "gold.conll", data / "system.conll", data / "gold.conll"]
    result = json.loads(run(*paths, "--json", "--examples", "1"))
    assert list(result) == ["system", "gold"]
    library = count_errors(gold=read(paths[0]), system=read(paths[1]), examples=1)
    assert result["system"] == library.as_dict()
    assert result["system"]["false_new"] == {"proper": 1, "nominal": 1, "pronominal": 0, "total": 2}
    assert result["system"]["examples"][0]["span"] == [34, 35]
    assert "examples" not in result["gold"]


def test_examples_show_the_sentence(data: Path) -> None:
    shown = run(data / "gold.conll", data / "system.conll", "--examples", "1")
    assert "system: false new, 1 of 2\n  Mara (proper; gold: she; system: –)" in shown
    assert "    Nobody on the island knew that the ship was late ; [Mara] did" in shown


def test_names_of_systems_are_unique() -> None:
    assert system_names(["a/x.conll", "b/x.jsonl", "y.conll.gz", "-"]) == [
        "a/x.conll",
        "b/x.jsonl",
        "y",
        "<stdin>",
    ]
    with pytest.raises(CorelaxError, match=r"x\.conll: this system is named twice"):
        system_names(["x.conll", "x.conll"])


def test_bad_input_is_told_in_one_line(data: Path, tmp_path: Path) -> None:
    gold = data / "gold.conll"
    write(read(data / "system.conll")[:1], tmp_path / "short.conll")
    with pytest.raises(CorelaxError) as caught:
        run(gold, data / "system.conll", tmp_path / "short.conll")
    place = tmp_path / "short.conll"
    assert str(caught.value) == f"{place}: document story/letter is in gold but not in system"
    with pytest.raises(CorelaxError, match="no such file"):
        run(gold, tmp_path / "none.conll")
    with pytest.raises(CorelaxError, match="only one of GOLD and SYSTEM"):
        run("-", "-")
