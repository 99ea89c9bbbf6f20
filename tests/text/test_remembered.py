"""Numbers of words that are remembered: always those that would be computed, by any number of threads."""

import pickle
from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from corelax.text.remembered import Remembered
from corelax.text.vocabulary import Vocabulary

WORDS = st.lists(st.text("abc", max_size=3), max_size=9)


def letters(words):
    return [[ord(letter) for letter in word] for word in words]


@given(calls=st.lists(WORDS, max_size=6), most=st.integers(1, 12))
def test_numbers_are_those_that_would_be_computed_whatever_was_forgotten(calls, most):
    remembered = Remembered(letters, most)
    for words in calls:
        rows = remembered.rows(words)
        assert rows.size.tolist() == [len(word) for word in words]
        assert rows.joined().tolist() == [ord(letter) for word in words for letter in word]


def test_a_word_is_computed_once():
    computed = []
    remembered = Remembered(lambda words: [computed.append(word) or [0] for word in words])
    for words in (["Ann", "saw", "Ann"], ["saw", "Bo"], []):
        remembered.rows(words)
    assert computed == ["Ann", "saw", "Bo"]


def test_threads_share_what_is_remembered():
    remembered = Remembered(letters, most=300)

    def looks_right(seed):
        words = [f"{(seed * 37 + at * at) % 500}" for at in range(200)]
        return remembered.rows(words).joined().tolist() == [ord(c) for word in words for c in word]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(looks_right, range(200)))


@given(calls=st.lists(st.tuples(WORDS, st.integers(0, 3)), max_size=9), most=st.integers(1, 12))
def test_numbered_words_have_the_same_numbers_whatever_was_forgotten(calls, most):
    remembered = Remembered(letters, most)
    vocabularies = [Vocabulary() for _ in range(3)]  # one more than are found without a dictionary
    for words, number in calls:
        given_words = vocabularies[number].numbered(words) if number < 3 else words
        rows = remembered.rows(given_words)
        assert rows.joined().tolist() == [ord(letter) for word in words for letter in word]


def test_threads_share_numbered_words():
    remembered, vocabulary = Remembered(letters, most=300), Vocabulary()

    def looks_right(seed):
        words = vocabulary.numbered([f"{(seed * 37 + at * at) % 500}" for at in range(200)])
        assert vocabulary.words(words.numbers) == words
        return remembered.rows(words).joined().tolist() == [ord(c) for word in words for c in word]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(looks_right, range(200)))


def test_numbered_words_are_a_tuple_where_they_are_sent():
    words = Vocabulary().numbered(["Ann", "saw"])
    sent = pickle.loads(pickle.dumps(words))
    assert (type(sent), sent) == (tuple, words)
