"""Passages: which are chosen, which colours agree, and that the page is well-formed."""

from __future__ import annotations

from collections.abc import Sequence
from html.parser import HTMLParser

import pytest

from corelax import Clustering, CorelaxError, Document, Span
from corelax.analysis.passages import choose_passages
from corelax.document import EmptyId
from corelax.render.marked_text import MISSED, ZERO, ShownMention, spaced
from corelax.render.passages import Passage, Passages, Version, passages_html, passages_markdown

Pair = tuple[int, int]
Pairs = Sequence[Sequence[Pair]]

TEXT = [["Ann", "saw", "Bo", "."], ["He", "waved", "."], ["She", "laughed", "."], ["It", "rained"]]
ANN, BO, HE, SHE, IT = (0, 1), (2, 3), (4, 5), (7, 8), (10, 11)
GOLD = [[ANN, SHE], [BO, HE]]
NO_HE, NO_SHE, NEITHER = [[ANN, SHE]], [[BO, HE]], [[ANN], [BO]]


def doc(clusters: Pairs, name: str = "d", text: Sequence[Sequence[str]] = TEXT) -> Document:
    return Document.from_sentences(name, text, clusters=clusters)


def chosen(base: Pairs, lea: Pairs, gold: Pairs = GOLD, **options: int) -> list[Passage]:
    systems = {"base": [doc(base)], "lea": [doc(lea)]}
    return choose_passages(gold=[doc(gold)], systems=systems, **options)


def in_one_sentence(base: Pairs, lea: Pairs, gold: Pairs = GOLD) -> list[dict[Pair, int]]:
    """The numbers of the mentions of gold, base and lea, all of them shown."""
    text = [[word for sentence in TEXT for word in sentence]]
    right, *systems = (doc(clusters, text=text) for clusters in (gold, base, lea))
    named = {"base": systems[:1], "lea": systems[1:]}
    [passage] = choose_passages(gold=[right], systems=named)
    return [{(m.start, m.end): m.entity for m in v.mentions} for v in passage.versions]


def several(cases: Sequence[tuple[Pairs, Pairs]], **options: int) -> list[Passage]:
    """The passages of documents 0, 1, ..., each with the clusters of base and of lea."""
    names = [str(i) for i in range(len(cases))]
    gold = [doc(GOLD, name) for name in names]
    base = [doc(clusters, name) for (clusters, _), name in zip(cases, names, strict=True)]
    lea = [doc(clusters, name) for (_, clusters), name in zip(cases, names, strict=True)]
    return choose_passages(gold=gold, systems={"base": base, "lea": lea}, **options)


def wins(passages: Sequence[Passage]) -> list[str]:
    """The system that each note names first."""
    return [passage.note.partition(":")[0] for passage in passages]


# What is chosen


def test_the_sentence_with_the_difference_is_chosen_with_the_antecedents_in_sight() -> None:
    [passage] = chosen(base=NO_HE, lea=GOLD)
    assert passage.document == "d"
    assert list(passage.words) == [*TEXT[0], *TEXT[1]]
    assert passage.note == "lea: 0 errors, base: 1 error"
    assert [version.label for version in passage.versions] == ["gold", "base", "lea"]


def test_the_window_with_the_largest_difference_comes_first() -> None:
    [passage] = several([(NO_HE, GOLD), (NEITHER, GOLD)], number=1, sentences=2)
    assert passage.document == "1"
    assert list(passage.words) == [*TEXT[1], *TEXT[2]]  # though no antecedent is in sight


def test_errors_that_both_make_are_no_difference() -> None:
    assert chosen(base=NO_HE, lea=NO_HE) == []
    assert chosen(base=GOLD, lea=GOLD) == []


def test_both_sides_are_shown_in_turn_and_then_what_is_left() -> None:
    for_lea, for_base = (NO_HE, GOLD), (GOLD, NO_HE)
    cases = [for_lea, for_lea, for_lea, for_lea, for_base, for_base]
    passages = several(cases, number=6)
    assert wins(passages) == ["lea", "base", "lea", "base", "lea", "lea"]
    assert wins(several(cases, number=3)) == ["lea", "base", "lea"]


