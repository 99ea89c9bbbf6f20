"""The loop, the settings and the checkpoint serve any network and optimiser, not the sparse ranker only."""

from dataclasses import dataclass

import pytest
import torch
from torch import nn

from corelax import CorelaxError
from corelax.train.checkpoint import (
    ADAGRAD,
    ADAM,
    History,
    load_checkpoint,
    pack_history,
    save_checkpoint,
    unpack_history,
)
from corelax.train.epochs import Watcher, run_epochs
from corelax.train.optim import AdaGrad
from corelax.train.settings import StageSettings, everywhere, is_shared
from corelax.train.sparse.objectives import counts_missed, loss_function

pytestmark = pytest.mark.usefixtures("one_thread")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(StageSettings):
    """With a setting for the stage and one for all stages."""

    rate: float = 0.1
    width: int = everywhere(3)


OF = {"encoder": "0a1b"}
OPTIMIZERS = {
    "adagrad": (lambda network: AdaGrad(network.parameters(), 0.1), ADAGRAD),
    "adam": (lambda network: torch.optim.AdamW(network.parameters(), 0.1), ADAM),
}


def train(folder, epochs, optimizer="adam", take_epoch=None, dev=lambda: 0.5, **settings):
    """A network that learns to add, from where the folder says it stopped."""
    config = Settings(stage="s", epochs=epochs, **settings)
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.2), nn.Linear(4, 1))
    make, state = OPTIMIZERS[optimizer]
    optimizer = make(network)
    data = torch.eye(3) + torch.arange(3)

    def steps(_, order):
        for number in order:
            loss = (network(data[number]) - data[number].sum()).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield loss.detach()

    history = load_checkpoint(folder, network, optimizer, OF, state)
    run_epochs(
        config,
        history,
        keys=["a", "b", "c"],
        take_epoch=take_epoch or steps,
        dev_score=dev,
        save=lambda history: save_checkpoint(folder, network, optimizer, history, OF),
        watcher=Watcher(),
        memory_hint="read less",
    )
    return network, history


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_going_on_is_as_if_nothing_had_been(optimizer, tmp_path):
    (tmp_path / "whole").mkdir()
    (tmp_path / "parts").mkdir()
    whole, at_once = train(tmp_path / "whole", 4, optimizer)
    train(tmp_path / "parts", 1, optimizer)
    train(tmp_path / "parts", 3, optimizer)
    parts, bit_by_bit = train(tmp_path / "parts", 4, optimizer)
    for name, weight in whole.state_dict().items():
        assert torch.equal(parts.state_dict()[name], weight)
    losses = [epoch.loss for epoch in at_once.epochs]
    assert [epoch.loss for epoch in bit_by_bit.epochs] == losses
    assert len(set(losses)) == 4


def test_a_checkpoint_of_something_else_is_an_error(tmp_path):
    network, _ = train(tmp_path, 1)
    with pytest.raises(CorelaxError, match="does not belong to the encoder beside it"):
        load_checkpoint(tmp_path, network, AdaGrad(network.parameters()), {"encoder": "ffff"})


def test_a_history_survives_packing(tmp_path):
    _, history = train(tmp_path, 2)
    assert unpack_history(pack_history(history)) == history
    assert unpack_history(pack_history(History())) == History()


def test_training_stops_when_dev_gets_no_better(tmp_path):
    scores = iter([0.1, 0.3, 0.2, 0.3, 0.4])
    _, history = train(tmp_path, 9, dev=lambda: next(scores), patience=2)
    assert [epoch.dev for epoch in history.epochs] == [0.1, 0.3, 0.2, 0.3]


def test_too_little_memory_is_one_line_that_says_what_to_do(tmp_path):
    def too_much(*_):
        raise torch.cuda.OutOfMemoryError("CUDA\nout of memory")
        yield

    with pytest.raises(CorelaxError, match=r"^the GPU has too little memory; read less$"):
        train(tmp_path, 1, take_epoch=too_much)


def test_a_loss_that_is_no_number_names_its_document_and_nothing_is_saved(tmp_path):
    def astray(_, order):
        for number in order:
            yield torch.tensor(float("inf") if number == 1 else 0.0)

    with pytest.raises(CorelaxError, match="the loss became inf at document b;"):
        train(tmp_path, 1, take_epoch=astray)
    assert list(tmp_path.iterdir()) == []


def test_settings_of_another_kind_are_read_checked_and_shared_alike():
    changed = Settings(stage="s").changed({"rate": "0.5", "epochs": "2", "seed": "7"})
    assert changed == Settings(stage="s", rate=0.5, epochs=2, seed=7)
    assert [is_shared(Settings, key) for key in ("width", "seed", "rate", "xyzzy")] == [
        True, True, False, False,
    ]  # fmt: skip
    with pytest.raises(CorelaxError, match="did you mean 'rate'"):
        changed.changed({"rat": "1"})
    with pytest.raises(CorelaxError, match="epochs must be"):
        Settings(stage="s", epochs=0)
    with pytest.raises(CorelaxError, match="unknown setting 'stage'"):
        changed.changed({"stage": "t"})


def test_tasks_of_the_sparse_ranker_are_not_for_others():
    with pytest.raises(CorelaxError, match="'anaphoricity'"):
        Settings(stage="s", objective="anaphoricity")


@pytest.mark.parametrize("objective", Settings.OBJECTIVES)
def test_every_objective_has_a_loss_with_a_gradient(objective):
    config = Settings(stage="s", objective=objective)
    scores = torch.zeros(3, 3, requires_grad=True)
    more = {"gold_sizes": torch.tensor([2, 1])} if counts_missed(config) else {}
    loss = loss_function(config, 1)(scores, torch.tensor([0, 1, 0]), **more)
    assert loss.shape == ()
    (gradient,) = torch.autograd.grad(loss, scores)
    assert gradient.tril().ne(0).any()
