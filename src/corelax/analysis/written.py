"""Differences and p values as tables and sentences show them."""

from __future__ import annotations

from corelax.analysis.significance import Difference


def signed(share: float) -> str:
    """A difference in points, with its sign.

    >>> signed(0.0074), signed(-0.0074)
    ('+0.74', '−0.74')
    """
    return f"{100 * share:+.2f}".replace("-", "−")


def interval(difference: Difference) -> str:
    low, high = signed(difference.low), signed(difference.high)
    return f"{signed(difference.mean)} [{low}, {high}]"


def p_text(p_value: float) -> str:
    """A p value.

    >>> p_text(0.0171), p_text(0.0001)
    ('0.017', '< 0.001')
    """
    return f"{p_value:.3f}" if p_value >= 0.001 else "< 0.001"
