"""`corelax features FILE`: what the sparse ranker sees."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Literal

import typer

from corelax.cli.options import InputFormat, note


class Pairs(StrEnum):
    """Which pairs of mentions to write."""

    none = "none"
    all = "all"


def features(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Documents; - is standard input.")],
    train: Annotated[
        str | None,
        typer.Option(help="Documents that words and features are counted in; else FILE itself."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Model folder whose features to show, instead of --train.")
    ] = None,
    pairs: Annotated[Pairs, typer.Option(help="Pairs of mentions to write.")] = Pairs.none,
    feature_set: Annotated[
        Literal["lt17", "w16", "default"],
        typer.Option("--features", help="As released by Le & Titov, Wiseman et al., or repaired."),
    ] = "lt17",
    cutoff: Annotated[
        int, typer.Option(help="Training count from which a word is a feature.")
    ] = 20,
    mentions: Annotated[
        str, typer.Option(help="detect, gold, or a file with the mentions of FILE.")
    ] = "detect",
    out: Annotated[str, typer.Option("--out", "-o", help="File to write; .gz packs it.")] = "-",
    format: InputFormat = None,
) -> None:
    """Write the mentions and features of documents, one JSON object a line.

    Each has "doc", "mentions" ([start, end) over the tokens of the document), "phi_a" (names of the features
    of each mention) and, with --pairs all, "pairs": the names for "i,j", mention i and its antecedent j.
    """
    from dataclasses import replace
    from pathlib import Path

    from corelax.core.files import open_bytes, open_for_writing
    from corelax.io import stream
    from corelax.rankers.sparse.features.extract import describe, fit, table
    from corelax.rankers.sparse.features.settings import PRESETS
    from corelax.rankers.sparse.features.show import feature_names
    from corelax.rankers.sparse.features.sources import DETECT, GOLD, mention_source
    from corelax.rankers.sparse.features.vocabulary import Vocabulary
    from corelax.rankers.sparse.mentions.lexicons import load_lexicons

    settings = replace(PRESETS[feature_set], lexical_cutoff=cutoff)
    lexicons = load_lexicons()
    note(f"word lists: {lexicons.name}")
    source = mention_source(mentions)
    counts_file = train is None and model is None
    documents = list(stream(file, format)) if counts_file else stream(file, format)
    if model is not None:
        path = str(Path(model) / "vocabulary.json")
        with open_bytes(path) as content:
            vocabulary = Vocabulary.from_json(content.read(), path)
    else:
        training = documents if train is None else stream(train, format)
        own = source if train is None or mentions in (DETECT, GOLD) else mention_source(DETECT)
        described = (describe(doc, settings, lexicons, own) for doc in training)
        vocabulary, _ = fit(described, settings, lexicons)
    with open_for_writing(out) as target:
        for doc in documents:
            rows = table(describe(doc, vocabulary.settings, lexicons, source), vocabulary)
            names = feature_names(rows, vocabulary, pairs=pairs is Pairs.all)
            target.write(json.dumps({"doc": doc.id, "part": doc.part, **names}, ensure_ascii=False))
            target.write("\n")
