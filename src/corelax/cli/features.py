"""`corelax features FILE`: what the sparse ranker sees."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

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
    pairs: Annotated[Pairs, typer.Option(help="Pairs of mentions to write.")] = Pairs.none,
    feature_set: Annotated[
        str, typer.Option("--features", help="lt17 (as released), w16, or default (repaired).")
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

    from corelax.checks import check_choice
    from corelax.features.extract import describe, fit, table
    from corelax.features.settings import PRESETS
    from corelax.features.show import feature_names
    from corelax.features.sources import DETECT, mention_source
    from corelax.io import stream
    from corelax.io.files import open_for_writing
    from corelax.mentions.lexicons import load_lexicons

    check_choice("features", feature_set, PRESETS)
    settings = replace(PRESETS[feature_set], lexical_cutoff=cutoff)
    lexicons = load_lexicons()
    note(f"word lists: {lexicons.name}")
    source = mention_source(mentions)
    counted_in = mention_source(DETECT) if train and mentions not in ("detect", "gold") else source
    documents = stream(file, format) if train else list(stream(file, format))
    training = stream(train, format) if train else documents
    vocabulary, _ = fit(
        (describe(doc, settings, lexicons, counted_in) for doc in training), settings, lexicons
    )
    with open_for_writing(out) as target:
        for doc in documents:
            rows = table(describe(doc, settings, lexicons, source), vocabulary)
            content = feature_names(rows, vocabulary, pairs=pairs is Pairs.all)
            target.write(
                json.dumps({"doc": doc.id, "part": doc.part, **content}, ensure_ascii=False)
            )
            target.write("\n")
