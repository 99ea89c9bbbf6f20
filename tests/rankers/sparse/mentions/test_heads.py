"""Head rules: one case for each label of the table, and what is done about coordinations."""

from __future__ import annotations

import pytest

from corelax.rankers.sparse.mentions.constituency import Child, head_child, plain_label, span_head


def head(label: str, children: str) -> int:
    """Labels of children, apart by blanks; in lower case they are phrases, else tags over words."""
    names = children.split()
    made = [Child(name.upper(), i, not name.islower()) for i, name in enumerate(names)]
    return head_child(label, made)


# label, children, head. Phrases are written in lower case.
CASES = """
ADJP    RB NNS JJ       1
ADJP    JJ sbar RB      0
ADJP    PRT UH          0
ADVP    RB IN RB        2
ADVP    NN JJS          1
ADVP    UH XX           1
CONJP   RB CC IN        1
CONJP   RB IN           0
FRAG    np advp         1
INTJ    UH advp         0
LST     LS . :          0
LST     : .             0
NAC     DT NNP NN       2
NAC     DT NNP NNP      1
NP      NN NNP POS      1
NP      DT JJR          1
NP      np np           0
NP      DT np pp        1
NP      np adjp         0
NP      DT $ CD         1
NP      DT adjp prn     2
NP      CD DT CD        2
NP      JJ RB DT        1
NP      qp RB DT        1
NP      DT UH           1
NML     NN NNP          1
NML     np CD           0
NX      NNP NN          0
PP      IN np           0
PP      RB IN IN        2
PP      VBG TO          1
PP      np adjp         1
PRN     , s ,           0
PRT     RP RB           0
QP      IN CD $         2
QP      DT CD           0
QP      UH SYM          0
RRC     np vp           1
RRC     advp np         1
S       np vp           1
S       vp TO           1
S       np np           0
S       intj UH         0
SBAR    IN s            0
SBAR    s IN            1
SBAR    whnp IN s       0
SBARQ   whnp sq         1
SBARQ   sbarq s         1
SINV    VBD VBZ np      1
SINV    s vp np         1
SQ      MD np vp        0
SQ      np vp VB        2
TOP     np vp           0
TYPO    NN VB           0
UCP     np adjp         1
VP      MD vp           0
VP      vp VBD          1
VP      VB VBD          1
VP      TO vp           0
VP      np VB           1
VP      np NNS          1
WHADJP  JJ WRB          1
WHADJP  RB adjp         1
WHADVP  WRB RB WRB      2
WHADVP  WRB CC          1
WHNP    WP NN           0
WHNP    whpp WDT        1
WHNP    NN NNS          0
WHPP    IN whnp         0
WHPP    TO FW IN        2
X       NN VB           1
UNHEARD NN VB DT        2
ROOT    np vp           1
"""


@pytest.mark.parametrize(
    "case", CASES.strip().splitlines(), ids=lambda case: " ".join(case.split())
)
def test_the_head_of_each_label(case: str) -> None:
    label, *children, expected = case.split()
    assert head(label, " ".join(children)) == int(expected)


def test_a_possessor_is_headed_by_its_last_name() -> None:
    assert head("NP", "NNP NNP POS") == 1


# Coordination


def test_the_first_of_two_conjuncts_is_the_head() -> None:
    assert head("NP", "NNP CC NNP") == 0
    assert head("NP", "DT NN CC NN") == 1
    assert head("UNHEARD", "np CC np") == 0


def test_before_the_conjunction_one_step_is_taken_not_several() -> None:
    assert head("NP", "NN CC NN CC NN") == 2


@pytest.mark.parametrize("mark", ["''", "``", "-LRB-", "-RRB-", ".", ":", ","])
def test_punctuation_before_the_conjunction_leaves_the_head_where_it_is(mark: str) -> None:
    assert head("NP", f"NN , NN {mark} CC NN") == 5


def test_a_phrase_labelled_like_punctuation_is_none() -> None:
    children = [Child("NN", 0, True), Child(",", 1, False), Child("CC", 2, True)]
    assert head_child("NP", [*children, Child("NN", 3, True)]) == 1


def test_the_conjunction_must_stand_right_before_the_head() -> None:
    assert head("NP", "NN CC DT NN") == 3


# Labels


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("NP", "NP"),
        ("NP-SBJ", "NP"),
        ("NP-SBJ-1", "NP"),
        ("NP=2", "NP"),
        ("S^VP", "S"),
        ("NP=1-SBJ", "NP"),
        ("-LRB-", "-LRB-"),
        ("PRP$", "PRP$"),
    ],
)
def test_function_tags_are_cut_off(label: str, expected: str) -> None:
    assert plain_label(label) == expected


def test_function_tags_of_a_node_and_of_its_children_do_not_matter() -> None:
    children = [Child("NP-SBJ", 0, False), Child("VP=1", 1, False), Child("NP-TMP", 2, False)]
    assert head_child("S-ADV", children) == 1


# Spans


def test_the_head_of_a_constituent_is_its_only_token_governed_from_outside() -> None:
    #            the old man of the sea sleeps
    governors = [2, 2, 6, 2, 5, 3, -1]
    assert span_head(governors, 0, 6) == 2
    assert span_head(governors, 4, 6) == 5


def test_the_head_of_any_other_span_is_the_last_token_governed_from_outside() -> None:
    governors = [2, 2, 6, 2, 5, 3, -1]
    assert span_head(governors, 0, 2) == 1  # "the old"
    assert span_head(governors, 3, 5) == 4  # "of the"
    assert span_head(governors, 1, 7) == 6  # the root is governed from outside


def test_a_span_that_governs_itself_has_its_last_token_as_head() -> None:
    assert span_head([1, 0, 1], 0, 2) == 1
