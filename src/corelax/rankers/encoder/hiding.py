"""Which pieces attention does not see, ready for the encoder.

From lengths alone transformers makes such a table itself, but first asks whether it needs one, and so waits
for a GPU until that has computed everything before. A ready one is taken as it is.
"""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch import Tensor

HIDDEN = -1e4  # what hides a piece from attention
# Encoders whose pieces all see each other in every layer. Where some layers look only nearby
# (ModernBERT), or count distances themselves (DeBERTa), the encoder has to make its own tables.
SEES_ALL = {"bert", "roberta", "xlm-roberta", "camembert", "electra", "distilbert", "mpnet"}


def takes_hiding(encoder: Any) -> bool:
    """Whether an encoder of Hugging Face can be given the table of `hiding`."""
    config = encoder.config
    # What takes ready tables as they are; MPNet has it only in later versions of transformers.
    has_way = hasattr(sys.modules[type(encoder).__module__], "create_bidirectional_mask")
    fits = config.model_type in SEES_ALL and config._attn_implementation in {"sdpa", "eager"}
    return has_way and fits


def hiding(length: int, lengths: Tensor) -> Tensor:
    """[window, 1, 1, piece] what is added to the logits of attention.

    Args:
        length: The number of pieces of all windows, filled up.
        lengths: [window] how many of them are real.

    >>> hiding(3, torch.tensor([2, 3]))[:, 0, 0].tolist()
    [[0.0, 0.0, -10000.0], [0.0, 0.0, 0.0]]
    """
    real = torch.arange(length, device=lengths.device) < lengths[:, None]
    return torch.where(real, 0.0, HIDDEN)[:, None, None]
