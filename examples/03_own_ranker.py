"""Train somebody else's model on the metric: a small ranker of the e2e-coref kind, in plain PyTorch.

The model knows nothing of corelax. It scores spans, keeps the best, and gives each of them a score for a few
antecedents and a dummy. Three lines turn that into a loss (see `coreference_loss`).

python examples/03_own_ranker.py
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

import corelax
from corelax.decode import best_links
from corelax.losses import metric_loss, ranking_loss
from corelax.rankers import from_pruned
from corelax.relax import gold_tensors

HERE = Path(__file__).parent / "data"
WIDEST = 5  # words of a span
KEPT = 0.5  # spans for each word
CANDIDATES = 20  # antecedents of a span


class SmallRanker(nn.Module):
    """Spans from word vectors; mention(i) + mention(j) + pair(i, j), and a dummy antecedent of score 0."""

    def __init__(self, vocabulary: dict[str, int], size: int = 48) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self.words = nn.Embedding(len(vocabulary), size)
        self.context = nn.LSTM(size, size // 2, bidirectional=True, batch_first=True)
        self.mention = nn.Sequential(nn.Linear(3 * size, size), nn.ReLU(), nn.Linear(size, 1))
        self.pair = nn.Sequential(nn.Linear(9 * size, size), nn.ReLU(), nn.Linear(size, 1))

    def spans(self, doc: corelax.Document) -> tuple[list[tuple[int, int]], Tensor, Tensor]:
        """All spans up to a width, [span, size] vectors, and [span] mention scores."""
        ids = torch.tensor([self.vocabulary[word.lower()] for word in doc.words])
        plain = self.words(ids)
        states = self.context(plain[None])[0][0]
        n = len(ids)
        spans = [(a, b) for a in range(n) for b in range(a + 1, min(a + WIDEST, n) + 1)]
        starts, ends = torch.tensor(spans).T
        vectors = torch.cat([states[starts], states[ends - 1], plain[ends - 1]], dim=-1)
        return spans, vectors, self.mention(vectors).squeeze(-1)

    def forward(
        self, doc: corelax.Document
    ) -> tuple[list[tuple[int, int]], Tensor, Tensor, Tensor]:
        """The spans kept, [span, 1 + candidate] scores, [span, candidate] antecedents and their mask."""
        spans, vectors, mention = self.spans(doc)
        kept = mention.topk(round(KEPT * len(doc.words))).indices.sort().values  # in document order
        vectors, mention, k = vectors[kept], mention[kept], len(kept)
        earlier = torch.ones(k, k, dtype=torch.bool).tril(-1)
        rough = (mention + mention[:, None]).masked_fill(~earlier, -torch.inf)
        antecedents = rough.topk(min(CANDIDATES, k)).indices
        mask = antecedents < torch.arange(k)[:, None]
        there = vectors[antecedents]
        here = vectors[:, None].expand_as(there)
        pair = self.pair(torch.cat([here, there, here * there], dim=-1)).squeeze(-1)
        scores = mention[:, None] + mention[antecedents] + pair
        scores = torch.cat([torch.zeros(k, 1), scores], dim=-1)
        return [spans[i] for i in kept.tolist()], scores, antecedents, mask


def mention_loss(model: SmallRanker, doc: corelax.Document) -> Tensor:
    """Teaches the mention scorer which spans to keep. No part of corelax."""
    spans, _, scores = model.spans(doc)
    gold = {(m.start, m.end) for m in doc.clusters.mentions}
    target = torch.tensor([float(span in gold) for span in spans])
    return nn.functional.binary_cross_entropy_with_logits(scores, target)


def coreference_loss(model: SmallRanker, doc: corelax.Document, *, on_metric: bool) -> Tensor:
    """From the model's pruned antecedents to a loss."""
    spans, scores, antecedents, mask = model(doc)
    antecedent_scores = from_pruned(scores, antecedents, mask)
    gold, sizes = gold_tensors(spans, [[(m.start, m.end) for m in c] for c in doc.clusters])
    if on_metric:
        return metric_loss(antecedent_scores, gold, "lea", gold_sizes=sizes)
    return ranking_loss(antecedent_scores, gold) / len(spans)


def lea(model: SmallRanker, docs: list[corelax.Document]) -> float:
    """LEA of the decoded clusters."""
    system = []
    for doc in docs:
        spans, scores, antecedents, mask = model(doc)
        entities = best_links(from_pruned(scores, antecedents, mask))
        clusters = [[corelax.Span(*spans[i]) for i in entity] for entity in entities]
        system.append(doc.with_clusters(corelax.Clustering(clusters)))
    return float(corelax.score(gold=docs, system=system, singletons="drop")["lea"].f1)


def main() -> None:
    torch.manual_seed(0)
    docs = list(corelax.read(HERE / "gold.conll"))
    words = dict.fromkeys(word.lower() for doc in docs for word in doc.words)
    model = SmallRanker({word: i for i, word in enumerate(words)})
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(101):
        on_metric = epoch >= 60  # likelihood first, then the metric
        if epoch % 20 == 0:
            stage = "LEA loss    " if on_metric else "ranking loss"
            print(f"epoch {epoch:3}  {stage}  LEA {lea(model, docs):.3f}")
        for doc in docs:
            optimizer.zero_grad()
            loss = mention_loss(model, doc) + coreference_loss(model, doc, on_metric=on_metric)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()


if __name__ == "__main__":
    main()
