"""Relaxed metrics once more, letter by letter from docs/relaxation.md, slow and without corelax.

Probabilities are lists of lists of Python floats, gold is a list of entity numbers (−1 for none), `sizes` a
list of entity sizes that counts missed mentions. Sums are loops over mentions, pairings are tried one by
one, and expectations go through every configuration of links.
"""

import math
from itertools import combinations, permutations, product


def link_probs(scores, temperature=1.0):
    """Softmax over j ≤ i.

    >>> link_probs([[5.0, 9.0], [1.0, 1.0]])
    [[1.0, 0.0], [0.5, 0.5]]
    """
    rows = []
    for i, row in enumerate(scores):
        best = max(row[: i + 1])
        weights = [math.exp((score - best) / temperature) for score in row[: i + 1]]
        rows.append([w / sum(weights) for w in weights] + [0.0] * (len(row) - i - 1))
    return rows


def entity_probs(p):
    """The step-by-step loop of the paper.

    >>> entity_probs([[1.0, 0.0], [0.25, 0.75]])
    [[1.0, 0.0], [0.25, 0.75]]
    """
    n = len(p)
    probs = [[0.0] * n for _ in range(n)]
    for i in range(n):
        probs[i][i] = p[i][i]
        for u in range(i):
            for j in range(u, i):
                probs[i][u] += p[i][j] * probs[j][u]
    return probs


def sharpened(probs, temperature):
    """Temperature on entities as a power of probabilities; fit for moderate T only.

    >>> sharpened([[1.0, 0.0], [0.75, 0.25]], 0.5)
    [[1.0, 0.0], [0.9, 0.1]]
    """
    powers = [[x ** (1 / temperature) for x in row] for row in probs]
    return [[x / sum(row) for x in row] for row in powers]


def alone(probs):
    """New, and nobody else in: exact from links, from entities as if mentions were independent.

    >>> alone([[1.0, 0.0], [0.25, 0.75]])
    [0.75, 0.75]
    """
    n = len(probs)
    return [probs[i][i] * math.prod(1 - probs[k][i] for k in range(i + 1, n)) for i in range(n)]


