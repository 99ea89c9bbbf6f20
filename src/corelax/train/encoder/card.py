"""The card of a trained encoder ranker: what it is, what it saw, how it scored."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from corelax.core.files import write_text
from corelax.train.encoder.config import EncoderConfig
from corelax.train.sparse.card import scores_table, settings_table
from corelax.train.sparse.folder import CARD


def write_encoder_card(folder: Path, config: EncoderConfig, training: Mapping[str, Any]) -> None:
    """Writes `README.md` of a model folder."""
    lines = [
        f"# {config.stage}",
        "",
        "A mention ranker on top of a pretrained encoder"
        + (f" ({training['encoder']})" if "encoder" in training else "")
        + f", trained by corelax on `{config.objective}`. Epoch {training['epoch']} was kept.",
    ]
    for corpus, scores in training["scores"].items():
        lines += ["", f"## Scores on dev of {corpus}", "", *scores_table(scores)]
    lines += ["", "## Data", ""]
    lines += [
        f"- {name} (sha256 {sha[:16]}…)" for name, sha in training.get("documents", {}).items()
    ]
    lines += [
        "",
        "The licences of the training documents and of the encoder hold for what was learnt from them.",
        "",
        "## Settings",
        "",
        *settings_table(config),
    ]
    write_text(folder / CARD, "\n".join(lines) + "\n")
