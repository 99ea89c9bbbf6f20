"""Tests that need a GPU: `pytest -m gpu` runs them all; elsewhere they are skipped."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest
import torch

Test = TypeVar("Test", bound=Callable[..., object])


def needs_gpu(test: Test) -> Test:
    """Marks a test `gpu`, and skips it where there is none."""
    skipped = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
    return pytest.mark.gpu(skipped(test))
