"""The encoder as CUDA graphs against the encoder itself."""

import pytest
import torch

from corelax.rankers.encoder.folder import new_ranker
from corelax.train.encoder.recorded import RecordedEncoder
from tests.gpu import needs_gpu
from tests.rankers.encoder.encoder_models import SETTINGS, write_encoder


@needs_gpu
@pytest.mark.parametrize("windows", [1, 3, 5, 20])
def test_vectors_and_gradients_are_those_of_the_encoder(tmp_path, windows):
    ranker = new_ranker(write_encoder(tmp_path), SETTINGS).ranker.cuda().train()
    for module in ranker.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    recorded = RecordedEncoder(ranker.encoder, ranker.pad, SETTINGS.window)
    generator = torch.Generator().manual_seed(windows)
    for length in (SETTINGS.window, SETTINGS.window - 3, 5):
        pieces = torch.randint(5, 40, (windows, length), generator=generator).cuda()
        lengths = torch.randint(3, length + 1, (windows,), generator=generator).cuda()
        real = (torch.arange(length).cuda() < lengths[:, None])[..., None]
        found = []
        for encode in (ranker.encode, recorded):
            ranker.zero_grad()
            with torch.autocast("cuda", dtype=torch.bfloat16):
                vectors = encode(pieces, lengths) * real
            vectors.square().sum().backward()
            gradients = [p.grad.clone() for p in ranker.encoder.parameters() if p.grad is not None]
            found.append((vectors.detach().float(), torch.cat([g.flatten() for g in gradients])))
            del vectors  # while its graph is alive nothing can be recorded
        (plain, wanted), (replayed, gradient) = found
        torch.testing.assert_close(replayed, plain, atol=0.05, rtol=0.05)
        assert torch.nn.functional.cosine_similarity(gradient, wanted, dim=0) > 0.999
