"""Training: optimisers."""

from corelax.train.optim import AdaGrad

__all__ = ["AdaGrad"]
