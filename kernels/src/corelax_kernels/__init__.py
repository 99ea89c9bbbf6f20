"""Encoders in bytes, logits of spans and scores of their pairs, in C: arrays in, arrays out.

The C files beside this one have the formulas. What is read there is checked here: sizes fit, numbers of rows
are within their tables.
"""

from __future__ import annotations

from corelax_kernels.encoder import ByteMatrix, Encoder, Layer, Norm
from corelax_kernels.library import INTERFACE, is_supported
from corelax_kernels.pairs import PairScorer
from corelax_kernels.spans import SpanScorer

__all__ = [
    "INTERFACE",
    "ByteMatrix",
    "Encoder",
    "Layer",
    "Norm",
    "PairScorer",
    "SpanScorer",
    "is_supported",
]
