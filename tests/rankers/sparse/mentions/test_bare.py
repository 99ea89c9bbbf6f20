"""Documents without trees: heads by rule of thumb, and chunks of tags."""

import pytest

from corelax import Document, io
from corelax.rankers.sparse.mentions import bare
from corelax.rankers.sparse.mentions.bare import noun_chunks
from tests.shared_corpora import DATA


def tagged(text: str, **layers: object) -> Document:
    """`word/TAG word/TAG | word/TAG`: sentences are apart by bars."""
    sentences = [[item.rsplit("/", 1) for item in part.split()] for part in text.split("|")]
    tags = [tag for sentence in sentences for _, tag in sentence]
    words = [[word for word, _ in sentence] for sentence in sentences]
    return Document.from_sentences("d", words, layers={"pos": tags, **layers})


def mentions_in(text: str, **layers: object) -> list[str]:
    doc = tagged(text, **layers)
    return [" ".join(doc.words[m.start : m.end]) for m in bare.analyse(doc).mentions]


# Mentions of LitBank with the heads that a reader would give them.
@pytest.mark.parametrize(
    ("mention", "head"),
    [
        ("he", "he"),
        ("the boy", "boy"),
        ("the boy who had gone into the swamp", "boy"),
        ("the edge of the great dark wood", "edge"),
        ("Miss Taylor , the teacher", "Taylor"),
        ("the cabin in the swamp", "cabin"),
        ("a girl with a basket", "girl"),
        ("that house", "house"),
        ("Zora 's", "Zora"),
        ("The Lord Of the manor", "Lord"),
        ("of", "of"),
    ],
)
def test_heads_of_given_mentions(mention: str, head: str) -> None:
    words = tuple(mention.split())
    found, node = bare.analyse(Document(id="d", words=words)).head_of(0, len(words))
    assert words[found] == head
    assert node == found


def test_words_alone_give_no_mentions_tags_or_governors() -> None:
    analysis = bare.analyse(Document(id="d", words=("Ann", "slept")))
    assert analysis.mentions == ()
    assert analysis.tags is None
    assert analysis.governors is None
    assert analysis.names == ("O", "O")
    assert analysis.speakers == ("-", "-")
    assert analysis.pronouns == (False, False)


def test_tags_of_another_set_are_handed_on_but_not_chunked() -> None:
    analysis = bare.analyse(tagged("Er/PPER schläft/VVFIN"))
    assert analysis.tags == ("PPER", "VVFIN")
    assert analysis.mentions == ()
    assert analysis.governors is None


def test_an_empty_document_has_no_mentions() -> None:
    assert bare.analyse(Document(id="d", words=(), sentence_starts=())).mentions == ()


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("DT JJ NN", [(0, 3)]),
        ("DT NN RB", [(0, 2)]),  # cut back to a noun
        ("DT JJ", []),
        ("PRP$ NN DT NN", [(0, 2), (2, 4)]),  # split before a determiner
        ("PDT DT NNS", [(0, 3)]),
        ("NN PDT PRP$ NN", [(0, 4)]),
        ("RB VBG NNS", [(2, 3)]),  # adverbs and participles do not begin a chunk
        ("POS NN", [(1, 2)]),
        ("NNP POS NN", [(0, 3)]),
        ("NN VBD NN", [(0, 1), (2, 3)]),
        ("VBD", []),
        ("", []),
    ],
)
def test_noun_chunks(tags: str, expected: list[tuple[int, int]]) -> None:
    assert list(noun_chunks(tags.split(), 0, len(tags.split()))) == expected


def test_chunks_are_joined_by_of_again_and_again() -> None:
    assert mentions_in("the/DT end/NN of/IN the/DT war/NN of/IN words/NNS") == [
        "the end of the war of words",
        "the war of words",
        "words",
    ]


def test_the_first_of_a_coordination_is_a_mention_of_its_own() -> None:
    assert mentions_in("Tom/NNP and/CC Ann/NNP slept/VBD") == ["Tom", "Tom and Ann", "Ann"]


def test_possessors_keep_their_mark() -> None:
    assert mentions_in("Tom/NNP 's/POS old/JJ car/NN") == ["Tom 's", "Tom 's old car"]
    assert mentions_in("this/DT is/VBZ Tom/NNP 's/POS ./.") == ["Tom 's"]


def test_chunks_stay_inside_their_sentences() -> None:
    assert mentions_in("Kings/NNS | of/IN Spain/NNP") == ["Kings", "Spain"]
    assert mentions_in("Tom/NNP | 's/POS car/NN") == ["Tom", "car"]


def test_pronouns_are_mentions_by_tag_or_by_word() -> None:
    assert mentions_in("He/PRP saw/VBD hisself/PRP whom/WP") == ["He", "hisself", "whom"]


def test_names_replace_what_is_inside_them() -> None:
    names = ["(WORK*", "*", "*)", "*"]
    assert mentions_in("Of/IN Mice/NNS now/RB ended/VBD", ner=names) == ["Of Mice now"]


def test_governors_are_the_nearest_verb_or_preposition_before() -> None:
    doc = tagged("He/PRP went/VBD to/TO Oslo/NNP | Ann/NNP must/MD sleep/VB now/RB")
    assert bare.analyse(doc).governors == (-1, -1, 1, 2, -1, -1, 5, 6)


@pytest.mark.shared_data
def test_litbank_has_words_alone() -> None:
    doc = next(io.stream(DATA / "litbank" / "dev.gold_conll.gz"))
    analysis = bare.analyse(doc)
    assert analysis.mentions == ()
    assert analysis.tags is None
    for mention in doc.clusters.mentions:
        head, _ = analysis.head_of(mention.start, mention.end)
        assert mention.start <= head < mention.end


@pytest.mark.shared_data
def test_tags_find_four_mentions_of_five() -> None:
    annotated = recalled = 0
    for doc in io.stream(DATA / "ontogum" / "dev.gold_conll.gz"):
        spans = {(m.start, m.end) for m in bare.analyse(doc).mentions}
        wanted = {(m.start, m.end) for m in doc.clusters.mentions}
        annotated += len(wanted)
        recalled += len(wanted & spans)
    assert recalled / annotated > 0.82
