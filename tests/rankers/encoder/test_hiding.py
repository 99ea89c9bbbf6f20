"""A ready table of hidden pieces does what the encoder's own does."""

from __future__ import annotations

import pytest
import torch
from transformers import AutoConfig, AutoModel

from corelax.rankers.encoder.attention import SEES_ALL, fuse_attention, hiding, takes_hiding

SMALL = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "vocab_size": 50,
    "max_position_embeddings": 40,
    "pad_token_id": 1,
}


def encoder_of(kind: str) -> torch.nn.Module:
    torch.manual_seed(0)
    encoder = AutoModel.from_config(AutoConfig.for_model(kind, **SMALL)).eval()
    fuse_attention(encoder)
    return encoder


@pytest.mark.parametrize("kind", sorted(SEES_ALL))
def test_encoders_read_the_ready_table_as_their_own(kind):
    encoder = encoder_of(kind)
    assert takes_hiding(encoder)
    pieces = torch.randint(3, 50, (3, 20))
    lengths = torch.tensor([20, 7, 1])
    real = torch.arange(20) < lengths[:, None]
    with torch.inference_mode():
        own = encoder(input_ids=pieces, attention_mask=real.long()).last_hidden_state
        ready = encoder(input_ids=pieces, attention_mask=hiding(real)).last_hidden_state
        everything = encoder(input_ids=pieces).last_hidden_state
    torch.testing.assert_close(ready[real], own[real], rtol=1e-4, atol=1e-5)
    assert not torch.allclose(everything[1, :7], own[1, :7], atol=1e-4)  # what is hidden matters


def test_an_encoder_that_looks_nearby_makes_its_own_tables():
    assert not takes_hiding(encoder_of("modernbert"))
