"""An encoder ranker while it is trained: a few documents a step, AdamW, the mean of the weights."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import get_ema_multi_avg_fn

from corelax.metrics import CONLL, Report, Tally
from corelax.rankers.encoder.folder import write_weights
from corelax.rankers.encoder.model import EncoderModel
from corelax.rankers.encoder.torch_network import TorchNetwork
from corelax.relax.precision import unchecked
from corelax.train.checkpoint import ADAM
from corelax.train.encoder.config import EncoderConfig
from corelax.train.encoder.evaluate import dev_counts
from corelax.train.encoder.examples import Example
from corelax.train.encoder.objective import Totals, batch_objective
from corelax.train.encoder.variation import grouped, varied
from corelax.train.workers import ALONE, Workers


class EncoderTrainee:
    """What the loop trains.

    Args:
        config: The settings of the stage.
        model: The weights to start from; they are changed.
        examples: Training documents.
        dev: Dev documents of each corpus; the mean of their CoNLL scores is the dev score.
        workers: Those that share the documents of a step. Each has all documents, and the same weights.
    """

    optimizer_state = ADAM
    memory_hint = "set batch or max_words, or --device cpu"

    def __init__(
        self,
        config: EncoderConfig,
        model: EncoderModel,
        examples: Sequence[Example],
        dev: Mapping[str, Sequence[Example]],
        workers: Workers = ALONE,
    ) -> None:
        self._workers = workers
        self.belongs_to: dict[str, str] = {}
        self._groups = grouped(examples)
        self.keys = [group[0].document.key for group in self._groups]
        self.batch = config.batch
        self._config, self._dev = config, dev
        self._ranker = ranker = model.ranker
        self._average = copy.deepcopy(ranker).requires_grad_(False) if config.averaging else None
        self._kept = model._replace(network=TorchNetwork(self._average or ranker))
        parts = {"ranker": ranker} if self._average is None else {
            "ranker": ranker, "average": self._average
        }  # fmt: skip
        self.network = nn.ModuleDict(parts)
        of_encoder = list(ranker.encoder.parameters())
        known = set(map(id, of_encoder))
        others = [weight for weight in ranker.parameters() if id(weight) not in known]
        self._rates = (config.encoder_learning_rate, config.learning_rate)
        self.optimizer = torch.optim.AdamW(
            [{"params": of_encoder}, {"params": others}],
            lr=0.0,
            betas=(0.9, 0.98),
            weight_decay=config.weight_decay,
            fused=ranker.device.type == "cuda",
        )
        self._per_epoch = -(-len(self._groups) // config.batch)
        self.begin_epoch(1)

    def begin_epoch(self, epoch: int) -> None:
        self._done = (epoch - 1) * self._per_epoch
        self._objective = batch_objective(self._config, epoch)
        self._draws = torch.default_generator
        self._ranker.train()
        if self._workers.size > 1:
            # Documents vary as in one process. Dropout has random numbers of its own on each worker.
            self._draws = torch.Generator()
            self._draws.set_state(torch.get_rng_state())
            torch.manual_seed(self._config.random_seed(epoch, self._workers.rank))

    def step(self, documents: Sequence[int]) -> Tensor:
        config, ranker, workers = self._config, self._ranker, self._workers
        kind = ranker.device.type
        chosen = [example for number in documents for example in self._groups[number]]
        examples = varied(chosen, config, self._draw)
        totals = Totals.of(examples, workers.size)
        if workers.size > 1:
            longest_first = sorted(examples, key=lambda example: -example.words)
            examples = longest_first[workers.rank :: workers.size]
        with torch.autocast(kind, dtype=torch.bfloat16, enabled=kind == "cuda"), unchecked():
            loss = self._objective(ranker, examples, totals)
        self.optimizer.zero_grad(set_to_none=True)
        if loss.requires_grad:  # not of a worker without documents
            loss.backward()  # type: ignore[no-untyped-call]
        loss = workers.add_gradients(ranker.parameters(), loss)
        if config.clip:
            nn.utils.clip_grad_norm_(ranker.parameters(), config.clip)
        share = self._share(self._done)
        for group, rate in zip(self.optimizer.param_groups, self._rates, strict=True):
            group["lr"] = rate * share
        self.optimizer.step()
        self._done += 1
        if self._average is not None:
            update_average(self._average, ranker, config.averaging, self._done)
        return loss

    def dev_score(self) -> float:
        """The mean CoNLL score of the dev corpora, with the weights to keep; 0 without any."""
        workers = self._workers
        scores = []
        for part in self._dev.values():
            tally = Tally(CONLL)
            own = part[workers.rank :: workers.size]
            for counts in workers.gather(dev_counts(self._kept.ranker, own, CONLL)):
                tally.add_counts(counts)
            scores.append(float(Report(tally.counts()).conll))
        return sum(scores) / max(len(scores), 1)

    def save_weights(self, folder: Path) -> None:
        """Writes the mean of the weights, or the weights themselves if there is no mean."""
        write_weights(folder, self._kept)

    def _share(self, step: int) -> float:
        """The factor of the learning rates: up in a straight line, then down to 0."""
        steps = self._config.epochs * self._per_epoch
        warm = max(1, round(self._config.warmup * steps))
        return min((step + 1) / warm, (steps - step) / max(1, steps - warm))

    def _draw(self, below: int) -> int:
        return int(torch.randint(below, (), generator=self._draws))


def update_average(average: nn.Module, network: nn.Module, decay: float, step: int) -> None:
    """average ← d · average + (1 − d) · network, where d rises to `decay` over the first steps.

    The mean of the weights over steps resolves better than the last weights.

    >>> average, network = nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False)
    >>> _ = average.weight.data.fill_(0.0), network.weight.data.fill_(1.0)
    >>> update_average(average, network, 0.5, step=100)
    >>> average.weight.item()
    0.5
    """
    update = get_ema_multi_avg_fn(min(decay, (step + 1) / (step + 10)))  # type: ignore[no-untyped-call]
    update(list(average.parameters()), list(network.parameters()), step)
