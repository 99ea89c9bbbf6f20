"""Names, sizes and limits of the sparse ranker, which folders, training and commands share."""

from __future__ import annotations

from dataclasses import dataclass

from corelax.core.checks import check_choice, check_number
from corelax.core.settings import check_types

LOCAL, LOCAL2, GLOBAL, DEEP = "local", "local2", "global", "deep"
NETWORKS = (LOCAL, LOCAL2, GLOBAL, DEEP)
INITIALISATIONS = ("uniform", "sparse")
DECODINGS = ("links", "entities")
# Objectives that train one part of the network; a ranker trained on them resolves nothing yet.
PRETRAINING = ("anaphoricity", "antecedent", "antecedent_margin")
# Objectives that a deep ranker begins with; it resolves from then on.
PAIR_PRETRAINING = ("all_pairs", "top_pairs")
SIZES = (
    "hidden_mention hidden_pair hidden_outer hidden_cluster word_size hidden_deep hidden_above"
).split()


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseSettings:
    """What decides the shape of a sparse ranker, beside its vocabulary.

    Attributes:
        network: "local", the ranker of Le & Titov; "local2" with a hidden layer more; "global" with an LSTM
            over clusters; "deep" over word vectors.
        hidden_mention: Hidden units of the mention network, the size of h_a.
        hidden_pair: Hidden units of the pair network, the size of h_p.
        hidden_outer: Hidden units of the layer above both, of "local2".
        hidden_cluster: The size of h_c and of the states of clusters, of "global".
        word_size: The size of word vectors, of "deep".
        hidden_deep: Hidden units of its first layer.
        hidden_above: Hidden units of its second and of its third layer.
        initialisation: How fresh weights are drawn: "uniform" as Le & Titov, or "sparse" as Wiseman et al.
        max_antecedents: How many mentions back a mention can be linked; 0 for no limit.

    >>> SparseSettings(hidden_pair=0)
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: hidden_pair must be finite and at least 1, not 0
    """

    network: str = LOCAL
    hidden_mention: int = 200
    hidden_pair: int = 700
    hidden_outer: int = 128
    hidden_cluster: int = 200
    word_size: int = 50
    hidden_deep: int = 1000
    hidden_above: int = 500
    initialisation: str = "uniform"
    max_antecedents: int = 0

    def __post_init__(self) -> None:
        check_types(self)
        check_choice("network", self.network, NETWORKS)
        check_choice("initialisation", self.initialisation, INITIALISATIONS)
        for name in SIZES:
            check_number(name, getattr(self, name), at_least=1)
        check_number("max_antecedents", self.max_antecedents)
