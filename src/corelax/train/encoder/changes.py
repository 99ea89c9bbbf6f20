"""A recipe with other values for some of its settings, as `--set key=value` gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.train.encoder.plan import Recipe, read_settings
from corelax.train.settings import StageSettings, is_shared

RANKER = tuple(one.name for one in fields(EncoderSettings))


def changed_recipe(
    recipe: Recipe, settings: Mapping[str, Any], *, stage: str | None = None
) -> Recipe:
    """The recipe with some settings changed.

    Args:
        recipe: What to change.
        settings: Values by key: `metric.epochs` is of a stage, `span_size` of the ranker, `epochs` of the
            stage that is asked for. Text is read as what the key takes.
        stage: The one that is asked for; the last if None.

    >>> from corelax.train.encoder import read_recipe
    >>> recipe = changed_recipe(read_recipe("small"), {"silver.epochs": "1", "epochs": "5", "window": "128"})
    >>> recipe.stages["silver"].epochs, recipe.stages["metric"].epochs, recipe.ranker.window
    (1, 5, 128)
    """
    last = stage or list(recipe.stages)[-1]
    of_ranker: dict[str, Any] = {}
    of_stage: dict[str, dict[str, Any]] = {}
    for key, value in settings.items():
        prefix, dot, rest = key.rpartition(".")
        if is_shared(StageSettings, rest):
            raise CorelaxError(f"{key}: {_INSTEAD[rest]}")
        if dot and prefix not in recipe.stages:
            known = ", ".join(recipe.stages)
            raise CorelaxError(f"{key}: {prefix} is no stage of the recipe, which has {known}")
        if not dot and key in RANKER:
            of_ranker[key] = value
        else:
            of_stage.setdefault(prefix or last, {})[rest] = value
    stages = {
        name: config.changed(of_stage.get(name, {})) for name, config in recipe.stages.items()
    }
    given = read_settings("ranker", {"ranker": of_ranker}, EncoderSettings)
    return replace(recipe, ranker=replace(recipe.ranker, **given), stages=stages)


_INSTEAD = {
    "seed": "holds for all stages; use --seed",
    "singletons": "each corpus of the recipe says whether its singletons count",
    "decoding": "an encoder ranker decodes by links",
}
