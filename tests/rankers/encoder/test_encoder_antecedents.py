"""Which antecedents are looked at, and their scores, against loops over single pairs."""

from unittest import mock

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax.rankers.encoder.antecedents import AntecedentScorer, Spans
from corelax.rankers.encoder.features import DISTANCES, WHERE
from corelax.rankers.encoder.inputs import encoder_input
from corelax.rankers.encoder.network import BLOCK, PROPERTIES
from corelax.rankers.encoder.settings import EncoderSettings
from tests.rankers.encoder.encoder_models import STORY, a_document, tiny_model, write_encoder

pytestmark = pytest.mark.usefixtures("one_thread")
enough = settings(deadline=None, max_examples=40)
SIZE = 8
INF = torch.inf


def a_scorer(most=3, reach=5, seed=0):
    torch.manual_seed(seed)
    scorer = AntecedentScorer(
        EncoderSettings(
            schemes=("a", "b"), span_size=SIZE, hidden_size=6, antecedents=most, reach=reach
        )
    )
    for weight in scorer.parameters():
        torch.nn.init.normal_(weight)
    return scorer.double().eval().requires_grad_(False)


def some_spans(sizes, seed=0):
    """Random spans of documents, as many as there are sizes, filled up with what must not count."""
    torch.manual_seed(seed)
    shape = (len(sizes), max(sizes))

    def numbers(most):
        return torch.randint(0, most, shape)

    start = numbers(40).sort(1).values
    known = {
        "start": start,
        "end": start + 1 + numbers(4),
        "sentence": start // 3,
        "speaker": numbers(3),
        "turn": numbers(4),
        "person": numbers(8),
        "text": numbers(4),
        "head": numbers(4),
        "head_word": start,
    }
    return Spans(
        vectors=torch.randn(*shape, SIZE, dtype=torch.float64),
        number=torch.arange(shape[1]).expand(shape),
        properties=torch.stack([known[name] for name in PROPERTIES], -1),
        real=torch.arange(shape[1]) < torch.tensor(sizes)[:, None],
    )


def known_of(spans, row, i):
    return dict(zip(PROPERTIES, spans.properties[row, i].tolist(), strict=True))


def coarse(scorer, spans, row, i, j):
    now, before = spans.vectors[row, i], spans.vectors[row, j]
    score = (scorer.bilinear.weight @ now) @ before / SIZE**0.5
    return float(score + scorer.anaphor(now) + scorer.antecedent(before))


def bucket(distance):
    return max(at for at, begin in enumerate(DISTANCES) if begin <= distance)


def features(spans, row, i, j):
    """The features of a pair, one by one."""
    now, before = known_of(spans, row, i), known_of(spans, row, j)
    words = [set(range(span["start"], span["end"])) for span in (now, before)]
    return {
        "sentences": bucket(now["sentence"] - before["sentence"]),
        "spans": bucket(i - j),
        "text": int(now["text"] == before["text"]),
        "head": int(now["head"] == before["head"]),
        "nested": int(bool(words[0] & words[1])),
    }


def who(spans, row, i, j):
    """Both pronouns and who says them, as one number."""
    (person, speaker, turn), (their_person, their_speaker, their_turn) = (
        [known_of(spans, row, at)[name] for name in ("person", "speaker", "turn")] for at in (i, j)
    )
    if speaker and their_speaker:
        next_turn = 2 if abs(turn - their_turn) == 1 else 3
        voice = 1 if speaker == their_speaker else next_turn
    elif turn and their_turn:
        voice = 4 if turn == their_turn else 5
    else:
        voice = 6 if turn else 7 if their_turn else 0
    return (person * 8 + their_person) * 8 + voice


def full(scorer, spans, row, i, j, scheme):
    now, before = spans.vectors[row, i], spans.vectors[row, j]
    hidden = scorer.current(now) + scorer.previous(before) + scorer.product(now * before)
    hidden = hidden + scorer.scheme.weight[scheme]
    for name, value in features(spans, row, i, j).items():
        hidden = hidden + scorer.features[name].weight[value]
    hidden = hidden + scorer.who.weight[who(spans, row, i, j)]
    close = scorer.out(torch.nn.functional.gelu(hidden))
    return coarse(scorer, spans, row, i, j) + float(close)


@given(
    sizes=st.lists(st.integers(1, 12), min_size=1, max_size=3),
    most=st.integers(1, 6),
    reach=st.integers(1, 14),
    block=st.integers(1, 13),
    seed=st.integers(0, 999),
)
@enough
def test_candidates_are_the_best_coarse_scores_in_reach_and_scored_by_the_formula(
    sizes, most, reach, block, seed
):
    scorer, spans = a_scorer(most, reach, seed), some_spans(sizes, seed)
    schemes = [row % 2 for row in range(len(sizes))]
    with mock.patch.dict(BLOCK, cpu=block):
        scores, antecedents = scorer(spans, torch.tensor(schemes))
    for row, size in enumerate(sizes):
        for i in range(max(sizes)):
            near = range(max(0, i - reach), i) if i < size else range(0)
            best = sorted(near, key=lambda j: -coarse(scorer, spans, row, i, j))[:most]
            there = scores[row, i, 1:] > -INF
            assert sorted(antecedents[row, i][there].tolist()) == sorted(best)
            assert scores[row, i, 0] == 0
            for j, score in zip(antecedents[row, i][there], scores[row, i, 1:][there], strict=True):
                expected = full(scorer, spans, row, i, int(j), schemes[row])
                assert float(score) == pytest.approx(expected, rel=1e-5, abs=1e-4)


