"""Commands on annotated files: `corelax convert`, `validate`, `stats`, `features` and `synth`."""

from __future__ import annotations

import os
from typing import Annotated, Literal

from corelax.cli.options import (
    AsJson,
    InputFormat,
    SourceFormat,
    TargetFormat,
    note,
    note_lost,
    plural,
    print_json,
)
from corelax.cli.parameters import Exit
from corelax.core.options import Argument, Option


def convert(
    source: Annotated[str, Argument(metavar="IN", help="File to read; - is standard input.")],
    target: Annotated[str, Argument(metavar="OUT", help="File to write; .gz packs it.")],
    format: TargetFormat = None,
    input_format: SourceFormat = None,
) -> None:
    """Convert annotated files between formats.

    What OUT's format cannot hold is listed on standard error. OUT appears when all of it is written.
    """
    from corelax.core.files import check_not_input
    from corelax.io import stream, write

    check_not_input(target, [source])
    note_lost(write(stream(source, input_format), target, format))


def validate(
    files: Annotated[list[str], Argument(metavar="FILE...", help="Files to look at.")],
    json: AsJson = False,
    format: InputFormat = None,
    quiet: Annotated[bool, Option("--quiet", "-q", help="Errors only, no oddities.")] = False,
) -> None:
    """List everything that is wrong or odd in annotated files.

    Errors stop other commands; oddities are unusual but have a clear meaning. The exit code is 1 if
    any file has an error.
    """
    from dataclasses import asdict

    from corelax.core.errors import CorelaxError
    from corelax.core.files import shown
    from corelax.io import Problem, Problems
    from corelax.io import validate as problems_of

    listed: list[Problem] = []
    for path in files:
        try:
            problems = problems_of(path, format)
        except CorelaxError as error:  # cannot be opened; the other files still can
            problems = Problems(shown(path), strict=False)
            problems.error(None, str(error).removeprefix(f"{shown(path)}: "))
        listed += problems.errors if quiet else problems.items
    errors = sum(problem.is_error for problem in listed)
    if json:
        print_json({"errors": errors, "problems": [asdict(problem) for problem in listed]})
    else:
        for problem in listed:
            print(f"{problem}" if problem.is_error else f"{problem} (odd)")
        odd = len(listed) - errors
        note(
            f"{plural(len(files), 'file')}: {plural(errors, 'error')}, {plural(odd, 'oddity', 'oddities')}"
        )
    if errors:
        raise Exit(1)


def stats(
    files: Annotated[list[str], Argument(metavar="FILE...", help="Files to count.")],
    json: AsJson = False,
    format: InputFormat = None,
) -> None:
    """Count documents, sentences, tokens, mentions and entities.

    Mentions are the different spans of each entity; "single" is the share of entities of one mention.
    """
    from corelax.core.text_table import format_table
    from corelax.document.statistics import Statistics, count
    from corelax.io import stream

    sizes = {path: count(stream(path, format, layers=False)) for path in files}
    if json:
        print_json({path: size.as_dict() for path, size in sizes.items()})
        return
    # The folder that all files are in would only push the figures off the screen.
    folder = os.path.dirname(os.path.commonprefix(list(sizes)))  # noqa: PTH120, RUF071 (of strings)
    rows = [
        (path.removeprefix(folder).lstrip("/") if folder else path, size)
        for path, size in sizes.items()
    ]
    if len(rows) > 1:
        rows.append(("all", sum(sizes.values(), Statistics())))
    table = [
        [
            path,
            *(f"{n:,}" for n in (s.documents, s.sentences, s.tokens, s.mentions, s.entities)),
            f"{s.singleton_share:.1%}",
        ]
        for path, s in rows
    ]
    header = ["", "docs", "sentences", "tokens", "mentions", "entities", "single"]
    print(format_table(header, table, gaps_before=[len(sizes)]))


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


def synth(
    target: Annotated[str, Argument(metavar="OUT", help="File to write; .gz packs it.")],
    documents: Annotated[int, Option(min=1, max=10_000_000, help="How many documents.")] = 100,
    seed: Annotated[int, Option(help="The same seed gives the same documents.")] = 0,
    mentions: Annotated[
        float | None,
        Option(metavar="MEAN", max=100_000, help="Mean mentions per document, else the shape's."),
    ] = None,
    ambiguity: Annotated[
        float, Option(help="0 to 1: how often a reference could mean something else.")
    ] = 0.3,
    format: TargetFormat = None,
) -> None:
    """Write invented documents with annotated coreference.

    They are for demonstrations, tests and measurements of speed. Mentions are those that detection
    finds, whether they corefer or not. OUT appears when all of it is written.
    """
    from corelax.io import write
    from corelax.synthetic import Shape, generate

    size = Shape.conll2012()
    if mentions is not None:
        size = size.scaled(mentions)
    stories = generate(documents, seed=seed, shape=size, ambiguity=ambiguity)
    note_lost(write(stories, target, format))
