"""The card of a trained model: what it is, what it saw, how it scored, what it cannot do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from corelax.core.files import write_text
from corelax.metrics import METRICS
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.train.settings import StageSettings
from corelax.train.sparse.config import Config
from corelax.train.sparse.folder import CARD


def write_card(
    folder: Path, config: Config, training: Mapping[str, Any], vocabulary: Vocabulary
) -> None:
    """Writes `README.md` of a model folder."""
    lines = [
        f"# {config.stage}",
        "",
        "A mention ranker over sparse features, trained by corelax with the objective "
        f"`{config.objective}`. Epoch {training['epoch']} was kept.",
        "",
        "## Scores on dev",
        "",
    ]
    if scores := training.get("scores"):
        lines += scores_table(scores)
        how = "kept" if config.singletons == "keep" else "dropped"
        lines += ["", f"Mentions: {config.mentions}. Entities of one mention are {how}."]
    else:
        lines.append(f"A pretraining task: {100 * training['dev']:.2f}.")
    files, data = training["files"], training["data"]
    lines += [
        "",
        "## Data",
        "",
        f"Trained on `{files['train']}` (sha256 {data['train'][:16]}…), chosen on `{files['dev']}` "
        f"({data['dev'][:16]}…); {len(vocabulary.mention):,} features of mentions, {len(vocabulary.pair)} of "
        "pairs. The licence of the training documents holds for what was learnt from them.",
        "",
        "## Limits",
        "",
        "It sees what its features see: words that were frequent in training, agreement by word lists, "
        "distances and equal strings. It needs tags and trees (or dependencies), or given mentions.",
        "",
        "## Settings",
        "",
        *settings_table(config),
    ]
    write_text(folder / CARD, "\n".join(lines) + "\n")


def scores_table(scores: Mapping[str, Any]) -> list[str]:
    """Lines of a table with all metrics, in per cent."""
    lines = ["| metric | recall | precision | F1 |", "|---|--:|--:|--:|"]
    for name in METRICS:
        values = [f"{100 * scores[name][key]:.2f}" for key in ("recall", "precision", "f1")]
        lines.append(f"| {name} | {' | '.join(values)} |")
    return [*lines, f"| CoNLL | | | {100 * scores['conll']:.2f} |"]


def settings_table(config: StageSettings) -> list[str]:
    """Lines of a table with all settings of a stage."""
    lines = ["| setting | value |", "|---|---|"]
    for setting in fields(config):
        value = getattr(config, setting.name)
        shown = ", ".join(map(str, value)) if isinstance(value, tuple) else value
        lines.append(f"| {setting.name} | {shown} |")
    return lines
