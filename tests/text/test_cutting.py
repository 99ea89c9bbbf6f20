"""Tokens of texts by what stands between blanks: the same as those of the text as a whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corelax.text.cutting import SHORT, cut_texts
from corelax.text.tokens import ABBREVIATIONS, BEFORE_NUMBERS, TITLES, token_spans

# Words that are cut by what follows or goes before, and others.
UNITS = [
    *(f"{word}." for word in (*TITLES, *ABBREVIATIONS, *BEFORE_NUMBERS)),
    *'I. A. B. J. (b. (d. (c. 5 5. 12. 1.2. 1 X x ( & Ann she left. He The [1] "Hi, end." e.g.'.split(),
    *"U.S. U.S I.B. A, A; can't cannot gonna y'all it's. :) ;-) th- x- -- ... … '80s 3:30 6pm".split(),
    *"R&D snake_case don’t 'cause &amp; http://x.org/. a@b.co. #a 犬 かな 👩‍👩‍👧 🇩🇪 `` '' I.?".split(),
    *("\u200b", "and\u200bso", "\x00", "a" * 50, "b" * 60 + "."),
]
BLANKS = [" ", "\n", "\n\n", "  ", "\t", "\u00a0", "\r\n", "\u2028", "\u3000", ""]
TEXTS = st.lists(
    st.tuples(st.sampled_from(UNITS), st.sampled_from(BLANKS + [" "] * 9)), min_size=1, max_size=40
).map(lambda parts: "".join(unit + blank for unit, blank in parts))
LONG = "word " * SHORT  # so that no text is cut as a whole


def cut_text(text):
    [cut] = cut_texts([text]).parts()
    return cut


@given(text=TEXTS)
def test_what_stands_between_blanks_is_cut_as_in_the_whole_text(text):
    words, spans = cut_text(LONG + text)
    assert [tuple(span) for span in spans.tolist()] == token_spans(LONG + text)
    assert list(words) == [(LONG + text)[start:end] for start, end in spans.tolist()]


@given(text=st.text(max_size=60), tag=st.sampled_from(["", "<b>", '<a href="x y">']))
def test_any_text_is_cut_as_a_whole(text, tag):
    whole = LONG + text + tag + text
    assert [tuple(span) for span in cut_text(whole)[1].tolist()] == token_spans(whole)


@given(texts=st.lists(TEXTS | st.sampled_from(["", " \n", "<b>No. 5</b>", "犬 ran"]), max_size=8))
def test_texts_that_are_cut_together_are_cut_as_if_each_were_alone(texts):
    texts = [*texts, LONG, *texts]
    for text, (words, spans) in zip(texts, cut_texts(texts).parts(), strict=True):
        assert [tuple(span) for span in spans.tolist()] == token_spans(text)
        assert list(words) == [text[start:end] for start, end in spans.tolist()]
        assert words.vocabulary.words(words.numbers) == words


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("See No. 5", ["See", "No.", "5"]),
        ("I said No. He left", ["I", "said", "No", ".", "He", "left"]),
        ("by J. Smith", ["by", "J.", "Smith"]),
        ("plan J. it", ["plan", "J", ".", "it"]),
        ("plan J.", ["plan", "J", "."]),
    ],
)
def test_a_full_stop_goes_by_what_follows_however_often_it_was_seen(text, last):
    for _ in range(2):
        assert list(cut_text(LONG + text)[0][-len(last) :]) == last


@pytest.mark.parametrize("text", ["", " ", " \n" * SHORT, "\u200b" * 2 * SHORT])
def test_texts_of_blanks_have_no_tokens(text):
    words, spans = cut_text(text)
    assert words == ()
    assert spans.shape == (0, 2)


def test_a_text_is_cut_the_same_after_all_words_were_forgotten(monkeypatch):
    monkeypatch.setattr("corelax.text.cutting.MOST_WORDS", 5)
    texts = [f"{LONG} no{number} was, No. {number} it (is)." for number in range(9)]
    vocabularies = set()
    for text in texts * 2:
        words, spans = cut_text(text)
        assert list(words) == [text[start:end] for start, end in spans.tolist()]
        assert words.vocabulary.words(words.numbers) == words
        vocabularies.add(words.vocabulary)
    assert len(vocabularies) > 1
