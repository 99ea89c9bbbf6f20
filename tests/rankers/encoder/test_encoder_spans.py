"""Which spans there are, which are kept, what their vectors and strings are."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax.document import Document
from corelax.english.words import SHAPES
from corelax.rankers.encoder.inputs import encoder_input
from corelax.rankers.encoder.span_table import best_numbers, span_table, word_spans
from corelax.rankers.encoder.spans import likely_spans, on_device
from corelax.rankers.encoder.words import LAYERS
from tests.rankers.encoder.encoder_models import STORY, a_document, tiny_model, write_encoder

pytestmark = pytest.mark.usefixtures("one_thread")
enough = settings(deadline=None, max_examples=60)
INF = math.inf


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tiny_model(write_encoder(tmp_path_factory.mktemp("encoder")))


@torch.no_grad()
def found(model, document, given=None, scheme=0):
    """Windows of a document, and the spans in them."""
    windows = encoder_input(document, model.tokenizer, model.ranker.settings.window)
    read = model.ranker.read(windows, [scheme] * len(windows))
    if given is not None:
        given = np.array(given, np.int64).reshape(-1, 3)
    return windows, read, model.ranker.find(read, given=given)


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
    for here, there in zip(table, on_device(word_spans(sentences, widest)), strict=True):
        assert here.tolist() == there.tolist()
    assert list(zip(*(t.tolist() for t in table[:3]), strict=True)) == expected
    assert table.numbers(np.array(expected, np.int64).reshape(-1, 3)).tolist() == [
        *range(len(expected))
    ]
    assert table.sizes.tolist() == [[w for w, *_ in expected].count(n) for n in range(len(rows))]


def test_the_logit_of_a_span_is_that_of_its_formula(model):
    """v · relu(S x_s + E x_e + C mean(x_s … x_e) + width + scheme), span by span."""
    _, read, spans = found(model, a_document(STORY), scheme=1)
    scorer = model.ranker.spans
    table = list(zip(*(t.tolist() for t in spans.table[:3]), spans.logits.tolist(), strict=True))
    assert len(table) > 100
    for row, start, width, logit in table[::7]:
        words = read.words[row, start : start + width + 1]
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
    on_cpu = on_device(word_spans(sentences, widest))
    return table, on_cpu, torch.tensor(order, dtype=torch.float) - 10


@given(
    spans=tables(),
    ratio=st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5, 3.0]),
    least=st.sampled_from([-INF, -5.0, 3.5]),
)
@enough
def test_the_likeliest_spans_of_each_window_are_kept_in_the_order_of_the_text(spans, ratio, least):
    table, on_cpu, logits = spans
    every = list(zip(logits.tolist(), *(t.tolist() for t in table[:3]), strict=True))
    expected = []
    for window, words in enumerate(table.words.tolist()):
        inside = sorted((span for span in every if span[1] == window), reverse=True)
        best = inside[: math.ceil(words * ratio)]
        expected += sorted(span[1:] for span in best if span[0] >= least)
    kept = likely_spans(logits, on_cpu, ratio, least).kept(logits, on_cpu)
    places = (kept.window, kept.start, kept.width)
    assert list(zip(*(t.tolist() for t in places), strict=True)) == expected
    assert kept.logit.equal(logits[kept.number])
    windows = [window for window, *_ in expected]
    assert kept.counts.tolist() == [windows.count(n) for n in range(len(table.words))]
    number, counts = best_numbers(logits.numpy(), table, ratio, least)
    assert (number.tolist(), counts.tolist()) == (kept.number.tolist(), kept.counts.tolist())


def test_gradients_reach_the_logits_of_kept_spans_only():
    logits = torch.tensor([1.0, 3.0, -2.0], requires_grad=True)
    table = on_device(word_spans([np.array([0, 0])], 2))
    likely_spans(logits, table, 1.0, least=0.0).kept(logits, table).logit.sum().backward()
    assert logits.grad.tolist() == [1, 1, 0]


def test_given_spans_are_taken_instead(model):
    given = [(0, 0, 0), (0, 2, 2), (1, 1, 3)]
    windows, _, spans = found(model, a_document(STORY), given)
    expected = [(windows[row].first + s, windows[row].first + s + w + 1) for row, s, w in given]
    pairs = zip(spans.spans.start[0].tolist(), spans.spans.end[0].tolist(), strict=True)
    assert list(pairs) == expected
    numbers = spans.table.numbers(np.array(given))
    assert spans.logits[numbers].tolist() == spans.spans.logit[0].tolist()


# What is known of spans.


def test_the_vector_of_a_span_is_that_of_its_formula(model):
    """gelu(W [x_s; x_e; Σ_t α_t x_t; width; scheme])."""
    windows, read, spans = found(model, a_document(STORY))
    encoder = model.ranker.span_vectors
    for at, (row, start, width) in enumerate(zip(*spans.kept[1:4], strict=True)):
        words = read.words[row, start : start + width + 1]
        attention = encoder.attention(words).softmax(0)
        parts = [words[0], words[-1], (attention * words).sum(0)]
        parts += [encoder.width.weight[width], encoder.scheme.weight[0]]
        expected = torch.nn.functional.gelu(encoder.project(torch.cat(parts)))
        torch.testing.assert_close(spans.spans.vectors[0, at], expected, atol=1e-5, rtol=1e-4)
        head = start + attention.argmax()
        assert spans.spans.head[0, at] == windows[row].layers[head, LAYERS.index("hash")]


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
    _, _, spans = found(model, document, every_span(windows, 4))
    bounds = zip(spans.spans.start[0].tolist(), spans.spans.end[0].tolist(), strict=True)
    strings = [bare(document.words[start:end]) for start, end in bounds]
    numbers = spans.spans.text[0].tolist()
    number_of = dict(zip(strings, numbers, strict=True))
    assert [number_of[string] for string in strings] == numbers
    assert len(set(numbers)) == len(number_of)


def test_the_order_of_words_makes_another_string(model):
    document = a_document(["dog cat", "cat dog", "dog cat cat", "dog dog cat"])
    windows, _, spans = found(model, document, [(0, 0, 1), (0, 2, 1), (0, 4, 2), (0, 7, 2)])
    assert len(windows) == 1
    assert len(set(spans.spans.text[0].tolist())) == 4


def test_a_span_knows_its_sentence_and_speaker(model):
    document = a_document(STORY, ["Bo", None, "Cy", "Bo", "Bo", None])
    _, _, spans = found(model, document)
    sentence_of = [n for n, sentence in enumerate(document.sentences) for _ in sentence]
    first = spans.spans.start[0].tolist()
    assert spans.spans.sentence[0].tolist() == [sentence_of[word] for word in first]
    expected = {"Bo": 1, None: 0, "Cy": 2}
    speakers = document.layer("speaker")
    assert spans.spans.speaker[0].tolist() == [expected[speakers[word]] for word in first]


def test_a_word_is_the_mean_of_its_pieces(model):
    document = a_document(["zqx dog", "qq"])
    (window,), read, _ = found(model, document)
    with torch.no_grad():
        hidden = model.ranker.encoder(torch.from_numpy(window.pieces)[None]).last_hidden_state[0]
    expected = torch.stack([hidden[1:4].mean(0), hidden[4], hidden[5:7].mean(0)])
    lower_case = model.ranker.shapes.weight[SHAPES.index("lower")]
    torch.testing.assert_close(read.words[0], expected + lower_case, atol=1e-5, rtol=1e-4)
