"""Padded documents in rows of integers, and steps that are recorded on a GPU."""

import math

import pytest
import torch

from corelax.losses import reward
from corelax.rankers import SparseRanker
from corelax.rankers.sparse.tensors import DocumentTensors
from corelax.train import PRESETS, AdaGrad, stage_chain
from corelax.train.sparse.objective import can_be_recorded, document_objective
from corelax.train.sparse.recorded import Layout
from corelax.train.sparse.steps import PlainSteps, Update, make_steps
from tests.gpu import needs_gpu
from tests.train.sparse.training_runs import documents, make_data

WITHOUT_DROPOUT = {"dropout": "0"}
LOCAL = [name for name, preset in PRESETS.items() if preset.get("network", "local") == "local"]


@pytest.fixture(scope="module")
def data():
    return make_data(documents(6, mentions=30), documents(1, seed=3))


@pytest.fixture
def double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.fixture
def greedy(monkeypatch):
    """Rewards of the best actions, where they would be of sampled ones: padding takes random numbers too."""
    choose = reward._choose
    monkeypatch.setattr(
        reward, "_choose", lambda probs, _, generator: choose(probs, "greedy", generator)
    )


def new_ranker(data, **settings):
    torch.manual_seed(3)
    ranker = SparseRanker.for_vocabulary(
        data.train.vocabulary, hidden_mention=6, hidden_pair=8, **settings
    )
    with torch.no_grad():
        for parameter in ranker.parameters():
            if parameter.ndim < 2:
                parameter.normal_()
    return ranker


def packed(data, ranker, tables=None):
    """(the document as it is, the same padded) of each document."""
    whole = [
        DocumentTensors.of(table, ranker.pair_features) for table in tables or data.train.tables
    ]
    layout = Layout.of(whole, ranker)
    return [(document, layout.unpack(layout.pack(document))) for document in whole]


def gradients(loss, ranker):
    parameters = dict(ranker.named_parameters())
    found = torch.autograd.grad(loss, list(parameters.values()), allow_unused=True)
    return {
        name: torch.zeros_like(parameters[name]) if gradient is None else gradient.to_dense()
        for name, gradient in zip(parameters, found, strict=True)
    }


def test_a_packed_document_is_the_document_and_padding(data):
    ranker = new_ranker(data)
    for document, padded in packed(data, ranker):
        n = document.size
        assert padded.size >= n
        assert padded.length == document.length == n
        assert padded.gold[:n].equal(document.gold.long())
        assert padded.gold[n:].eq(-1).all()
        assert padded.rows[: len(document.rows)].equal(document.rows.long())
        assert padded.rows[len(document.rows) :].eq(ranker.mention_features).all()
        assert padded.current[n:].eq(ranker.pair_features).all()
        assert padded.previous[n:].eq(ranker.pair_features).all()
        assert padded.codes[: len(document.codes)].equal(document.codes.long())
        assert padded.code_of_pair[:n, :n].long().equal(document.code_of_pair.long())
        assert padded.gold_sizes[: len(document.gold_sizes)].equal(document.gold_sizes.long())
        names = torch.cat([padded.rows, torch.tensor([-1])])
        plain = torch.cat([document.rows, torch.tensor([-1])])
        assert names[padded.features[:n].long()].equal(plain[document.features.long()])
        assert names[padded.features[n:].long()].eq(-1).all()


def test_documents_of_a_group_have_rows_of_one_length(data):
    ranker = new_ranker(data)
    whole = [DocumentTensors.of(table, ranker.pair_features) for table in data.train.tables]
    layout = Layout.of(whole, ranker)
    rows = [layout.pack(document) for document in whole]
    assert len({row.shape for row in rows}) == 1
    assert rows[0].dtype == torch.int32
    total = sum(math.prod(shape) for shape in layout.shapes.values())
    assert rows[0].numel() == total


@pytest.mark.usefixtures("double")
def test_scores_do_not_depend_on_padding(data):
    ranker = new_ranker(data)
    for document, padded in packed(data, ranker):
        n = document.size
        found, expected = ranker(padded)[:n, :n].tril(), ranker(document).tril()
        torch.testing.assert_close(found, expected)


@pytest.mark.usefixtures("double", "greedy")
@pytest.mark.parametrize("preset", PRESETS)
def test_losses_and_gradients_do_not_depend_on_padding(data, preset):
    config = stage_chain(preset, WITHOUT_DROPOUT)[-1]
    if not can_be_recorded(config):
        pytest.skip("is not recorded, hence never padded")
    ranker = new_ranker(data)
    plain = document_objective(config, 1, padded=False)
    with_lengths = document_objective(config, 1, padded=True)
    for document, padded in packed(data, ranker):
        loss, same = plain(ranker, document), with_lengths(ranker, padded)
        torch.testing.assert_close(same, loss)
        expected, found = gradients(loss, ranker), gradients(same, ranker)
        for name in expected:
            torch.testing.assert_close(found[name], expected[name], rtol=1e-6, atol=1e-9)
            if name.endswith("table"):
                assert found[name][-1].eq(0).all()  # the row that stays 0


