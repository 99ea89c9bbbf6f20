"""The sparse ranker against a slow one: sums of weight rows of features that are named one by one."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch

from corelax import CorelaxError
from corelax.rankers import SparseRanker
from corelax.rankers.sparse import pair_scores
from corelax.rankers.sparse.features.extract import describe, fit, table
from corelax.rankers.sparse.features.settings import FEATURE_SETS
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.features.vocabulary import Inventories, Vocabulary
from corelax.rankers.sparse.mentions.lexicons import load_lexicons
from corelax.rankers.sparse.pair_scores import Limits, PairScores
from corelax.rankers.sparse.settings import SparseSettings
from corelax.rankers.sparse.tensors import SLOTS, DocumentTensors, TableRows, code_slots
from corelax.synthetic import Shape, generate

# The twelve features of a pair code, in the order in which it is packed: two distances and ten bits.
BITS = (
    "iwi samespk exact i_in_j j_in_i headmatch ihead_in_j jhead_in_i jhead_in_otherspk otherspk_in_jhead"
).split()
NOT_PAIRED = {"default": (), "lt17": (), "w16": ("type", "genre", "canon")}
TINY_LIMITS = [
    Limits(1, 0),
    Limits(1, 1 << 27),
    Limits(1 << 21, 0),
    Limits(1000, 1 << 27),
    Limits(3000, 0),
]


@pytest.fixture(autouse=True)
def double_precision():
    """New tensors are float64, weights too. One thread is faster for small ones."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)
    torch.set_num_threads(threads)


def described(preset, documents, seed, mentions):
    shape = Shape.conll2012().scaled(mentions)
    settings, lexicons = FEATURE_SETS[preset], load_lexicons("shipped")
    return [
        describe(doc, settings, lexicons, lambda _: None)
        for doc in generate(documents, seed=seed, shape=shape)
    ]


@pytest.fixture(scope="module")
def corpora():
    """By preset: a vocabulary of two short documents, and a longer one with much that they lack."""
    result = {}
    for preset in FEATURE_SETS:
        vocabulary, _ = fit(
            described(preset, 2, 0, 6), FEATURE_SETS[preset], load_lexicons("shipped")
        )
        [unseen] = described(preset, 1, 3, 40)
        result[preset] = vocabulary, table(unseen, vocabulary)
    return result


def new_ranker(vocabulary, **settings):
    torch.manual_seed(7)
    sizes = SparseSettings(hidden_mention=5, hidden_pair=6, **settings)
    ranker = SparseRanker(vocabulary, sizes)
    with torch.no_grad():  # zero biases would hide errors
        for parameter in ranker.parameters():
            if parameter.ndim < 2:
                parameter.normal_()
    return ranker


def code_features(code, vocabulary):
    """The rows of a pair code's features, unpacked by hand."""
    names = []
    for bit in reversed(BITS):
        code, value = divmod(code, 2)
        names.append((bit, "true" if value else "false"))
    distance, sentences = divmod(code, 11)
    names += [("dist", str(distance + 1)), ("sdist", str(sentences))]
    rows = []
    for template, value in names:
        for name in (f"{template}={value}", f"{template}=#UNK#", "#UNK#"):
            if name in vocabulary.pair:
                rows.append(vocabulary.pair.index(name))
                break
    return rows


def slow_scores(ranker, rows, vocabulary, preset):
    """[i][j] the formulas of the paper, one pair at a time; None above the diagonal."""
    templates = FEATURE_SETS[preset].mention_templates
    n = rows.size
    square = np.zeros((n, n), dtype=int)
    square[np.tril_indices(n, -1)] = rows.codes[rows.code_of_pair]

    def of_mention(table, i, left_out=()):
        active = [
            row
            for template, row in zip(templates, rows.features[i], strict=True)
            if row >= 0 and template not in left_out
        ]
        return sum((table[row] for row in active), table[0] * 0)

    def of_pair(features):
        return sum((ranker.pair_table[row] for row in features if row >= 0), ranker.pair_bias * 0)

    scores = torch.full((n, n), -torch.inf)
    for i in range(n):
        h_a = torch.tanh(of_mention(ranker.mention_table, i) + ranker.mention_bias)
        scores[i, i] = ranker.new_mention @ h_a + ranker.new_bias
        for j in range(i):
            features = [
                *code_features(int(square[i, j]), vocabulary),
                *rows.current[i],
                *rows.previous[j],
            ]
            h_p = torch.tanh(
                of_mention(ranker.current_table, i, NOT_PAIRED[preset])
                + of_mention(ranker.previous_table, j, NOT_PAIRED[preset])
                + of_pair(features)
                + ranker.pair_bias
            )
            link = ranker.link_mention @ h_a + ranker.link_pair @ h_p + ranker.link_bias
            scores[i, j] = link
    return scores


