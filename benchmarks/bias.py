"""How far relaxed B³ lies from what it relaxes: the expected score of clusters sampled from the ranker.

    python benchmarks/bias.py [--samples N]

One seeded document of 60 mentions in 10 gold entities, its scores scaled from vague to nearly certain. For
each scale: the mean entropy of a mention's links (nats), recall / precision of B³ as quotients of mean counts
over sampled clusterings, with the standard error of recall, and the two relaxations. Singletons count.
"""

from __future__ import annotations

import argparse

import torch
from torch import Tensor

from corelax.core.text_table import format_table
from corelax.metrics import evaluate
from corelax.metrics.counts import Counts
from corelax.relax import evaluate as relaxed
from corelax.relax import link_probs

MENTIONS, ENTITIES = 60, 10
SCALES = (0.5, 1.0, 2.0, 4.0)


def sampled_clusters(links: Tensor, generator: torch.Generator) -> list[list[int]]:
    """Every mention draws its antecedent; chains of links are entities."""
    antecedents = torch.multinomial(links, 1, generator=generator).flatten().tolist()
    home: list[int] = []
    clusters: dict[int, list[int]] = {}
    for i, antecedent in enumerate(antecedents):
        home.append(i if antecedent == i else home[antecedent])
        clusters.setdefault(home[i], []).append(i)
    return list(clusters.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--samples", type=int, default=2000)
    samples = parser.parse_args().samples
    generator = torch.Generator().manual_seed(0)
    gold = torch.randint(0, ENTITIES, [MENTIONS], generator=generator)
    clusters = [torch.nonzero(gold == v).flatten().tolist() for v in range(ENTITIES)]
    noise = torch.randn(MENTIONS, MENTIONS, generator=generator, dtype=torch.float64)
    signal = noise + 1.5 * (gold[:, None] == gold).tril(-1) + 1.5 * torch.eye(MENTIONS)
    rows = []
    for scale in SCALES:
        scores = scale * signal
        links = link_probs(scores)
        entropy = -(links * links.clamp(min=1e-300).log()).sum(-1).mean()
        drawn = [
            evaluate(gold=clusters, system=sampled_clusters(links, generator), metrics=["b_cubed"])
            for _ in range(samples)
        ]
        recalls = torch.tensor([report["b_cubed"].recall for report in drawn])
        total = sum((report.counts["b_cubed"] for report in drawn), Counts())
        row = [f"{scale:g}", f"{entropy:.2f}", f"{recalls.std() / samples**0.5:.4f}"]
        reports = [total.scores()]
        for family in ("entity", "pairwise"):
            report = relaxed(scores, gold, family=family, metrics=["b_cubed"], singletons="keep")
            reports.append(report["b_cubed"])
        rows.append(row + [f"{score.recall:.3f} / {score.precision:.3f}" for score in reports])
    print(format_table(["scale", "entropy", "± recall", "sampled", "entity", "pairwise"], rows))


if __name__ == "__main__":
    main()