@pytest.mark.usefixtures("double")
@pytest.mark.parametrize(
    ("preset", "settings"),
    [
        ("conll", {"singletons": "keep", "metric": "lea"}),
        ("conll", {"metric": "muc"}),
        ("conll", {"metric": "blanc"}),
        ("pairwise_b3", {"singletons": "keep"}),
        ("cm_rescale", {"singletons": "keep", "metric": "lea"}),
        ("baseline", {"max_antecedents": "5"}),
    ],
)
def test_other_settings_do_not_depend_on_padding_either(data, preset, settings):
    config = stage_chain(preset, {**WITHOUT_DROPOUT, **settings})[-1]
    ranker = new_ranker(data, max_antecedents=config.max_antecedents)
    for document, padded in packed(data, ranker):
        loss = document_objective(config, 1, padded=False)(ranker, document)
        same = document_objective(config, 1, padded=True)(ranker, padded)
        torch.testing.assert_close(same, loss)


def test_objectives_that_solve_an_assignment_are_not_recorded():
    def recorded(preset, **settings):
        return can_be_recorded(stage_chain(preset, settings)[-1])

    assert not recorded("conll")
    assert not recorded("annealed", metric="ceaf_e")
    assert not recorded("annealed", metric="ceaf_m")
    assert recorded("conll", metric="muc")
    assert all(recorded(preset) for preset in LOCAL if preset != "conll")
    assert not any(recorded(preset) for preset in set(PRESETS) - set(LOCAL))


def test_on_a_cpu_steps_are_plain(data):
    config = stage_chain("anaphoricity", {})[-1]
    ranker = new_ranker(data)
    update = Update(ranker, AdaGrad(ranker.parameters()), 0.0)
    assert isinstance(make_steps(data.train.tables, update, config), PlainSteps)


def losses_and_weights(data, config, make, device):
    ranker = new_ranker(data).to(device)
    optimizer = AdaGrad(
        [
            {"params": ranker.first_layer, "lr": config.learning_rate},
            {"params": ranker.second_layer, "lr": config.output_learning_rate},
        ],
        accumulator=config.accumulator,
    )
    tables = [table for table in data.train.tables if table.is_anaphoric.any()]
    steps = make(tables, Update(ranker, optimizer, config.clip), config)
    losses = []
    for epoch, order in ((1, range(len(tables))), (2, reversed(range(len(tables))))):
        steps.begin_epoch(epoch)
        losses.append(torch.stack([steps.step(number) for number in order]).cpu())
    weights = {name: tensor.cpu() for name, tensor in ranker.state_dict().items()}
    return torch.cat(losses), weights


@needs_gpu
@pytest.mark.usefixtures("greedy")
@pytest.mark.parametrize("preset", [name for name in LOCAL if name != "conll"])
def test_recorded_steps_do_what_plain_ones_do(data, preset):
    from corelax.train.sparse.recorded import RecordedSteps

    config = stage_chain(preset, WITHOUT_DROPOUT)[-1].changed({"epochs": "2"})
    plain, plain_weights = losses_and_weights(data, config, PlainSteps, "cuda")
    recorded, weights = losses_and_weights(data, config, RecordedSteps, "cuda")
    torch.testing.assert_close(recorded, plain, rtol=1e-3, atol=1e-4)
    for name, weight in plain_weights.items():
        torch.testing.assert_close(weights[name], weight, rtol=1e-2, atol=1e-3)


@needs_gpu
@pytest.mark.parametrize("preset", ["anaphoricity", "baseline", "pairwise_lea"])
def test_steps_on_a_gpu_do_what_those_on_a_cpu_do(data, preset):
    config = stage_chain(preset, WITHOUT_DROPOUT)[-1].changed({"epochs": "2"})
    here, _ = losses_and_weights(data, config, make_steps, "cpu")
    there, _ = losses_and_weights(data, config, make_steps, "cuda")
    torch.testing.assert_close(there, here, rtol=1e-3, atol=1e-3)


@needs_gpu
def test_recording_leaves_weights_and_sums_as_they_were(data):
    from corelax.train.sparse.recorded import RecordedSteps

    config = stage_chain("baseline", {"learning_rate": "0", "output_learning_rate": "0"})[-1]
    before = {name: tensor.clone() for name, tensor in new_ranker(data).state_dict().items()}
    _, weights = losses_and_weights(data, config, RecordedSteps, "cuda")
    for name, weight in before.items():
        assert weights[name].equal(weight)


@needs_gpu
def test_recorded_steps_with_dropout_have_the_same_masks_for_the_same_seed(data):
    from corelax.train.sparse.recorded import RecordedSteps

    config = stage_chain("antecedent", {})[-1]
    found = []
    for seed in (5, 5, 6):

        def seeded(*arguments, seed=seed):
            steps = RecordedSteps(*arguments)
            torch.manual_seed(seed)
            return steps

        found.append(losses_and_weights(data, config, seeded, "cuda")[0])
    assert found[0].equal(found[1])
    assert not found[0].equal(found[2])
