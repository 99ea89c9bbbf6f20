"""Steps of padded documents never wait for a GPU: they run where tensors have shapes but no values.

On the device "meta" a value that is looked at, and a shape that depends on values, are errors. What is made
of Python's values on the way (a list as an index, a new tensor of numbers) would be copied from the memory of
the CPU, which a recording cannot; steps on a CPU show that there is none.
"""

from contextlib import nullcontext

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from corelax.relax import precision
from corelax.train.sparse.objective import document_objective
from corelax.train.sparse.packing import packing_for
from tests.train.sparse.padded_documents import RECORDED, config_of, new_ranker, new_update
from tests.train.sparse.training_runs import documents, make_data

DEEP_DROPOUT = {"dropout": 0.5}


class NothingFromTheHost(TorchDispatchMode):
    """An error wherever a tensor is made of values of Python, or devices are mixed."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        tensors = [one for one in tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor)]
        kinds = {one.device.type for one in tensors if one.ndim}
        result = function(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor) and tensors:  # `to` another device
            kinds |= {result.device.type} if result.ndim else set()
        if function.name().startswith("aten::lift_fresh") or len(kinds) > 1:
            raise AssertionError(f"{function.name()}: copies from the memory of the CPU")
        return result


def test_a_copy_from_the_host_is_seen():
    numbers = torch.arange(3)
    with NothingFromTheHost(), pytest.raises(AssertionError, match="from the memory of the CPU"):
        numbers.to("meta")


@pytest.fixture(scope="module")
def data():
    return make_data(documents(3, mentions=20), documents(1, seed=3), words=True)


@pytest.fixture
def recording(monkeypatch):
    """As while a graph is recorded: values are not checked."""
    monkeypatch.setattr(precision, "is_captured", lambda _: True)
    monkeypatch.setattr(torch, "autocast", lambda **_: nullcontext())  # which "meta" does not have


def watched_step(data, config, *, device="meta", padded=True):
    """The loss of a step; on the device "meta" that of a ranker and a document without values."""
    tables = [table for table in data.train.tables if table.is_anaphoric.any()]
    ranker = new_ranker(data, config)
    whole = [ranker.tensors_of(table) for table in tables]
    packing = packing_for(ranker, whole)
    row = packing.pack(whole[0]).to(device)
    update = new_update(ranker.to(device), config)
    objective = document_objective(config, 1, padded=padded, tables=tables)
    packing.unpack(row)  # what all documents share is copied before anything is recorded
    with NothingFromTheHost():
        document = packing.unpack(row)
        if not padded and hasattr(document, "clusters"):
            document = document._replace(clusters=None)
        return update.step(objective, document)


@pytest.mark.usefixtures("recording")
@pytest.mark.parametrize("preset", RECORDED)
def test_a_recorded_step_looks_at_no_value(data, preset):
    dropout = DEEP_DROPOUT if preset.startswith("deep") else {"state_dropout": 0.3}
    loss = watched_step(data, config_of(preset, **dropout))
    assert loss.shape == ()
    assert loss.is_meta


@pytest.mark.usefixtures("recording")
@pytest.mark.parametrize("preset", RECORDED)
def test_a_recorded_step_takes_nothing_from_the_host(data, preset):
    dropout = DEEP_DROPOUT if preset.startswith("deep") else {"state_dropout": 0.3}
    assert watched_step(data, config_of(preset, **dropout), device="cpu").isfinite()


@pytest.mark.usefixtures("recording")
@pytest.mark.parametrize("preset", ["baseline", "global2016", "margin2015_g2"])
def test_features_that_pairs_do_not_see_are_left_out_without_waiting(preset):
    docs = documents(2, mentions=20)
    data = make_data(docs, docs, features="w16")
    config = config_of(preset, feature_set="w16")
    assert new_ranker(data, config).paired is not None
    for device in ("meta", "cpu"):
        watched_step(data, config, device=device)


@pytest.mark.usefixtures("recording")
@pytest.mark.parametrize("preset", ["global2016", "deep_heuristic", "deep_top_pairs"])
def test_plain_steps_of_these_networks_would_be_caught(data, preset):
    with pytest.raises((RuntimeError, NotImplementedError, AssertionError)):
        watched_step(data, config_of(preset), padded=False)


def test_values_of_the_host_would_be_caught():
    weights = torch.ones(3)
    with NothingFromTheHost(), pytest.raises(AssertionError, match="memory of the CPU"):
        weights[[0, 2]]
    with NothingFromTheHost(), pytest.raises(AssertionError, match="memory of the CPU"):
        torch.tensor([1.0])
