"""Fused attention of MPNet against that of transformers, and a ready table of hidden pieces."""

import pytest
import torch

from corelax.rankers.encoder.attention import SEES_ALL, fuse_attention, hiding, takes_hiding

transformers = pytest.importorskip("transformers")
pytestmark = pytest.mark.usefixtures("one_thread")


def an_encoder(kind="mpnet"):
    torch.manual_seed(0)
    config = transformers.AutoConfig.for_model(
        kind, vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=64, initializer_range=0.4, pad_token_id=1,
    )  # fmt: skip
    return transformers.AutoModel.from_config(config).eval()


@pytest.mark.parametrize("mask_of", ["pieces", "pairs"])
def test_results_and_gradients_are_those_of_transformers(mask_of):
    pieces = torch.randint(3, 50, (3, 40))
    real = torch.arange(40) < torch.tensor([40, 25, 7])[:, None]
    mask = real.long() if mask_of == "pieces" else torch.where(real, 0.0, -1e4)[:, None, None]
    weight = torch.randn(3, 40, 16) * real[..., None]
    found = []
    for is_fused in (False, True):
        encoder = an_encoder()
        if is_fused:
            fuse_attention(encoder)
        vectors = encoder(input_ids=pieces, attention_mask=mask).last_hidden_state
        (vectors * weight).sum().backward()
        gradients = {n: p.grad for n, p in encoder.named_parameters() if p.grad is not None}
        found.append((vectors.detach() * real[..., None], gradients))
    (plain, wanted), (fused, gradients) = found
    torch.testing.assert_close(fused, plain, atol=1e-5, rtol=1e-4)
    assert gradients.keys() == wanted.keys()
    for name in wanted:
        torch.testing.assert_close(gradients[name], wanted[name], atol=1e-4, rtol=1e-3)


def test_other_encoders_are_left_as_they_are():
    encoder = an_encoder("bert")
    kinds = [type(module) for module in encoder.modules()]
    fuse_attention(encoder)
    assert [type(module) for module in encoder.modules()] == kinds


@pytest.mark.parametrize("kind", sorted(SEES_ALL))
def test_encoders_read_the_ready_table_as_their_own(kind):
    encoder = an_encoder(kind)
    fuse_attention(encoder)
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
    encoder = an_encoder("modernbert")
    fuse_attention(encoder)
    assert not takes_hiding(encoder)
