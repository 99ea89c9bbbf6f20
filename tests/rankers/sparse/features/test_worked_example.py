"""A worked example, value by value: two sentences with an apposition, a possessive and a clause."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corelax import io
from corelax.rankers.sparse.features.extract import Described, describe, fit
from corelax.rankers.sparse.features.rows import feature_names
from corelax.rankers.sparse.features.settings import FEATURE_SETS, PAIR_TEMPLATES
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from tests.rankers.sparse.features.feature_documents import (
    ID,
    WORKED_EXAMPLE_LEXICONS,
    as_lists,
    worked_example,
    worked_example_columns,
)

SETTINGS = replace(FEATURE_SETS["lt17"], lexical_cutoff=2)
SECOND = 14  # first token of the second sentence

PHI_A = """
type     PROPER PROPER NOMINAL PROPER PRONOMINAL NOMINAL PRONOMINAL PROPER NOMINAL PRONOMINAL
ner1     PERSON PERSON O GPE O O O PERSON O O
len      2 9 5 1 1 3 1 3 4 1
head     reed reed NN NNP PRP$ NN PRP reed NN PRP
first    tom tom DT NNP PRP$ PRP$ PRP anna anna PRP
last     ∅ , NNP ∅ ∅ ∅ ∅ POS ∅ ∅
prec     <s> <s> , IN sold sold <s> told told IN
foll     , VBD , , JJ . VBD NN IN VBD
ctx1     VBD(R) VBD(R) NNP(L) IN(L) NN(R) VBD(L) VBD(R) NN(R) VBD(L) VBD(R)
ctx2     VBD(R)-NULL VBD(R)-NULL NNP(L)-VBD(R) IN(L)-NN(L) NN(R)-VBD(L) VBD(L)-NULL VBD(R)-NULL \
NN(R)-VBD(L) VBD(L)-NULL VBD(R)-IN(L)
gov      sold sold NNP IN NN sold told NN told VBD
sentidx  1 2 3 4 5 6 1 2 3 4
ner2     PERSON PERSON O GPE O O O PERSON O O
anim     ANIMATE ANIMATE ANIMATE INANIMATE UNKNOWN INANIMATE UNKNOWN ANIMATE ANIMATE UNKNOWN
gender   MALE MALE MALE NEUTRAL MALE NEUTRAL MALE FEMALE FEMALE NEUTRAL
number   SINGULAR SINGULAR SINGULAR SINGULAR SING SINGULAR SING SINGULAR SINGULAR SING
person   OTHER OTHER OTHER OTHER OTHER OTHER OTHER OTHER OTHER OTHER
canon    PROPER PROPER NOMINAL PROPER he NOMINAL he PROPER NOMINAL it
speaker  Ann Ann Ann Ann Ann Ann Bob_Lee Bob_Lee Bob_Lee Bob_Lee
genre    bc bc bc bc bc bc bc bc bc bc
headcase Reed Reed RARE RARE RARE RARE RARE Reed RARE RARE
head_in_spk false false false false false false false false false false
spk_in_head false false false false false false false false false false
"""

# i j, dist sdist, iwi samespk exact i_in_j j_in_i headmatch ihead_in_j jhead_in_i, canon_i canon_j
PAIRS = """
1,0  1 0  T T F F T T T T  PROPER PROPER
2,1  1 0  T T F T F F T F  NOMINAL PROPER
3,1  2 0  T T F T F F T F  PROPER PROPER
5,4  1 0  T T F F T F F T  NOMINAL he
6,4  2 1  F F F F F F F F  he he
7,0  7 1  F F F F F T T T  PROPER PROPER
8,1  7 1  F F F F F F F T  NOMINAL PROPER
8,7  1 0  T T F F T F F T  NOMINAL PROPER
9,5  4 1  F F F F F F F F  it NOMINAL
"""
NOT_SHOWN = {"genre": "bc", "jhead_in_otherspk": "false", "otherspk_in_jhead": "false"}
PAIR_COLUMNS = [name for name in PAIR_TEMPLATES if name not in NOT_SHOWN]


@pytest.fixture(scope="module")
def described() -> Described:
    return describe(worked_example(), SETTINGS, WORKED_EXAMPLE_LEXICONS, lambda _: None)


@pytest.fixture(scope="module")
def fitted(described: Described) -> tuple[Vocabulary, DocumentTable]:
    vocabulary, [table] = fit([described], SETTINGS, WORKED_EXAMPLE_LEXICONS)
    return vocabulary, table


def test_mentions_and_heads(described: Described) -> None:
    first = [(0, 2, 1), (0, 9, 1), (3, 8, 5), (7, 8, 7), (10, 11, 10), (10, 13, 12)]
    second = [(0, 1, 0), (2, 5, 3), (2, 6, 5), (7, 8, 7)]
    expected = [(0, *m) for m in first] + [(1, *(SECOND + token for token in m)) for m in second]
    assert [tuple(m.mention[:4]) for m in described.mentions] == expected


def test_inventories(fitted: tuple[Vocabulary, DocumentTable]) -> None:
    assert as_lists(fitted[0].inventories) == {
        "head": ["reed"],
        "first": ["anna", "tom"],
        "last": [],
        "before": ["<s>", "sold", "told"],
        "after": [","],
        "governor": ["sold", "told"],
    }


@pytest.mark.parametrize("row", PHI_A.strip().splitlines(), ids=lambda row: row.split()[0])
def test_mention_features(row: str, fitted: tuple[Vocabulary, DocumentTable]) -> None:
    template, *values = row.replace("∅", "''").split()
    expected = [f"{template}={'' if value == chr(39) * 2 else value}" for value in values]
    shown = feature_names(fitted[1], fitted[0], pairs=False)["phi_a"]
    position = SETTINGS.mention_templates.index(template)
    assert [names[position] for names in shown] == expected


def test_the_table_above_has_all_templates() -> None:
    assert [row.split()[0] for row in PHI_A.strip().splitlines()] == SETTINGS.mention_templates


@pytest.mark.parametrize("row", PAIRS.strip().splitlines(), ids=lambda row: row.split()[0])
def test_pair_features(row: str, fitted: tuple[Vocabulary, DocumentTable]) -> None:
    pair, *values = row.split()
    assert len(PAIR_COLUMNS) == len(values)
    expected = dict(zip(PAIR_COLUMNS, values, strict=True))
    truth = {"T": "true", "F": "false"}
    expected = {name: truth.get(value, value) for name, value in expected.items()}
    expected |= NOT_SHOWN
    names = feature_names(fitted[1], fitted[0], pairs=True)["pairs"][pair]
    assert names == [f"{template}={expected[template]}" for template in PAIR_TEMPLATES]


def test_clusters_after_alignment(fitted: tuple[Vocabulary, DocumentTable]) -> None:
    gold = fitted[1].gold.tolist()
    clusters = {entity: [i for i, e in enumerate(gold) if e == entity] for entity in set(gold)}
    assert [1, 4, 6] in clusters.values()
    assert [5, 9] in clusters.values()
    alone = [members for members in clusters.values() if members in ([0], [7])]
    assert sorted(alone) == [[0], [7]]  # gold entities of one mention
    assert clusters[-1] == [2, 3, 8]
    assert fitted[1].is_anaphoric.nonzero()[0].tolist() == [4, 6, 9]


def test_the_document_from_columns_is_the_same(tmp_path) -> None:
    path = tmp_path / "demo.conll"
    path.write_text(worked_example_columns())
    [read] = io.read(path)
    typed = worked_example()
    assert read.id == ID
    assert read.clusters == typed.clusters
    settings = (SETTINGS, WORKED_EXAMPLE_LEXICONS, lambda _: None)
    assert describe(read, *settings).mentions == describe(typed, *settings).mentions
