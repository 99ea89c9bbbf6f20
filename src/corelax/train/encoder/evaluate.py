"""Exact scores of what an encoder ranker decides, each corpus by its own rule for singletons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from corelax.document import Span
from corelax.document.clustering import Clustering, without_singletons
from corelax.metrics import METRICS, Report, Tally
from corelax.rankers.encoder.decisions import decide
from corelax.rankers.encoder.ranker import EncoderRanker
from corelax.rankers.encoder.scoring import Item, score_documents
from corelax.train.encoder.examples import Example

TOGETHER = 16  # documents


def predictions(
    ranker: EncoderRanker, examples: Sequence[Example], scheme: int | None = None
) -> Iterator[Clustering[Span]]:
    """The predicted entities of each document, singletons among them where the document has such.

    Args:
        ranker: On any device.
        examples: Documents.
        scheme: By which scheme; their own if None.
    """
    was_training = ranker.training
    ranker.eval()
    for at in range(0, len(examples), TOGETHER):
        some = examples[at : at + TOGETHER]
        items = [Item(e.windows, e.scheme if scheme is None else scheme) for e in some]
        for example, scored in zip(some, score_documents(ranker, items), strict=True):
            singletons = "keep" if example.singletons else "drop"
            entities: dict[int, list[Span]] = {}
            for decision in decide(scored, singletons=singletons, reach=ranker.settings.reach):
                entities.setdefault(decision.entity, []).append(decision.span)
            yield Clustering(entities.values())
    ranker.train(was_training)


def evaluate(
    ranker: EncoderRanker, examples: Sequence[Example], metrics: Iterable[str] = tuple(METRICS)
) -> Report:
    """Scores against all gold mentions, found or not."""
    tally = Tally(metrics)
    for example, found in zip(examples, predictions(ranker, examples), strict=True):
        singletons = "keep" if example.singletons else "drop"
        gold = without_singletons(example.document.clusters, singletons)
        tally.add(gold=gold, system=without_singletons(found, singletons))
    return Report(tally.counts())
