"""Which spans there are, which are kept, what their vectors and strings are."""

import math
from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax.document import Document
from corelax.english.words import SHAPES
from corelax.rankers.encoder.features import LAYERS
from corelax.rankers.encoder.inputs import TextWindow, encoder_input
from corelax.rankers.encoder.network import PROPERTIES, window_batch
from corelax.rankers.encoder.places import SpanTable, likely_spans, span_table
from tests.rankers.encoder.encoder_models import STORY, a_document, tiny_model, write_encoder

pytestmark = pytest.mark.usefixtures("one_thread")
enough = settings(deadline=None, max_examples=60)
INF = math.inf


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tiny_model(write_encoder(tmp_path_factory.mktemp("encoder")))


class Found(NamedTuple):
    """What a network says of the windows of a document: all spans, and some of them."""

    windows: tuple[TextWindow, ...]
    words: torch.Tensor
    table: SpanTable
    logits: np.ndarray
    number: np.ndarray
    vectors: np.ndarray
    properties: dict[str, list[int]]


def found(model, document, given=None, scheme=0):
    """Windows of a document, and the likeliest or the given spans in them."""
    windows = encoder_input(document, model.tokenizer, model.settings.window)
    batch = window_batch(windows, [scheme] * len(windows), model.settings.max_width)
    words, logits = model.network.words(batch)
    if given is None:
        number = likely_spans(logits, batch.spans, model.settings.span_ratio)
    else:
        number = batch.spans.numbers(np.array(given, np.int64).reshape(-1, 3))
    vectors, properties = model.network.spans(words, batch, number)
    by_name = dict(zip(PROPERTIES, properties.T.tolist(), strict=True))
    return Found(windows, words.clone(), batch.spans, logits, number, vectors, by_name)


def every_span(windows, widest):
    return [
        (row, start, width)
        for row, window in enumerate(windows)
        for start in range(window.size)
        for width in range(min(widest, window.size - start))
    ]


# Spans that are possible.


@given(
    rows=st.lists(st.lists(st.integers(1, 4), max_size=4), min_size=1, max_size=3),
    widest=st.integers(1, 5),
)
@enough
def test_the_spans_of_a_table_are_those_whose_words_are_in_one_sentence(rows, widest):
    """Rows are lengths of sentences."""
    sentences = [np.repeat(np.arange(len(row)), row) for row in rows]
    expected = [
        (number, start, width)
        for number, row in enumerate(sentences)
        for start in range(len(row))
        for width in range(widest)
        if start + width < len(row) and row[start] == row[start + width]
    ]
    table = span_table(sentences, widest)
    assert list(zip(*(t.tolist() for t in table[:3]), strict=True)) == expected
    assert table.numbers(np.array(expected, np.int64).reshape(-1, 3)).tolist() == [
        *range(len(expected))
    ]
    assert table.sizes.tolist() == [[w for w, *_ in expected].count(n) for n in range(len(rows))]


def test_the_logit_of_a_span_is_that_of_its_formula(model):
    """v · relu(S x_s + E x_e + C mean(x_s … x_e) + width + scheme), span by span."""
    spans = found(model, a_document(STORY), scheme=1)
    scorer = model.ranker.spans
    table = list(zip(*(t.tolist() for t in spans.table[:3]), spans.logits.tolist(), strict=True))
    assert len(table) > 100
    for row, start, width, logit in table[::7]:
        words = spans.words[row, start : start + width + 1]
        hidden = scorer.start(words[0]) + scorer.end(words[-1])
        hidden = hidden + scorer.content(words).mean(0)
        hidden = hidden + scorer.width.weight[width] + scorer.scheme.weight[1]
        expected = scorer.out(hidden.clamp(min=0))[1].item()
        assert logit == pytest.approx(expected, abs=1e-4)


# Spans that are kept.


@st.composite
def tables(draw):
    """Spans of windows of different lengths, and different logits."""
    rows = draw(st.lists(st.lists(st.integers(1, 4), max_size=3), min_size=1, max_size=3))
    sentences = [np.repeat(np.arange(len(row)), row) for row in rows]
    widest = draw(st.integers(1, 3))
    table = span_table(sentences, widest)
    order = draw(st.permutations(range(len(table.window))))
    return table, np.array(order, float) - 10


