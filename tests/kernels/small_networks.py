"""Rankers with random weights, of sizes that the kernels are made for, and their weights as stored."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from corelax.rankers.encoder.kernels import have_kernels
from corelax.rankers.encoder.ranker import EncoderRanker
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.weights import SCALE, StoredWeights

transformers = pytest.importorskip("transformers")
needs_kernels = pytest.mark.skipif(
    not have_kernels(), reason="corelax-kernels is not installed, or not for this processor"
)

SETTINGS = EncoderSettings(
    schemes=("one", "two", "three"), window=150, max_width=5, antecedents=9, reach=30,
    span_size=96, hidden_size=128, dropout=0.0,
)  # fmt: skip


def a_ranker(kind: str = "Bert", **sizes: int) -> EncoderRanker:
    """A ranker on top of a BERT or an MPNet, with weights that tell words apart."""
    torch.manual_seed(4)
    usual = {"hidden_size": 128, "num_attention_heads": 4, "intermediate_size": 192}
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=50, num_hidden_layers=2, max_position_embeddings=160, initializer_range=0.1,
        **{**usual, **sizes},
    )  # fmt: skip
    ranker = EncoderRanker(getattr(transformers, f"{kind}Model")(config), SETTINGS).eval()
    with torch.no_grad():
        for name, weight in ranker.named_parameters():
            if "LayerNorm" in name or not name.startswith("encoder."):
                weight.add_(0.2 * torch.randn_like(weight))
    return ranker.requires_grad_(False)


def store(ranker: EncoderRanker, path: Path) -> StoredWeights:
    """Writes the weights, the encoder's matrices in bytes; the ranker then has them as they can be read."""
    arrays = {name: weight.clone().contiguous() for name, weight in ranker.state_dict().items()}
    for name, layer in ranker.encoder.named_modules():
        if isinstance(layer, nn.Linear):
            scale = layer.weight.abs().amax(1) / 127
            rounded = (layer.weight / scale[:, None]).round()
            layer.weight.copy_(rounded * scale[:, None])
            arrays[f"encoder.{name}.weight"] = rounded.to(torch.int8)
            arrays[f"encoder.{name}.weight{SCALE}"] = scale
    save_file(arrays, path)
    return StoredWeights(path)


def multiply_bytes(layer: nn.Linear, x: Tensor) -> Tensor:
    """W x + b with the numbers of each row x rounded to 256 steps from its smallest to its largest."""
    low, high = x.aminmax(dim=-1, keepdim=True)
    step = (high - low) / 255
    return nn.functional.linear(((x - low) / step).round() * step + low, layer.weight, layer.bias)


def relative(error: Tensor, of: Tensor) -> float:
    """The size of an error as a share."""
    return float(error.norm() / of.norm())
