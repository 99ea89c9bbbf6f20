"""What must hold of a model folder before a ranker is built of it, and of the ranker before it is used.

Each check raises a `ValueError` that says what is wrong; `folder.load_ranker` adds the name of the folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from torch import nn

from corelax.core.errors import CorelaxError
from corelax.core.folders import MOST_WORDS, Shapes, check_regular
from corelax.rankers.encoder.folder_config import MARKS, check_pieces

# How the encoder is called and what it returns, which is not for the folder to say.
CALL: Mapping[str, Any] = MappingProxyType(
    {
        "return_dict": True,
        "output_attentions": False,
        "output_hidden_states": False,
        "chunk_size_feed_forward": 0,
        "is_decoder": False,
    }
)
_READ_WHOLE = {".json", ".txt", ".jinja", ".model"}


def check_files(folder: Path) -> None:
    """Refuses pipes and devices, which would be read for ever, and files that are too large."""
    if not folder.is_dir():
        raise ValueError(f"{folder.name} is missing")
    for path in sorted(folder.rglob("*")):
        if not path.is_dir():
            check_regular(path, MOST_WORDS if path.suffix in _READ_WHOLE else None)


def check_layers(config: Any, shapes: Shapes) -> None:
    """Refuses more layers than there are weights: building them would take hours.

    Args:
        config: The encoder's settings.
        shapes: The shape of each stored weight.

    >>> from types import SimpleNamespace
    >>> check_layers(SimpleNamespace(num_hidden_layers=10**9), {"weight": (2, 3)})
    Traceback (most recent call last):
        ...
    ValueError: num_hidden_layers is 1000000000, but there are 1 weights
    """
    for name, value in vars(config).items():
        counts_layers = "layer" in name or "group" in name
        if counts_layers and isinstance(value, int) and value > len(shapes):
            raise ValueError(f"{name} is {value}, but there are {len(shapes)} weights")


def check_tokenizer(tokenizer: Any, encoder: Any) -> None:
    """Refuses a tokenizer without the marks that are needed, or with pieces that the encoder does not know.

    Args:
        tokenizer: The tokenizer.
        encoder: The encoder; may be on the device "meta".
    """
    for mark in MARKS:
        if not isinstance(getattr(tokenizer, f"{mark}_id", None), int):
            raise ValueError(f"its tokenizer has no {mark}")
    check_pieces(tokenizer.get_vocab(), encoder.get_input_embeddings().weight.shape[0])


def check_window(window: int, encoder: Any) -> None:
    """Refuses windows that are longer than what the encoder can read."""
    longest = _longest(encoder)
    if longest is not None and window > longest:
        raise CorelaxError(f"window must be at most {longest} for this encoder, not {window}")


def _longest(encoder: Any) -> int | None:
    """How many pieces an encoder can read, if it numbers them; some begin after the number of the padding."""
    positions = getattr(getattr(encoder, "embeddings", None), "position_embeddings", None)
    if not isinstance(positions, nn.Embedding):
        return None
    return positions.num_embeddings - (
        0 if positions.padding_idx is None else positions.padding_idx + 1
    )