@given(
    spans=tables(),
    ratio=st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5, 3.0]),
    least=st.sampled_from([-INF, -5.0, 3.5]),
)
@enough
def test_the_likeliest_spans_of_each_window_are_kept_in_the_order_of_the_text(spans, ratio, least):
    table, logits = spans
    every = list(zip(logits.tolist(), *(t.tolist() for t in table[:3]), strict=True))
    expected = []
    for window, words in enumerate(table.words.tolist()):
        inside = sorted((span for span in every if span[1] == window), reverse=True)
        best = inside[: math.ceil(words * ratio)]
        expected += sorted(span[1:] for span in best if span[0] >= least)
    number = likely_spans(logits, table, ratio, least)
    assert list(zip(*(t[number].tolist() for t in table[:3]), strict=True)) == expected


def test_given_spans_are_taken_instead(model):
    given = [(0, 0, 0), (0, 2, 2), (1, 1, 3)]
    spans = found(model, a_document(STORY), given)
    first = [spans.windows[row].first for row, *_ in given]
    assert spans.properties["start"] == [f + s for f, (_, s, _) in zip(first, given, strict=True)]
    expected = [f + s + w + 1 for f, (_, s, w) in zip(first, given, strict=True)]
    assert spans.properties["end"] == expected


# What is known of spans.


def test_the_vector_of_a_span_is_that_of_its_formula(model):
    """gelu(W [x_s; x_e; Σ_t α_t x_t; width; scheme])."""
    spans = found(model, a_document(STORY))
    encoder = model.ranker.span_vectors
    places = zip(*(column[spans.number].tolist() for column in spans.table[:3]), strict=True)
    for at, (row, start, width) in enumerate(places):
        words = spans.words[row, start : start + width + 1]
        attention = encoder.attention(words).softmax(0)
        parts = [words[0], words[-1], (attention * words).sum(0)]
        parts += [encoder.width.weight[width], encoder.scheme.weight[0]]
        expected = torch.nn.functional.gelu(encoder.project(torch.cat(parts)))
        np.testing.assert_allclose(
            spans.vectors[at], expected.detach().numpy(), atol=1e-5, rtol=1e-4
        )
        head = start + int(attention.argmax())
        hashes = spans.windows[row].layers[:, LAYERS.index("hash")]
        assert spans.properties["head"][at] == hashes[head]


def bare(words):
    """The words that are compared: in lower case, without a determiner before and a possessive after."""
    words = [word.lower() for word in words]
    if len(words) > 1 and words[0] in ("the", "a", "an", "this", "that", "these", "those"):
        words = words[1:]
    if len(words) > 1 and words[-1] in ("'s", "’s", "'", "’"):
        words = words[:-1]
    return tuple(words)


A_WORD = st.sampled_from(["the", "A", "these", "dog", "Dog", "cat", "'s", "’", "\0", "犬"])


@given(sentences=st.lists(st.lists(A_WORD, min_size=1, max_size=9), min_size=1, max_size=8))
@enough
def test_the_numbers_of_two_strings_are_equal_if_and_only_if_the_bare_strings_are(model, sentences):
    """In any window, at any place."""
    document = Document.from_sentences("d", sentences)
    windows = encoder_input(document, model.tokenizer, model.ranker.settings.window)
    spans = found(model, document, every_span(windows, 4)).properties
    bounds = zip(spans["start"], spans["end"], strict=True)
    strings = [bare(document.words[start:end]) for start, end in bounds]
    numbers = spans["text"]
    number_of = dict(zip(strings, numbers, strict=True))
    assert [number_of[string] for string in strings] == numbers
    assert len(set(numbers)) == len(number_of)


def test_a_span_knows_its_sentence_and_speaker(model):
    document = a_document(STORY, ["Bo", None, "Cy", "Bo", "Bo", None])
    spans = found(model, document).properties
    sentence_of = [n for n, sentence in enumerate(document.sentences) for _ in sentence]
    first = spans["start"]
    assert spans["sentence"] == [sentence_of[word] for word in first]
    expected = {"Bo": 1, None: 0, "Cy": 2}
    speakers = document.layer("speaker")
    assert spans["speaker"] == [expected[speakers[word]] for word in first]


def test_a_word_is_the_mean_of_its_pieces(model):
    document = a_document(["zqx dog", "qq"])
    spans = found(model, document, [(0, 0, 0)])
    [window] = spans.windows
    with torch.no_grad():
        hidden = model.ranker.encoder(torch.from_numpy(window.pieces)[None]).last_hidden_state[0]
    expected = torch.stack([hidden[1:4].mean(0), hidden[4], hidden[5:7].mean(0)])
    lower_case = model.ranker.shapes.weight[SHAPES.index("lower")]
    torch.testing.assert_close(spans.words[0], expected + lower_case, atol=1e-5, rtol=1e-4)
