"""What single words say."""

import pytest

from corelax.english.words import DETERMINER, OPENING, PERSONS, POSSESSIVE, STRAIGHT, word_facts


@pytest.mark.parametrize(
    ("word", "mark", "person", "quote"),
    [
        ("The", DETERMINER, "none", 0),
        ("’s", POSSESSIVE, "none", 0),
        ("Herself", 0, "she", 0),
        ("“", 0, "none", OPENING),
        ('"', 0, "none", STRAIGHT),
        ("dog", 0, "none", 0),
    ],
)
def test_facts_of_a_word(word, mark, person, quote):
    facts = word_facts(word)
    assert (facts.mark, PERSONS[facts.person], facts.quote) == (mark, person, quote)


def test_words_that_differ_in_capitals_alone_have_one_hash():
    assert word_facts("Ann").hash == word_facts("ANN").hash
    assert len({word_facts(word).hash for word in ("Ann", "Bo", "", "\ud800")}) == 4