def test_sentences_longer_than_the_limit_are_not_shown() -> None:
    assert [len(passage.words) for passage in chosen(base=NO_HE, lea=GOLD, max_words=3)] == [3]
    assert chosen(base=NO_HE, lea=GOLD, max_words=2) == []


def test_each_of_three_systems_is_compared_with_the_first() -> None:
    gold = [doc(GOLD)]
    systems = {"base": [doc(NO_HE)], "same": [doc(NO_HE)], "best": gold}
    [passage] = choose_passages(gold=gold, systems=systems)
    assert passage.note == "best: 0 errors, base: 1 error, same: 1 error"


def test_neither_the_order_of_documents_nor_of_clusters_matters() -> None:
    gold = [doc(GOLD, "a"), doc(GOLD, "b")]
    base, lea = [doc(NEITHER, "a"), doc(GOLD, "b")], [doc(GOLD, "a"), doc(NO_HE, "b")]
    plain = choose_passages(gold=gold, systems={"base": base, "lea": lea})
    turned = [d.with_clusters(Clustering(list(d.clusters)[::-1])) for d in lea[::-1]]
    assert choose_passages(gold=gold, systems={"base": base, "lea": turned}) == plain
    assert len(plain) == 2


@pytest.mark.parametrize(
    ("lea", "message"),
    [
        (
            [Document(id="d", words=("Ann", "sat"))],
            "^lea: document d: token 1 is 'saw' in gold and 'sat' in system$",
        ),
        ([doc(GOLD, "e")], "lea: document d is in gold but not in system"),
        ([doc(GOLD), doc(GOLD, "e")], "lea: document e is in system but not in gold"),
    ],
)
def test_documents_that_do_not_match_are_an_error(lea: list[Document], message: str) -> None:
    with pytest.raises(CorelaxError, match=message):
        choose_passages(gold=[doc(GOLD)], systems={"base": [doc(GOLD)], "lea": lea})


# Colours and errors


def test_the_same_entity_has_the_same_number_in_all_versions() -> None:
    gold, base, lea = in_one_sentence(base=[[BO, HE], [SHE, IT, ANN]], lea=GOLD)
    assert gold == lea == {ANN: 0, BO: 1, HE: 1, SHE: 0}
    assert base == {ANN: 0, BO: 1, HE: 1, SHE: 0, IT: 0}


def test_the_larger_part_of_a_split_entity_keeps_its_number() -> None:
    all_one = [[ANN, BO, HE, SHE, IT]]
    gold, base, _ = in_one_sentence(base=[[ANN, BO], [HE, SHE, IT]], lea=all_one, gold=all_one)
    assert base[HE] == base[SHE] == base[IT] == gold[ANN]
    assert base[ANN] == base[BO] != base[HE]


def test_an_entity_that_two_systems_make_up_has_one_number_of_its_own() -> None:
    made_up = [IT, (5, 6)]
    gold, base, lea = in_one_sentence(base=[made_up, *NO_HE], lea=[*GOLD, made_up])
    assert base[IT] == lea[IT] == lea[5, 6]
    assert base[IT] not in gold.values()


def test_a_gold_entity_gives_its_number_before_one_that_another_system_made_up() -> None:
    made_up = [IT, (5, 6)]
    gold, base, lea = in_one_sentence(base=[*GOLD, made_up], lea=[[ANN, SHE], [BO, *made_up]])
    assert lea[IT] == lea[BO] == gold[BO] != base[IT]


@pytest.mark.parametrize(("place", "words", "start"), [(4, TEXT[1], 0), (12, TEXT[3], 2)])
def test_a_mention_of_no_word_is_with_its_next_word_or_in_the_last_sentence(
    place: int, words: list[str], start: int
) -> None:
    gold = doc([]).with_clusters(
        Clustering([[Span(0, 1), Span(place, place, empty=(EmptyId(0, place, 1),))]])
    )
    systems = {"base": [doc([])], "lea": [gold]}
    [passage] = choose_passages(gold=[gold], systems=systems, sentences=1)
    assert list(passage.words) == words
    assert list(passage.versions[2].mentions) == [ShownMention(start, start, 0)]