def coreference_probs(p):
    """The recursion K_ij = Σ_k L_ik K_kj.

    >>> coreference_probs([[1.0, 0.0], [0.25, 0.75]])
    [[1.0, 0.25], [0.25, 1.0]]
    """
    n = len(p)
    pairs = [[1.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            pairs[i][j] = pairs[j][i] = sum(p[i][k] * pairs[k][j] for k in range(i))
    return pairs


def roots(antecedents):
    """[mention] the first mention of its entity, following links; `antecedents[i] == i` starts one.

    >>> roots([0, 0, 2, 1])
    [0, 0, 2, 0]
    """
    found = []
    for i, antecedent in enumerate(antecedents):
        found.append(i if antecedent == i else found[antecedent])
    return found


def configurations(p):
    """Every way to choose antecedents: its probability and the roots.

    >>> list(configurations([[1.0, 0.0], [0.25, 0.75]]))
    [(0.25, [0, 0]), (0.75, [0, 1])]
    """
    for choice in product(*(range(i + 1) for i in range(len(p)))):
        yield math.prod(p[i][j] for i, j in enumerate(choice)), roots(choice)


def best_sum(table):
    """The largest sum over one-to-one pairings of rows and columns, which are all tried.

    >>> best_sum([[3.0, 2.0], [2.0, 0.0]])
    4.0
    """
    if not table or not table[0]:
        return 0.0
    if len(table) > len(table[0]):
        table = [list(column) for column in zip(*table, strict=True)]
    return max(
        sum(row[column] for row, column in zip(table, columns, strict=True))
        for columns in permutations(range(len(table[0])), len(table))
    )


def share(part, whole):
    return part / whole if whole else 0.0


def pairs_of(count):
    return count * (count - 1) / 2


class Soft:
    """The entity family: P, the chance to be alone, μ, gold."""

    def __init__(self, probs, alone, mu, gold, sizes):
        self.probs, self.alone, self.mu, self.gold, self.sizes = probs, alone, mu, gold, sizes
        self.n = len(probs)
        self.q = [1 - (1 - m) * a for m, a in zip(mu, alone, strict=True)]
        self.entities = [v for v, size in enumerate(sizes) if size > 0]
        self.members = {v: [i for i, g in enumerate(gold) if g == v] for v in self.entities}
        self.in_gold = [i for i, g in enumerate(gold) if g >= 0]
        self.mentions = sum(sizes)

    def size(self, u):  # s_u
        return sum(self.probs[i][u] for i in range(self.n))

    def shared(self, v, u):  # C_vu
        return sum(self.probs[i][u] for i in self.members[v])

    def written(self, v, u):  # Cq_vu
        return sum(self.q[i] * self.probs[i][u] for i in self.members[v])

    def link(self, mentions, u):
        return sum(self.probs[i][u] * self.probs[j][u] for j, i in combinations(mentions, 2))

    def alone_on_both(self):
        return sum(
            self.mu[i] * self.alone[i] for i in self.in_gold if self.sizes[self.gold[i]] == 1
        )

    def b_cubed(self):
        recall = precision = 0.0
        for v in self.entities:
            for u in range(self.n):
                company = self.written(v, u) * self.shared(v, u)
                recall += company / self.sizes[v]
                precision += share(company, self.size(u))
        return recall, self.mentions, precision, sum(self.q)

    def lea(self):
        recall = precision = self.alone_on_both()
        for v in self.entities:
            if self.sizes[v] > 1:
                found = sum(self.link(self.members[v], u) for u in range(self.n))
                recall += self.sizes[v] * found / pairs_of(self.sizes[v])
        for u in range(self.n):
            found = sum(self.link(self.members[v], u) for v in self.entities)
            weight = sum((1 - self.alone[i]) * self.probs[i][u] for i in range(self.n))
            precision += weight * share(found, self.link(range(self.n), u))
        return recall, self.mentions, precision, sum(self.q)

    def muc(self):
        hits = sum(
            1 - math.prod(1 - self.probs[i][u] for i in self.members[v])
            for v in self.entities
            for u in range(self.n)
        )
        links = len(self.in_gold) - hits
        started = sum(self.probs[u][u] for u in range(self.n))
        gold_links = sum(self.sizes[v] - 1 for v in self.entities)
        return links, gold_links, links, self.n - started

    def ceaf_m(self):
        best = best_sum([[self.written(v, u) for u in range(self.n)] for v in self.entities])
        return best, self.mentions, best, sum(self.q)

    def ceaf_e(self):
        best = best_sum(
            [
                [2 * self.written(v, u) / (self.sizes[v] + self.size(u)) for u in range(self.n)]
                for v in self.entities
            ]
        )
        dropped = sum((1 - m) * a for m, a in zip(self.mu, self.alone, strict=True))
        started = sum(self.probs[u][u] for u in range(self.n))
        return best, len(self.entities), best, started - dropped

    def blanc(self):
        """Non-links that independence makes negative, or more than there are, are cut off."""
        both = sum(self.link(self.members[v], u) for v in self.entities for u in range(self.n))
        inside = sum(self.link(range(self.n), u) for u in range(self.n))
        gold_inside = sum(pairs_of(self.sizes[v]) for v in self.entities)
        corefer = sum(self.link(self.in_gold, u) for u in range(self.n)) - both
        return self.with_non_links(both, inside, gold_inside, corefer)

    def with_non_links(self, both, inside, gold_inside, corefer):
        q, gold = self.q, self.gold
        between = max(0.0, sum(q[i] * q[j] for i, j in combinations(range(self.n), 2)) - inside)
        apart = sum(q[i] * q[j] for i, j in combinations(self.in_gold, 2) if gold[i] != gold[j])
        both_between = min(max(0.0, apart - corefer), between)
        gold_between = pairs_of(self.mentions) - gold_inside
        return (
            *(both, gold_inside, both, inside),
            *(both_between, gold_between, both_between, between),
        )

    def mention_counts(self):
        found = sum(self.q[i] for i in self.in_gold)
        return found, self.mentions, found, sum(self.q)

    def counts(self):
        return {
            "muc": self.muc(),
            "b_cubed": self.b_cubed(),
            "ceaf_m": self.ceaf_m(),
            "ceaf_e": self.ceaf_e(),
            "blanc": self.blanc(),
            "lea": self.lea(),
            "mentions": self.mention_counts(),
        }


class Pairwise(Soft):
    """The pairwise family: `alone` comes from links, `pairs` is K."""

    def __init__(self, pairs, probs, alone, mu, gold, sizes):
        super().__init__(probs, alone, mu, gold, sizes)
        self.pairs = pairs

    def mates(self, i):  # t_i
        return sum(self.pairs[i][j] for j in range(self.n) if j != i)

    def gold_mates(self, i):  # o_i
        return sum(self.pairs[i][j] for j in self.members[self.gold[i]] if j != i)

    def b_cubed(self):
        recall = precision = 0.0
        for i in self.in_gold:
            q, o, t = self.q[i], self.gold_mates(i), self.mates(i)
            recall += (q + o) / self.sizes[self.gold[i]]
            precision += share(q * (q + o), q + t)
        return recall, self.mentions, precision, sum(self.q)

    def lea(self):
        recall = precision = self.alone_on_both()
        for i in self.in_gold:
            size = self.sizes[self.gold[i]]
            recall += self.gold_mates(i) / (size - 1) if size > 1 else 0.0
            precision += (1 - self.alone[i]) * share(self.gold_mates(i), self.mates(i))
        return recall, self.mentions, precision, sum(self.q)

    def blanc(self):
        both = sum(self.gold_mates(i) for i in self.in_gold) / 2
        inside = sum(self.mates(i) for i in range(self.n)) / 2
        gold_inside = sum(pairs_of(self.sizes[v]) for v in self.entities)
        corefer = sum(self.pairs[i][j] for i, j in combinations(self.in_gold, 2)) - both
        return self.with_non_links(both, inside, gold_inside, corefer)


def without_singletons(gold, sizes):
    """Gold for singletons="drop".

    >>> without_singletons([0, 1, -1], [1, 2])
    ([-1, 1, -1], [0, 2])
    """
    kept = [size if size > 1 else 0 for size in sizes]
    return [g if g >= 0 and kept[g] else -1 for g in gold], kept


def relaxed(
    scores, gold, sizes, *, family="entity", singletons="drop", temperature=1.0, on="entity"
):
    """The counts of every metric. `singletons` may be a list of μ."""
    mu = {"drop": [0.0] * len(gold), "keep": [1.0] * len(gold)}.get(str(singletons), singletons)
    if singletons == "drop":
        gold, sizes = without_singletons(gold, sizes)
    p = link_probs(scores, temperature if on == "link" else 1.0)
    probs = entity_probs(p)
    if family == "pairwise":
        return Pairwise(coreference_probs(p), probs, alone(p), mu, gold, sizes).counts()
    if on == "entity" and temperature != 1:
        probs = sharpened(probs, temperature)
        return Soft(probs, alone(probs), mu, gold, sizes).counts()
    return Soft(probs, alone(p), mu, gold, sizes).counts()


def original(probs, gold):
    """B³ and LEA of the authors' program."""
    n = len(probs)
    clusters = [[i for i in range(n) if gold[i] == v] for v in sorted(set(gold) - {-1})]
    clusters = [cluster for cluster in clusters if len(cluster) >= 2]
    gold_columns = {cluster[0] for cluster in clusters}
    best = [max(range(n), key=row.__getitem__) for row in probs]
    kept = {u for u in range(n) if best.count(u) >= 2}
    if not kept & gold_columns:
        kept |= gold_columns

    def size(mentions, u):
        return sum(probs[i][u] for i in mentions)

    def link(mentions, u):
        return sum(probs[i][u] * probs[j][u] for i, j in combinations(mentions, 2))

    everyone = range(n)
    gold_size = sum(map(len, clusters))
    system_size = sum(size(everyone, u) for u in kept)
    b_cubed = (
        sum(size(c, u) ** 2 / len(c) for c in clusters for u in kept),
        gold_size,
        sum(share(size(c, u) ** 2, size(everyone, u)) for c in clusters for u in kept),
        system_size,
    )
    lea = (
        sum(len(c) * link(c, u) / pairs_of(len(c)) for c in clusters for u in kept),
        gold_size,
        sum(
            size(everyone, u) * share(link(c, u), link(everyone, u)) for c in clusters for u in kept
        ),
        system_size,
    )
    return {"b_cubed": b_cubed, "lea": lea}
