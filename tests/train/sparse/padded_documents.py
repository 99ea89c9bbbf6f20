"""Small rankers of every network, and documents as they are beside the same documents padded."""

from __future__ import annotations

import torch

from corelax.rankers.sparse.networks import fresh_ranker
from corelax.train import PRESETS, stage_chain
from corelax.train.sparse.objective import can_be_recorded
from corelax.train.sparse.packing import packing_for
from corelax.train.sparse.steps import Update
from corelax.train.sparse.trainee import make_optimizer

SIZES = {
    "hidden_mention": 6,
    "hidden_pair": 8,
    "hidden_outer": 5,
    "hidden_cluster": 4,
    "word_size": 3,
    "hidden_deep": 7,
    "hidden_above": 5,
}
EXACT = {"dropout": 0, "state_dropout": 0, "precision": "float32"}


def config_of(preset, **settings):
    """The last stage of a preset with small layers; no dropout and no rounding unless they are asked for."""
    given = {**SIZES, **EXACT, **settings}
    return stage_chain(preset, {name: str(value) for name, value in given.items()})[-1]


RECORDED = [name for name in PRESETS if can_be_recorded(config_of(name))]


def new_ranker(data, config):
    """A ranker whose biases and outputs are large enough to matter."""
    torch.manual_seed(3)
    ranker = fresh_ranker(data.train.vocabulary, config.ranker)
    with torch.no_grad():
        for parameter in ranker.parameters():
            if parameter.ndim < 2:
                parameter.normal_()
    return ranker


def new_update(ranker, config):
    return Update(ranker, make_optimizer(config, ranker), config)


def packed(ranker, tables):
    """(the document as it is, the same padded) of each document of a group."""
    whole = [ranker.tensors_of(table) for table in tables]
    packing = packing_for(ranker, whole)
    return [(document, packing.unpack(packing.pack(document))) for document in whole]


def gradients(loss, ranker):
    """By name; zeros where there is none."""
    parameters = dict(ranker.named_parameters())
    found = torch.autograd.grad(loss, list(parameters.values()), allow_unused=True)
    return {
        name: torch.zeros_like(parameters[name]) if gradient is None else as_written(gradient)
        for name, gradient in zip(parameters, found, strict=True)
    }


def as_written(gradient):
    """A sparse gradient as an optimiser reads it: a row that is repeated has the same values each time."""
    if not gradient.is_sparse:
        return gradient
    (rows,), values = gradient.indices(), gradient.values()
    dense = torch.zeros(gradient.shape, dtype=values.dtype).index_copy(0, rows, values)
    torch.testing.assert_close(dense[rows], values, rtol=0, atol=0)
    return dense
