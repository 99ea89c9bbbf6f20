"""The loss of a few documents for an encoder ranker: coreference, and what spans are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from corelax.losses import ranking_loss
from corelax.rankers.encoder.places import SpanTable
from corelax.rankers.encoder.ranker import EncoderRanker, Trained
from corelax.relax import coreference_probs, link_probs
from corelax.train.encoder.config import SUMS, EncoderConfig
from corelax.train.encoder.examples import UNKNOWN, Example
from corelax.train.objectives import loss_function

WORDS = 10  # sums over a document are scaled to this many words
LEAST = 1e-4  # of probabilities whose logarithm is taken
_NOWHERE = np.zeros((0, 3), np.int64)


class Totals(NamedTuple):
    """What the sums of a step are divided by, whichever worker has its documents.

    Attributes:
        words: Words of all documents.
        documents: Documents that are annotated as a whole.
        document_words: Words of those.
        workers: The number of workers.
    """

    words: int
    documents: int
    document_words: int
    workers: int = 1

    @classmethod
    def of(cls, examples: Sequence[Example], workers: int = 1) -> Totals:
        whole = [example.words for example in examples if example.known is None]
        return cls(sum(example.words for example in examples), len(whole), sum(whole), workers)


def batch_objective(config: EncoderConfig, epoch: int) -> Callable[..., Tensor]:
    """The loss of a step, as `EncoderConfig` describes it.

    Of a worker's share of the documents it is the worker's part of the loss: the parts of all workers add up
    to the loss, and their gradients to its gradient.
    """
    loss = loss_function(config, epoch)

    def objective(
        ranker: EncoderRanker, examples: Sequence[Example], totals: Totals | None = None
    ) -> Tensor:
        totals = totals or Totals.of(examples)
        if not examples:
            return _without_documents(config, loss, totals, ranker.device)
        batch = _score(ranker, examples)
        total = config.mention * _mentions(batch)
        total = total + _types_and_heads(config, ranker, batch)
        if config.soft and any(example.soft is not None for example in examples):
            total = total + config.soft * _soft_links(batch)
        if any(example.known is not None for example in examples):
            total = total + config.known * _known_links(batch)
        total = total * WORDS / totals.words
        whole = [row for row, example in enumerate(examples) if example.known is None]
        if not whole and not _pools_workers(config, totals):
            return total
        return total + _coreference(config, loss, batch, whole, totals)

    return objective


class Batch(NamedTuple):
    """Documents, their spans and the scores of antecedents.

    Attributes:
        examples: The documents.
        found: What the network says of them.
        scores: [document, span, span] the scores of antecedents, as losses take them.
        lengths: [document] how many spans each has.
    """

    examples: Sequence[Example]
    found: Trained
    scores: Tensor
    lengths: Tensor

    @property
    def table(self) -> SpanTable:
        return self.found.table

    def numbers(self, places: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """[span] numbers in the table of places [span, 3], given for each document."""
        sizes = [len(example.windows) for example in self.examples]
        before = np.cumsum([0, *sizes])
        shifted = [p + np.array([at, 0, 0]) for p, at in zip(places, before, strict=False)]
        return self.table.numbers(np.concatenate(shifted))

    def of_table(self, numbers: NDArray[np.int64], values: object, fill: float) -> Tensor:
        """[span of the table] values at some numbers, `fill` elsewhere."""
        column = np.full(int(self.table.sizes.sum()), fill)
        column[numbers] = values
        return self.tensor(column)

    def columns(self, places: Sequence[NDArray[np.int64]]) -> Tensor:
        """[span] columns of places in the rows of their documents, −1 for spans that were not kept."""
        inside = self.tensor(np.concatenate([np.arange(count) for count in self.found.counts]))
        column = torch.full(self.found.logits.shape, UNKNOWN, device=self.scores.device)
        column = column.index_put((self.tensor(self.found.kept),), inside)
        return column[self.tensor(self.numbers(places))]

    def rows(self, sizes: Sequence[int]) -> Tensor:
        """[value] the row of each, where each document has so many."""
        return self.tensor(np.repeat(np.arange(len(sizes)), sizes))

    def tensor(self, array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(array).to(self.scores.device, non_blocking=True)


def _score(ranker: EncoderRanker, examples: Sequence[Example]) -> Batch:
    found = ranker(
        [example.windows for example in examples], [example.scheme for example in examples]
    )
    lengths = torch.from_numpy(found.counts).to(ranker.device, non_blocking=True)
    return Batch(examples, found, found.antecedent_scores, lengths)


def _coreference(
    config: EncoderConfig,
    loss: Callable[..., Tensor],
    batch: Batch,
    whole: list[int],
    totals: Totals,
) -> Tensor:
    """The objective over documents that are annotated as a whole, and perhaps the likelihood beside it."""
    examples = [batch.examples[row] for row in whole]
    scores, gold, lengths = batch.scores, _gold(batch), batch.lengths
    logit = batch.found.mention
    if len(whole) < len(batch.examples):
        rows = torch.tensor(whole, dtype=torch.long).to(scores.device, non_blocking=True)
        scores, gold, lengths, logit = (t[rows] for t in (scores, gold, lengths, logit))
    # Losses are means over documents; sums over a document are for each ten words.
    per_words = WORDS * len(examples) / max(totals.document_words, 1)
    if config.objective in SUMS:
        return per_words * loss(scores, gold, lengths=lengths)
    alone = torch.tensor([float(example.singletons) for example in examples])
    chance = logit.sigmoid() * alone.to(scores.device)[:, None]
    sizes = _sizes(examples).to(scores.device)
    keywords = {"lengths": lengths, "gold_sizes": sizes, "singletons": chance}
    if _pools_workers(config, totals):
        value = loss(scores, gold, pool="workers", **keywords) / totals.workers
    else:
        value = loss(scores, gold, **keywords) * (len(examples) / totals.documents)
    total = config.objective_weight * value
    if config.likelihood:
        nll = ranking_loss(scores, gold, costs=(0, 0, 0), lengths=lengths)
        total = total + config.likelihood * per_words * nll
    return total


def _pools_workers(config: EncoderConfig, totals: Totals) -> bool:
    """Whether all workers, those without documents too, add up their counts in this step."""
    pooled = config.objective == "metric" and config.pool == "batch"
    return pooled and totals.workers > 1 and totals.documents > 0


def _without_documents(
    config: EncoderConfig, loss: Callable[..., Tensor], totals: Totals, device: torch.device
) -> Tensor:
    """The part of a worker that has no documents in this step."""
    if not _pools_workers(config, totals):
        return torch.zeros((), device=device)
    scores = torch.zeros(0, 1, 1, device=device)
    mentions, numbers = scores[..., 0], torch.zeros(0, dtype=torch.long, device=device)
    keywords = {"lengths": numbers, "gold_sizes": numbers[:, None], "singletons": mentions}
    value = loss(scores, mentions.long(), pool="workers", **keywords)
    return config.objective_weight * value / totals.workers


def _mentions(batch: Batch) -> Tensor:
    """Σ BCE over all spans: is it a mention?

    Half of the target is what another model believes, if it is asked. Of a document that is annotated in a
    few pairs, only the spans of pairs that corefer are known.
    """
    examples = batch.examples
    target = np.zeros(int(batch.table.sizes.sum()))
    target[batch.numbers([e.markables.where for e in examples])] = 1
    if any(e.soft is not None for e in examples):
        believed = np.zeros_like(target)
        numbers = batch.numbers([_NOWHERE if e.soft is None else e.soft.where for e in examples])
        believed[numbers] = np.concatenate([e.soft.mention for e in examples if e.soft is not None])
        is_soft = _of_windows(batch, [e.soft is not None for e in examples])
        target = np.where(is_soft, (target + believed) / 2, target)
    targets = batch.tensor(target).to(batch.found.logits.dtype)
    # In float32: many spans are none, and the sum of their losses is large.
    losses = functional.binary_cross_entropy_with_logits(
        batch.found.logits, targets, reduction="none"
    )
    if any(example.known is not None for example in examples):
        counted = _of_windows(batch, [e.known is None for e in examples]) | (target > 0)
        losses = losses * torch.from_numpy(counted).to(losses.device, non_blocking=True)
    return losses.sum()


def _types_and_heads(config: EncoderConfig, ranker: EncoderRanker, batch: Batch) -> Tensor:
    """The losses of types and heads of the mentions that were found, summed over all documents."""
    markables = [example.markables for example in batch.examples]
    numbers = batch.numbers([m.where for m in markables])
    kept = batch.tensor(batch.found.kept)

    def of_kept(values: Sequence[NDArray[np.int64]]) -> Tensor:
        return batch.of_table(numbers, np.concatenate(values), UNKNOWN).long()[kept]

    total = batch.scores.new_zeros(())
    if config.type and ranker.types is not None:
        guesses = ranker.types(batch.found.vectors).float()
        total = total + config.type * functional.cross_entropy(
            guesses, of_kept([m.types for m in markables]), ignore_index=UNKNOWN, reduction="sum"
        )
    if config.head:
        attention = batch.found.log_attention
        total = total + config.head * functional.nll_loss(
            attention.masked_fill(attention == -torch.inf, -1e4),
            of_kept([m.heads for m in markables]),
            ignore_index=UNKNOWN,
            reduction="sum",
        )
    return total


def _soft_links(batch: Batch) -> Tensor:
    """−Σ_i Σ_j q_ij log p_ij, with the link probabilities q of another model.

    Where an antecedent was not kept, or not scored, its share is not asked for.
    """
    soft = [example.soft for example in batch.examples]
    anaphor = batch.columns([_NOWHERE if s is None else s.anaphor for s in soft])
    antecedent = batch.columns([_NOWHERE if s is None else s.antecedent for s in soft])
    row = batch.rows([0 if s is None else len(s.link) for s in soft])
    prob = batch.tensor(np.concatenate([s.link for s in soft if s is not None]))
    kept = (anaphor >= 0) & (antecedent >= 0)
    cell = (row, anaphor.clamp(min=0), antecedent.clamp(min=0))
    target = torch.zeros_like(batch.scores).index_put(cell, prob * kept, accumulate=True)
    log_probs = batch.scores.log_softmax(-1)
    return -(target * log_probs.masked_fill(batch.scores == -torch.inf, 0.0)).nansum()


def _known_links(batch: Batch) -> Tensor:
    """Σ −log K_ij over pairs that corefer, −log (1 − K_ij) over those that do not (`coreference_probs`)."""
    known = [example.known for example in batch.examples]
    sizes = [0 if k is None else len(k.same) for k in known]
    later = batch.columns([_NOWHERE if k is None else k.later for k in known])
    earlier = batch.columns([_NOWHERE if k is None else k.earlier for k in known])
    same = batch.tensor(np.concatenate([k.same for k in known if k is not None]))
    asked = np.flatnonzero(sizes)  # documents with pairs
    probs = link_probs(batch.scores, lengths=batch.lengths)[batch.tensor(asked)]
    row = batch.tensor(np.repeat(np.arange(len(asked)), [sizes[at] for at in asked]))
    together = coreference_probs(probs)[row, later.clamp(min=0), earlier.clamp(min=0)]
    right = torch.where(same > 0, together, 1 - together).clamp(min=LEAST)
    return -(right.log() * ((later >= 0) & (earlier >= 0))).sum()


def _of_windows(batch: Batch, values: Sequence[bool]) -> NDArray[np.bool_]:
    of_windows = np.repeat(values, [len(example.windows) for example in batch.examples])
    return np.repeat(of_windows, batch.table.sizes)


def _gold(batch: Batch) -> Tensor:
    """[document, span] numbers of gold entities, −1 for spans in none and for what fills up rows."""
    examples = batch.examples
    numbers = batch.numbers([e.where for e in examples])
    entity = batch.of_table(numbers, np.concatenate([e.entity for e in examples]), UNKNOWN)
    row = entity.long()[batch.tensor(batch.found.kept)]
    most = batch.scores.shape[1]
    places = np.concatenate([np.arange(n) + at * most for at, n in enumerate(batch.found.counts)])
    gold = torch.full((len(examples) * most,), UNKNOWN, device=row.device)
    gold = gold.index_put((torch.from_numpy(places).to(row.device, non_blocking=True),), row)
    return gold.reshape(len(examples), most)


def _sizes(examples: Sequence[Example]) -> Tensor:
    """[document, entity] full sizes, 0 for what fills up rows."""
    most = max((len(example.sizes) for example in examples), default=0)
    table = np.zeros((len(examples), max(most, 1)), np.int64)
    for line, example in zip(table, examples, strict=True):
        line[: len(example.sizes)] = example.sizes
    return torch.from_numpy(table)
