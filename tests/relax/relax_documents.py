"""Documents for the tests of relaxations: scores with gold entities, some mentions missed or made up."""

from typing import NamedTuple

import torch
from hypothesis import strategies as st

from tests.relax.relax_literal import roots

CERTAIN = 60.0


class Doc(NamedTuple):
    """Scores [mention, antecedent], the entity number of each mention, all sizes."""

    scores: torch.Tensor
    gold: list[int]
    sizes: list[int]

    @property
    def gold_clusters(self):
        """Gold entities as lists; missed mentions are named after their entity."""
        clusters = [[i for i, g in enumerate(self.gold) if g == v] for v in range(len(self.sizes))]
        return [
            cluster + [(v, missed) for missed in range(self.sizes[v] - len(cluster))]
            for v, cluster in enumerate(clusters)
            if self.sizes[v]
        ]

    def tensors(self, dtype=torch.float64):
        return self.scores.to(dtype), torch.tensor(self.gold, dtype=torch.long)

    def evaluate(self, dtype=torch.float64, **options):
        from corelax import relax

        scores, gold = self.tensors(dtype)
        sizes = torch.tensor(self.sizes, dtype=torch.long)
        return relax.evaluate(scores, gold, gold_sizes=sizes, **options)


def plain(counts):
    """The numbers of counts by metric, as tuples of floats."""
    return {name: tuple(float(x) for x in c.as_tuple()) for name, c in counts.items()}


def random_scores(n, seed, scale=1.0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    return scale * torch.randn(n, n, generator=generator, dtype=torch.float64).to(dtype)


def random_links(n, seed, scale=1.0, dtype=torch.float64):
    above = torch.ones(n, n, dtype=torch.bool).triu(1)
    scores = random_scores(n, seed, scale).masked_fill(above, -torch.inf)
    return torch.softmax(scores, -1).to(dtype)


def random_doc(n, seed, scale=1.0, entities=3):
    """Soft scores with some signal; a gold singleton, a missed mention, made-up mentions."""
    generator = torch.Generator().manual_seed(1000 + seed)
    gold = torch.randint(-1, entities, (n,), generator=generator).tolist()
    missed = torch.randint(0, 3, (entities,), generator=generator).tolist()
    sizes = [gold.count(v) + missed[v] for v in range(entities)]
    return Doc(random_scores(n, seed, scale), gold, sizes)


def certain_scores(antecedents):
    """±60: mention i links to `antecedents[i]`, or starts an entity if that is i."""
    scores = torch.full((len(antecedents), len(antecedents)), -CERTAIN, dtype=torch.float64)
    for i, j in enumerate(antecedents):
        scores[i, j] = CERTAIN
    return scores


def clusters_of(antecedents):
    """The clusters that links make."""
    found = {}
    for i, root in enumerate(roots(antecedents)):
        found.setdefault(root, []).append(i)
    return list(found.values())


@st.composite
def gold_sides(draw, n):
    """Entity numbers and sizes: entities found, in part or not at all; numbers without an entity."""
    entities = draw(st.integers(0, 4))
    gold = draw(st.lists(st.integers(-1, entities - 1), min_size=n, max_size=n))
    missed = draw(st.lists(st.integers(0, 2), min_size=entities, max_size=entities))
    return gold, [gold.count(v) + missed[v] for v in range(entities)]


@st.composite
def certain_docs(draw, max_mentions=10):
    """A document with certain links, and the links."""
    n = draw(st.integers(0, max_mentions))
    antecedents = [draw(st.integers(0, i)) for i in range(n)]
    gold, sizes = draw(gold_sides(n))
    return Doc(certain_scores(antecedents), gold, sizes), antecedents


@st.composite
def soft_docs(draw, max_mentions=5):
    """A document with uncertain links, none of them next to impossible."""
    n = draw(st.integers(0, max_mentions))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 9999)))
    uniform = 2 * torch.rand(n, n, generator=generator, dtype=torch.float64) - 1
    return Doc(draw(st.sampled_from([0.2, 1.0])) * uniform, *draw(gold_sides(n)))
