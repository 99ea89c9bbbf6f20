"""Sizes and limits of an encoder ranker."""

from __future__ import annotations

from dataclasses import dataclass

from corelax.core.checks import check_number
from corelax.core.errors import CorelaxError
from corelax.core.settings import check_types

LONGEST_WINDOW = 1 << 17  # pieces; encoders read up to 2^13


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderSettings:
    """What decides the shape of an encoder ranker, beside the encoder itself.

    Attributes:
        schemes: The annotation schemes that the ranker knows; each has its own definition of a mention.
        types: The entity types that are predicted in training; may be empty.
        window: How many word pieces the encoder reads at a time, whole sentences if they fit.
        max_width: The longest span, in words.
        span_ratio: The most spans that are kept for each word of a window.
        antecedents: How many antecedents of a span get the full score.
        reach: How many spans back antecedents are looked for; bounds time and memory of long documents.
        span_size: The length of the vector of a span.
        hidden_size: The hidden units of the mention scorer and of the pair scorer.
        dropout: The dropout of vectors and hidden units, in training.

    >>> EncoderSettings(reach=0)
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: reach must be finite and at least 1, not 0
    """

    schemes: tuple[str, ...] = ("ontonotes",)
    types: tuple[str, ...] = ()
    window: int = 384
    max_width: int = 30
    span_ratio: float = 0.4
    antecedents: int = 50
    reach: int = 2000
    span_size: int = 256
    hidden_size: int = 256
    dropout: float = 0.3

    def __post_init__(self) -> None:
        check_types(self)
        if not self.schemes or len(set(self.schemes)) != len(self.schemes):
            raise CorelaxError(f"schemes must be different names, not {list(self.schemes)}")
        for name in ("window", "max_width", "antecedents", "reach", "span_size", "hidden_size"):
            least = 3 if name == "window" else 1  # a piece, two marks
            check_number(name, getattr(self, name), at_least=least)
        check_number("span_ratio", self.span_ratio)
        for name, most in (("window", LONGEST_WINDOW), ("span_ratio", self.max_width)):
            if getattr(self, name) > most:
                raise CorelaxError(f"{name} must be at most {most}, not {getattr(self, name)}")
        if not 0 <= self.dropout < 1:
            raise CorelaxError(f"dropout must be at least 0 and below 1, not {self.dropout}")
