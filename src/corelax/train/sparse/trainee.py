"""A sparse ranker while it is trained: one document a step, AdaGrad, a learning rate for each layer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from torch import Tensor

from corelax.rankers.sparse.folder import Model, belongs_to, write_weights
from corelax.rankers.sparse.names import PRETRAINING
from corelax.rankers.sparse.network import SparseRanker
from corelax.train.checkpoint import ADAGRAD
from corelax.train.optim import AdaGrad
from corelax.train.sparse.config import Config
from corelax.train.sparse.data import Data, training_documents
from corelax.train.sparse.evaluate import dev_score
from corelax.train.sparse.steps import Update, make_steps


class SparseTrainee:
    """What the loop trains.

    Args:
        config: The settings of the stage.
        ranker: The ranker, with the weights to start from; they are changed.
        data: Training and dev documents.
    """

    batch = 1
    optimizer_state = ADAGRAD
    memory_hint = "set max_mentions or max_antecedents, or --device cpu"

    def __init__(self, config: Config, ranker: SparseRanker, data: Data) -> None:
        self.network = ranker
        self.optimizer = AdaGrad(
            [
                {"params": parameters, "lr": getattr(config, rate)}
                for rate, parameters in ranker.parameter_groups.items()
            ],
            accumulator=config.accumulator,
            l1=config.l1,
            damping=float(config.damped),
        )
        self.belongs_to = belongs_to(data.train.vocabulary)
        self._config, self._data = config, data
        documents = training_documents(data.train.tables, config)
        self.keys = [document.key for document in documents]
        update = Update(ranker, self.optimizer, config.clip, config.clamp)
        self._steps = make_steps(documents, update, config)

    def begin_epoch(self, epoch: int) -> None:
        """Sets the temperature."""
        self._steps.begin_epoch(epoch)

    def step(self, documents: Sequence[int]) -> Tensor:
        """A step for one document; its loss."""
        [number] = documents
        return self._steps.step(number)

    def dev_score(self) -> float:
        """The CoNLL score, or the criterion of a pretraining task."""
        return dev_score(self.network, self._data.dev.tables, self._config)

    def save_weights(self, folder: Path) -> None:
        """Writes the weights of the ranker."""
        write_weights(folder, self.network, self._data.train.vocabulary)


def take_weights(ranker: SparseRanker, start: Sequence[Model]) -> None:
    """Gives a ranker the weights that a stage starts from.

    Of pretrained networks the first layers are taken: the output layers were trained for something else.
    """
    weights = ranker.state_dict()
    for model in start:
        trained, objective = model.ranker.state_dict(), model.training["config"]["objective"]
        if objective == "anaphoricity":
            names = ["mention_table", "mention_bias"]
        elif objective in PRETRAINING:
            names = ["current_table", "previous_table", "pair_table", "pair_bias"]
        else:
            names = list(weights)
        weights.update({name: trained[name].to(weights[name].device) for name in names})
    ranker.load_state_dict(weights)