def gradients(ranker, scores):
    """Of a sum over all actions with weights that differ; by the names of parameters."""
    n = len(scores)
    generator = torch.Generator().manual_seed(n)
    weights = torch.randn(n, n, generator=generator)
    below = torch.ones(n, n, dtype=torch.bool).tril()
    loss = (weights * scores)[below].sum()
    parameters = dict(ranker.named_parameters())
    found = torch.autograd.grad(loss, list(parameters.values()))
    return {
        name: gradient.to_dense() if gradient.is_sparse else gradient
        for name, gradient in zip(parameters, found, strict=True)
    }


def below(scores):
    n = len(scores)
    return scores[torch.ones(n, n, dtype=torch.bool).tril()]


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name in expected:
        torch.testing.assert_close(found[name], expected[name], msg=lambda m, n=name: f"{n}: {m}")


def random_table(n, *, features=40, templates=3, codes=50, seed=0):
    rng = np.random.default_rng(seed)
    return DocumentTable(
        key="random",
        spans=np.stack([np.arange(n), np.arange(n) + 1], 1).astype(np.int32),
        features=rng.integers(-1, features, (n, templates)).astype(np.int32),
        current=rng.integers(-1, 10, (n, 2)).astype(np.int32),
        previous=rng.integers(-1, 10, (n, 1)).astype(np.int32),
        codes=rng.choice(112_640, codes, replace=False).astype(np.int32),
        code_of_pair=rng.integers(0, codes, n * (n - 1) // 2).astype(np.uint16),
        gold=np.full(n, -1, dtype=np.int32),
        gold_mentions=np.zeros((0, 4), dtype=np.int32),
    )


def made_up_words(features):
    """A vocabulary that lacks some of the features that codes are made of."""
    names = [f"dist={d}" for d in range(1, 11)] + [f"sdist={d}" for d in range(11)]
    names += [f"{bit}={value}" for bit in BITS for value in ("false", "true")]
    pair = [name if row % 7 else f"canon_i={row}" for row, name in enumerate(names)]
    words = [f"head={number}" for number in range(features)]
    return Vocabulary(FEATURE_SETS["default"], Inventories(), words, pair)


def random_ranker(**sizes):
    torch.manual_seed(1)
    return SparseRanker(
        made_up_words(40), SparseSettings(**{"hidden_mention": 4, "hidden_pair": 6, **sizes})
    )


@pytest.mark.parametrize("preset", FEATURE_SETS)
def test_scores_and_gradients_are_those_of_named_features(corpora, preset):
    vocabulary, rows = corpora[preset]
    ranker = new_ranker(vocabulary)
    slow, fast = slow_scores(ranker, rows, vocabulary, preset), ranker(ranker.tensors_of(rows))
    torch.testing.assert_close(below(fast), below(slow))
    assert_same(gradients(ranker, fast), gradients(ranker, slow))


def test_a_ranker_can_be_made_double(corpora):
    vocabulary, rows = corpora["default"]
    exact = new_ranker(vocabulary)
    expected = exact(exact.tensors_of(rows))
    torch.set_default_dtype(torch.float32)
    ranker = SparseRanker(vocabulary, SparseSettings(hidden_mention=5, hidden_pair=6)).double()
    ranker.load_state_dict(exact.state_dict())
    scores = ranker(ranker.tensors_of(rows))
    assert scores.dtype == torch.float64
    torch.testing.assert_close(below(scores), below(expected))


@pytest.mark.parametrize("limits", TINY_LIMITS)
@pytest.mark.parametrize("preset", ["default", "w16"])
def test_blocks_of_rows_change_nothing(corpora, preset, limits, monkeypatch):
    vocabulary, rows = corpora[preset]
    ranker = new_ranker(vocabulary)
    document = ranker.tensors_of(rows)
    whole = ranker(document)
    expected = gradients(ranker, whole)
    monkeypatch.setattr(pair_scores, "ON_CPU", limits)
    in_blocks = ranker(document)
    torch.testing.assert_close(below(in_blocks), below(whole))
    assert_same(gradients(ranker, in_blocks), expected)


def test_the_same_scores_and_gradients_come_out_every_time(corpora):
    torch.set_default_dtype(torch.float32)
    vocabulary, rows = corpora["default"]
    ranker = new_ranker(vocabulary)
    document = ranker.tensors_of(rows)
    first = gradients(ranker, ranker(document))
    for _ in range(3):
        again = gradients(ranker, ranker(document))
        assert all(again[name].equal(first[name]) for name in first)


@pytest.mark.parametrize("window", [0, 1, 4, 100])
@pytest.mark.parametrize(
    ("n", "size", "limit"), [(50, 3, 300), (7, 10, 1), (1, 5, 1), (30, 2, 10**9), (0, 4, 10)]
)
def test_blocks_cover_every_row_once_and_keep_to_the_limit(n, size, limit, window):
    blocks = list(pair_scores.blocks(n, size, limit, window))
    assert [row for rows, _ in blocks for row in range(rows.start, rows.stop)] == list(range(n))
    for rows, columns in blocks:
        lowest = max(rows.start - window, 0) if window else 0
        assert (columns.start, columns.stop) == (lowest, rows.stop)
        height, width = rows.stop - rows.start, columns.stop - columns.start
        assert height == 1 or height * width * size <= limit
    for (rows, columns), _ in pairwise(blocks):  # no block could have had the next row too
        height, width = rows.stop + 1 - rows.start, rows.stop + 1 - columns.start
        assert height * width * size > limit


@pytest.mark.parametrize("limits", TINY_LIMITS)
@pytest.mark.parametrize("limit", [1, 3, 8])
def test_blocks_change_nothing_where_antecedents_are_limited(corpora, limit, limits, monkeypatch):
    vocabulary, rows = corpora["default"]
    ranker = new_ranker(vocabulary, max_antecedents=limit)
    document = ranker.tensors_of(rows)

    def both():
        scores = ranker(document)
        near = scores.masked_fill(scores == -torch.inf, 0)
        return scores, gradients(ranker, near)

    scores, expected = both()
    monkeypatch.setattr(pair_scores, "ON_CPU", limits)
    again, found = both()
    torch.testing.assert_close(below(again), below(scores))
    assert_same(found, expected)


def pair_inputs(n=5, size=3, codes=4, seed=0):
    generator = torch.Generator().manual_seed(seed)
    current, previous = (torch.randn(n, size, generator=generator) for _ in range(2))
    slots = torch.randn(SLOTS, size, generator=generator)
    output = torch.randn(size, generator=generator)
    code_rows = code_slots(torch.randint(0, 112_640, (codes,), generator=generator))
    code_of_pair = torch.randint(0, codes, (n, n), generator=generator)
    inputs = [tensor.requires_grad_() for tensor in (current, previous, slots, output)]
    return inputs, code_rows, code_of_pair


@pytest.mark.parametrize("limits", [Limits(1 << 21, 1 << 27), Limits(1, 0), Limits(1, 1 << 27)])
def test_gradients_are_finite_differences(limits, monkeypatch):
    monkeypatch.setattr(pair_scores, "ON_CPU", limits)
    inputs, code_rows, code_of_pair = pair_inputs()

    def links(*inputs):
        return PairScores.apply(*inputs, code_rows, code_of_pair, 0.0, 0).tril(-1)

    assert torch.autograd.gradcheck(links, inputs)


@pytest.mark.parametrize("block", [1, 40, 1 << 21])
def test_gradients_under_dropout_are_finite_differences_of_the_same_mask(block, monkeypatch):
    monkeypatch.setattr(pair_scores, "ON_CPU", Limits(block, 1 << 27))
    inputs, code_rows, code_of_pair = pair_inputs()
    weights = torch.randn(5, 5).tril(-1)

    def loss(*inputs, dropout=0.5):
        torch.manual_seed(4)
        scores = PairScores.apply(*inputs, code_rows, code_of_pair, dropout, 0)
        return (weights * scores).sum()

    found = torch.autograd.grad(loss(*inputs), inputs)
    for number, gradient in enumerate(found):
        for place in np.ndindex(*gradient.shape):
            values = []
            for step in (1e-6, -1e-6):
                moved = [tensor.detach().clone().requires_grad_() for tensor in inputs]
                moved[number].data[place] += step
                values.append(loss(*moved).item())
            difference = (values[0] - values[1]) / 2e-6
            assert gradient[place].item() == pytest.approx(difference, abs=1e-7)
    assert loss(*inputs).item() != pytest.approx(loss(*inputs, dropout=0.0).item(), rel=1e-3)


def test_a_second_backward_pass_does_not_forget_the_mask():
    inputs, code_rows, code_of_pair = pair_inputs()
    scores = PairScores.apply(*inputs, code_rows, code_of_pair, 0.5, 0).tril(-1).sum()
    first = torch.autograd.grad(scores, inputs, retain_graph=True)
    try:
        second = torch.autograd.grad(scores, inputs)
    except (CorelaxError, RuntimeError):
        return  # an error is as good
    for one, other in zip(first, second, strict=True):
        torch.testing.assert_close(one, other)


def test_dropout_leaves_the_score_of_a_new_entity_alone(corpora):
    vocabulary, rows = corpora["default"]
    ranker = new_ranker(vocabulary)
    document = ranker.tensors_of(rows)
    torch.testing.assert_close(ranker(document, 0.5).diagonal(), ranker(document).diagonal())


def test_hidden_values_that_are_not_kept_are_dropped_out_in_the_same_way(monkeypatch):
    ranker, results = random_ranker(), []
    for kept in (1 << 27, 0):
        monkeypatch.setattr(pair_scores, "ON_CPU", Limits(300, kept))
        torch.manual_seed(3)
        scores = ranker(ranker.tensors_of(random_table(21)), 0.5)
        results.append(torch.autograd.grad(scores.tril().square().sum(), ranker.link_pair)[0])
    torch.testing.assert_close(results[0], results[1])


@pytest.mark.parametrize("limit", [1, 4, 23, 24, 100, 10**30])
def test_mentions_beyond_the_limit_of_antecedents_are_no_choice(corpora, limit):
    vocabulary, rows = corpora["default"]
    free, limited = new_ranker(vocabulary), new_ranker(vocabulary, max_antecedents=limit)
    expected, scores = free(free.tensors_of(rows)), limited(limited.tensors_of(rows))
    for i in range(rows.size):
        for j in range(i + 1):
            if i - j > limit:
                assert scores[i, j] == -torch.inf
            else:
                assert scores[i, j] == expected[i, j]


@pytest.mark.parametrize("preset", FEATURE_SETS)
def test_a_document_with_one_mention_has_the_score_of_a_new_entity(corpora, preset):
    vocabulary, rows = corpora[preset]
    ranker = new_ranker(vocabulary)
    document = ranker.tensors_of(rows.first(1))
    scores = ranker(document)
    expected = slow_scores(ranker, rows.first(1), vocabulary, preset)
    torch.testing.assert_close(scores, expected)
    assert_same(gradients(ranker, scores), gradients_of_one(ranker, expected))


def gradients_of_one(ranker, scores):
    """As `gradients`, where the slow scores do not read the pair network at all."""
    weights = torch.randn(1, 1, generator=torch.Generator().manual_seed(1))
    parameters = dict(ranker.named_parameters())
    found = torch.autograd.grad(
        (weights * scores).sum(), list(parameters.values()), allow_unused=True
    )
    pairs = zip(parameters.items(), found, strict=True)
    return {name: torch.zeros_like(p) if g is None else g for (name, p), g in pairs}


def test_no_block_of_a_long_document_exceeds_the_limit(monkeypatch):
    sizes = []
    real = pair_scores._hidden

    def watched(*arguments):
        hidden = real(*arguments)
        sizes.append(hidden.numel())
        return hidden

    monkeypatch.setattr(pair_scores, "_hidden", watched)
    torch.set_default_dtype(torch.float32)
    ranker = random_ranker(hidden_pair=20)
    with torch.no_grad():
        scores = ranker(ranker.tensors_of(random_table(3000)))
    assert scores.tril().isfinite().all()
    assert max(sizes) <= pair_scores.ON_CPU.block
    assert sum(sizes) < 3000 * 3000 * 20  # half of the square, and a little


def test_rows_of_a_table_have_a_sparse_gradient_of_those_rows():
    weights = torch.randn(6, 2, requires_grad=True)
    rows = torch.tensor([4, 1])
    factor = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    [gradient] = torch.autograd.grad((TableRows.apply(weights, rows) * factor).sum(), [weights])
    assert gradient.is_sparse
    expected = torch.zeros(6, 2)
    expected[4], expected[1] = factor
    assert gradient.to_dense().equal(expected)


def test_tensors_name_each_feature_of_a_document_once():
    rows = random_table(9)
    document = DocumentTensors.of(rows, torch.zeros(11, 1))
    assert document.rows.tolist() == sorted(set(rows.features.ravel().tolist()) - {-1})
    for row, known in zip(document.features, rows.features.tolist(), strict=True):
        named = document.rows.repeat_interleave(row.long()).tolist()
        assert named == sorted(number for number in known if number >= 0)
    below_diagonal = document.code_of_pair[np.tril_indices(9, -1)]
    assert below_diagonal.tolist() == rows.code_of_pair.tolist()
    assert document.size == 9


def test_uniform_weights_have_the_published_ranges():
    torch.manual_seed(0)
    ranker = random_ranker(hidden_mention=200, hidden_pair=700)
    tables = ranker.mention_table, ranker.current_table, ranker.previous_table, ranker.pair_table
    for weights in tables:
        assert weights[-1].eq(0).all()
        assert 0.099 < weights.abs().max() <= 0.1
        assert weights[:-1].ne(0).all()
    for bias in (ranker.mention_bias, ranker.pair_bias, ranker.link_bias, ranker.new_bias):
        assert bias.eq(0).all()
    for weight, bound in ((ranker.link_mention, 0.1225), (ranker.new_mention, 0.1225)):
        assert 0.11 < weight.abs().max() <= bound
    assert 0.06 < ranker.link_pair.abs().max() <= 0.0655


def test_sparse_weights_are_fifteen_a_hidden_unit():
    ranker = random_ranker(hidden_mention=50, hidden_pair=60, initialisation="sparse")
    assert ranker.mention_table.ne(0).sum(0).eq(15).all()
    tables = torch.cat([ranker.pair_table, ranker.current_table, ranker.previous_table])
    assert tables.ne(0).sum(0).eq(15).all()
    weights = torch.cat([tables[tables != 0], ranker.mention_table[ranker.mention_table != 0]])
    assert weights.std().item() == pytest.approx(0.25, rel=0.1)  # 1,650 draws
    assert abs(weights.mean()) < 0.03
    for bias in (ranker.mention_bias, ranker.pair_bias, ranker.link_bias, ranker.new_bias):
        assert bias.eq(0.5).all()
    assert ranker.link_pair.abs().max() <= 60**-0.5
    for weights in (ranker.mention_table, ranker.current_table, ranker.pair_table):
        assert weights[-1].eq(0).all()


def test_an_unknown_initialisation_is_an_error():
    with pytest.raises(CorelaxError, match="initialisation must be 'uniform' or 'sparse'"):
        random_ranker(initialisation="zeros")
