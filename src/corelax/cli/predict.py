"""`corelax predict MODEL IN OUT`: annotated files in, files with predicted entities out."""

from __future__ import annotations

from typing import Annotated

import typer

from corelax.cli.options import FormatName, InputFormat, note, plural


def predict(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="Model folder, from corelax train.")
    ],
    source: Annotated[str, typer.Argument(metavar="IN", help="Documents; - is standard input.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="File to write; .gz packs it.")],
    mentions: Annotated[
        str | None,
        typer.Option(help="detect, gold, or a file with the mentions; else as in training."),
    ] = None,
    singletons: Annotated[
        str | None, typer.Option(help="drop or keep entities of one mention; else as in training.")
    ] = None,
    decoding: Annotated[
        str | None, typer.Option(help="Best links or best entities; else as in training.")
    ] = None,
    device: Annotated[str, typer.Option(help="cpu, cuda, or auto.")] = "cpu",
    format: InputFormat = None,
    to: Annotated[FormatName | None, typer.Option(help="Format of OUT; else by suffix.")] = None,
) -> None:
    """Resolve coreference in annotated documents.

    The words and layers of IN are kept, its entities are replaced by the predicted ones.
    """
    from corelax.io import stream, write
    from corelax.train.predict import predict_documents
    from corelax.train.stages import choose_device

    predicted = predict_documents(
        model,
        stream(source, format),
        mentions=mentions,
        singletons=singletons,
        decoding=decoding,
        device=choose_device(device),
        note=note,
    )
    lost = write(predicted, target, to)
    for what, times in sorted(lost.items()):
        note(f"not kept: {what} ({plural(times, 'value')})")
