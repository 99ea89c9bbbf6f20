"""The card of a trained model: what it is, what it was trained on, how it scored, what it cannot do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

from corelax.core.files import write_text
from corelax.metrics import METRICS
from corelax.train.settings import StageSettings

CARD = "README.md"


class CardText(NamedTuple):
    """What a card says about one kind of ranker.

    Attributes:
        ranker: What the model is, as the beginning of a sentence.
        data: Lines about the training documents and their licence.
        scoring: Lines about how dev was scored.
        limits: Lines about what the model cannot do.
    """

    ranker: str
    data: Sequence[str]
    scoring: Sequence[str] = ()
    limits: Sequence[str] = ()


def write_card(
    folder: Path, config: StageSettings, training: Mapping[str, Any], text: CardText
) -> None:
    """Writes `README.md` of a model folder."""
    lines = [
        f"# {config.stage}",
        "",
        f"{text.ranker}, trained by corelax with the objective `{config.objective}`. "
        f"Epoch {training['epoch']} was kept.",
    ]
    scores = training.get("scores")
    if scores is None:
        dev = f"{config.criterion} {100 * training['dev']:.2f}"
        lines += ["", "## Scores on dev", "", f"A pretraining task: {dev}."]
    elif "conll" in scores:
        lines += ["", "## Scores on dev", "", *scores_table(scores)]
    else:
        for corpus, of_corpus in scores.items():
            lines += ["", f"## Scores on dev of {corpus}", "", *scores_table(of_corpus)]
    if scores is not None and text.scoring:
        lines += ["", *text.scoring]
    lines += ["", "## Data", "", *text.data]
    if text.limits:
        lines += ["", "## Limits", "", *text.limits]
    lines += ["", "## Settings", "", *settings_table(config)]
    write_text(folder / CARD, "\n".join(lines) + "\n")


def scores_table(scores: Mapping[str, Any]) -> list[str]:
    lines = ["| metric | recall | precision | F1 |", "|---|--:|--:|--:|"]
    for name in METRICS:
        values = [f"{100 * scores[name][key]:.2f}" for key in ("recall", "precision", "f1")]
        lines.append(f"| {name} | {' | '.join(values)} |")
    return [*lines, f"| CoNLL | | | {100 * scores['conll']:.2f} |"]


def settings_table(config: StageSettings) -> list[str]:
    lines = ["| setting | value |", "|---|---|"]
    for setting in fields(config):
        value = getattr(config, setting.name)
        shown = ", ".join(map(str, value)) if isinstance(value, tuple) else value
        lines.append(f"| {setting.name} | {shown} |")
    return lines