def test_no_spans_have_no_candidates():
    spans = some_spans([1]).part(0, 0)
    scores, antecedents = a_scorer()(spans, torch.tensor([0]))
    assert scores.shape[:2] == antecedents.shape[:2] == (1, 0)
    assert scores.shape[-1] == 1 + antecedents.shape[-1]


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        ("text", {"text": [-5, -5]}, 1),
        ("text", {"text": [5, -5]}, 0),
        ("head", {"head": [7, 7]}, 1),
        ("nested", {"start": [3, 4], "end": [6, 5]}, 1),
        ("nested", {"start": [3, 3], "end": [4, 6]}, 1),
        ("nested", {"start": [3, 4], "end": [4, 6]}, 0),
        ("sentences", {"sentence": [4, 4]}, 0),
        ("sentences", {"sentence": [0, 5]}, 5),
        ("sentences", {"sentence": [0, 7]}, 5),
        ("sentences", {"sentence": [0, 8]}, 6),
        ("sentences", {"sentence": [0, 1000]}, 9),
        ("spans", {"number": [0, 64]}, 9),
        ("spans", {"number": [0, 63]}, 8),
    ],
)
def test_a_feature_tells_what_two_spans_share(name, changes, expected):
    """The code of a pair is one number: each feature has a digit of its own."""
    spans = some_spans([2])
    for key, values in changes.items():
        if key == "number":
            spans = spans._replace(number=torch.tensor([values]))
        else:
            spans.properties[0, :, PROPERTIES.index(key)] = torch.tensor(values)
    zero = torch.zeros(1, 1, dtype=torch.long)
    row = Spans(*(tensor[0, 1:] for tensor in spans))
    code = int(a_scorer().codes(row, spans.part(0, 1), zero, zero)[0])
    digits = {}
    for key, size in reversed(WHERE.items()):
        code, digits[key] = divmod(code, size)
    assert digits[name] == expected


# The whole ranker.


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_encoder(tmp_path_factory.mktemp("encoder"))


DOCUMENTS = [
    a_document(STORY, ["Bo", None, "Cy", "Bo", "Bo", None]),
    a_document(["Ann saw it ."]),
    a_document(STORY[::-1] * 2),
]


def test_scores_of_a_document_do_not_depend_on_the_others_in_its_batch(folder):
    model = tiny_model(folder, seed=1)
    inputs = [encoder_input(document, model.tokenizer, 24) for document in DOCUMENTS]
    with torch.no_grad():
        together = model.ranker(inputs, [0, 1, 1])
        for row, (one, scheme) in enumerate(zip(inputs, [0, 1, 1], strict=True)):
            alone = model.ranker([one], [scheme])
            [size] = alone.counts
            assert size == together.counts[row] > 0
            assert alone.mention[0].allclose(together.mention[row, :size], atol=1e-3)
            found = together.antecedent_scores[row]
            torch.testing.assert_close(
                alone.antecedent_scores[0], found[:size, :size], atol=1e-3, rtol=1e-3
            )
            assert (found[size:, :size] == -INF).all()  # what fills up rows links to nothing


def test_schemes_have_their_own_scores(folder):
    model = tiny_model(folder)
    windows = encoder_input(DOCUMENTS[0], model.tokenizer, 24)
    with torch.no_grad():
        one, two = (model.ranker([windows], [scheme]) for scheme in (0, 1))
    assert not one.logits.allclose(two.logits)


def test_gradients_reach_every_parameter(folder):
    """But those that a softmax cannot see: what is added to all its scores alike."""
    model = tiny_model(folder)
    ranker = model.ranker
    inputs = [encoder_input(document, model.tokenizer, 24) for document in DOCUMENTS]
    ranker.train()
    torch.manual_seed(0)
    total = 0.0
    for windows, scheme in zip(inputs, (0, 1, 1), strict=True):
        found = ranker([windows], [scheme])
        for scores in (found.logits, found.antecedent_scores):
            real = scores[scores > -INF]
            total = total + (real * torch.randn(real.shape)).sum()
    total.backward()
    unseen = ("key.bias", "span_vectors.attention.bias")
    dead = [
        name
        for name, weight in ranker.named_parameters()
        if not name.endswith(unseen) and (weight.grad is None or not weight.grad.any())
    ]
    assert dead == []
    assert all(w.grad.isfinite().all() for w in ranker.parameters() if w.grad is not None)
