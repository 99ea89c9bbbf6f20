"""Logits of spans and scores of pairs in C against the torch modules that they stand for."""

import numpy as np
import pytest
import torch

from corelax.rankers.encoder.features import WHERE, WHO
from corelax.rankers.encoder.kernels import KERNEL_GRAPHS, kernels_of
from corelax.rankers.encoder.network import PROPERTIES
from corelax.rankers.encoder.places import span_table
from tests.kernels.small_networks import SETTINGS, a_ranker, needs_kernels, relative, store

pytestmark = [pytest.mark.usefixtures("one_thread"), needs_kernels]


@pytest.fixture(scope="module")
def ranker():
    return a_ranker()


@pytest.fixture(scope="module")
def kernels(ranker, tmp_path_factory):
    path = tmp_path_factory.mktemp("kernels") / "weights"
    return kernels_of(ranker.encoder.config.to_dict(), store(ranker, path), SETTINGS, KERNEL_GRAPHS)


@pytest.fixture
def spans_of_words(ranker):
    """The arguments of the kernel for all spans of three windows, and what torch gives."""
    torch.manual_seed(1)
    sentences = [np.array([0] * 9 + [1] * 4), np.array([0]), np.array([2] * 3 + [3] * 2)]
    table = span_table(sentences, SETTINGS.max_width)
    spans = [torch.from_numpy(column) for column in table[:3]]
    words, schemes = torch.randn(3, 13, 128), torch.tensor([2, 0, 1])
    start, end, sums = ranker.spans.of_words(words)
    arguments = {"start": start, "end": end, "sums": sums, "scheme": schemes}
    arguments |= dict(zip(("window", "first", "width"), spans, strict=True))
    wanted = ranker.spans(words, tuple(spans), schemes)
    return {name: value.numpy() for name, value in arguments.items()}, wanted.numpy()


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_logits_are_those_of_torch(kernels, spans_of_words, threads):
    arguments, wanted = spans_of_words
    np.testing.assert_allclose(kernels.spans(**arguments, threads=threads), wanted, atol=1e-4)


@pytest.mark.parametrize(
    ("name", "number"), [("window", 3), ("first", 13), ("width", 5), ("scheme", -1), ("first", 12)]
)
def test_spans_outside_their_tables_are_refused(kernels, spans_of_words, name, number):
    arguments, _ = spans_of_words
    arguments["width"][0] = 1
    arguments[name][0] = number
    with pytest.raises(ValueError, match="a number that is not in 0 to"):
        kernels.spans(**arguments)


@pytest.fixture
def pairs(ranker):
    """The arguments of the kernel for a block of spans, and what torch adds to the coarse scores."""
    torch.manual_seed(2)
    spans, rows, candidates = 40, 20, 9

    def numbers(most, *shape):
        return torch.randint(0, most, shape)

    scorer = ranker.antecedents
    vectors, row = torch.randn(spans, SETTINGS.span_size), torch.arange(spans - rows, spans)
    where = numbers(spans, rows, candidates)
    properties = {name: numbers(5, spans) for name in PROPERTIES}
    properties["person"] = numbers(WHO["person"], spans)
    known = torch.stack([properties[name] for name in PROPERTIES], -1)
    of_rows, before = ranker.block(vectors, torch.arange(spans), known, row)
    document, scheme = torch.zeros(rows, 1, dtype=torch.long), torch.tensor([1])
    place, who = scorer.codes(of_rows, before, document, where)
    coarse = torch.randn(rows, candidates)
    coarse[numbers(3, rows, candidates) == 0] = -torch.inf
    coarse[3] = -torch.inf
    added = scorer._close(of_rows, before, document, where, scheme)
    arguments = {
        "vectors": vectors, "own": scorer.own(of_rows, document, scheme),
        "previous": scorer.previous(vectors), "row": row, "where": where, "place": place,
        "who": who, "coarse": coarse,
    }  # fmt: skip
    return {name: value.numpy() for name, value in arguments.items()}, added


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_scores_of_pairs_are_those_of_torch(kernels, pairs, threads):
    arguments, added = pairs
    scores = torch.from_numpy(kernels.pairs(**arguments, threads=threads))
    coarse = torch.from_numpy(arguments["coarse"])
    real = coarse > -torch.inf
    assert torch.equal(scores > -torch.inf, real)
    ours = (scores - coarse)[real]
    assert relative(ours - added[real], added[real]) < 0.005  # products have two bytes


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("where", 40),
        ("where", -1),
        ("row", 40),
        ("place", np.prod([*WHERE.values()])),
        ("who", 10**9),
    ],
)
def test_pairs_outside_their_tables_are_refused(kernels, pairs, name, number):
    arguments, _ = pairs
    arguments[name].flat[5] = number
    with pytest.raises(ValueError, match="a number that is not in 0 to"):
        kernels.pairs(**arguments)


@pytest.mark.parametrize("name", ["vectors", "own", "previous", "where", "place", "who"])
def test_arrays_of_other_shapes_are_refused(kernels, pairs, name):
    arguments, _ = pairs
    arguments[name] = arguments[name][:, 1:]
    with pytest.raises(ValueError, match="shape"):
        kernels.pairs(**arguments)
