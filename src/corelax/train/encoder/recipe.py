"""Running a recipe, which repeats a whole training: each stage becomes a model folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from corelax.core.device import choose_device
from corelax.core.errors import CorelaxError
from corelax.core.files import check_file
from corelax.rankers.encoder.folder import WEIGHTS, EncoderModel, load_ranker, new_ranker
from corelax.train.encoder.config import corpus_and_times
from corelax.train.encoder.corpora import dev_examples, relabelled, training_examples
from corelax.train.encoder.examples import Example, digest
from corelax.train.encoder.plan import Recipe, read_recipe
from corelax.train.encoder.stage import finished_stage, train_encoder_stage
from corelax.train.epochs import Watcher

__all__ = ["Recipe", "read_recipe", "run_recipe"]


def run_recipe(
    recipe: Recipe,
    out: Path,
    *,
    encoder: str | Path,
    data: Path,
    stages: Sequence[str] = (),
    seed: int = 1,
    device: str = "auto",
    resume: bool = False,
    watcher: Watcher | None = None,
    note: Callable[[str], None] = lambda _: None,
) -> EncoderModel:
    """Trains all stages of a recipe, or some and what they need; the model of the last.

    Args:
        recipe: What to do.
        out: Each stage becomes a model folder in this one.
        encoder: The pretrained encoder, a folder or a name.
        data: The folder that the files of corpora are in.
        stages: Only these, and those they start from; all if none is named.
        seed: Of weights, order and dropout.
        device: "cpu", "cuda" or "auto".
        resume: Whether to go on with a stage that was begun.
        watcher: Is told how it goes.
        note: Is told the scores of each stage.
    """
    order = recipe.order(stages)
    used = {corpus.name for stage in order for corpus in recipe.corpora_of(stage)}
    for name, corpus in recipe.corpora.items():  # better now than after hours of work
        files = (*corpus.train, *corpus.markables) if name in used else ()
        for file in (*files, *corpus.dev):
            check_file(str(data / file))
    run = _Run(recipe, out, encoder, data, seed, choose_device(device), resume, watcher, note)
    for name in order:
        model = run.stage(name)
    return model


class _Run:
    """One run of a recipe: trains each stage once, and reads each corpus once."""

    def __init__(
        self,
        recipe: Recipe,
        out: Path,
        encoder: str | Path,
        data: Path,
        seed: int,
        device: str,
        resume: bool,
        watcher: Watcher | None,
        note: Callable[[str], None],
    ) -> None:
        self._recipe, self._out, self._encoder, self._data = recipe, out, encoder, data
        self._seed, self._device, self._resume = seed, device, resume
        self._watcher, self._note = watcher, note
        self._done: set[str] = set()
        self._examples: dict[str, list[Example]] = {}
        self._dev: dict[str, list[Example]] = {}

    def stage(self, name: str) -> EncoderModel:
        """The model of a stage, after those that it needs."""
        folder = self._out / name
        if name in self._done:
            return load_ranker(folder, self._device)
        config = replace(self._recipe.stages[name], seed=self._seed)
        start = [self.stage(before) for before in config.start]
        model = start[-1] if start else self._fresh()
        wanted = [corpus_and_times(corpus) for corpus in config.corpora]
        # The documents as they are in their files: a teacher may see some differently on another machine.
        digests = {corpus: digest(self._read(corpus, model)) for corpus, _ in wanted}
        teachers = {teacher for c, _ in wanted if (teacher := self._recipe.corpora[c].teacher)}
        needed = [*config.start, *sorted(teachers)]
        for teacher in teachers:
            self.stage(teacher)
        dev = {c: self._dev_of(c, model) for c, some in self._recipe.corpora.items() if some.dev}
        identity: dict[str, Any] = {
            "start": {before: _digest(self._out / before / WEIGHTS) for before in needed},
            "encoder": Path(self._encoder).name,
            "ranker": asdict(self._recipe.ranker),
            "documents": digests,
            "dev documents": {c: digest(some) for c, some in dev.items()},
        }
        if not start:
            identity["encoder weights"] = _digest_of(model.ranker.encoder)
        done = finished_stage(config, folder, identity, self._device)
        model = done or train_encoder_stage(
            config,
            folder,
            model,
            [e for corpus, times in wanted for e in self._labelled(corpus, model) * times],
            dev,
            identity=identity,
            device=self._device,
            resume=self._resume,
            watcher=self._watcher,
        )
        self._done.add(name)
        scores = model.training["scores"]
        shown = ", ".join(f"{c} {100 * scores[c]['conll']:.2f}" for c in scores)
        self._note(f"{name}: {shown or 'done'}")
        return model

    def _fresh(self) -> EncoderModel:
        torch.manual_seed(self._seed)
        return new_ranker(self._encoder, self._recipe.ranker)

    def _read(self, name: str, model: EncoderModel) -> list[Example]:
        """The training documents of a corpus, as they are annotated."""
        if name not in self._examples:
            corpus, settings = self._recipe.corpora[name], self._recipe.ranker
            examples = training_examples(corpus, self._data, model.tokenizer, settings)
            if not examples:
                raise CorelaxError(f"corpus {name}: no training documents")
            self._examples[name] = examples
        return self._examples[name]

    def _labelled(self, name: str, model: EncoderModel) -> list[Example]:
        """The same as a teacher sees them, if the corpus has one."""
        examples, corpus = self._read(name, model), self._recipe.corpora[name]
        if not corpus.teacher:
            return examples
        return relabelled(examples, corpus, self.stage(corpus.teacher), self._recipe.ranker)

    def _dev_of(self, name: str, model: EncoderModel) -> list[Example]:
        if name not in self._dev:
            corpus = self._recipe.corpora[name]
            self._dev[name] = dev_examples(corpus, self._data, model.tokenizer, self._recipe.ranker)
        return self._dev[name]


def _digest_of(network: nn.Module) -> str:
    total = hashlib.sha256()
    for tensor in network.state_dict().values():
        total.update(tensor.cpu().numpy().tobytes())
    return total.hexdigest()


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise CorelaxError(f"{path}: {error.strerror or error}") from None
