"""The switch of cuDNN's attention, which all threads share."""

import pytest
import torch

from corelax.rankers.encoder.cudnn import without_cudnn


@pytest.mark.parametrize("before", [True, False])
def test_the_switch_is_as_before_once_all_threads_are_out(before):
    enabled = torch.backends.cuda.cudnn_sdp_enabled
    as_it_was = enabled()
    torch.backends.cuda.enable_cudnn_sdp(before)
    try:
        without_cudnn.__enter__()  # by one thread
        assert not enabled()
        without_cudnn.__enter__()  # by another
        without_cudnn.__exit__()
        assert not enabled()
        without_cudnn.__exit__()
        assert enabled() == before
    finally:
        torch.backends.cuda.enable_cudnn_sdp(as_it_was)
