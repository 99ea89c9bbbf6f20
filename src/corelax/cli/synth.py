"""`corelax synth OUT`: invented documents with annotated coreference."""

from __future__ import annotations

from typing import Annotated, Literal

from corelax.cli.options import TargetFormat, note_lost
from corelax.cli.parameters import Argument, BadParameter, Option

ShapeName = Literal["conll2012"]


def synth(
    target: Annotated[str, Argument(metavar="OUT", help="File to write; .gz packs it.")],
    documents: Annotated[int, Option(min=1, max=10_000_000, help="How many documents.")] = 100,
    seed: Annotated[int, Option(help="The same seed gives the same documents.")] = 0,
    shape: Annotated[ShapeName, Option(help="Size and density of the documents.")] = "conll2012",
    profile: Annotated[
        str | None, Option(metavar="FILE", help="JSON counts of corpora, instead of --shape.")
    ] = None,
    corpus: Annotated[str | None, Option(help="Corpus in the profile.")] = None,
    split: Annotated[str | None, Option(help="Split of that corpus.")] = None,
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
    from corelax.core.files import check_not_input
    from corelax.io import write
    from corelax.synthetic import Shape, generate

    check_not_input(target, [profile])
    if profile is None:
        if corpus is not None or split is not None:
            raise BadParameter("--corpus and --split need --profile")
        size = {"conll2012": Shape.conll2012}[shape]()
    elif corpus is None or split is None:
        raise BadParameter("--profile needs --corpus and --split")
    else:
        size = Shape.from_profile(profile, corpus, split)
    if mentions is not None:
        size = size.scaled(mentions)
    stories = generate(documents, seed=seed, shape=size, ambiguity=ambiguity)
    note_lost(write(stories, target, format))
