"""Calibrates the probabilities of a model on dev documents, and shows how reliable they are.

    python benchmarks/calibrate.py MODEL --data CORPORA --out FOLDER [--device cuda] [--limit N]

Writes to FOLDER, which may be MODEL itself:

    config.json             the model's own, with a calibration of each scheme, fitted on all dev documents
    reliability.json        expected calibration error (ECE, 15 bins) and Brier score before and after
    reliability-SCHEME.svg  a plot for each scheme (needs matplotlib)

Errors after calibration are measured on either half of the documents, with a calibration fitted on the other.

Schemes and their dev documents: ontonotes (ontogum), gum, litbank, craft, those that the model has.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from corelax.analysis.reliability import Reliability, reliability
from corelax.core.device import choose_device
from corelax.core.errors import CorelaxError
from corelax.core.files import write_text
from corelax.core.text_table import format_table
from corelax.decode.calibration import UNCALIBRATED
from corelax.document import Document
from corelax.rankers.encoder.folder import calibrate_config, load_ranker
from corelax.rankers.encoder.model import EncoderModel
from corelax.render.figures import INSTALL, Figure, Panel, Series, can_draw, figure_svg
from corelax.resolve.models import model_folder
from corelax.train.encoder.calibrate import (
    KINDS,
    Judged,
    best_calibration,
    fit_calibration,
    joined,
    observed,
)
from corelax.train.encoder.corpora import read_documents

DEV = {
    "ontonotes": "ontogum/dev.gold_conll.gz",
    "gum": "gum/dev.conllu.gz",
    "litbank": "litbank/dev.gold_conll.gz",
    "craft": "craft/dev.gold_conll.gz",
}
SINGLETONS = {"gum": "keep", "litbank": "keep"}
LEAST = 10  # predictions in a bin that is drawn

Pair = tuple[Reliability, Reliability]  # before and after


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("model", help="A model folder, or the name of a shipped model.")
    parser.add_argument("--data", type=Path, required=True, help="The folder with the corpora.")
    parser.add_argument("--out", type=Path, required=True, help="The folder to write to.")
    parser.add_argument("--device", default="auto", help="cpu, cuda or auto.")
    parser.add_argument("--limit", type=int, help="The most documents of each scheme.")
    options = parser.parse_args()
    try:
        calibrate(options.model, options.data, options.out, options.device, options.limit)
    except CorelaxError as error:
        sys.exit(str(error))


def calibrate(
    name: str, data: Path, out: Path, device: str = "auto", limit: int | None = None
) -> None:
    folder = model_folder(name)
    model = load_ranker(folder, choose_device(device))
    schemes = [scheme for scheme in model.ranker.settings.schemes if scheme in DEV]
    if not schemes:
        raise CorelaxError(
            f"{folder}: none of its schemes has dev documents here: {', '.join(DEV)}"
        )
    documents = {scheme: read_documents([DEV[scheme]], data)[:limit] for scheme in schemes}
    results = {
        scheme: by_kind(*cross_fitted(model, scheme, given)) for scheme, given in documents.items()
    }
    calibrations = fit_calibration(model, documents, singletons=SINGLETONS)
    out.mkdir(parents=True, exist_ok=True)
    calibrate_config(folder, calibrations, out)
    plain = {
        scheme: {
            kind: {"before": before.as_dict(), "after": after.as_dict()}
            for kind, (before, after) in pairs.items()
        }
        for scheme, pairs in results.items()
    }
    write_text(out / "reliability.json", json.dumps(plain, indent=2) + "\n")
    print(table(results))
    if not can_draw():
        print(f"no plots: matplotlib is not installed; {INSTALL}")
        return
    for scheme, pairs in results.items():
        write_text(out / f"reliability-{scheme}.svg", figure_svg(figure(scheme, pairs)))


def cross_fitted(
    model: EncoderModel, scheme: str, documents: Sequence[Document]
) -> tuple[Judged, Judged]:
    """The decisions without calibration, and with one that was fitted on the other half of the documents."""
    every = observed(model, scheme, documents, SINGLETONS.get(scheme, "drop"))
    halves = every[0::2], every[1::2]
    calibrations = best_calibration(halves[1]), best_calibration(halves[0])
    after = [
        each.judged(calibration)
        for half, calibration in zip(halves, calibrations, strict=True)
        for each in half
    ]
    before = [each.judged(UNCALIBRATED) for half in halves for each in half]
    return joined(before), joined(after)


def by_kind(before: Judged, after: Judged) -> dict[str, Pair]:
    """The reliability of each kind of probability, before and after."""

    def measured(judged: Judged, column: int) -> Reliability:
        return reliability(judged.probability[:, column], judged.right[:, column])

    return {kind: (measured(before, k), measured(after, k)) for k, kind in enumerate(KINDS)}


def table(results: dict[str, dict[str, Pair]]) -> str:
    """ECE and Brier score in percent."""
    rows = [
        [f"{scheme}, {kind}", str(int(before.size.sum()))]
        + [f"{100 * value:.2f}" for value in (before.ece, after.ece, before.brier, after.brier)]
        for scheme, pairs in results.items()
        for kind, (before, after) in pairs.items()
    ]
    columns = ["probability", "mentions", "ECE before", "after", "Brier before", "after"]
    return format_table(columns, rows)


def figure(scheme: str, pairs: dict[str, Pair]) -> Figure:
    """Reliability curves: the share that is right by probability."""
    panels = []
    for kind, (before, after) in pairs.items():
        series = [Series("calibrated perfectly", [0.0, 1.0], [0.0, 1.0])]
        for label, result in (("before", before), ("after", after)):
            drawn = np.flatnonzero(result.size >= LEAST)
            x, y = result.probability[drawn].tolist(), result.right[drawn].tolist()
            series.append(Series(label, x, y))
        title = f"{kind} (ECE {100 * before.ece:.1f} → {100 * after.ece:.1f} %)"
        panels.append(Panel(title, "probability", "share that is right", series))
    return Figure(f"reliability-{scheme}", f"Reliability, scheme {scheme}", panels)


if __name__ == "__main__":
    main()
