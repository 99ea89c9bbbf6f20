"""Which language a model is for, as its card says."""

from __future__ import annotations

import re
from pathlib import Path

from corelax.core.errors import CorelaxError
from corelax.resolve.models import DEFAULT, model_folder

_ENGLISH = re.compile(r"\A---\n(?:.*\n)*?language: *(?:\[ *)?[\"']?en[\"']?(?: *\])? *\n", re.I)
_MOST = 1 << 14  # characters of a card that are looked at


def is_for_english(model: str | Path | None = None) -> bool:
    """Whether a model is `small`, or has a card (README.md) that names English alone as its language.

    >>> is_for_english("small"), is_for_english("runs/lea")
    (True, False)
    """
    if model is None or str(model) == DEFAULT:
        return True
    try:
        with (model_folder(model) / "README.md").open(encoding="utf-8") as card:
            return _ENGLISH.match(card.read(_MOST)) is not None
    except (OSError, CorelaxError, UnicodeDecodeError):  # no card says nothing
        return False
