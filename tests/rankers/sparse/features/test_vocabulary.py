"""Inventories, vocabularies, and what becomes of values that training did not have."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from corelax import CorelaxError, Document
from corelax.rankers.sparse.features.extract import Described, describe, fit, mention_source, table
from corelax.rankers.sparse.features.mention import Context, genre_of, mention_values
from corelax.rankers.sparse.features.rows import feature_names
from corelax.rankers.sparse.features.settings import (
    FEATURE_SETS,
    PAIR_TEMPLATES,
    UNKNOWN,
    FeatureSettings,
)
from corelax.rankers.sparse.features.vocabulary import NO_FEATURE, Inventories, Vocabulary
from corelax.rankers.sparse.mentions.attributes import Attributes
from corelax.rankers.sparse.mentions.lexicons import EMPTY
from tests.rankers.sparse.features.feature_documents import (
    describe_gold,
    flat_document,
    worked_example,
)

LT17 = FEATURE_SETS["lt17"]


def detected(doc: Document, settings: FeatureSettings = LT17) -> Described:
    return describe(doc, settings, EMPTY, mention_source("detect"))


def fitted(settings: FeatureSettings) -> Vocabulary:
    return fit([detected(worked_example(), settings)], settings, EMPTY)[0]


# Inventories


def repeated(times: int) -> list[Attributes]:
    """`saw the big dog there` so many times, the mention being `the big dog there`, headed by dog."""
    doc = Document.from_sentences(
        "bc/x",
        [["saw", "The", "big", "Dog", "There", "now"]] * times,
        layers={
            "pos": ["VBD", "DT", "JJ", "NN", "RB", "RB"] * times,
            "parse": ["(TOP(VP*", "(NP*", "*", "*", "*)", "*))"] * times,
        },
    )
    return detected(doc).mentions


@pytest.mark.parametrize("times", [19, 20, 21])
def test_a_word_counted_twenty_times_is_in_its_inventory(times: int) -> None:
    words = {
        "head": {"dog"},
        "first": {"the"},
        "last": {"there"},
        "before": {"saw"},
        "after": {"now"},
        "governor": {"saw"},
    }
    found = asdict(Inventories.count(repeated(times), 20))
    assert found == {name: known if times >= 20 else set() for name, known in words.items()}


@pytest.mark.parametrize("times", [19, 20])
def test_a_word_that_is_counted_too_seldom_is_stood_for_by_its_tag(times: int) -> None:
    mentions = repeated(times)
    inventories = Inventories.count(mentions, 20)
    values = mention_values(mentions[0], Context("bc", frozenset()), inventories, LT17)
    found = dict(zip(LT17.mention_templates, values, strict=True))
    often = {"head": "dog", "first": "the", "last": "there", "prec": "saw", "foll": "now"}
    seldom = {"head": "NN", "first": "DT", "last": "RB", "prec": "VBD", "foll": "RB"}
    for template, value in (often if times == 20 else seldom).items():
        assert found[template] == value
    assert found["gov"] == ("saw" if times == 20 else "VBD")
    assert found["headcase"] == ("Dog" if times == 20 else "RARE")


def test_the_words_of_pronouns_can_be_known_as_first_words() -> None:
    doc = worked_example()
    inventories = Inventories.count(detected(doc).mentions, 1)
    his = next(m for m in detected(doc).mentions if m.text == "his")
    values = mention_values(his, Context("bc", frozenset()), inventories, LT17)
    found = dict(zip(LT17.mention_templates, values, strict=True))
    assert (found["head"], found["first"]) == ("PRP$", "his")


# Speakers and genres in mentions


def in_speakers(word: str, speakers: list[str], settings: FeatureSettings = LT17) -> list[str]:
    """head_in_spk and spk_in_head of a mention that is this word."""
    doc = flat_document("bc/x", [[word] * len(speakers)], [(0, 1)], speakers)
    described = describe_gold(doc, settings)
    values = mention_values(described.mentions[0], described.context, Inventories(), settings)
    return [str(value) for value in values[-2:]]


@pytest.mark.parametrize(
    ("word", "speakers", "expected"),
    [
        ("Lee", ["Bob_Lee"], ["true", "false"]),
        ("boblee", ["Bob_Lee"], ["true", "true"]),
        ("xBOB-LEE", ["Bob_Lee"], ["false", "false"]),
        ("xBOBLEE", ["Bob-Lee."], ["false", "true"]),
        ("dog", ["Ann", "-"], ["false", "true"]),  # no speaker is in every word
        ("dog", ["-"], ["false", "true"]),
    ],
)
def test_heads_and_speakers(word: str, speakers: list[str], expected: list[str]) -> None:
    assert in_speakers(word, speakers) == expected


def test_empty_speakers_can_be_ignored() -> None:
    settings = replace(LT17, empty_speakers=False)
    assert in_speakers("dog", ["Ann", "-"], settings) == ["false", "false"]
    assert in_speakers("Ann", ["Ann", "-"], settings) == ["true", "true"]


@pytest.mark.parametrize(
    ("id", "prefix", "word"),
    [
        ("bc/cnn/00/cnn_0001", "bc", "bc"),
        ("GUM_court_loan", "GU", "court"),
        ("GUM_conversation_vet", "GU", "conversation"),
    ],
)
def test_genres(id: str, prefix: str, word: str) -> None:
    assert (genre_of(id, "prefix"), genre_of(id, "word")) == (prefix, word)


# Vocabularies


@pytest.mark.parametrize("preset", FEATURE_SETS)
def test_the_features_of_a_template_are_side_by_side_in_its_order(preset: str) -> None:
    settings = FEATURE_SETS[preset]
    vocabulary = fitted(settings)
    shown = list(dict.fromkeys(map(settings.display_name, settings.mention_templates)))
    for names, templates in ((vocabulary.mention, shown), (vocabulary.pair, PAIR_TEMPLATES)):
        assert len(set(names)) == len(names)
        of_name = [name.split("=", 1)[0] for name in names if name != UNKNOWN]
        blocks = [t for t, before in zip(of_name, [None, *of_name], strict=False) if t != before]
        assert blocks == templates


def test_the_first_mention_is_never_the_current_one_and_the_last_never_an_antecedent() -> None:
    doc = flat_document("bc/x", [["he", "dog", "it"]], [(0, 1), (1, 2), (2, 3)])
    names = fit([describe_gold(doc, LT17)], LT17, EMPTY)[0].pair
    assert "canon_j=he" in names
    assert "canon_i=it" in names
    assert "canon_i=he" not in names
    assert "canon_j=it" not in names


UNSEEN = flat_document("zz/x", [["she", "she"]], [(0, 1), (1, 2)], ["Zoe", "Zoe"])
UNSEEN_TEMPLATES = ("canon", "speaker", "genre")


def test_unseen_values_without_a_feature() -> None:
    settings = replace(LT17, unknown="none")
    vocabulary = fitted(settings)
    assert not any(UNKNOWN in name for name in vocabulary.mention + vocabulary.pair)
    rows = table(describe_gold(UNSEEN, settings), vocabulary)
    for template in UNSEEN_TEMPLATES:
        column = rows.features[:, settings.mention_templates.index(template)]
        assert column.tolist() == [NO_FEATURE, NO_FEATURE]
    assert rows.current.tolist() == [[NO_FEATURE, NO_FEATURE]] * 2
    assert rows.previous.tolist() == [[NO_FEATURE]] * 2
    names = feature_names(rows, vocabulary, pairs=True)
    shown = {name.split("=")[0] for name in names["phi_a"][0]}
    assert shown.isdisjoint(UNSEEN_TEMPLATES)
    shown = {name.split("=")[0] for name in names["pairs"]["1,0"]}
    assert shown.isdisjoint({"canon_i", "canon_j", "genre"})


def test_unseen_values_fire_one_feature_of_their_template() -> None:
    vocabulary = fitted(LT17)
    for templates, names in (
        (LT17.mention_templates, vocabulary.mention),
        (PAIR_TEMPLATES, vocabulary.pair),
    ):
        unknown = {name for name in names if name.endswith(f"={UNKNOWN}")}
        assert unknown == {f"{template}={UNKNOWN}" for template in templates}
    names = feature_names(table(describe_gold(UNSEEN, LT17), vocabulary), vocabulary, pairs=True)
    for template in UNSEEN_TEMPLATES:
        assert f"{template}={UNKNOWN}" in names["phi_a"][0]
    assert len(names["phi_a"][0]) == 23
    assert {f"canon_i={UNKNOWN}", f"canon_j={UNKNOWN}", f"genre={UNKNOWN}"} <= set(
        names["pairs"]["1,0"]
    )


def test_unseen_values_fire_one_feature_for_all_templates() -> None:
    settings = replace(LT17, unknown="global")
    vocabulary = fitted(settings)
    assert [vocabulary.mention.count(UNKNOWN), vocabulary.pair.count(UNKNOWN)] == [1, 1]
    rows = table(describe_gold(UNSEEN, settings), vocabulary)
    for template in UNSEEN_TEMPLATES:
        column = rows.features[:, settings.mention_templates.index(template)]
        assert [vocabulary.mention[row] for row in column.tolist()] == [UNKNOWN, UNKNOWN]
    assert rows.current.tolist() == [[vocabulary.pair.index(UNKNOWN)] * 2] * 2
    names = feature_names(rows, vocabulary, pairs=True)["pairs"]["1,0"]
    assert len(names) == len(PAIR_TEMPLATES)
    assert names.count(UNKNOWN) >= 3  # genre and both canonical forms


@pytest.mark.parametrize("preset", FEATURE_SETS)
def test_json_keeps_everything(preset: str) -> None:
    vocabulary = fitted(replace(FEATURE_SETS[preset], lexical_cutoff=2))
    again = Vocabulary.from_json(vocabulary.to_json())
    assert again.settings == vocabulary.settings
    assert again.inventories == vocabulary.inventories
    assert (again.mention, again.pair) == (vocabulary.mention, vocabulary.pair)
    assert again.lexicons == vocabulary.lexicons
    assert again.digest == vocabulary.digest
    described = describe_gold(UNSEEN, vocabulary.settings)
    assert np.array_equal(table(described, again).features, table(described, vocabulary).features)


def check_error(text: str) -> None:
    with pytest.raises(CorelaxError) as caught:
        Vocabulary.from_json(text, "model/vocabulary.json")
    message = str(caught.value)
    assert message.startswith("model/vocabulary.json: ")
    assert "\n" not in message


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{\n"version": 1\n}'])
def test_what_is_no_vocabulary_is_an_error_of_one_line_that_names_the_file(text: str) -> None:
    check_error(text)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("version", 99),
        ("version", None),
        ("settings", []),
        ("settings", {"no_such_switch": 1}),
        ("settings", {"unknown": "sometimes"}),
        ("settings", {"lexical_cutoff": "many"}),
        ("inventories", {"nowhere": []}),
        ("inventories", []),
        ("inventories", None),
        ("mention", None),
        ("mention", "type=PROPER"),
        ("pair", 7),
        ("pair", [["dist", 1]]),
        ("pair", [1, 2]),
    ],
)
def test_a_vocabulary_with_a_wrong_field_is_an_error_of_one_line_that_names_the_file(
    field: str, value: object
) -> None:
    check_error(json.dumps({**json.loads(fitted(LT17).to_json()), field: value}))


def test_other_settings_or_names_make_another_digest() -> None:
    vocabulary = fitted(LT17)
    other = Vocabulary(
        replace(LT17, third_person=True),
        vocabulary.inventories,
        vocabulary.mention,
        vocabulary.pair,
        vocabulary.lexicons,
    )
    shorter = Vocabulary(
        LT17, vocabulary.inventories, vocabulary.mention[1:], vocabulary.pair, vocabulary.lexicons
    )
    assert len({v.digest for v in (vocabulary, other, shorter)}) == 3


def test_training_documents_without_mentions_are_an_error() -> None:
    with pytest.raises(CorelaxError, match="no mentions"):
        fit([describe_gold(flat_document("bc/x", [["so"]], []), LT17)], LT17, EMPTY)


@pytest.mark.parametrize(
    "wrong",
    [
        {"unknown": "maybe"},
        {"genre": "letter"},
        {"pronoun_animacy": "guess"},
        {"containment": "words"},
        {"mentions_in_pairs": "some"},
        {"lexical_cutoff": -1},
        {"largest_count": -1},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_wrong_settings_are_named(wrong: dict[str, object]) -> None:
    [(name, value)] = wrong.items()
    with pytest.raises(CorelaxError, match=f"{name} must be .*, not .*{value}"):
        FeatureSettings(**wrong)  # type: ignore[arg-type]
