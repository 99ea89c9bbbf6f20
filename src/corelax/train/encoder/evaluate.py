"""Exact scores of what an encoder ranker decides, each corpus by its own rule for singletons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from torch import nn

from corelax.decode import ResolveOptions, Scored, decide
from corelax.document import Span
from corelax.document.clustering import Clustering, without_singletons
from corelax.metrics import METRICS, AnyCounts, Report, Tally
from corelax.rankers.encoder.batches import Item, score_documents
from corelax.rankers.encoder.network import Network
from corelax.rankers.encoder.ranker import EncoderRanker
from corelax.rankers.encoder.torch_network import TorchNetwork
from corelax.train.encoder.examples import Example

TOGETHER = 16  # documents


def scored_documents(network: Network, items: Sequence[Item]) -> Iterator[Scored]:
    """Spans and antecedents of each document; a few documents are scored together."""
    for start in range(0, len(items), TOGETHER):
        yield from score_documents(network, items[start : start + TOGETHER])


def predictions(
    ranker: EncoderRanker,
    examples: Sequence[Example],
    scheme: int | None = None,
    *,
    consistent: bool = True,
) -> Iterator[Clustering[Span]]:
    """The predicted entities of each document, singletons among them where the document has such."""
    items = [Item(e.windows, e.scheme if scheme is None else scheme) for e in examples]
    with evaluation_mode(ranker):  # also if the caller stops early
        every = scored_documents(TorchNetwork(ranker), items)
        for example, scored in zip(examples, every, strict=True):
            yield entities_within_reach(scored, example, consistent=consistent)


def entities_within_reach(
    scored: Scored, example: Example, *, consistent: bool = True
) -> Clustering[Span]:
    """The predicted entities of a document, without links of names that are known from beyond reach."""
    options = ResolveOptions(
        singletons="keep" if example.singletons else "drop", consistent=consistent
    )
    every = scored._replace(reach=len(scored.start))
    return decide(every, example.document, options).clustering()


@contextmanager
def evaluation_mode(network: nn.Module) -> Iterator[None]:
    """Puts a network in evaluation mode, and back afterwards.

    >>> network = nn.Dropout().train()
    >>> with evaluation_mode(network):
    ...     network.training
    False
    >>> network.training
    True
    """
    was_training = network.training
    network.eval()
    try:
        yield
    finally:
        network.train(was_training)


def dev_report(
    ranker: EncoderRanker, examples: Sequence[Example], metrics: Iterable[str] = tuple(METRICS)
) -> Report:
    """Exact scores against all gold mentions, detected or not."""
    return Report(dev_counts(ranker, examples, metrics))


def dev_counts(
    ranker: EncoderRanker, examples: Sequence[Example], metrics: Iterable[str]
) -> dict[str, AnyCounts]:
    """The counts that scores are made of; those of parts of a corpus add up."""
    tally = Tally(metrics)
    for example, entities in zip(examples, predictions(ranker, examples), strict=True):
        singletons = "keep" if example.singletons else "drop"
        gold = without_singletons(example.document.clusters, singletons)
        tally.add(gold=gold, system=without_singletons(entities, singletons))
    return tally.counts()
