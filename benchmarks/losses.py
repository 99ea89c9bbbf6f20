"""Time and memory of the training objectives, forward and backward, beside naive versions.

    python benchmarks/losses.py [--device cpu|cuda] [--sizes 50 200 ...] [--seconds S] [--json FILE]

One seeded document for each size: 37 % of its mentions in gold entities, about 8 entities for 100 mentions
(the shape of CoNLL-2012 with predicted mentions), scores that favour gold antecedents. Beside our losses run

  (a) B³ whose entity probabilities come from the paper's recursion, one mention after the other,
  (b) LEA from an [entity, mention, mention] tensor, as the authors' program computes it,
  (c) `ranking_loss`, the floor: it touches every score once and has no entities.

Every figure comes from repeated runs for at least S seconds (default 1): the best on a CPU, which others may
use too, and the median on a GPU, where runs are queued ten at a time. Ratios are taken between figures of the
same size. Memory is what one run takes on top of the scores.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from corelax.core.text_table import format_table
from corelax.losses import (
    entity_loss,
    margin_loss,
    metric_loss,
    ranking_loss,
    reinforce_loss,
    rescale_loss,
)
from corelax.metrics.b_cubed import b_cubed
from corelax.relax import Gold, SoftOverlap, appearance, entity_probs, link_probs

Loss = Callable[..., Tensor]

LOSSES: dict[str, tuple[Loss, dict[str, object]]] = {
    "(c) ranking": (ranking_loss, {}),
    "margin": (margin_loss, {}),
    "entity L_ec": (entity_loss, {}),
    "B³": (metric_loss, {"metric": "b_cubed"}),
    "LEA": (metric_loss, {"metric": "lea"}),
    "B³, T = 0.1": (metric_loss, {"metric": "b_cubed", "temperature": 0.1}),
    "B³ pairwise": (metric_loss, {"metric": "b_cubed", "family": "pairwise"}),
    "LEA pairwise": (metric_loss, {"metric": "lea", "family": "pairwise"}),
    "MUC": (metric_loss, {"metric": "muc"}),
    "BLANC": (metric_loss, {"metric": "blanc"}),
    "CEAF-e": (metric_loss, {"metric": "ceaf_e"}),
    "CoNLL": (metric_loss, {"metric": "conll"}),
    "REINFORCE": (reinforce_loss, {}),
    "rescaling": (rescale_loss, {}),
}
QUEUED = 10  # runs on a GPU before it is waited for
LARGEST_NAIVE = 500  # beyond, a run takes seconds (a) and gigabytes (b)


class Doc(NamedTuple):
    scores: Tensor
    gold: Tensor
    gold_sizes: Tensor


def make_document(n: int, device: str, seed: int = 0) -> Doc:
    """Scores and gold entities of n mentions."""
    generator = torch.Generator().manual_seed(seed)
    entities, members = max(1, round(0.08 * n)), round(0.37 * n)
    gold = torch.full([n], -1)
    chosen = torch.randperm(n, generator=generator)[:members]
    weights = 1 / torch.arange(2.0, entities + 2)
    gold[chosen] = torch.multinomial(weights, members, replacement=True, generator=generator)
    scores = 2 * torch.randn(n, n, generator=generator) + 3 * torch.eye(n)
    scores += 3 * ((gold[:, None] == gold) & (gold >= 0)).tril(-1)
    sizes = torch.bincount(gold[gold >= 0], minlength=entities)
    return Doc(scores.to(device), gold.to(device), sizes.to(device))


def recursive_b_cubed(scores: Tensor, gold: Tensor, *, gold_sizes: Tensor) -> Tensor:
    """(a) −F1 of B³, its entity probabilities computed mention by mention."""
    links = link_probs(scores)
    rows = [links[0]]
    for i in range(1, len(links)):
        itself = torch.nn.functional.one_hot(torch.tensor(i, device=links.device), len(links))
        rows.append(links[i, :i] @ torch.stack(rows) + itself * links[i, i])
    entities = Gold.of(gold, gold_sizes, links).without_singletons()
    overlap = SoftOverlap(torch.stack(rows), entities, appearance(links, 0.0))
    return torch.as_tensor(-b_cubed(overlap).scores().f1)


def pair_tensor_lea(scores: Tensor, gold: Tensor, *, gold_sizes: Tensor) -> Tensor:
    """(b) −F1 of LEA from one n × n table of links for each system entity and each gold entity."""
    probs = entity_probs(link_probs(scores))
    earlier = torch.ones_like(probs).tril(-1)
    links = probs.T[:, :, None] * probs.T[:, None, :] * earlier  # [system entity, mention, mention]
    members = (gold == torch.arange(len(gold_sizes), device=gold.device)[:, None]).float()
    gold_links = (
        members[:, :, None] * members[:, None, :] * earlier
    )  # [gold entity, mention, mention]
    shared = links.flatten(1) @ gold_links.flatten(1).T  # [system entity, gold entity]
    found, whole = gold_links.sum((1, 2)), links.sum((1, 2))
    linked = (gold_sizes > 1).float()
    recall = (linked * gold_sizes * shared.sum(0) / found.clamp(min=1)).sum() / (
        linked * gold_sizes
    ).sum()
    sizes = probs.sum(0)
    precision = (sizes * shared.sum(1) / whole.clamp(min=1e-6)).sum() / sizes.sum()
    return -2 * precision * recall / (precision + recall)


NAIVE: dict[str, Loss] = {
    "(a) B³, recursion": recursive_b_cubed,
    "(b) LEA, pair tensor": pair_tensor_lea,
}


def both_ways(loss: Callable[[Tensor], Tensor], scores: Tensor) -> None:
    leaf = scores.detach().requires_grad_()
    loss(leaf).backward()  # type: ignore[no-untyped-call]


def milliseconds(
    run: Callable[[], None], device: str, seconds: float, *, queued: int = QUEUED
) -> float:
    """The time of a run, after two to warm up. On a GPU runs are queued, as in training."""
    group = queued if device == "cuda" else 1
    times: list[float] = []
    for _ in range(2):
        run()
    until = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < until:
        if device == "cuda":
            torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(group):
            run()
        if device == "cuda":
            torch.cuda.synchronize()
        times.append((time.perf_counter() - start) / group)
    return 1000 * (statistics.median(times) if device == "cuda" else min(times))


def megabytes(run: Callable[[], None], device: str) -> float:
    """What a run holds at its peak on top of what was there before."""
    if device == "cuda":
        torch.cuda.synchronize()
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        run()
        torch.cuda.synchronize()
        return (torch.cuda.max_memory_allocated() - before) / 1e6
    with torch.profiler.profile(profile_memory=True) as profile:
        run()
    held = peak = 0
    for event in profile.profiler.kineto_results.events():
        if event.name() == "[memory]":
            held += event.nbytes()
            peak = max(peak, held)
    return peak / 1e6


def floor_ms(name: str, n: int, entities: int) -> float | None:
    """What no program for an H200 can beat: bytes over 4.8 TB/s or operations over 67 TFLOP/s.

    Scores are read and their gradient is written, 8 n² bytes. B³ takes a solve with 2 V + 3 right-hand sides,
    its transpose and a product, 2 n² (2 V + 3) multiply-adds; LEA takes P, Z and Z Pᵀ, each triangular,
    n³ / 2 in all. (Data sheet figures; a graph adds the latency of a chain of dependent kernels.)
    """
    multiply_adds = {"(c) ranking": 0, "B³": 2 * n**2 * (2 * entities + 3), "LEA": n**3 // 2}
    if name not in multiply_adds:
        return None
    return 1000 * max(8 * n**2 / 4.8e12, 2 * multiply_adds[name] / 67e12)


class Row(NamedTuple):
    n: int
    loss: str
    ms: float
    megabytes: float
    floor_ms: float | None = None


def measure(n: int, device: str, seconds: float) -> list[Row]:
    """All losses on one document."""
    doc = make_document(n, device)
    rows = []
    for name, (loss, settings) in LOSSES.items():
        sizes = (
            {}
            if loss in (ranking_loss, margin_loss, entity_loss)
            else {"gold_sizes": doc.gold_sizes}
        )
        run = partial(both_ways, partial(loss, gold=doc.gold, **sizes, **settings), doc.scores)
        row = Row(n, name, milliseconds(run, device, seconds), megabytes(run, device))
        if device == "cuda":
            row = row._replace(floor_ms=floor_ms(name, n, len(doc.gold_sizes)))
        rows.append(row)
    for name, slow in NAIVE.items() if n <= LARGEST_NAIVE else ():
        compute = partial(slow, gold=doc.gold, gold_sizes=doc.gold_sizes)
        run = partial(both_ways, compute, doc.scores)
        slowly = milliseconds(run, device, seconds, queued=1)
        rows.append(Row(n, name, slowly, megabytes(run, device)))
    return rows


def table(rows: list[Row], device: str) -> str:
    """Times, memory, and how many times the floor (c) and the naive versions take."""
    by_name = {row.loss: row for row in rows}
    ranking = by_name["(c) ranking"]
    recursion, pair_tensor = (by_name.get(name) for name in NAIVE)
    head = ["mentions", "loss", "ms", "÷ (c)", "(a) ÷", "(b) ÷", "MB", "MB ÷ n²·4"]
    if device == "cuda":
        head += ["floor"]
    lines = []
    for row in rows:
        line = [str(row.n), row.loss, f"{row.ms:.2f}", f"{row.ms / ranking.ms:.1f}"]
        line.append(f"{recursion.ms / row.ms:.0f}" if recursion else "")
        line.append(f"{pair_tensor.ms / row.ms:.0f}" if pair_tensor and "LEA" in row.loss else "")
        line += [f"{row.megabytes:.1f}", f"{row.megabytes * 1e6 / (4 * row.n**2):.0f}"]
        if device == "cuda":
            line.append("" if row.floor_ms is None else f"{row.floor_ms:.3f}")
        lines.append(line)
    return format_table(head, lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[50, 200, 350, 500, 1000, 2000, 4000]
    )
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--json", help="write all figures to this file")
    options = parser.parse_args()
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # the memory profiler is talkative
    print(f"torch {torch.__version__}, {options.device}, {torch.get_num_threads()} threads")
    everything = []
    for n in options.sizes:
        rows = measure(n, options.device, options.seconds)
        everything += [row._asdict() for row in rows]
        print(table(rows, options.device), end="\n\n", flush=True)
        if options.json:
            Path(options.json).write_text(json.dumps(everything, indent=1))


if __name__ == "__main__":
    main()
