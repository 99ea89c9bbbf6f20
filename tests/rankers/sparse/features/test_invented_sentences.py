"""Features of four invented sentences, derived by hand from the rules in docs/features.md.

    Lena Holt and her two brothers bought 3 boats .        said by Ines Holt
    Omar 's boat , the Swallow , sank .                    said by Ines Holt
    I told you that she saw it .                           said by Omar

    That surprised 20 percent of Rio 's fishermen .        another document, without speakers

Trees, tags and names are in tests/data/feature_sentences.conll. What is expected here was written down before
the code was run.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from corelax import Document, io
from corelax.rankers.sparse.features.extract import Described, describe, fit
from corelax.rankers.sparse.features.rows import feature_names
from corelax.rankers.sparse.features.settings import FEATURE_SETS, PAIR_TEMPLATES, FeatureSettings
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.mentions.detect import analyse
from tests.rankers.sparse.features.feature_documents import as_lists
from tests.rankers.sparse.mentions.word_lists_by_hand import word_lists

FILE = Path(__file__).parents[3] / "data" / "feature_sentences.conll"
BOATS, FISHERMEN = io.read(FILE)

# Counts are masculine, feminine, neuter, plural.
LEXICONS = word_lists(
    {
        "lena": (2, 300, 4, 1),
        "holt": (80, 60, 5, 0),
        "brothers": (40, 1, 2, 500),
        "# boats": (0, 0, 1, 60),  # "3 boats": digits become #
        "boats": (0, 1, 9, 800),
        "omar": (500, 3, 2, 0),
        "boat": (5, 30, 600, 10),
        "the swallow": (0, 0, 2, 0),
        "rio": (10, 8, 50, 0),
    },
    animate=["brothers", "fishermen", "she", "you"],
    inanimate=["boats", "boat", "it"],
)


class Case(NamedTuple):
    """A document under a feature set: what its only training document makes of it."""

    described: Described
    vocabulary: Vocabulary
    table: DocumentTable
    settings: FeatureSettings


def case(document: Document, feature_set: str, cutoff: int) -> Case:
    settings = replace(FEATURE_SETS[feature_set], lexical_cutoff=cutoff)
    described = describe(document, settings, LEXICONS, lambda _: None)
    vocabulary, [table] = fit([described], settings, LEXICONS)
    return Case(described, vocabulary, table, settings)


# The governor of each token: the head of "Lena Holt and her two brothers" is "Holt", of a clause its verb.
GOVERNORS = {
    BOATS.key: [
        *"Holt bought Holt brothers brothers Holt root boats bought bought".split(),
        *"boat Omar sank boat Swallow boat boat root sank".split(),
        *"told root told told saw that saw told".split(),
    ],
    FISHERMEN.key: "surprised root percent surprised percent fishermen Rio of surprised".split(),
}

# Start, end and head. "Lena Holt" stays beside the coordination and "Omar 's boat" beside the apposition,
# since a conjunction and a comma follow; "20 percent" does not stay beside "20 percent of ...".
MENTIONS = {
    BOATS.key: [
        *[(0, 2, 1), (0, 6, 1), (3, 4, 3), (3, 6, 5), (7, 9, 8)],
        *[(10, 12, 10), (10, 13, 12), (10, 17, 12), (14, 16, 15)],
        *[(19, 20, 19), (21, 22, 21), (23, 24, 23), (25, 26, 25)],
    ],
    FISHERMEN.key: [(0, 1, 0), (2, 8, 3), (5, 7, 5), (5, 8, 7)],
}

# Words that are in a place at least twice. Pronouns count before, after and as governed words only.
INVENTORIES = {
    "head": ["boat", "holt"],
    "first": ["lena", "omar"],
    "last": [],
    "before": ["<s>", "and"],
    "after": [",", ".", "bought"],
    "governor": ["boat", "bought", "sank", "saw", "told"],
}

BOATS_LT17 = """
type     PROPER PROPER PRONOMINAL NOMINAL NOMINAL  PROPER NOMINAL NOMINAL PROPER  PRONOMINAL PRONOMINAL \
PRONOMINAL PRONOMINAL
ner1     PERSON PERSON O O O  PERSON O O PRODUCT  O O O O
len      2 6 1 3 2  2 3 7 2  1 1 1 1
head     holt holt PRP$ NNS NNS  NNP boat boat NNP  PRP PRP PRP PRP
first    lena lena PRP$ PRP$ CD  omar omar omar DT  PRP PRP PRP PRP
last     ∅ NNS ∅ ∅ ∅  POS ∅ , ∅  ∅ ∅ ∅ ∅
prec     <s> <s> and and VBD  <s> <s> <s> ,  <s> VBD IN VBD
foll     CC bought CD bought .  NN , VBD ,  VBD IN VBD .
ctx1     VBD(R) VBD(R) NNS(R) NNP(L) VBD(L)  NN(R) VBD(R) VBD(R) NN(L)  VBD(R) VBD(L) VBD(R) VBD(L)
ctx2     VBD(R)-NULL VBD(R)-NULL NNS(R)-NNP(L) NNP(L)-VBD(R) VBD(L)-NULL  NN(R)-VBD(R) VBD(R)-NULL \
VBD(R)-NULL NN(L)-VBD(R)  VBD(R)-NULL VBD(L)-NULL VBD(R)-IN(L) VBD(L)-IN(L)
gov      bought bought NNS NNP bought  boat sank sank boat  told told saw saw
sentidx  1 2 3 4 5  1 2 3 4  1 2 3 4
ner2     PERSON PERSON O O O  PERSON O O PRODUCT  O O O O
anim     ANIMATE ANIMATE UNKNOWN ANIMATE INANIMATE  ANIMATE INANIMATE INANIMATE UNKNOWN  UNKNOWN ANIMATE \
ANIMATE INANIMATE
gender   FEMALE FEMALE FEMALE MALE UNKNOWN  MALE NEUTRAL NEUTRAL UNKNOWN  UNKNOWN UNKNOWN FEMALE NEUTRAL
number   SINGULAR SINGULAR SING PLURAL PLURAL  SINGULAR SINGULAR SINGULAR SINGULAR  SING UNKNOWN SING SING
person   OTHER OTHER OTHER OTHER OTHER  OTHER OTHER OTHER OTHER  1st 2nd OTHER OTHER
canon    PROPER PROPER she NOMINAL NOMINAL  PROPER NOMINAL NOMINAL PROPER  i you she it
speaker  Ines_Holt Ines_Holt Ines_Holt Ines_Holt Ines_Holt  Ines_Holt Ines_Holt Ines_Holt Ines_Holt \
Omar Omar Omar Omar
genre    wb wb wb wb wb  wb wb wb wb  wb wb wb wb
headcase Holt Holt RARE RARE RARE  RARE boat boat RARE  RARE RARE RARE RARE
head_in_spk true true false false false  true false false false  true false false false
spk_in_head false false false false false  true false false false  false false false false
"""

# What the repaired set has otherwise: the coordination is plural, pronouns have persons and animacy by rule.
BOATS_DEFAULT = """
anim     ANIMATE ANIMATE ANIMATE ANIMATE INANIMATE  ANIMATE INANIMATE INANIMATE UNKNOWN  ANIMATE ANIMATE \
ANIMATE INANIMATE
number   SINGULAR PLURAL SING PLURAL PLURAL  SINGULAR SINGULAR SINGULAR SINGULAR  SING UNKNOWN SING SING
person   OTHER OTHER 3rd OTHER OTHER  OTHER OTHER OTHER OTHER  1st 2nd 3rd 3rd
genre    wb wb wb wb wb  wb wb wb wb  wb wb wb wb
"""

# The governor with the side that it is on.
BOATS_W16 = """
gov      r-bought r-bought r-NNS l-NNP l-bought  r-boat r-sank r-sank l-boat  r-told l-told r-saw l-saw
"""

# A percentage is a person and "no speaker" is in every word: oddities of the original.
FISHERMEN_LT17 = """
type     DEMONSTRATIVE PROPER PROPER NOMINAL
ner1     O PERCENT GPE O
len      1 6 2 3
head     DT percent rio fishermen
first    DT 20 rio rio
last     ∅ fishermen 's ∅
prec     <s> surprised of of
foll     surprised . fishermen .
ctx1     VBD(R) VBD(L) NNS(R) IN(L)
ctx2     VBD(R)-NULL VBD(L)-NULL NNS(R)-IN(L) IN(L)-NN(L)
gov      surprised surprised fishermen of
sentidx  1 2 3 4
ner2     O PERCENT GPE O
anim     UNKNOWN ANIMATE INANIMATE ANIMATE
gender   UNKNOWN UNKNOWN NEUTRAL UNKNOWN
number   SINGULAR SINGULAR SINGULAR SINGULAR
person   OTHER OTHER OTHER OTHER
canon    that PROPER PROPER NOMINAL
speaker  - - - -
genre    nw nw nw nw
headcase RARE percent Rio fishermen
head_in_spk false false false false
spk_in_head true true true true
"""

FISHERMEN_DEFAULT = """
anim     UNKNOWN INANIMATE INANIMATE ANIMATE
number   SINGULAR SINGULAR SINGULAR PLURAL
spk_in_head false false false false
"""

# i j, dist sdist, iwi samespk exact i_in_j j_in_i headmatch ihead_in_j jhead_in_i, canon_i canon_j,
# jhead_in_otherspk otherspk_in_jhead
BOATS_PAIRS = """
1,0   1 0  T T F F T T T T  PROPER PROPER    F F
2,0   2 0  F T F F F F F F  she PROPER       F F
2,1   1 0  T T F T F F T F  she PROPER       F F
3,2   1 0  T T F F T F F T  NOMINAL she      F F
6,4   2 1  F T F F F F T F  NOMINAL NOMINAL  F F
7,5   2 0  T T F F T F F T  NOMINAL PROPER   T T
8,7   1 0  T T F T F F T F  PROPER NOMINAL   F F
9,0   9 2  F F F F F F F F  i PROPER         T F
9,5   4 1  F F F F F F F F  i PROPER         F F
11,2  9 2  F F F F F F F F  she she          F F
12,1 10 2  F F F F F F F F  it PROPER        T F
12,7  5 1  F F F F F F F F  it NOMINAL       F F
12,9  3 0  F T F F F F F F  it i             T F
"""
PAIR_COLUMNS = [name for name in PAIR_TEMPLATES if name != "genre"]
TRUTH = {"T": "true", "F": "false"}

CASES = {
    "boats lt17": (case(BOATS, "lt17", 2), BOATS_LT17),
    "boats default": (case(BOATS, "default", 2), BOATS_DEFAULT),
    "boats w16": (case(BOATS, "w16", 2), BOATS_W16),
    "fishermen lt17": (case(FISHERMEN, "lt17", 1), FISHERMEN_LT17),
    "fishermen default": (case(FISHERMEN, "default", 1), FISHERMEN_DEFAULT),
}
ROWS = [
    pytest.param(name, row, id=f"{name} {row.split()[0]}")
    for name, (_, rows) in CASES.items()
    for row in rows.strip().splitlines()
]


@pytest.mark.parametrize("document", [BOATS, FISHERMEN], ids=["boats", "fishermen"])
def test_governors_are_the_heads_above(document: Document) -> None:
    governors = analyse(document).governors
    assert governors is not None
    named = [document.words[above] if above >= 0 else "root" for above in governors]
    assert named == GOVERNORS[document.key]


@pytest.mark.parametrize("document", [BOATS, FISHERMEN], ids=["boats", "fishermen"])
def test_mentions_are_in_the_order_of_their_heads(document: Document) -> None:
    mentions = [mention[1:4] for mention in analyse(document).mentions]
    assert mentions == MENTIONS[document.key]


def test_words_of_two_mentions_are_features() -> None:
    assert as_lists(CASES["boats lt17"][0].vocabulary.inventories) == INVENTORIES


@pytest.mark.parametrize(("name", "row"), ROWS)
def test_features_of_mentions(name: str, row: str) -> None:
    found = CASES[name][0]
    template, *values = row.split()
    expected = [f"{template}={'' if value == '∅' else value}" for value in values]
    shown = feature_names(found.table, found.vocabulary, pairs=False)["phi_a"]
    position = found.settings.mention_templates.index(template)
    assert [names[position] for names in shown] == expected


@pytest.mark.parametrize("name", ["boats lt17", "fishermen lt17"])
def test_the_tables_above_have_all_templates(name: str) -> None:
    found, rows = CASES[name]
    templates = [row.split()[0] for row in rows.strip().splitlines()]
    assert templates == found.settings.mention_templates


@pytest.mark.parametrize("row", BOATS_PAIRS.strip().splitlines(), ids=lambda row: row.split()[0])
def test_features_of_pairs(row: str) -> None:
    found = CASES["boats lt17"][0]
    pair, *values = row.split()
    expected = {
        name: TRUTH.get(value, value) for name, value in zip(PAIR_COLUMNS, values, strict=True)
    }
    expected["genre"] = "wb"
    names = feature_names(found.table, found.vocabulary, pairs=True)["pairs"][pair]
    assert names == [f"{template}={expected[template]}" for template in PAIR_TEMPLATES]


def test_gold_entities_are_those_of_the_file() -> None:
    gold = CASES["boats lt17"][0].table.gold.tolist()
    members = {entity: [i for i, other in enumerate(gold) if other == entity] for entity in gold}
    assert sorted(members.values()) == [[0, 2, 11], [1, 3, 4, 6, 8, 10], [5, 9], [7, 12]]
    assert members[-1] == [1, 3, 4, 6, 8, 10]
