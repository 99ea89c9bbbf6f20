"""`corelax features FILE`: what the sparse ranker sees."""

from __future__ import annotations

from typing import Annotated, Literal

from corelax.cli.options import InputFormat, note
from corelax.cli.parameters import Argument, Option


def features(
    file: Annotated[str, Argument(metavar="FILE", help="Documents; - is standard input.")],
    train: Annotated[
        str | None,
        Option(help="Documents that words and features are counted in; else FILE itself."),
    ] = None,
    model: Annotated[
        str | None, Option(help="Model folder whose features to show, instead of --train.")
    ] = None,
    pairs: Annotated[Literal["none", "all"], Option(help="Pairs of mentions to write.")] = "none",
    feature_set: Annotated[
        Literal["lt17", "w16", "default"],
        Option("--features", help="As released by Le & Titov, Wiseman et al., or repaired."),
    ] = "lt17",
    cutoff: Annotated[int, Option(help="Training count from which a word is a feature.")] = 20,
    mentions: Annotated[
        str, Option(help="detect, gold, or a file with the mentions of FILE.")
    ] = "detect",
    out: Annotated[str, Option("--out", "-o", help="File to write; .gz packs it.")] = "-",
    format: InputFormat = None,
) -> None:
    """Write the mentions and features of documents, one JSON object a line.

    Each has "doc", "mentions" ([start, end) over the tokens of the document), "phi_a" (names of the features
    of each mention) and, with --pairs all, "pairs": the names for "i,j", mention i and its antecedent j.
    """
    from dataclasses import replace
    from pathlib import Path

    from corelax.core.files import check_not_input, open_for_writing
    from corelax.core.printable import json_text
    from corelax.io import stream
    from corelax.rankers.sparse.features import FEATURE_SETS, Vocabulary, feature_rows
    from corelax.rankers.sparse.mentions.lexicons import lexicons_of, load_lexicons

    vocabulary = None if model is None else Path(model) / "vocabulary.json"
    check_not_input(out, [file, train, vocabulary, mentions])
    trained = None if vocabulary is None else Vocabulary.load(vocabulary)
    lexicons = load_lexicons() if trained is None else lexicons_of(trained.lexicons, f"{model}")
    note(f"word lists: {lexicons.name}")
    rows = feature_rows(
        stream(file, format),
        train=None if train is None else stream(train, format),
        vocabulary=trained,
        settings=replace(FEATURE_SETS[feature_set], lexical_cutoff=cutoff),
        lexicons=lexicons,
        mentions=mentions,
        pairs=pairs == "all",
    )
    with open_for_writing(out) as target:
        target.writelines(json_text(row) + "\n" for row in rows)
