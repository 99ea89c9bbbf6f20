"""The recipe for documents of one's own: likelihood, then the metric."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from corelax.train.encoder.changes import changed_recipe
from corelax.train.encoder.plan import Recipe, read_recipe

CORPUS = "corpus"


def own_recipe(
    train: str | os.PathLike[str],
    dev: str | os.PathLike[str],
    settings: Mapping[str, Any] | None = None,
    *,
    format: str | None = None,
) -> Recipe:
    """Two stages on one corpus.

    Args:
        train: Training documents.
        dev: Dev documents: the best epoch on them is kept.
        settings: What differs, as for `changed_recipe`; "singletons" says whether entities of one mention are
            annotated and count.
        format: Of both files; else by suffix or content.

    >>> recipe = own_recipe("train.conllu", "dev.conllu", {"singletons": "keep", "likelihood.epochs": 4})
    >>> list(recipe.stages), recipe.stages["likelihood"].epochs, recipe.corpora["corpus"].singletons
    (['likelihood', 'metric'], 4, 'keep')
    """
    settings = dict(settings or {})
    singletons = settings.pop("singletons", "drop")
    recipe = read_recipe("own")
    corpus = replace(
        recipe.corpora[CORPUS],
        train=(os.fspath(train),),
        dev=(os.fspath(dev),),
        singletons=singletons,
        format=format or "",
    )
    stages = {name: replace(stage, singletons=singletons) for name, stage in recipe.stages.items()}
    return changed_recipe(replace(recipe, corpora={CORPUS: corpus}, stages=stages), settings)
