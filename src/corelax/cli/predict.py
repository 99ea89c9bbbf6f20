"""`corelax predict MODEL IN OUT`: annotated files in, files with predicted entities out."""

from __future__ import annotations

from typing import Annotated, Literal

from corelax.cli.options import SourceFormat, TargetFormat, note, note_lost
from corelax.cli.parameters import Argument, Option
from corelax.core.device import Device

ADVICE = (
    "corelax predict is an alias of corelax resolve IN --model MODEL --out OUT "
    "(with --from FORMAT if the name of IN does not tell its format)"
)


def predict(
    model: Annotated[
        str, Argument(metavar="MODEL", help="Folder, from corelax train, or name of a model.")
    ],
    source: Annotated[str, Argument(metavar="IN", help="Documents; - is standard input.")],
    target: Annotated[str, Argument(metavar="OUT", help="File to write; .gz packs it.")],
    mentions: Annotated[
        str | None,
        Option(help="detect, gold, or a file with the mentions; else as in training."),
    ] = None,
    singletons: Annotated[
        Literal["drop", "keep"] | None,
        Option(help="Entities of one mention; else as in training."),
    ] = None,
    decoding: Annotated[
        Literal["links", "entities"] | None,
        Option(help="By best links or best entities (not with an encoder); else as in training."),
    ] = None,
    scheme: Annotated[
        str | None,
        Option(help="Annotation scheme, if an encoder model knows several."),
    ] = None,
    device: Device = "auto",
    format: TargetFormat = None,
    input_format: SourceFormat = None,
) -> None:
    """Resolve coreference in annotated documents: an alias of `corelax resolve IN --model MODEL --out OUT`.

    The words and layers of IN are kept, its entities are replaced by the predicted ones.
    """
    from corelax.core.files import check_not_input
    from corelax.io import stream, write
    from corelax.resolve import predict_documents
    from corelax.resolve.models import model_files

    check_not_input(target, [source, mentions, *model_files(model)])
    predicted = predict_documents(
        model,
        stream(source, input_format),
        mentions=mentions,
        singletons=singletons,
        decoding=decoding,
        scheme=scheme,
        device=device,
        note=note,
    )
    note_lost(write(predicted, target, format), but=("heads",))
    note(ADVICE)
