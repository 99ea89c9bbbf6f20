"""The encoder in C against transformers, for every length, number of threads and company of windows."""

from functools import partial

import numpy as np
import pytest
import torch
from torch import nn

from corelax.rankers.encoder.kernels import KERNEL_GRAPHS, distance_buckets, kernels_of
from tests.kernels.small_networks import (
    SETTINGS,
    a_ranker,
    multiply_bytes,
    needs_kernels,
    relative,
    store,
    transformers,
)

pytestmark = [pytest.mark.usefixtures("one_thread"), needs_kernels]
LENGTHS = np.array([1, 2, 31, 32, 33, 64, 100, 150])


def looked_up(seed=0, size=128):
    """[row, hidden] vectors of pieces."""
    torch.manual_seed(seed)
    return torch.randn(int(LENGTHS.sum()), size)


@pytest.fixture(params=["Bert 4", "MPNet 4", "Bert 2", "Bert 1"])
def both(request, tmp_path):
    """A ranker, and its encoder in C, with heads of 32, 64 and 128 numbers."""
    kind, heads = request.param.split()
    ranker = a_ranker(kind, num_attention_heads=int(heads))
    kernels = kernels_of(
        ranker.encoder.config.to_dict(),
        store(ranker, tmp_path / "weights"),
        SETTINGS,
        KERNEL_GRAPHS,
    )
    assert kernels is not None
    return ranker, kernels.encoder


def by_torch(ranker, vectors):
    windows = vectors.split(LENGTHS.tolist())
    encoded = [ranker.encode(rows[None], torch.tensor([len(rows)]))[0] for rows in windows]
    return torch.cat(encoded)


def test_vectors_are_those_of_transformers(both, monkeypatch):
    ranker, encoder = both
    vectors = looked_up()
    ours = torch.from_numpy(encoder(vectors.numpy(), LENGTHS))
    exact = by_torch(ranker, vectors)
    for layer in ranker.encoder.modules():
        if isinstance(layer, nn.Linear):
            monkeypatch.setattr(layer, "forward", partial(multiply_bytes, layer))
    literal = by_torch(ranker, vectors)
    # Rounded elsewhere, since attention has two bytes; but no farther away than bytes bring with them.
    assert 0 < relative(literal - exact, exact) < 0.02
    assert relative(ours - exact, exact) < 1.1 * relative(literal - exact, exact)


def test_threads_and_other_windows_change_nothing(both):
    _, encoder = both
    vectors = looked_up().numpy()
    alone = encoder(vectors, LENGTHS)
    for threads in (2, 3, 16):
        assert np.array_equal(encoder(vectors, LENGTHS, threads), alone)
    first = np.cumsum(LENGTHS) - LENGTHS
    for start, length in zip(first, LENGTHS, strict=True):
        rows = slice(start, start + length)
        assert np.array_equal(encoder(vectors[rows], np.array([length])), alone[rows])


def test_numbers_that_are_far_larger_than_others_stay(both):
    ranker, encoder = both
    vectors = looked_up()
    vectors[:, 5] *= 50
    vectors[10] = 0
    ours, exact = torch.from_numpy(encoder(vectors.numpy(), LENGTHS)), by_torch(ranker, vectors)
    assert torch.isfinite(ours).all()
    assert relative(ours - exact, exact) < 0.03


def test_what_does_not_fit_is_refused(both):
    _, encoder = both
    vectors = looked_up().numpy()
    for lengths in (LENGTHS[1:], np.append(LENGTHS, 0), np.array([len(vectors)])):
        with pytest.raises(ValueError, match="pieces"):
            encoder(vectors, lengths)
    assert encoder(vectors[:0], LENGTHS[:0]).shape == (0, 128)


@pytest.mark.parametrize(
    ("sizes", "changes"),
    [
        ({"hidden_size": 96}, {}),
        ({"intermediate_size": 100}, {}),
        ({"num_attention_heads": 8}, {}),
        ({}, {"hidden_act": "relu"}),
        ({}, {"model_type": "deberta-v2"}),
        *(({}, {"num_hidden_layers": layers}) for layers in (3, 1, 0, -1, "x")),
        *(({}, {"num_attention_heads": heads}) for heads in (0, -4, None)),
        ({}, {"layer_norm_eps": "small"}),
    ],
)
def test_other_networks_and_sizes_are_left_to_onnxruntime(tmp_path, sizes, changes):
    ranker = a_ranker(**sizes)
    config = {**ranker.encoder.config.to_dict(), **changes}
    assert kernels_of(config, store(ranker, tmp_path / "weights"), SETTINGS, KERNEL_GRAPHS) is None


def test_buckets_of_distances_are_those_of_mpnet():
    module = transformers.models.mpnet.modeling_mpnet
    wanted = module.MPNetEncoder.relative_position_bucket(torch.arange(-511, 512))
    assert distance_buckets(512).tolist() == wanted.tolist()
