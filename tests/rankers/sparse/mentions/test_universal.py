"""Mentions from Universal Dependencies: worked sentences, each rule by itself, odd trees, GUM."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corelax import Document, io
from corelax.rankers.sparse.mentions import universal
from corelax.rankers.sparse.mentions.analysis import Analysis
from tests.shared_corpora import DATA

# word, UPOS, XPOS, head (from 1, 0 for the root), relation
TOM = """
Tom     PROPN  NNP   10  nsubj
Reed    PROPN  NNP    1  flat
,       PUNCT  ,      6  punct
a       DET    DT     6  det
young   ADJ    JJ     6  amod
doctor  NOUN   NN     1  appos
from    ADP    IN     8  case
Oslo    PROPN  NNP    6  nmod
,       PUNCT  ,      6  punct
sold    VERB   VBD    0  root
his     PRON   PRP$  13  nmod:poss
old     ADJ    JJ    13  amod
car     NOUN   NN    10  obj
.       PUNCT  .     10  punct
"""
ANNA = """
He      PRON   PRP    2  nsubj
told    VERB   VBD    0  root
Anna    PROPN  NNP    6  nmod:poss
Reed    PROPN  NNP    3  flat
's      PART   POS    3  case
sister  NOUN   NN     2  iobj
that    SCONJ  IN    10  mark
it      PRON   PRP   10  nsubj
was     AUX    VBD   10  cop
broken  ADJ    JJ     2  ccomp
.       PUNCT  .      2  punct
"""


def document(*sentences: str, penn: bool = True, **layers: Iterable[object]) -> Document:
    words, columns = [], {"upos": [], "pos": [], "head": [], "relation": []}
    for sentence in sentences:
        rows = [line.split() for line in sentence.strip().splitlines()]
        start = sum(map(len, words))
        words.append([row[0] for row in rows])
        columns["upos"] += [row[1] for row in rows]
        columns["pos"] += [row[2] if penn else None for row in rows]
        columns["head"] += [start + int(row[3]) - 1 if int(row[3]) else -1 for row in rows]
        columns["relation"] += [row[4] for row in rows]
    return Document.from_sentences("d", words, layers={**columns, **layers})


def texts(analysis: Analysis) -> list[str]:
    return [" ".join(analysis.document.words[m.start : m.end]) for m in analysis.mentions]


def mentions_in(*sentences: str, **more: object) -> list[str]:
    return texts(universal.analyse(document(*sentences, **more)))


@pytest.mark.parametrize("penn", [True, False])
def test_the_worked_sentences_have_their_spans_heads_and_governors(penn: bool) -> None:
    analysis = universal.analyse(document(TOM, ANNA, penn=penn))
    words = analysis.document.words
    found = [
        (m.sentence, m.start, m.end, words[m.head], words[analysis.governors[m.node]])
        for m in analysis.mentions
    ]
    assert found == [
        (0, 0, 2, "Reed", "sold"),
        (0, 0, 8, "Reed", "sold"),
        (0, 3, 8, "doctor", "Tom"),
        (0, 7, 8, "Oslo", "from"),
        (0, 10, 11, "his", "car"),
        (0, 10, 13, "car", "sold"),
        (1, 14, 15, "He", "told"),
        (1, 16, 19, "Reed", "sister"),
        (1, 16, 20, "sister", "told"),
        (1, 21, 22, "it", "was"),
    ]


def test_the_head_of_a_given_span_is_its_first_word_that_hangs_outside() -> None:
    analysis = universal.analyse(document(TOM, ANNA))
    assert analysis.head_of(2, 4) == (3, 3)  # ", a": the comma is passed over
    assert analysis.head_of(6, 7) == (6, 6)  # "from": there is nothing else
    assert analysis.head_of(5, 10) == (5, 5)  # "doctor from Oslo , sold": two words, the first
    assert analysis.head_of(1, 2) == (1, 1)


def test_part_of_a_name_is_headed_by_its_last_word_too() -> None:
    analysis = universal.analyse(
        document("""
        Doctor  PROPN NNP 4 nsubj
        Ann     PROPN NNP 1 flat
        Lee     PROPN NNP 1 flat
        slept   VERB  VBD 0 root
        """)
    )
    assert analysis.head_of(0, 3) == (2, 0)
    assert analysis.head_of(1, 3) == (2, 1)
    assert analysis.head_of(0, 2) == (1, 0)


def test_governors_of_prepositional_phrases_copulas_and_auxiliaries() -> None:
    doc = document("""
    She     PRON  PRP  6 nsubj
    will    AUX   MD   6 aux
    not     PART  RB   6 advmod
    be      AUX   VB   6 cop
    a       DET   DT   6 det
    doctor  NOUN  NN   0 root
    in      ADP   IN   8 case
    Oslo    PROPN NNP  6 nmod
    and     CCONJ CC  10 cc
    Rome    PROPN NNP  8 conj
    """)
    governors = universal.analyse(doc).governors
    assert governors[0] == 1  # She: the first auxiliary
    assert governors[1] == 3  # will: the copula of its clause
    assert governors[3] == -1  # be: where the predicate hangs
    assert governors[5] == 3  # doctor: its copula
    assert governors[7] == 6  # Oslo: its preposition
    assert governors[6] == 5  # in: what Oslo hangs on, plainly
    assert governors[9] == 7  # Rome: a conjunct keeps its head


def test_the_governor_of_an_infinitive_subject_is_to() -> None:
    doc = document("""
    for   SCONJ IN  4 mark
    him   PRON  PRP 4 nsubj
    to    PART  TO  4 mark
    leave VERB  VB  0 root
    """)
    assert universal.analyse(doc).governors == (3, 2, 3, -1)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("Oslo NOUN NN 1 obj", True),
        ("Oslo PROPN NNP 1 compound", False),
        ("Oslo PROPN NNP 1 flat:foreign", False),
        ("Oslo NOUN NN 1 advmod", False),
        ("it PRON PRP 1 obj", True),
        ("it PRON PRP 1 fixed", False),
        ("who PRON WP 1 obj", False),
        ("this DET DT 1 obj", True),
        ("the DET DT 1 det", False),
        ("which DET WDT 1 obj", False),
        ("two NUM CD 1 obl:unmarked", True),
        ("two NUM CD 1 nummod", False),
        ("green ADJ JJ 1 nsubj:pass", True),
        ("green ADJ JJ 1 amod", False),
        ("run VERB VB 1 obj", False),
        ("well INTJ UH 1 obj", False),
    ],
)
def test_which_words_head_a_mention(row: str, expected: bool) -> None:
    assert mentions_in(f"saw VERB VBD 0 root\n{row}") == [row.split()[0]] * expected


@pytest.mark.parametrize("kind", ["Rel", "Int", "Int,Rel"])
def test_without_penn_tags_features_tell_relative_and_interrogative_pronouns(kind: str) -> None:
    rows = "saw VERB _ 0 root\nwie PRON _ 1 obj\ndie PRON _ 1 obj"
    feats = [None, f"Case=Acc|PronType={kind}", "Number=Sing|PronType=Prs"]
    analysis = universal.analyse(document(rows, penn=False, feats=feats))
    assert texts(analysis) == ["die"]
    assert analysis.pronouns == (False, False, True)
    assert analysis.morphology[2] == {"Number": "Sing", "PronType": "Prs"}
    assert analysis.morphology[0] == {}


def test_a_predicate_leaves_its_clause_out() -> None:
    assert mentions_in("""
    Today   NOUN  NN  6 obl
    Ann     PROPN NNP 6 nsubj
    is      AUX   VBZ 6 cop
    a       DET   DT  6 det
    good    ADJ   JJ  6 amod
    doctor  NOUN  NN  0 root
    of      ADP   IN  8 case
    music   NOUN  NN  6 nmod
    .       PUNCT .   6 punct
    """) == ["Today", "Ann", "a good doctor of music", "music"]


def test_a_question_may_begin_with_its_copula() -> None:
    assert "a doctor" in mentions_in("""
    Is     AUX   VBZ 4 cop
    Ann    PROPN NNP 4 nsubj
    a      DET   DT  4 det
    doctor NOUN  NN  0 root
    """)


def test_what_introduces_a_phrase_is_left_out() -> None:
    assert mentions_in("""
    went  VERB  VBD 0 root
    only  ADV   RB  5 advmod
    to    ADP   IN  5 case
    nice  ADJ   JJ  5 amod
    Oslo  PROPN NNP 1 obl
    """) == ["nice Oslo"]


def test_asides_are_left_out_on_both_sides() -> None:
    assert mentions_in("""
    well     INTJ  UH  3 discourse
    the      DET   DT  3 det
    car      NOUN  NN  6 nsubj
    ,        PUNCT ,   5 punct
    say      VERB  VBP 3 parataxis
    stopped  VERB  VBD 0 root
    """) == ["the car"]


def test_the_possessive_mark_is_kept() -> None:
    assert mentions_in("""
    the     DET  DT  2 det
    king    NOUN NN  4 nmod:poss
    's      PART POS 2 case
    horse   NOUN NN  0 root
    """) == ["the king 's", "the king 's horse"]


@pytest.mark.parametrize("mark", [",", ".", ";", "--", "—", "?"])
def test_trailing_punctuation_is_stripped(mark: str) -> None:
    assert mentions_in(f"""
    the   DET   DT 2 det
    king  NOUN  NN 0 root
    {mark} PUNCT :  2 punct
    """) == ["the king"]


@pytest.mark.parametrize(("mark", "kept"), [('"', False), ("(", True), ("[", True)])
def test_leading_punctuation_goes_unless_it_is_a_bracket(mark: str, kept: bool) -> None:
    [mention] = mentions_in(f"""
    {mark} PUNCT : 2 punct
    old    ADJ   JJ 3 amod
    king   NOUN  NN 0 root
    """)
    assert mention == (f"{mark} old king" if kept else "old king")


@pytest.mark.parametrize("penn", [True, False])
def test_the_first_of_a_coordination_is_a_mention_of_its_own(penn: bool) -> None:
    rows = """
    old    ADJ   JJ  2 amod
    Tom    PROPN NNP 5 nsubj
    and    CCONJ CC  4 cc
    Ann    PROPN NNP 2 conj
    slept  VERB  VBD 0 root
    """
    assert mentions_in(rows, penn=penn) == ["old Tom", "old Tom and Ann", "Ann"]


def test_a_shorter_variant_without_comma_or_conjunction_is_dropped() -> None:
    assert mentions_in("""
    doctors NOUN  NNS 3 nsubj
    here    ADV   RB  1 advmod
    slept   VERB  VBD 0 root
    """) == ["doctors here"]


def test_a_span_ends_where_a_word_from_elsewhere_crosses_it() -> None:
    assert mentions_in("""
    a       DET   DT  2 det
    man     NOUN  NN  3 nsubj
    came    VERB  VBD 0 root
    with    ADP   IN  6 case
    a       DET   DT  6 det
    hat     NOUN  NN  2 nmod
    """) == ["a man", "a hat"]


def test_a_name_that_ends_behind_a_modifier_groups_with_its_variants() -> None:
    assert mentions_in("""
    CEO     NOUN  NN  6 nsubj
    of      ADP   IN  3 case
    Acme    PROPN NNP 1 nmod
    Ann     PROPN NNP 1 flat
    Lee     PROPN NNP 1 flat
    slept   VERB  VBD 0 root
    """) == ["Acme", "CEO of Acme Ann Lee"]


def test_names_replace_what_is_inside_them_and_amounts_do_not() -> None:
    names = ["*"] * 25
    names[16:19] = ["(PERSON*", "*", "*)"]  # grown by hand; the rule would add 's to [16, 18)
    names[12] = "(CARDINAL)"
    analysis = universal.analyse(document(TOM, ANNA, ner=names))
    plain = universal.analyse(document(TOM, ANNA))
    assert analysis.mentions == plain.mentions
    assert analysis.names[16:20] == ("PERSON", "PERSON", "PERSON", "O")
    names[15:19] = ["(ORG*", "*", "*)", "*"]  # "told Anna Reed", then 's
    crossing = universal.analyse(document(TOM, ANNA, ner=names))
    assert "told Anna Reed 's" in texts(crossing)
    assert "Anna Reed 's" not in texts(crossing)


def test_speakers_are_single_words() -> None:
    speakers = ["Bob Lee"] * 14 + [None] * 11
    analysis = universal.analyse(document(TOM, ANNA, speaker=speakers))
    assert analysis.speakers[13:15] == ("Bob_Lee", "-")


def test_tags_are_penn_tags_where_there_are_any() -> None:
    assert universal.analyse(document(TOM)).tags[:3] == ("NNP", "NNP", ",")
    assert universal.analyse(document(TOM, penn=False)).tags[:3] == ("PROPN", "PROPN", "PUNCT")
    german = document("Haus NOUN NN 0 root\nund CCONJ KON 3 cc\nHof NOUN NN 1 conj")
    assert universal.analyse(german).tags == ("NOUN", "CCONJ", "NOUN")
    bare = universal.analyse(Document(id="d", words=("Hi",)))
    assert bare.tags is None
    assert bare.mentions == ()


def test_pronouns_by_either_tag_set() -> None:
    for penn in (True, False):
        pronouns = universal.analyse(document(TOM, ANNA, penn=penn)).pronouns
        assert [token for token, yes in enumerate(pronouns) if yes] == [10, 14, 21]


@given(st.data())
def test_any_tree_even_with_cycles_gives_mentions_inside_sentences(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 8), min_size=1, max_size=3))
    size = sum(sizes)
    heads = st.one_of(st.none(), st.integers(-1, size))
    relations = [
        *("nsubj", "cop", "case", "flat", "conj", "punct", "nmod:poss", "expl", "aux", "root", None)
    ]

    def layer(values: st.SearchStrategy[object]) -> list[object]:
        return data.draw(st.lists(values, min_size=size, max_size=size))

    doc = Document.from_sentences(
        "d",
        [["x", ",", "to"][i % 3 : i % 3 + 1] * n for i, n in enumerate(sizes)],
        layers={
            "head": layer(heads),
            "relation": layer(st.sampled_from(relations)),
            "upos": layer(st.sampled_from(["NOUN", "PRON", "PROPN", "PUNCT", None])),
        },
    )
    analysis = universal.analyse(doc)
    for mention in analysis.mentions:
        start, end = doc.sentence_bounds[mention.sentence]
        assert start <= mention.start <= mention.node <= mention.head < mention.end <= end
    assert all(-1 <= governor < size for governor in analysis.governors)
    for start, end in doc.sentence_bounds:
        head, node = analysis.head_of(start, end)
        assert start <= node <= head < end


@pytest.mark.shared_data
def test_candidates_and_recall_on_gum_are_as_measured_before() -> None:
    found = annotated = recalled = gum_annotated = gum_recalled = 0
    gold = {doc.name: doc for doc in io.stream(DATA / "ontogum" / "dev.gold_conll.gz")}
    for doc in io.stream(DATA / "gum" / "dev.conllu.gz"):
        spans = {(m.start, m.end) for m in universal.analyse(doc).mentions}
        wanted = {(m.start, m.end) for m in gold[doc.name].clusters.mentions}
        wanted_of_gum = {(m.start, m.end) for m in doc.clusters.mentions}
        assert gold[doc.name].words == doc.words
        found += len(spans)
        annotated += len(wanted)
        recalled += len(spans & wanted)
        gum_annotated += len(wanted_of_gum)
        gum_recalled += len(spans & wanted_of_gum)
    assert found == 8409
    assert recalled / annotated == pytest.approx(0.915, abs=5e-4)
    assert gum_recalled / gum_annotated == pytest.approx(0.854, abs=5e-4)
