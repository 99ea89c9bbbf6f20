"""A trained ranker with another set of annotation schemes: what fine-tuning starts from."""

from __future__ import annotations

from dataclasses import replace

import torch

from corelax.core.errors import CorelaxError
from corelax.rankers.encoder.model import EncoderModel
from corelax.rankers.encoder.ranker import EncoderRanker
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.torch_network import TorchNetwork

# Weights with a row for each scheme.
PER_SCHEME = ("spans.scheme.", "spans.out.", "span_vectors.scheme.", "antecedents.scheme.")


def with_schemes(settings: EncoderSettings, schemes: tuple[str, ...]) -> EncoderSettings:
    """The settings of a trained ranker with more schemes, those that it did not know first.

    >>> known = EncoderSettings(schemes=("ontonotes", "gum"))
    >>> with_schemes(known, ("own",)).schemes, with_schemes(known, ("gum",)).schemes
    (('own', 'ontonotes', 'gum'), ('ontonotes', 'gum'))
    """
    new = tuple(scheme for scheme in schemes if scheme not in settings.schemes)
    return replace(settings, schemes=(*new, *settings.schemes))


def with_settings(model: EncoderModel, settings: EncoderSettings) -> EncoderModel:
    """The ranker with more schemes. A new scheme begins as a copy of the first that the ranker knew.

    Args:
        model: A trained model.
        settings: Those of `with_schemes`; nothing else may differ.
    """
    known = model.ranker.settings
    if replace(settings, schemes=known.schemes) != known:
        raise CorelaxError("the sizes of a trained ranker cannot be changed")
    rows = torch.tensor(
        [known.schemes.index(s) if s in known.schemes else 0 for s in settings.schemes]
    )
    ranker = EncoderRanker(model.ranker.encoder, settings, model.ranker.pad)
    old = model.ranker.state_dict()
    ranker.load_state_dict(
        {name: old[name][rows] if name.startswith(PER_SCHEME) else old[name] for name in old}
    )
    network = TorchNetwork(ranker.to(model.ranker.device).eval())
    return EncoderModel(network, model.tokenizer, {})