def test_a_mention_that_was_left_out_is_shown_for_its_error() -> None:
    [passage] = chosen(base=NO_HE, lea=GOLD, sentences=1)
    assert list(passage.versions[1].mentions) == [ShownMention(0, 1, MISSED, "false_new")]
    assert passage.versions[1].note == "1 false new"
    assert "title=" not in passages_html(shown([ShownMention(0, 1, 0)], ["He"]))
    assert 'title="false new"' in passages_html(Passages("k", "t", "c", [passage]))


# Pages


class Reader(HTMLParser):
    """Checks that tags are balanced; keeps the text of each version and its mentions."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self.marks: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs).get("class") or ""
        assert len(dict(attrs)) == len(attrs)
        self.open.append((tag, names))
        if names == "text":
            self.texts.append("")
        if "mention" in names.split():
            assert ("p", "text") in self.open
            self.marks.append(names)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        tags = [tag for tag, _ in self.open]
        if ("p", "text") in self.open and "sup" not in tags:
            self.texts[-1] += data


def shown(mentions: Sequence[ShownMention], words: Sequence[str]) -> Passages:
    return Passages(
        "k", "title", "caption", [Passage("d", "note", words, [Version("v", mentions)])]
    )


def without_blanks(text: str) -> str:
    return "".join(text.replace(ZERO, "").split())


WORDS = ["Ann", "and", "Bo", "met", "his", "mother"]


@pytest.mark.parametrize(
    ("spans", "marks"),
    [
        ([], 0),
        ([(0, 3), (2, 3), (4, 6), (4, 5)], 4),  # nested
        ([(0, 3), (2, 5)], 3),  # crossing: the later one is cut in two
        ([(0, 3), (1, 4), (2, 5)], 5),  # two are cut; their ends nest
        ([(4, 5), (4, 5)], 2),  # identical
        ([(0, 0), (3, 3), (3, 3), (6, 6), (0, 6)], 5),  # empty
    ],
)
def test_pages_are_well_formed_with_every_word_once(
    spans: Sequence[tuple[int, int]], marks: int
) -> None:
    mentions = [ShownMention(*span, entity) for entity, span in enumerate(spans)]
    reader = Reader(passages_html(shown(mentions, WORDS)))
    assert [without_blanks(text) for text in reader.texts] == ["".join(WORDS)]
    assert len(reader.marks) == marks
    assert reader.texts[0].count(ZERO) == sum(start == end for start, end in spans)


def test_each_mention_holds_its_words_and_has_its_number_once() -> None:
    mentions = [ShownMention(0, 3, 0), ShownMention(2, 5, 1, "wrong_link")]
    text = passages_markdown(shown(mentions, WORDS)).splitlines()[-1]
    assert text == r"- **v**: [Ann and [Bo …]]₁ [met his]₂\* mother"


@pytest.mark.parametrize("span", [(-1, 1), (2, 1), (5, 7), (7, 7)])
def test_mentions_outside_the_words_are_an_error(span: tuple[int, int]) -> None:
    with pytest.raises(CorelaxError, match="outside the 6 words"):
        passages_html(shown([ShownMention(*span, 0)], WORDS))


def test_words_and_names_are_escaped() -> None:
    hostile = '<b>&"'
    passage = Passage(hostile, hostile, [hostile], [Version(hostile, [], hostile)])
    page = passages_html(Passages(hostile, hostile, hostile, [passage]))
    assert "<b>" not in page
    assert Reader(page).texts == [hostile]


def test_markdown_takes_no_word_for_markup() -> None:
    text = passages_markdown(shown([], ["*", "[x]", "<b>", "a_b"]))
    assert r"\* \[x\] \<b\> a\_b" in text


# Reading


@pytest.mark.parametrize(
    "text",
    [
        "Ann’s dog didn't bark (much), did it?",
        'She said: "No, I can\'t."',
        "It cost $5, 10% more [1].",
        "the students' well-known either/or",
        "“Why?” he asked…",
    ],
)
def test_words_are_joined_as_they_were_written(text: str) -> None:
    pieces = text
    for mark in ("n't", "n’t", "’s", "'", *'.,:;?!()[]"$%“”…-/'):
        pieces = pieces.replace(mark, f" {mark} ")
    words = pieces.replace("n ' t", "n't").split()
    assert "".join(" " * s + w for s, w in zip(spaced(words), words, strict=True)) == text
