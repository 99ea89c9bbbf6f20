"""Type, number, gender, animacy, person and canonical form of mentions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corelax import Document
from corelax.rankers.sparse.features.settings import FEATURE_SETS, FeatureSettings
from corelax.rankers.sparse.mentions.attributes import Attributes, gender_of
from corelax.rankers.sparse.mentions.lexicons import EMPTY, GenderCounts, Lexicons
from tests.rankers.sparse.mentions.mention_documents import all_attributes, parsed
from tests.rankers.sparse.mentions.word_lists_by_hand import word_lists

LT17, DEFAULT = FEATURE_SETS["lt17"], FEATURE_SETS["default"]


def listed(text: str) -> list[str]:
    return text.split()


FIRST = listed("i me my mine myself we us our ours ourself ourselves")
SECOND = listed("you your yours yourself yourselves")
THIRD = listed(
    "he him his himself she her hers herself it its itself one one's oneself they them their theirs "
    "themself themselves 'em"
)
OTHER = listed("who whom whose where when which")
PRONOUNS = FIRST + SECOND + THIRD + OTHER
SINGULAR = listed(
    "i me my mine myself yourself he him his himself she her hers herself it its itself one one's "
    "oneself"
)
PLURAL = listed(
    "we us our ours ourself ourselves yourselves they them their theirs themself themselves"
)
CANONICAL = {
    "i": "i me my mine myself",
    "you": "you your yours yourself yourselves",
    "he": "he him his himself",
    "she": "she her hers herself",
    "we": "we us our ours ourself ourselves",
    "they": "they them their theirs themself themselves 'em",
    "it": "it its itself",
    "one": "one one's oneself",
    "who": "who whom",
    "whose": "whose",
    "where": "where",
    "when": "when",
    "which": "which",
}


def of_word(
    word: str,
    tag: str = "NN",
    ner: str = "*",
    settings: FeatureSettings = LT17,
    lexicons: Lexicons = EMPTY,
) -> Attributes:
    """The attributes of a mention of one word."""
    doc = parsed(f"{word}/{tag}/(TOP(X*))", names=ner)
    return all_attributes(doc, settings, lexicons, [(0, 1)])[0]


def of_phrase(
    text: str,
    ner: str | None = None,
    settings: FeatureSettings = LT17,
    lexicons: Lexicons = EMPTY,
) -> Attributes:
    """The attributes of a sentence `word/TAG word/TAG` that is one noun phrase."""
    cells = text.split()
    pieces = ["(NP*", *["*"] * (len(cells) - 2), "*)"]
    doc = parsed(" ".join(map("/".join, zip(cells, pieces, strict=True))), names=ner)
    return all_attributes(doc, settings, lexicons, [(0, len(cells))])[0]


def title(word: str) -> str:
    return word[:1].upper() + word[1:]


# Type


@pytest.mark.parametrize("word", ["this", "That", "these", "THOSE"])
def test_a_demonstrative_alone(word: str) -> None:
    assert of_word(word, "DT").type == "DEMONSTRATIVE"
    assert of_word(word, "PRP").type == "DEMONSTRATIVE"
    assert of_word(word, "DT", "(ORG)").type == "DEMONSTRATIVE"


@pytest.mark.parametrize("word", PRONOUNS)
def test_a_pronoun_by_its_form(word: str) -> None:
    assert of_word(word).type == of_word(title(word)).type == "PRONOMINAL"


@pytest.mark.parametrize("tag", ["PRP", "PRP$"])
def test_a_pronoun_by_its_tag(tag: str) -> None:
    found = of_word("Thy", tag)
    assert (found.type, found.canonical, found.number) == ("PRONOMINAL", "thy", "UNKNOWN")


def test_pronouns_and_demonstratives_are_single_tokens() -> None:
    assert of_phrase("poor/JJ me/PRP").type == "NOMINAL"
    assert of_phrase("all/DT those/DT").type == "NOMINAL"


def test_names_by_entity_or_by_tag() -> None:
    assert of_word("Oslo", "NNP").type == "PROPER"
    assert of_word("monday", "NN", "(DATE)").type == "PROPER"
    assert of_word("two", "CD", "(CARDINAL)").type == "PROPER"
    assert of_word("dog", "NN").type == "NOMINAL"


def test_plural_names_are_a_switch() -> None:
    assert of_word("Alps", "NNPS").type == "NOMINAL"
    assert of_word("Alps", "NNPS", settings=replace(LT17, plural_names=True)).type == "PROPER"


def test_the_entity_is_that_of_the_head() -> None:
    found = of_phrase("Oslo/NNP fire/NN", ner="(GPE) *")
    assert (found.type, found.ner) == ("NOMINAL", "O")


# Pronouns: every row of the tables


@pytest.mark.parametrize("word", PRONOUNS)
def test_number_of_pronouns(word: str) -> None:
    expected = "SINGULAR" if word in SINGULAR else "PLURAL" if word in PLURAL else "UNKNOWN"
    assert of_word(word).number == of_word(title(word)).number == expected


def test_yourself_is_singular_and_you_is_neither() -> None:
    assert of_word("yourself").number == "SINGULAR"
    assert [of_word(word).number for word in ("you", "who", "'em")] == ["UNKNOWN"] * 3


@pytest.mark.parametrize("word", [*PRONOUNS, "here", "there"])
def test_gender_of_pronouns(word: str) -> None:
    groups = {
        "MALE": "he him his himself",
        "FEMALE": "she her hers herself",
        "NEUTRAL": "it its itself where here there which",
    }
    expected = next((g for g, words in groups.items() if word in words.split()), "UNKNOWN")
    assert of_word(word, "PRP").gender == of_word(title(word), "PRP").gender == expected


@pytest.mark.parametrize("word", PRONOUNS)
def test_person_of_pronouns(word: str) -> None:
    expected = "1st" if word in FIRST else "2nd" if word in SECOND else "OTHER"
    assert of_word(word).person == expected
    with_third = "3rd" if word in THIRD else expected
    assert of_word(word, settings=replace(LT17, third_person=True)).person == with_third


def test_person_looks_at_the_head_of_any_type() -> None:
    found = of_phrase("poor/JJ us/NN")
    assert (found.type, found.person) == ("NOMINAL", "1st")


@pytest.mark.parametrize(
    ("form", "word"), [(form, word) for form, words in CANONICAL.items() for word in words.split()]
)
def test_canonical_forms(form: str, word: str) -> None:
    assert of_word(word).canonical == of_word(word.upper()).canonical == form


def test_nouns_and_names_have_their_type_as_canonical_form() -> None:
    assert of_word("dog").canonical == "NOMINAL"
    assert of_word("Oslo", "NNP").canonical == "PROPER"


# Number and gender of nouns


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((6, 0, 0, 0), "MALE"),
        ((3, 0, 0, 99), "MALE"),  # plurals do not matter
        ((2, 0, 0, 0), "UNKNOWN"),  # too few
        ((500, 200, 50, 60), "MALE"),  # twice the others
        ((499, 200, 50, 60), "UNKNOWN"),
        ((2, 6, 1, 0), "FEMALE"),
        ((2, 5, 1, 0), "UNKNOWN"),
        ((0, 3, 0, 0), "FEMALE"),
        ((0, 2, 0, 0), "UNKNOWN"),
        ((1, 1, 4, 0), "NEUTRAL"),
        ((1, 1, 3, 0), "UNKNOWN"),
        ((0, 0, 3, 0), "NEUTRAL"),
        ((0, 0, 2, 0), "UNKNOWN"),
        ((0, 0, 0, 50), "UNKNOWN"),
    ],
)
def test_gender_needs_twice_the_others_and_three(counts: tuple[int, ...], expected: str) -> None:
    assert gender_of(GenderCounts(*counts)) == expected
    lexicons = word_lists({"dog": counts})
    assert of_word("Dog", lexicons=lexicons).gender == expected


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((1, 1, 1, 3), "SINGULAR"),
        ((1, 1, 1, 4), "PLURAL"),
        ((0, 0, 0, 1), "PLURAL"),
        ((0, 0, 0, 0), "SINGULAR"),
    ],
)
def test_number_by_counts_is_singular_when_in_doubt(counts: tuple[int, ...], expected: str) -> None:
    assert of_word("sheep", "NNS", lexicons=word_lists({"sheep": counts})).number == expected


def test_unknown_words_are_singular_and_of_unknown_gender() -> None:
    found = of_word("xyzzys", "NNS")
    assert (found.number, found.gender, found.animacy) == ("SINGULAR", "UNKNOWN", "UNKNOWN")


def test_a_phrase_comes_before_its_head() -> None:
    lexicons = word_lists({"the crew": (0, 0, 0, 9), "crew": (0, 0, 9, 0)})
    assert of_phrase("The/DT Crew/NN", lexicons=lexicons).number == "PLURAL"
    assert of_phrase("a/DT crew/NN", lexicons=lexicons).number == "SINGULAR"


def test_a_phrase_never_counted_is_like_one_that_is_missing() -> None:
    lexicons = word_lists({"the crew": (0, 0, 0, 0), "crew": (0, 0, 0, 9)})
    assert of_phrase("the/DT crew/NN", lexicons=lexicons).number == "PLURAL"


def test_pronouns_are_not_looked_up() -> None:
    lexicons = word_lists({"he": (0, 9, 0, 90)})
    found = of_word("he", "PRP", lexicons=lexicons)
    assert (found.number, found.gender) == ("SINGULAR", "MALE")


NAMES = word_lists(
    {"anna": (0, 9, 0, 0), "reed": (9, 0, 0, 0), "anna reed": (0, 0, 9, 0), "aunt": (0, 0, 9, 0)}
)


def test_a_first_name_tells_the_gender_of_a_person() -> None:
    assert of_phrase("Anna/NNP Reed/NNP", ner="(PERSON* *)", lexicons=NAMES).gender == "FEMALE"


def test_the_token_right_before_the_head_is_taken_for_the_first_name() -> None:
    found = of_phrase("Aunt/NNP Anna/NNP Reed/NNP", ner="* (PERSON* *)", lexicons=NAMES)
    assert found.gender == "FEMALE"


@pytest.mark.parametrize(
    ("text", "ner", "expected"),
    [
        ("aunt/NN Reed/NNP", "(PERSON* *)", "MALE"),  # lower case before the head
        ("Anna/NNP reed/NNP", "(PERSON* *)", "NEUTRAL"),  # lower case: the phrase is looked up
        ("Anna/NNP Reed/NNP", "(ORG* *)", "NEUTRAL"),
        ("Anna/NNP Reed/NNP", "(PER* *)", "NEUTRAL"),
        ("Xaver/NNP Reed/NNP", "(PERSON* *)", "UNKNOWN"),  # an unknown first name says nothing
        ("7/CD Reed/NNP", "(PERSON* *)", "MALE"),
    ],
)
def test_when_no_first_name_is_looked_up(text: str, ner: str, expected: str) -> None:
    assert of_phrase(text, ner=ner, lexicons=NAMES).gender == expected


# Number by tag


@pytest.mark.parametrize(
    ("tag", "expected"),
    [("NN", "SINGULAR"), ("NNS", "PLURAL"), ("NNP", "SINGULAR"), ("NNPS", "PLURAL")],
)
def test_number_by_tag(tag: str, expected: str) -> None:
    lexicons = word_lists({"dog": (0, 0, 0, 9), "dogs": (0, 0, 9, 0)})
    settings = replace(LT17, number_by_tag=True)
    for word in ("dog", "dogs"):
        assert of_word(word, tag, settings=settings, lexicons=lexicons).number == expected


def test_a_coordination_is_plural_and_its_first_part_is_not() -> None:
    doc = parsed("Tom/NNP/(TOP(S(NP(NP*) and/CC/* Ann/NNP/(NP*)) left/VBD/(VP*)))")
    found = all_attributes(doc, replace(LT17, number_by_tag=True), EMPTY)
    assert {m.text: m.number for m in found} == {
        "Tom": "SINGULAR",
        "Tom and Ann": "PLURAL",
        "Ann": "SINGULAR",
    }


def test_a_conjunction_deeper_in_the_mention_does_not_make_it_plural() -> None:
    doc = parsed(
        "the/DT/(TOP(NP(NP* dog/NN/*) of/IN/(PP* Tom/NNP/(NP(NP*) and/CC/* Ann/NNP/(NP*)))))"
    )
    found = all_attributes(doc, replace(LT17, number_by_tag=True), EMPTY)
    assert {m.text: m.number for m in found}["the dog of Tom and Ann"] == "SINGULAR"


# Animacy

LISTS = word_lists(animate=["doctor", "he", "Bob"], inanimate=["car", "it", "I"])


@pytest.mark.parametrize(
    ("word", "expected"),
    [("doctor", "ANIMATE"), ("car", "INANIMATE"), ("Doctor", "UNKNOWN"), ("xyzzy", "UNKNOWN")],
)
def test_animacy_by_lists_minds_case(word: str, expected: str) -> None:
    assert of_word(word, lexicons=LISTS).animacy == expected


def test_lists_can_be_asked_in_lower_case() -> None:
    settings = replace(LT17, lowercase_animacy=True)
    assert of_word("Doctor", settings=settings, lexicons=LISTS).animacy == "ANIMATE"
    assert of_word("Bob", settings=settings, lexicons=LISTS).animacy == "UNKNOWN"


@pytest.mark.parametrize("type", ["PERSON", "PER", "PERSONS"])
def test_persons_are_animate_before_lists_are_asked(type: str) -> None:
    assert of_word("car", "NNP", f"({type})", lexicons=LISTS).animacy == "ANIMATE"


INANIMATE = listed("LOCATION MONEY NUMBER DATE TIME FAC GPE WEA ORG LOC LOCAL")


@pytest.mark.parametrize("type", INANIMATE)
def test_places_times_and_the_like_are_inanimate_before_lists_are_asked(type: str) -> None:
    assert of_word("doctor", "NNP", f"({type})", lexicons=LISTS).animacy == "INANIMATE"


def test_percent_is_animate_only_as_released() -> None:
    assert of_word("%", "NN", "(PERCENT)").animacy == "ANIMATE"
    settings = replace(LT17, percent_animate=False)
    assert of_word("%", "NN", "(PERCENT)", settings=settings).animacy == "INANIMATE"


def test_pronouns_are_looked_up_as_released_whatever_their_entity() -> None:
    found = [of_word(word, "PRP", "(GPE)", lexicons=LISTS).animacy for word in ("he", "I", "He")]
    assert found == ["ANIMATE", "INANIMATE", "UNKNOWN"]


@pytest.mark.parametrize("word", PRONOUNS)
def test_animacy_of_pronouns_by_rule(word: str) -> None:
    animate = listed("i you he she we who whose")
    form = next(form for form, words in CANONICAL.items() if word in words.split())
    expected = "ANIMATE" if form in animate else "UNKNOWN"
    if form in ("it", "which"):
        expected = "INANIMATE"
    assert of_word(word, "PRP", settings=DEFAULT, lexicons=LISTS).animacy == expected


# Surroundings


def test_words_around_a_mention_stop_at_its_sentence() -> None:
    doc = parsed("Yes/UH/(TOP(X*))", "Dogs/NNS/(TOP(NP*))", "No/UH/(TOP(X*))")
    [found] = all_attributes(doc, LT17, EMPTY)
    assert found.places["before"] == ("<s>", "<S>")
    assert found.places["after"] == ("</s>", "</S>")


def test_the_root_has_no_governor() -> None:
    [found] = all_attributes(parsed("Dogs/NNS/(TOP(NP*))"), LT17, EMPTY)
    assert found.places["governor"] == ("[root]", "[ROOT]")
    assert (found.context, found.long_context) == ("NULL", "NULL-NULL")


def test_mentions_are_counted_in_their_sentence() -> None:
    doc = parsed(
        "He/PRP/(TOP(S(NP*) saw/VBD/(VP* dogs/NNS/(NP*))))", "It/PRP/(TOP(S(NP*) ran/VBD/(VP*)))"
    )
    assert [m.index_in_sentence for m in all_attributes(doc, LT17, EMPTY)] == [1, 2, 1]


def test_the_speaker_is_that_of_the_head() -> None:
    doc = parsed("old/JJ/(TOP(NP* dogs/NNS/*))", speakers="Ann Bob")
    assert all_attributes(doc, LT17, EMPTY)[0].speaker == "Bob"


def test_words_alone_have_no_governor_and_no_context() -> None:
    doc = Document(id="d", words=("the", "Dog", "ran"))
    [found] = all_attributes(doc, LT17, EMPTY, [(0, 2)])
    assert (found.governor, found.context, found.long_context) == (None, None, None)
    assert (found.type, found.head) == ("PROPER", "Dog")
