"""Running a recipe, which repeats a whole training: each stage becomes a model folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from corelax.core.device import choose_device
from corelax.core.files import check_file
from corelax.rankers.encoder.folder import EncoderModel
from corelax.train.encoder.plan import Recipe, read_recipe
from corelax.train.encoder.stage import EncoderStages
from corelax.train.loop import Progress
from corelax.train.stage import Note, ignore, train_stages

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
    progress: Progress | None = None,
    note: Note = ignore,
) -> EncoderModel:
    """Trains all stages of a recipe, or some and what they need; the model of the last.

    Args:
        recipe: Corpora and stages.
        out: Each stage becomes a model folder in this one.
        encoder: The pretrained encoder, a folder or a name.
        data: The folder that the files of corpora are in.
        stages: Only these, and those they need; all if none is named.
        seed: The seed of weights, order and dropout.
        device: "cpu", "cuda" or "auto".
        resume: Whether to continue a stage that was begun.
        progress: Progress callbacks.
        note: Receives the score of each stage.
    """
    order = recipe.order(stages)
    used = {corpus.name for stage in order for corpus in recipe.corpora_of(stage)}
    for name, corpus in recipe.corpora.items():  # better now than after hours of work
        files = (*corpus.train, *corpus.markables) if name in used else ()
        for file in (*files, *corpus.dev):
            check_file(str(data / file))
    make_stage = EncoderStages(
        recipe.ranker,
        recipe.corpora,
        encoder=encoder,
        data=data,
        out=out,
        device=choose_device(device),
    )
    configs = [replace(recipe.stages[name], seed=seed) for name in order]
    models = train_stages(configs, out, make_stage, resume=resume, progress=progress, note=note)
    return models[order[-1]]
