"""The mention-pair network of Clark & Manning (2016): word vectors, a few features, three hidden layers."""

__all__: list[str] = []
