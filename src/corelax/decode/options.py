"""How the entities of a document are decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from corelax.core.options import Option, check_options


@dataclass(frozen=True, kw_only=True)
class ResolveOptions:
    """What shapes the answer about one document, whichever way it comes."""

    singletons: Annotated[
        Literal["drop", "keep"] | None,
        Option(help="Entities that are mentioned once; else as in training."),
    ] = None
    decoding: Annotated[
        Literal["links", "entities"] | None,
        Option(help="By best links or best entities (not with an encoder); else as in training."),
    ] = None
    scheme: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Annotation scheme, if the model knows several; small has ontonotes, gum, litbank, craft.",
        ),
    ] = None
    consistent: Annotated[
        bool,
        "Whether people are kept apart (he and she, I of two speakers), and mentions that are markup, "
        "unlikely verbs or overlap in one entity are left out. If not, every link that the network prefers "
        "is made.",
    ] = True

    def __post_init__(self) -> None:
        check_options(self)
