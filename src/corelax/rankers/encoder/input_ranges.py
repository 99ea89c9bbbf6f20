"""How large the numbers get that the encoder's matrices are multiplied with: found by reading texts.

A few of them are ten times larger than all others, always in the same columns and mostly at marks such as
[SEP]. Were they cut off, other entities would come out; were the steps between bytes so wide that they fit,
little would be left of the rest. So the columns with such numbers are known by name.
"""

from __future__ import annotations

from functools import partial
from math import ceil
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from corelax.document import Document
from corelax.rankers.encoder.model import EncoderModel
from corelax.rankers.encoder.sample_texts import TEXTS

MOST_COLUMNS = 8  # whose numbers may go beyond a range
WORTH = 2.0  # how many times as large as the others they must be
MARGIN = 1.1  # other texts have larger numbers
MOST_SHARES = 32  # of what goes beyond, for one column
TINY = 1e-6  # a range is never empty

Floats = NDArray[np.floating]


class Range(NamedTuple):
    """The numbers [row, column] of an input.

    Attributes:
        low: The smallest that bytes stand for.
        high: The largest.
        beyond: Columns with numbers outside, each as often as what lies outside must be divided by to fit.
    """

    low: float
    high: float
    beyond: tuple[int, ...] = ()


def range_of(least: Floats, most: Floats) -> Range:
    """The range of numbers of which [column] the least and the most are known.

    >>> least, most = np.full(20, -1.0), np.full(20, 0.5)
    >>> range_of(least, most)
    Range(low=-1.1, high=0.55, beyond=())
    >>> most[3] = 4
    >>> range_of(least, most)
    Range(low=-1.1, high=0.55, beyond=(3, 3, 3, 3))
    """
    least, most = np.minimum(least, 0) * MARGIN, np.maximum(most, TINY) * MARGIN
    largest = np.maximum(-least, most)
    rest, out = np.split(largest.argsort(), [max(0, len(largest) - MOST_COLUMNS)])
    if not len(rest) or largest[out].max() <= WORTH * largest[rest].max():
        return Range(float(least.min()), float(most.max()))
    low, high = float(least[rest].min()), float(most[rest].max())
    beyond = []
    for column in sorted(out.tolist()):
        outside = max(most[column] - high, low - least[column], 0.0)
        beyond += [column] * min(ceil(outside / max(high, -low)), MOST_SHARES)
    return Range(low, high, tuple(beyond))


@torch.inference_mode()
def input_ranges(model: EncoderModel) -> dict[str, Range]:
    """For each matrix of the encoder, by the name of the weight, the range of what it is multiplied with.

    Args:
        model: On the CPU.
    """
    seen: dict[str, list[Tensor]] = {}  # [2, column] the least and the most of each call
    hooks = []
    for name, layer in model.ranker.encoder.named_modules():
        if isinstance(layer, nn.Linear):
            inputs = seen.setdefault(f"encoder.{name}.weight", [])
            hooks.append(layer.register_forward_pre_hook(partial(_keep, inputs)))
    texts = [text.split() for text in TEXTS]
    documents = [*([words] for words in texts), texts]  # each alone, and windows that are full
    try:
        for sentences in documents:
            windows = model.windows(Document.from_sentences("sample", sentences))
            for window in windows:  # one at a time: nothing is filled up
                pieces = torch.from_numpy(window.pieces)[None]
                model.ranker.encode(pieces, torch.tensor([len(window.pieces)]))
    finally:
        for hook in hooks:
            hook.remove()
    ranges = {}
    for name, inputs in seen.items():
        if inputs:
            ends = torch.stack(inputs)
            ranges[name] = range_of(ends[:, 0].amin(0).numpy(), ends[:, 1].amax(0).numpy())
    return ranges


def _keep(inputs: list[Tensor], _: nn.Module, arguments: tuple[Tensor]) -> None:
    rows = arguments[0].flatten(0, -2)
    inputs.append(torch.stack([rows.amin(0), rows.amax(0)]))
