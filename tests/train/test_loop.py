"""The loop, the settings and the checkpoint serve any network and optimiser, not the sparse ranker only."""

from dataclasses import dataclass

import pytest
import torch
from torch import nn

from corelax import CorelaxError
from corelax.core.folders import load_weights, save_weights
from corelax.train.checkpoint import (
    ADAGRAD,
    ADAM,
    load_checkpoint,
    unpack_history,
)
from corelax.train.loop import train_epochs
from corelax.train.objectives import counts_missed, loss_function
from corelax.train.optim import AdaGrad
from corelax.train.settings import StageSettings, everywhere

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


class Adder:
    """A network that learns to add."""

    keys, batch, belongs_to, memory_hint = ("a", "b", "c"), 1, OF, "read less"

    def __init__(self, optimizer, step=None, dev=lambda: 0.5):
        torch.manual_seed(0)
        self.network = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.2), nn.Linear(4, 1))
        make, self.optimizer_state = OPTIMIZERS[optimizer]
        self.optimizer = make(self.network)
        self.dev_score = dev
        self._data = torch.eye(3) + torch.arange(3)
        self._other_step = step

    def begin_epoch(self, _):
        self.network.train()

    def step(self, documents):
        [number] = documents
        if self._other_step:
            return self._other_step(number)
        loss = (self.network(self._data[number]) - self._data[number].sum()).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def save_weights(self, folder):
        save_weights(folder / "model.safetensors", self.network.state_dict(), OF)


def train(folder, epochs, optimizer="adam", step=None, dev=lambda: 0.5, every=0.0, **settings):
    """Trains from where the folder says it stopped."""
    trainee, config = Adder(optimizer, step, dev), Settings(stage="s", epochs=epochs, **settings)
    history = train_epochs(trainee, config, folder, checkpoint_seconds=every)
    return trainee.network, history


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


def test_without_a_young_checkpoint_epochs_are_repeated_to_the_same_end(tmp_path):
    scores = [0.3, 0.5, 0.1, 0.2, 0.4]  # the second epoch is the best

    def dev(first):
        return iter(scores[first:]).__next__

    for name in ("whole", "parts"):
        (tmp_path / name).mkdir()
    whole, _ = train(tmp_path / "whole", 5, dev=dev(0))
    train(tmp_path / "parts", 4, dev=dev(0), every=1000.0)  # as if it were killed then
    lines = (tmp_path / "parts" / "log.jsonl").read_text().splitlines()
    assert len(lines) == 2  # up to the best epoch, whose weights are there
    parts, history = train(tmp_path / "parts", 5, dev=dev(2))
    assert [epoch.dev for epoch in history.epochs] == scores
    kept = [load_weights(tmp_path / name / "model.safetensors", OF) for name in ("whole", "parts")]
    for name, weight in whole.state_dict().items():
        assert torch.equal(parts.state_dict()[name], weight)
        assert torch.equal(kept[0][name], kept[1][name])


@pytest.mark.parametrize("keep", ["best", "last"])
def test_kept_weights_are_of_an_epoch_that_the_checkpoint_knows(tmp_path, keep):
    """Even if a continued run scores otherwise on dev."""
    scores = iter([0.2, 0.4, 0.3])
    train(tmp_path, 3, dev=scores.__next__, every=1000.0, keep=keep)
    known = unpack_history(load_weights(tmp_path / "checkpoint.safetensors", OF)["history"])
    assert known.kept(keep).epoch == {"best": 2, "last": 3}[keep]


def test_a_checkpoint_of_something_else_is_an_error(tmp_path):
    network, _ = train(tmp_path, 1)
    with pytest.raises(CorelaxError, match="does not belong to the encoder beside it"):
        load_checkpoint(tmp_path, network, AdaGrad(network.parameters()), {"encoder": "ffff"})


def test_training_stops_when_dev_gets_no_better(tmp_path):
    scores = iter([0.1, 0.3, 0.2, 0.3, 0.4])
    _, history = train(tmp_path, 9, dev=lambda: next(scores), patience=2)
    assert [epoch.dev for epoch in history.epochs] == [0.1, 0.3, 0.2, 0.3]


def test_too_little_memory_is_one_line_that_says_what_to_do(tmp_path):
    def too_much(_):
        raise torch.cuda.OutOfMemoryError("CUDA\nout of memory")

    with pytest.raises(CorelaxError, match=r"^the GPU has too little memory; read less$"):
        train(tmp_path, 1, step=too_much)


def test_a_loss_that_is_no_number_names_its_document_and_nothing_is_saved(tmp_path):
    def astray(number):
        return torch.tensor(float("inf") if number == 1 else 0.0)

    with pytest.raises(CorelaxError, match="the loss became inf at document b;"):
        train(tmp_path, 1, step=astray)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("objective", Settings.OBJECTIVES)
def test_every_objective_has_a_loss_with_a_gradient(objective):
    config = Settings(stage="s", objective=objective)
    scores = torch.zeros(3, 3, requires_grad=True)
    more = {"gold_sizes": torch.tensor([2, 1])} if counts_missed(config) else {}
    loss = loss_function(config, 1)(scores, torch.tensor([0, 1, 0]), **more)
    assert loss.shape == ()
    (gradient,) = torch.autograd.grad(loss, scores)
    assert gradient.tril().ne(0).any()


@pytest.mark.parametrize(("keep", "epoch"), [("best", 2), ("last", 4)])
def test_the_weights_of_the_best_or_the_last_epoch_are_written(tmp_path, keep, epoch):
    for name, epochs in (("whole", 4), ("until", epoch)):
        (tmp_path / name).mkdir()
        scores = iter([0.1, 0.3, 0.2, 0.3])
        train(tmp_path / name, epochs, dev=lambda scores=scores: next(scores), keep=keep)
    whole, until = (
        load_weights(tmp_path / name / "model.safetensors", OF) for name in ("whole", "until")
    )
    assert all(torch.equal(weight, until[name]) for name, weight in whole.items())


def test_an_error_in_a_step_names_the_document(tmp_path):
    def wrong(number):
        if number == 1:
            raise CorelaxError("gold must be integers")
        return torch.tensor(0.0)

    with pytest.raises(CorelaxError, match=r"^document b: gold must be integers$"):
        train(tmp_path, 1, step=wrong)


def test_an_error_after_weights_have_diverged_says_what_helps(tmp_path):
    trainee = Adder("adam")
    trainee.network[0].weight.data.fill_(torch.nan)

    def wrong(_):
        raise CorelaxError("antecedent_scores: not a number")

    trainee.step = wrong
    with pytest.raises(CorelaxError, match="not a number; try a smaller learning_rate"):
        train_epochs(trainee, Settings(stage="s", epochs=1), tmp_path)
