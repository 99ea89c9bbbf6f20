"""References for the losses: loops over mentions and actions, as the papers define them.

Scores and gold are lists here, so that nothing is shared with the tensors of the package.
"""

import math

import torch
from hypothesis import strategies as st

from corelax import metrics

INF = math.inf
COSTS = (0.1, 3.0, 1.0)


@st.composite
def documents(draw, *, least=1, most=6, pruned=False):
    """Scores without ties and gold with spurious and single mentions: (scores, gold) as tensors."""
    n = draw(st.integers(least, most))
    gold = draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n))
    scores = 2 * random_scores(n, draw(st.integers(0, 2**31)))
    if pruned:
        places = [(i, j) for i in range(n) for j in range(i)]
        for place in draw(st.lists(st.sampled_from(places), unique=True)) if places else ():
            scores[place] = -INF
    return scores, torch.tensor(gold)


def random_scores(n, seed):
    return torch.randn(n, n, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def softmax(row):
    weights = [math.exp(score - max(row)) for score in row]
    return [weight / sum(weights) for weight in weights]


def rows(scores):
    """The scores of the actions of each mention: j < i to link, j = i to start an entity."""
    return [row[: i + 1] for i, row in enumerate(scores.tolist())]


def correct_actions(row, gold, i):
    """C(i): gold antecedents that were not pruned, or i itself if there are none."""
    antecedents = [j for j in range(i) if gold[i] == gold[j] >= 0 and row[j] > -INF]
    return antecedents or [i]


def link_cost(row, gold, i, j, costs):
    """Δ(i, j)."""
    false_anaphor, false_new, wrong_link = costs
    correct = correct_actions(row, gold, i)
    if j in correct:
        return 0.0
    if correct == [i]:
        return false_anaphor
    return false_new if j == i else wrong_link


def ranking(scores, gold, costs=COSTS):
    """Probabilities times e^Δ, made to sum to 1 again; −log of what the right actions have."""
    total, gold = 0.0, gold.tolist()
    for i, row in enumerate(rows(scores)):
        raised = [
            p * math.exp(link_cost(row, gold, i, j, costs)) for j, p in enumerate(softmax(row))
        ]
        right = sum(raised[j] for j in correct_actions(row, gold, i))
        total -= math.log(right / sum(raised))
    return total


def entity_probs(scores):
    """P[i][u]: mention i links to some j in E_u, or is u and links to none."""
    probs = []
    for i, p in enumerate(map(softmax, rows(scores))):
        probs.append([sum(p[j] * probs[j][u] for j in range(u, i)) for u in range(i)] + [p[i]])
    return probs


def entity(scores, gold, costs=COSTS, same_cluster=None):
    """−log of P[i, e(i)] against all P[i, u] e^Γ; mentions that cannot reach their entity left out."""
    joined_wrongly, started_wrongly, wrong_entity = costs
    same_cluster = wrong_entity if same_cluster is None else same_cluster
    total, gold = 0.0, gold.tolist()
    for i, probs in enumerate(entity_probs(scores)):
        first = gold.index(gold[i]) if gold[i] >= 0 else i

        def gamma(u, i=i, first=first):
            if u == first:
                return 0.0
            if first == i:
                return joined_wrongly
            if u == i:
                return started_wrongly
            return same_cluster if gold[u] == gold[i] else wrong_entity

        if probs[first] > 0:
            every = sum(p * math.exp(gamma(u)) for u, p in enumerate(probs))
            total -= math.log(probs[first] / every)
    return total


def margin(scores, gold, costs, m):
    """The latent antecedent is the best of C(i); the worst violation of a mention counts."""
    total, gold = 0.0, gold.tolist()
    for i, row in enumerate(rows(scores)):
        latent = max(row[j] for j in correct_actions(row, gold, i))
        possible = [j for j in range(i + 1) if row[j] > -INF]
        total += max(link_cost(row, gold, i, j, costs) * (m + row[j] - latent) for j in possible)
    return total


# Rewards.


def clusters_of(actions):
    """Entities by following antecedents back to a mention that starts one."""
    entities = {}
    for i in range(len(actions)):
        start = i
        while actions[start] != start:
            start = actions[start]
        entities.setdefault(start, []).append(i)
    return list(entities.values())


def gold_clusters(gold, sizes=None):
    """Entities of gold numbers, filled up with missed mentions to their full sizes."""
    numbers = range(len(sizes)) if sizes is not None else sorted({v for v in gold if v >= 0})
    entities = []
    for v in numbers:
        found = [i for i, number in enumerate(gold) if number == v]
        missed = sizes[v] - len(found) if sizes is not None else 0
        entities.append(found + [f"missed {v}.{k}" for k in range(missed)])
    return [cluster for cluster in entities if cluster]


def linked(clusters):
    return [cluster for cluster in clusters if len(cluster) > 1]


def rewards(actions, entities, metric, *, keep):
    """R[i][j], j ≤ i: the document scored anew for each change of one action."""
    table = []
    for i in range(len(actions)):
        row = []
        for j in range(i + 1):
            system = clusters_of([*actions[:i], j, *actions[i + 1 :]])
            system = system if keep else linked(system)
            row.append(metrics.evaluate(gold=entities, system=system, metrics=[metric])[metric].f1)
        table.append(row)
    return table


def greedy(scores):
    return [row.index(max(row)) for row in rows(scores)]


def reward_costs(scores, actions, gold, *, sizes=None, metric="b_cubed", keep=False):
    """c_ij = w (max R − R_ij) over the actions that there are; w = (gold + predicted) / 10."""
    entities = gold_clusters(gold.tolist(), sizes)
    entities = entities if keep else linked(entities)
    weight = (sum(map(len, entities)) + len(actions)) / 10
    table = []
    for row, reward in zip(
        rows(scores), rewards(actions, entities, metric, keep=keep), strict=True
    ):
        best = max(r for r, score in zip(reward, row, strict=True) if score > -INF)
        table.append([weight * (best - r) for r in reward])
    return table


def expected_cost(scores, costs):
    """Σ_i Σ_j p_ij c_ij."""
    return sum(
        p * c
        for row, cost in zip(rows(scores), costs, strict=True)
        for p, c in zip(softmax(row), cost, strict=True)
    )


def rescaled(scores, costs, m):
    """Σ_i max_j c_ij (m + s_ij − max_{k: c_ik = 0} s_ik)."""
    total = 0.0
    for row, cost in zip(rows(scores), costs, strict=True):
        possible = [j for j in range(len(row)) if row[j] > -INF]
        best = max(row[k] for k in possible if abs(cost[k]) < 1e-6)
        total += max(cost[j] * (m + row[j] - best) for j in possible)
    return total
