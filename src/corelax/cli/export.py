"""`corelax export MODEL`: graphs with which a model resolves without torch."""

from __future__ import annotations

from typing import Annotated

from corelax.cli.options import note
from corelax.core.lazy import require
from corelax.core.options import Argument, Option


def export(
    model: Annotated[str, Argument(metavar="MODEL", help="A model folder of an encoder ranker.")],
    window: Annotated[
        int | None,
        Option(
            min=3, metavar="N", help="Word pieces that the encoder reads at a time from now on."
        ),
    ] = None,
    antecedents: Annotated[
        int | None,
        Option(
            min=1, metavar="N", help="Antecedents of a mention that are scored in full from now on."
        ),
    ] = None,
) -> None:
    """Write a model's network as ONNX graphs into its folder, checked against torch.

    Such a model resolves with onnxruntime alone: it starts in a second, and needs no torch. Shorter windows
    and fewer antecedents are faster and may cost scores; they are written into config.json, for torch too.
    """
    require("export", "torch", "transformers", "onnx", "onnxscript", "onnxruntime")
    from corelax.rankers.encoder.exported import MOST_ERROR, write_graphs
    from corelax.resolve.models import model_folder

    folder = model_folder(model)
    note(f"{folder}: exporting; this takes a minute")
    given = {"window": window, "antecedents": antecedents}
    limits = {name: value for name, value in given.items() if value is not None}
    logits, scores, int8 = write_graphs(folder, limits)
    print(
        f"{folder}: words.onnx, spans.onnx and links.onnx; largest difference from torch "
        f"{logits:.1g} (mention logits), {scores:.1g} (antecedent scores)"
    )
    if int8 is not None:
        name = "words.int8.onnx" if int8 <= MOST_ERROR else "no graph for bytes"
        print(f"{folder}: {name}; products of bytes change mention logits by {int8:.1%}")
