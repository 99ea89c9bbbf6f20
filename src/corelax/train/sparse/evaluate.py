"""How good a ranker is on dev: the CoNLL score, or the criterion of a pretraining task."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import torch

from corelax.decode import best_entities, best_links
from corelax.document import Span
from corelax.document.clustering import Clustering, without_singletons
from corelax.metrics import METRICS, Report, Tally
from corelax.rankers.sparse.deep_network import DeepRanker
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.folder import Ranker
from corelax.rankers.sparse.network import SparseRanker
from corelax.rankers.sparse.settings import PAIR_PRETRAINING, PRETRAINING
from corelax.train.sparse.config import Config
from corelax.train.sparse.objective import Averages, pair_pretraining_loss

Tables = Sequence[DocumentTable]


def dev_score(ranker: Ranker, tables: Tables, config: Config) -> float:
    """The score that the best epoch is chosen by, between 0 and 1."""
    if config.objective in PRETRAINING and isinstance(ranker, SparseRanker):
        of_task = _anaphoricity_f1 if config.objective == "anaphoricity" else _antecedent_accuracy
        return of_task(ranker, tables)
    if config.objective in PAIR_PRETRAINING and isinstance(ranker, DeepRanker):
        return _likelihood(ranker, tables, top=config.objective == "top_pairs")
    report = dev_report(ranker, tables, config, metrics=("muc", "b_cubed", "ceaf_e"))
    return float(report.conll)


def dev_report(
    ranker: Ranker, tables: Tables, config: Config, metrics: Iterable[str] = tuple(METRICS)
) -> Report:
    """Exact scores of the decoded entities against all gold mentions, detected or not."""
    tally = Tally(metrics)
    for table in tables:
        entities = decode_table(
            ranker, table, singletons=config.singletons, decoding=config.decoding
        )
        tally_document(tally, table, table.clusters_of(entities), config.singletons)
    return Report(tally.counts())


@torch.no_grad()
def decode_table(
    ranker: Ranker, table: DocumentTable, *, singletons: str, decoding: str
) -> list[list[int]]:
    """The entities of a document, as lists of mention numbers."""
    decode = best_links if decoding == "links" else best_entities
    return decode(ranker(ranker.tensors_of(table)), singletons=singletons)


def tally_document(
    tally: Tally, table: DocumentTable, system: Clustering[Span], singletons: str
) -> None:
    """Adds a document with its predicted entities to a tally, singletons kept or dropped on both sides."""
    tally.add(
        gold=without_singletons(table.gold_clusters, singletons),
        system=without_singletons(system, singletons),
    )


@torch.no_grad()
def _likelihood(ranker: DeepRanker, tables: Tables, *, top: bool) -> float:
    """e to the power of minus the loss of a document: highest where the loss is lowest."""
    averages, total = Averages.of(tables), 0.0
    for table in tables:
        if table.size:
            document = ranker.tensors_of(table)
            scores = ranker.pair_and_anaphoricity(document)
            total += float(pair_pretraining_loss(*scores, document.gold, averages, top=top))
    return math.exp(-total / max(len(tables), 1))


@torch.no_grad()
def _anaphoricity_f1(ranker: SparseRanker, tables: Tables) -> float:
    right = predicted = wanted = 0
    for table in tables:
        scores = ranker.new_scores(ranker.mention_hidden(ranker.tensors_of(table)))
        says_so = (scores > 0).cpu().numpy()
        is_so = table.is_anaphoric
        right += int((says_so & is_so).sum())
        predicted, wanted = predicted + int(says_so.sum()), wanted + int(is_so.sum())
    return 2 * right / max(predicted + wanted, 1)


@torch.no_grad()
def _antecedent_accuracy(ranker: SparseRanker, tables: Tables) -> float:
    """The share of anaphoric mentions whose best antecedent is right."""
    right = wanted = 0
    for table in tables:
        if table.size < 2:
            continue
        scores = ranker.pair_scores(ranker.tensors_of(table))
        above = torch.ones_like(scores, dtype=torch.bool).triu()
        best = scores.masked_fill(above, -torch.inf).argmax(-1).cpu().numpy()
        is_anaphoric = table.is_anaphoric
        same = table.gold == table.gold[best]
        right += int(np.sum(same & is_anaphoric))
        wanted += int(is_anaphoric.sum())
    return right / max(wanted, 1)
