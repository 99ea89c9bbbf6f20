"""A stage of training an encoder ranker, in the same loop as any other; it leaves a model folder."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from corelax.core.errors import CorelaxError
from corelax.metrics import CONLL
from corelax.rankers.encoder.folder import (
    CONFIG,
    EncoderModel,
    load_ranker,
    read_config,
    save_ranker,
    write_config,
    write_encoder,
    write_weights,
)
from corelax.rankers.encoder.ranker import EncoderRanker
from corelax.train.checkpoint import (
    ADAM,
    CHECKPOINT,
    History,
    load_checkpoint,
    random_seed,
    save_checkpoint,
    tidy,
)
from corelax.train.encoder.averages import update_average
from corelax.train.encoder.card import write_encoder_card
from corelax.train.encoder.config import EncoderConfig
from corelax.train.encoder.evaluate import evaluate
from corelax.train.encoder.examples import Example, part_from
from corelax.train.encoder.objective import make_objective
from corelax.train.epochs import Watcher, run_epochs

MEMORY_HINT = "set batch or max_words, or --device cpu"


def train_encoder_stage(
    config: EncoderConfig,
    folder: Path,
    model: EncoderModel,
    examples: Sequence[Example],
    dev: Mapping[str, Sequence[Example]],
    *,
    identity: Mapping[str, Any],
    device: str = "cpu",
    resume: bool = False,
    watcher: Watcher | None = None,
) -> EncoderModel:
    """Trains a stage, or takes it from its folder if it was trained in the same way before.

    Args:
        config: The settings.
        folder: The model folder.
        model: The weights to start from; they are changed.
        examples: Training documents.
        dev: Dev documents of each corpus; the mean of their CoNLL scores tells epochs apart.
        identity: What else decides the result: files, weights it starts from.
        device: "cpu" or "cuda".
        resume: Whether to go on with a stage that was begun.
        watcher: Is told how it goes.
    """
    done = finished_stage(config, folder, identity, device)
    if done is not None:
        return done
    if (folder / CONFIG).exists() and not resume:
        raise CorelaxError(f"{folder}: was begun before; go on with --resume, or delete it")
    training: dict[str, Any] = {"config": asdict(config), **identity, "finished": False}
    folder.mkdir(parents=True, exist_ok=True)
    tidy(folder, finished=False)
    torch.manual_seed(random_seed(config.seed, config.stage, "start"))
    trainee = _Trainee(config, model.ranker.to(device), examples)
    if (folder / CHECKPOINT).exists():
        write_encoder(folder, model)  # may have been torn
    else:
        save_ranker(folder, model._replace(training=training))
    history = load_checkpoint(folder, trainee, trainee.optimizer, {}, ADAM)
    kept = model._replace(ranker=trainee.best)

    def dev_score() -> float:
        scores = [float(evaluate(trainee.best, some, CONLL).conll) for some in dev.values()]
        return sum(scores) / max(len(scores), 1)

    def save(history: History) -> None:
        if history.best is history.epochs[-1] or config.keep == "last":
            write_weights(folder, kept)
        save_checkpoint(folder, trainee, trainee.optimizer, history, {})
        history.write_log(folder)

    run_epochs(
        config,
        history,
        keys=[example.document.key for example in examples],
        take_epoch=trainee.epoch,
        dev_score=dev_score,
        save=save,
        watcher=watcher or Watcher(),
        memory_hint=MEMORY_HINT,
    )
    best = history.epochs[-1] if config.keep == "last" else history.best
    assert best is not None
    finished = load_ranker(folder, device)
    scores = {name: evaluate(finished.ranker, some).as_dict() for name, some in dev.items()}
    training |= {"finished": True, "epoch": best.epoch, "dev": best.dev, "scores": scores}
    finished = finished._replace(training=training)
    write_encoder_card(folder, config, training)
    write_config(folder, finished)  # last: from now on the stage is finished
    tidy(folder, finished=True)
    return finished


def finished_stage(
    config: EncoderConfig, folder: Path, identity: Mapping[str, Any], device: str
) -> EncoderModel | None:
    """The model of a stage that was trained before in the same way, or None if it is not finished."""
    if not (folder / CONFIG).exists():
        return None
    old = dict(read_config(folder)["training"])
    wanted = {"config": asdict(config), **identity}
    other = _differences(_plain(old), _plain(wanted))
    if other:
        raise CorelaxError(
            f"{folder}: was trained with other settings or files ({', '.join(other)}); "
            "use another --out, or delete it"
        )
    if not old["finished"]:
        return None
    tidy(folder, finished=True)
    return load_ranker(folder, device)


class _Trainee(nn.Module):
    """A ranker while it learns, and the mean of its weights."""

    def __init__(
        self, config: EncoderConfig, ranker: EncoderRanker, examples: Sequence[Example]
    ) -> None:
        super().__init__()
        self.ranker = ranker
        self.average = copy.deepcopy(ranker).requires_grad_(False) if config.averaging else None
        self._config, self._examples = config, examples
        self._per_epoch = -(-len(examples) // config.batch)
        own = [p for name, p in ranker.named_parameters() if not name.startswith("encoder.")]
        self._rates = (config.encoder_learning_rate, config.learning_rate)
        self.optimizer = torch.optim.AdamW(
            [{"params": list(ranker.encoder.parameters())}, {"params": own}],
            lr=0.0,
            betas=(0.9, 0.98),
            weight_decay=config.weight_decay,
            fused=ranker.device.type == "cuda",
        )

    @property
    def best(self) -> EncoderRanker:
        """The weights to keep."""
        return self.ranker if self.average is None else self.average

    def epoch(self, epoch: int, order: Sequence[int]) -> Iterator[Tensor]:
        """Takes steps over the documents, and yields the loss of each."""
        config, ranker = self._config, self.ranker
        objective = make_objective(config, epoch)
        kind = ranker.device.type
        ranker.train()
        for number, at in enumerate(range(0, len(order), config.batch)):
            step = (epoch - 1) * self._per_epoch + number
            examples = [self._part(self._examples[i]) for i in order[at : at + config.batch]]
            with torch.autocast(kind, dtype=torch.bfloat16, enabled=kind == "cuda"):
                loss = objective(ranker, examples)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            if config.clip:
                nn.utils.clip_grad_norm_(ranker.parameters(), config.clip)
            share = self._share(step)
            for group, rate in zip(self.optimizer.param_groups, self._rates, strict=True):
                group["lr"] = rate * share
            self.optimizer.step()
            if self.average is not None:
                update_average(self.average, ranker, config.averaging, step + 1)
            yield from [loss.detach()] * len(examples)

    def _part(self, example: Example) -> Example:
        first = int(torch.randint(len(example.windows), ()))
        return part_from(example, self._config.max_words, first)

    def _share(self, step: int) -> float:
        """Of the learning rates: up in a straight line, then down to 0."""
        steps = self._config.epochs * self._per_epoch
        warm = max(1, round(self._config.warmup * steps))
        return min((step + 1) / warm, (steps - step) / max(1, steps - warm))


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """The names of what is not the same, as "documents.ontogum".

    >>> _differences({"config": {"epochs": 3, "seed": 1}}, {"config": {"epochs": 4, "seed": 1}})
    ['config.epochs']
    """
    names = []
    for key, value in new.items():
        before = old.get(key)
        if isinstance(value, Mapping) and isinstance(before, Mapping):
            found = _differences(before, {**dict.fromkeys(before), **value})
            names += [f"{key}.{name}" for name in found]
        elif before != value:
            names.append(key)
    return names


def _plain(value: Any) -> Any:
    """As JSON gives it back, where tuples have become lists."""
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, (list, tuple)) else value
