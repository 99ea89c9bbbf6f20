"""Attention of encoders: fused in MPNet, and what hides the pieces that fill up windows.

transformers computes MPNet's in five steps, each a table of all pairs of pieces.

The bias of relative positions and the mask are added once, not in every layer, and go into PyTorch's
attention as one table. Results are the same but for rounding.
"""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

HIDDEN = -1e4  # what hides a piece from attention
# Encoders whose pieces all see each other in every layer. Where some layers look only nearby
# (ModernBERT), or count distances themselves (DeBERTa), the encoder has to make its own tables.
SEES_ALL = {"bert", "roberta", "xlm-roberta", "camembert", "electra", "distilbert", "mpnet"}


def fuse_attention(encoder: Any) -> None:
    """Makes an encoder use fused attention, if it is an MPNet. Its weights stay as they are."""
    if getattr(encoder.config, "model_type", "") != "mpnet":
        return
    from transformers.models.mpnet.modeling_mpnet import MPNetEncoder, MPNetSelfAttention

    class FusedAttention(MPNetSelfAttention):  # type: ignore[misc]
        """softmax(Q Kᵀ / √d + bias) V."""

        def forward(self, hidden_states: Tensor, attention_mask: Tensor, **_: Any) -> tuple[Tensor]:
            """[window, piece, size] in and out; `attention_mask` is the bias [window, head, piece, piece]."""
            batch, length, _size = hidden_states.shape
            shape = (batch, length, self.num_attention_heads, self.attention_head_size)
            q, k, v = (
                part(hidden_states).view(shape).transpose(1, 2) for part in (self.q, self.k, self.v)
            )
            dropout = self.dropout.p if self.training else 0.0
            mixed = functional.scaled_dot_product_attention(
                q, k, v, attn_mask=attention_mask.to(q.dtype), dropout_p=dropout
            )
            # A copy, since the order in memory differs by kernel, and an exported graph must not rely on it.
            heads = mixed.transpose(1, 2).clone(memory_format=torch.contiguous_format)
            return (self.o(heads.flatten(2)),)

    class FusedEncoder(MPNetEncoder):  # type: ignore[misc]
        def forward(
            self, hidden_states: Tensor, attention_mask: Tensor | None = None, **_: Any
        ) -> Any:
            """[window, piece, size] in; the states after the last layer."""
            from transformers.modeling_outputs import BaseModelOutput

            bias = self._position_bias(hidden_states)
            if attention_mask is not None:
                bias = bias + attention_mask
            if torch.is_autocast_enabled(hidden_states.device.type):
                bias = bias.to(torch.get_autocast_dtype(hidden_states.device.type))
            for layer in self.layer:
                attention = layer.attention
                mixed = attention.dropout(attention.attn(hidden_states, bias)[0])
                hidden_states = attention.LayerNorm(mixed + hidden_states)
                hidden_states = layer.output(layer.intermediate(hidden_states), hidden_states)
            return BaseModelOutput(last_hidden_state=hidden_states)

        def _position_bias(self, hidden_states: Tensor) -> Tensor:
            """[1, head, piece, piece] a number for each distance."""
            table = self.relative_attention_bias
            at = torch.arange(hidden_states.shape[1], device=hidden_states.device)
            bucket = self.relative_position_bucket(
                at - at[:, None], num_buckets=table.num_embeddings
            )
            bias: Tensor = table(bucket).permute(2, 0, 1)[None]
            return bias.expand(hidden_states.shape[0], -1, -1, -1)

    encoder.encoder.__class__ = FusedEncoder
    for layer in encoder.encoder.layer:
        layer.attention.attn.__class__ = FusedAttention


def takes_hiding(encoder: Any) -> bool:
    """Whether an encoder of Hugging Face can be given the table of `hiding`."""
    config = encoder.config
    # What takes ready tables as they are; MPNet has it only in later versions of transformers.
    has_way = hasattr(sys.modules[type(encoder).__module__], "create_bidirectional_mask")
    fits = config.model_type in SEES_ALL and config._attn_implementation in {"sdpa", "eager"}
    return has_way and fits


def hiding(real: Tensor) -> Tensor:
    """[window, 1, 1, piece] what is added to the logits of attention, from [window, piece] which are real.

    From 0 and 1 alone transformers makes such a table itself, but first asks whether it needs one, and so
    waits for a GPU until that has computed everything before. A ready one is taken as it is.

    >>> hiding(torch.tensor([[True, False]])).tolist()
    [[[[0.0, -10000.0]]]]
    """
    return torch.where(real, 0.0, HIDDEN)[:, None, None]
