"""Which steps are recorded, and that recorded ones do on a GPU what plain ones do."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from corelax.losses.captured import padded
from corelax.rankers.sparse import pair_blocks
from corelax.rankers.sparse.pair_scores import Limits
from corelax.train import PRESETS, stage_chain
from corelax.train.sparse import recorded
from corelax.train.sparse.objective import can_be_recorded
from corelax.train.sparse.recorded import RecordedSteps
from corelax.train.sparse.steps import PlainSteps, make_steps
from tests.gpu import needs_gpu
from tests.train.sparse.padded_documents import RECORDED, config_of, new_ranker, new_update
from tests.train.sparse.training_runs import documents, make_data


@pytest.fixture(scope="module")
def data():
    return make_data(documents(6, mentions=30), documents(1, seed=3), words=True)


def assert_same_steps(data, preset, device):
    """Two epochs by packed groups and by plain calls leave the same losses and weights."""
    config = config_of(preset).changed({"epochs": "2"})
    plain, plain_weights = losses_and_weights(data, config, PlainSteps, device)
    found, weights = losses_and_weights(data, config, RecordedSteps, device)
    torch.testing.assert_close(found, plain, rtol=1e-3, atol=1e-4)
    for name, weight in plain_weights.items():
        torch.testing.assert_close(weights[name], weight, rtol=1e-2, atol=1e-3)


def test_only_what_needs_the_cpu_is_not_recorded():
    def is_recorded(preset, **settings):
        return can_be_recorded(stage_chain(preset, settings)[-1])

    assert not is_recorded("conll")  # CEAF solves an assignment
    assert not is_recorded("annealed", metric="ceaf_e")
    assert not is_recorded("annealed", metric="ceaf_m")
    assert is_recorded("conll", metric="muc")
    assert not is_recorded("global2016", own_history="0.5")  # decided mention by mention
    assert not is_recorded("global2016", own_history_end="0.5")
    assert not is_recorded("deep_lea", clip="5")  # the norm would count rows that padding repeats
    assert all(is_recorded(preset) for preset in PRESETS if preset != "conll")


def test_on_a_cpu_steps_are_plain(data):
    config = config_of("anaphoricity")
    update = new_update(new_ranker(data, config), config)
    assert isinstance(make_steps(data.train.tables, update, config), PlainSteps)


@pytest.mark.parametrize(
    ("precision", "during"), [("tf32", "high"), ("bfloat16", "high"), ("float32", "highest")]
)
def test_products_are_rounded_during_a_step_if_asked_for(data, precision, during):
    config = config_of("deep_all_pairs").changed({"precision": precision})
    ranker = new_ranker(data, config)
    seen = []

    def objective(ranker, document):
        seen.append(torch.get_float32_matmul_precision())
        return ranker(document).tril(-1).sum()

    new_update(ranker, config).step(objective, ranker.tensors_of(data.train.tables[0]))
    assert seen == [during]
    assert torch.get_float32_matmul_precision() == "highest"


class Repeated:
    """Stands for a graph where there is no GPU: the same step again, from the same place in memory."""

    def __init__(self, step):
        self._step, self.loss = step, torch.zeros([])

    def replay(self):
        self.loss.copy_(self._step())


@pytest.fixture
def without_gpu(monkeypatch):
    """Recordings that are not made of kernels."""

    def record(group, update, objective, *_):
        def step():
            return update.step(objective, group.document())

        graph = Repeated(step)
        group.recording = recorded.Recording(graph, graph.loss)

    monkeypatch.setattr(recorded.Group, "record", record)
    monkeypatch.setattr(torch.cuda, "graph_pool_handle", lambda: None)
    monkeypatch.setattr(torch.cuda, "Stream", lambda _: None)
    monkeypatch.setattr(torch.cuda, "get_rng_state", lambda _: None)
    monkeypatch.setattr(torch.cuda, "set_rng_state", lambda *_: None)


@pytest.mark.usefixtures("greedy", "without_gpu")
@pytest.mark.parametrize("preset", RECORDED)
def test_steps_by_groups_of_packed_documents_are_those_of_plain_calls(data, preset):
    assert_same_steps(data, preset, "cpu")


@pytest.mark.usefixtures("without_gpu")
def test_long_documents_are_plain_calls_between_recorded_ones(data, monkeypatch):
    config = config_of("deep_all_pairs").changed({"epochs": "2"})
    sizes = sorted(table.size for table in data.train.tables)
    ranker = new_ranker(data, config)
    plain, _ = losses_and_weights(data, config, PlainSteps, "cpu")
    between = padded(sizes[0]) ** 2 * ranker._width(config.dropout)
    monkeypatch.setattr(pair_blocks, "ON_CPU", Limits(1 << 21, between))
    kept = [ranker.keeps_hidden(padded(size), config.dropout) for size in sizes]
    assert any(kept)
    assert not all(kept)
    mixed, _ = losses_and_weights(data, config, RecordedSteps, "cpu")
    torch.testing.assert_close(mixed, plain, rtol=1e-3, atol=1e-4)


@pytest.mark.usefixtures("without_gpu")
def test_documents_without_known_words_leave_the_state_of_other_words_alone(data):
    config = config_of("deep_all_pairs")
    table = data.train.tables[0]
    unknown = replace(table, words=np.full_like(table.words, -1))
    ranker = new_ranker(data, config)
    update = new_update(ranker, config)
    steps = RecordedSteps([table, unknown], update, config)
    steps.begin_epoch(1)
    steps.step(0)
    total = update.optimizer.state[ranker.word_vectors][update.optimizer.STATE]
    total.fill_(1.0)
    steps.step(1)
    assert total.eq(1).all()


def losses_and_weights(data, config, make, device):
    ranker = new_ranker(data, config).to(device)
    tables = [table for table in data.train.tables if table.is_anaphoric.any()]
    steps = make(tables, new_update(ranker, config), config)
    losses = []
    for epoch, order in ((1, range(len(tables))), (2, reversed(range(len(tables))))):
        steps.begin_epoch(epoch)
        losses.append(torch.stack([steps.step(number) for number in order]).cpu())
    weights = {name: tensor.cpu() for name, tensor in ranker.state_dict().items()}
    return torch.cat(losses), weights


@needs_gpu
@pytest.mark.usefixtures("greedy")
@pytest.mark.parametrize("preset", RECORDED)
def test_recorded_steps_do_what_plain_ones_do(data, preset):
    assert_same_steps(data, preset, "cuda")


@needs_gpu
@pytest.mark.parametrize("preset", ["margin2015_g2", "deep_all_pairs", "deep_heuristic"])
def test_documents_that_are_too_long_are_plain_steps(data, preset, monkeypatch):
    config = config_of(preset).changed({"epochs": "2"})
    tables = [table for table in data.train.tables if table.is_anaphoric.any()]
    ranker = new_ranker(data, config).to("cuda")
    plain, _ = losses_and_weights(data, config, PlainSteps, "cuda")
    monkeypatch.setattr(pair_blocks, "ELSEWHERE", Limits(1 << 24, 0))
    assert not any(ranker.keeps_hidden(table.size, config.dropout) for table in tables)
    mixed, _ = losses_and_weights(data, config, RecordedSteps, "cuda")
    torch.testing.assert_close(mixed, plain, rtol=1e-3, atol=1e-4)


@needs_gpu
@pytest.mark.parametrize(
    "preset",
    ["anaphoricity", "baseline", "pairwise_lea", "margin2015_g2", "global2016", "deep_heuristic"],
)
def test_steps_on_a_gpu_do_what_those_on_a_cpu_do(data, preset):
    config = config_of(preset).changed({"epochs": "2"})
    here, _ = losses_and_weights(data, config, make_steps, "cpu")
    there, _ = losses_and_weights(data, config, make_steps, "cuda")
    torch.testing.assert_close(there, here, rtol=1e-3, atol=1e-3)


@needs_gpu
@pytest.mark.parametrize("preset", ["baseline", "global_lea", "deep_all_pairs"])
def test_recording_leaves_weights_and_state_as_they_were(data, preset):
    config = config_of(preset)
    ranker = new_ranker(data, config).to("cuda")
    before = {name: tensor.clone() for name, tensor in ranker.state_dict().items()}
    tables = [table for table in data.train.tables if table.is_anaphoric.any()]
    update = new_update(ranker, config)
    starts = {weight: total for weight, _, total in update.optimizer.copies()}
    RecordedSteps(tables, update, config).begin_epoch(1)
    for name, weight in ranker.state_dict().items():
        assert weight.equal(before[name])
    for weight, state in update.optimizer.state.items():
        assert state[update.optimizer.STATE].equal(starts[weight])


@needs_gpu
@pytest.mark.parametrize("preset", ["antecedent", "global2016", "deep_all_pairs", "deep_heuristic"])
def test_recorded_steps_with_dropout_have_the_same_masks_for_the_same_seed(data, preset):
    config = config_of(preset, dropout=0.4, state_dropout=0.3)
    found = []
    for seed in (5, 5, 6):

        def seeded(*arguments, seed=seed):
            steps = RecordedSteps(*arguments)
            torch.manual_seed(seed)
            return steps

        found.append(losses_and_weights(data, config, seeded, "cuda")[0])
    assert found[0].equal(found[1])
    assert not found[0].equal(found[2])
