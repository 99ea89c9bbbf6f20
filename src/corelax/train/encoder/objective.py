"""The loss of a few documents for an encoder ranker: coreference, and what spans are."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from corelax.losses import ranking_loss
from corelax.rankers.encoder.ranker import EncoderRanker, Found
from corelax.train.encoder.config import SUMS, EncoderConfig
from corelax.train.encoder.examples import UNKNOWN, Example
from corelax.train.objectives import loss_function

WORDS = 10  # sums over a document are scaled to this many words


def batch_objective(
    config: EncoderConfig, epoch: int
) -> Callable[[EncoderRanker, Sequence[Example]], Tensor]:
    """The loss of a step, as `EncoderConfig` describes it.

    Args:
        config: The stage.
        epoch: Counted from 1; the temperature depends on it.
    """
    loss = loss_function(config, epoch)

    def objective(ranker: EncoderRanker, examples: Sequence[Example]) -> Tensor:
        windows = [window for example in examples for window in example.windows]
        owner = [at for at, example in enumerate(examples) for _ in example.windows]
        found = ranker.find(ranker.read(windows, [examples[at].scheme for at in owner]))
        counts = ranker.counts(found.kept, owner, len(examples))
        scored = ranker.link(found.spans, counts, [example.scheme for example in examples])
        scores = scored.antecedent_scores
        gold = _gold(examples, found, counts, scores)
        per_words = WORDS * len(examples) / sum(window.size for window in windows)
        total = _what_spans_are(config, ranker, examples, found) * per_words / len(examples)
        if config.objective in SUMS:
            total = total + per_words * loss(scores, gold, lengths=scored.lengths)
        else:
            alone = torch.tensor([float(example.singletons) for example in examples])
            chance = scored.spans.logit.sigmoid() * alone.to(scores.device)[:, None]
            value = loss(
                scores,
                gold,
                lengths=scored.lengths,
                gold_sizes=_sizes(examples).to(scores.device),
                singletons=chance,
            )
            total = total + config.objective_weight * value
            if config.likelihood:
                nll = ranking_loss(scores, gold, costs=(0, 0, 0), lengths=scored.lengths)
                total = total + config.likelihood * per_words * nll
        return total

    return objective


def _what_spans_are(
    config: EncoderConfig, ranker: EncoderRanker, examples: Sequence[Example], found: Found
) -> Tensor:
    """The losses of mentions, types and heads, summed over all documents."""
    where, row = _placed([e.markables.where for e in examples], examples)
    grid = _grid(where, row, found.logits)  # [window, word, width] numbers of markables
    real = found.logits > -torch.inf
    # In float32: many spans are none, and the sum of their losses is large.
    logits = found.logits.masked_fill(~real, 0.0)
    losses = functional.binary_cross_entropy_with_logits(
        logits, (grid >= 0).float(), reduction="none"
    )
    total = config.mention * losses.masked_fill(~real, 0.0).sum()
    kept = found.kept
    number = grid[kept.window, kept.start, kept.width]  # [span]

    def of_spans(values: Sequence[np.ndarray]) -> Tensor:
        table = torch.from_numpy(np.concatenate([*values, [UNKNOWN]])).to(number.device)
        return table[torch.where(number >= 0, number, len(table) - 1)]

    if config.type and ranker.types is not None:
        types = of_spans([e.markables.types for e in examples])
        guesses = ranker.types(found.spans.vectors[0]).float()
        total = total + config.type * functional.cross_entropy(
            guesses, types, ignore_index=UNKNOWN, reduction="sum"
        )
    if config.head:
        heads = of_spans([e.markables.heads for e in examples])
        log_attention = found.log_attention.masked_fill(found.log_attention == -torch.inf, -1e4)
        total = total + config.head * functional.nll_loss(
            log_attention, heads, ignore_index=UNKNOWN, reduction="sum"
        )
    return total


def _gold(
    examples: Sequence[Example], found: Found, counts: Sequence[int], scores: Tensor
) -> Tensor:
    """[document, span] numbers of gold entities, −1 for spans in none and for what fills up rows."""
    where, entity = _placed([e.where for e in examples], examples, [e.entity for e in examples])
    grid = _grid(where, entity, found.logits)
    row = grid[found.kept.window, found.kept.start, found.kept.width]
    gold = torch.full(scores.shape[:2], UNKNOWN, device=scores.device)
    real = torch.arange(gold.shape[1]) < torch.tensor(counts)[:, None]
    gold[real.to(gold.device)] = row
    return gold


def _sizes(examples: Sequence[Example]) -> Tensor:
    """[document, entity] full sizes, 0 for what fills up rows."""
    most = max((len(example.sizes) for example in examples), default=0)
    table = np.zeros((len(examples), max(most, 1)), np.int64)
    for line, example in zip(table, examples, strict=True):
        line[: len(example.sizes)] = example.sizes
    return torch.from_numpy(table)


def _placed(
    places: Sequence[np.ndarray],
    examples: Sequence[Example],
    values: Sequence[np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Places [span, 3] in all windows of all documents, and their values (or numbers)."""
    before = np.cumsum([0, *(len(example.windows) for example in examples)])
    shifts = [np.array([at, 0, 0]) for at in before[:-1]]
    where = np.concatenate([place + at for place, at in zip(places, shifts, strict=True)])
    return where, np.arange(len(where)) if values is None else np.concatenate(values)


def _grid(where: np.ndarray, values: np.ndarray, like: Tensor) -> Tensor:
    """[window, word, width] values at their places, −1 elsewhere."""
    grid = torch.full(like.shape, UNKNOWN, device=like.device)
    at = torch.from_numpy(where).to(like.device, non_blocking=True).unbind(1)
    return grid.index_put(at, torch.from_numpy(values).to(like.device, non_blocking=True))
