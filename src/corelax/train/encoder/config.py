"""Settings of a stage that trains an encoder ranker."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from corelax.core.checks import check_choice, check_number
from corelax.core.errors import CorelaxError
from corelax.relax.relaxation import Relaxation
from corelax.train.settings import StageSettings, random_seed

MOST_TIMES = 1000  # a corpus comes in an epoch
SUMS = ("ranking", "entity", "margin")  # losses that grow with the document


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderConfig(StageSettings):
    """All that decides what a stage computes, beside the encoder and the sizes of the ranker.

    A step takes `batch` documents and minimises

        w · objective + likelihood · NLL + soft · CE + known · BCE + mention · BCE + type · CE + head · CE

    where NLL is the marginal likelihood of the gold antecedents, BCE is over all spans (is it a mention?),
    and the cross entropies are over the mentions that were found (which type, which head word). All but
    metrics are sums over the document, for each ten words; w is `objective_weight` for metrics, else 1.
    A stage that starts from several others begins with the mean of their weights. Which singletons count is
    said by each corpus; `singletons` is what the model does by default where it predicts.

    Attributes:
        corpora: Names of the corpora to learn from, those before `*` several times: "2*ontogum".
        pool: For metrics: "document", the mean of the documents' scores, or "batch", one score of all
            documents of a step.
        likelihood: Weight of the marginal likelihood beside a metric.
        objective_weight: Weight of a metric.
        mention: Weight of the mention loss.
        soft: Weight of the cross entropy with the link probabilities of another model, where a corpus names
            one.
        known: Weight of the loss of pairs, −log p(the two corefer) or −log p(they do not), where a corpus has
            no more than those. The probabilities are exact, over all ways to link.
        type: Weight of the loss of entity types, where a corpus has them.
        head: Weight of the loss of head words, where a corpus has syntax.
        learning_rate: The rate of all weights but those of the encoder.
        encoder_learning_rate: The rate of the encoder. Both rise during `warmup` and fall to 0 linearly.
        warmup: Share of the steps in which the rates rise.
        weight_decay: The weight decay of AdamW.
        averaging: Decay of the exponential moving average of the weights, which is kept; 0 for none.
        batch: Documents in a step.
        max_words: Longer documents are cut to a random run of windows with at most this many words.
        cuts: The share of documents that are cut into pieces of one to five sentences.
        swaps: The share of documents in which men and women are exchanged, where a corpus says `swaps`.
    """

    OBJECTIVES: ClassVar[tuple[str, ...]] = (*SUMS, "metric")

    corpora: tuple[str, ...] = ()
    costs: tuple[float, ...] = (0.0, 0.0, 0.0)
    pool: str = "document"
    likelihood: float = 0.2
    objective_weight: float = 5.0
    mention: float = 0.5
    soft: float = 0.0
    known: float = 1.0
    type: float = 0.3
    head: float = 0.3
    learning_rate: float = 1e-3
    encoder_learning_rate: float = 5e-5
    warmup: float = 0.06
    weight_decay: float = 0.01
    clip: float = 1.0
    averaging: float = 0.999
    batch: int = 1
    max_words: int = 3000
    cuts: float = 0.0
    swaps: float = 0.5
    epochs: int = 8
    keep: str = "last"

    def __post_init__(self) -> None:
        StageSettings.__post_init__(self)
        check_choice("pool", self.pool, ("document", "batch"))
        if self.like_original:
            raise CorelaxError("like_original is for the sparse ranker; set it to false")
        if self.decoding != "links":
            raise CorelaxError(
                f"decoding must be 'links' for an encoder ranker, not {self.decoding!r}"
            )
        if self.objective == "margin" and not any(self.costs):
            raise CorelaxError(
                "objective margin needs costs, such as costs=0.5,1.2,1: it is 0 without"
            )
        for name in self.corpora:
            corpus_and_times(name)
        for name in ("likelihood", "objective_weight", "mention", "soft", "known", "type", "head"):
            check_number(name, getattr(self, name))
        for name in ("learning_rate", "encoder_learning_rate", "weight_decay"):
            check_number(name, getattr(self, name))
        for name in ("batch", "max_words"):
            check_number(name, getattr(self, name), at_least=1)
        for name in ("cuts", "swaps"):
            if not 0 <= getattr(self, name) <= 1:
                raise CorelaxError(f"{name} must be from 0 to 1, not {getattr(self, name)}")
        for name in ("warmup", "averaging"):
            if not 0 <= getattr(self, name) < 1:
                raise CorelaxError(
                    f"{name} must be at least 0 and below 1, not {getattr(self, name)}"
                )

    def random_seed(self, *purpose: object) -> int:
        """Other numbers for each stage: those that are alike are runs, whose mean a stage may start from."""
        return random_seed(self.seed, self.stage, *purpose)

    def relaxation(self, epoch: int) -> Relaxation:
        """How the metric of the stage is relaxed at an epoch, counted from 1."""
        return replace(StageSettings.relaxation(self, epoch), pool=self.pool)


def corpus_and_times(name: str) -> tuple[str, int]:
    """A corpus, and how many times its documents come in an epoch.

    >>> corpus_and_times("2*ontogum"), corpus_and_times("ontogum")
    (('ontogum', 2), ('ontogum', 1))
    """
    times, star, corpus = name.rpartition("*")
    if star and not (times.isdecimal() and len(times) <= 4 and 1 <= int(times) <= MOST_TIMES):
        raise CorelaxError(
            f"corpora: {name!r} must be a name, or a number up to {MOST_TIMES} * a name"
        )
    return corpus, int(times or 1)
