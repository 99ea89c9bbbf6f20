"""The metrics once more, straight from their definitions, slow and without corelax.

A side is a list of clusters, a cluster a list of spans, a span anything hashable. Every metric takes
key and response as they were read, matches them as the reference scorer v8.01 does, and returns

    recall numerator, recall denominator, precision numerator, precision denominator

(BLANC eight numbers: coreference links, then non-coreference links). Nothing here is clever: pairs
are listed, pairings are tried, mentions are looked up one by one.
"""

from itertools import combinations, permutations

from scipy.optimize import linear_sum_assignment

TRIED_PAIRINGS = 6  # clusters on each side up to which every pairing is tried


def matched(key, response):
    """What matching leaves of the response, and how many repeated mentions it removes."""
    key_spans = {span for cluster in key for span in cluster}
    met = set()
    left = []
    removed = 0
    for cluster in response:
        kept = []
        for span in cluster:
            if span in key_spans and span in met:
                removed += 1
            else:
                kept.append(span)
            met.add(span)
        if kept:
            left.append(kept)
    return left, removed


def last_cluster(span, clusters):
    """*The* cluster of a span is the last that has it; None where there is none."""
    found = None
    for number, cluster in enumerate(clusters):
        if span in cluster:
            found = number
    return found


def mentions(key, response):
    """Mention identification: distinct spans."""
    response, _ = matched(key, response)
    key_spans = {span for cluster in key for span in cluster}
    response_spans = {span for cluster in response for span in cluster}
    both = len(key_spans & response_spans)
    return both, len(key_spans), both, len(response_spans)


def muc(key, response):
    """Sections 5.1 and 5.6: mentions of R that belong to K, minus 1."""
    response, _ = matched(key, response)
    common = 0
    for cluster in response:
        owners = [last_cluster(span, key) for span in cluster]
        for number in range(len(key)):
            if number in owners:
                common += owners.count(number) - 1
    key_links = sum(len(cluster) - 1 for cluster in key)
    return common, key_links, common, sum(len(cluster) - 1 for cluster in response)


def b_cubed(key, response):
    """Sections 5.2 and 5.6: mention by mention of the response."""
    response, _ = matched(key, response)
    recall = precision = 0
    for cluster in response:
        for span in cluster:
            number = last_cluster(span, key)
            if number is None:
                continue
            company = sum(1 for other in cluster if other in key[number])
            precision += company / len(cluster)
            recall += company / len(key[number])
    return recall, sum(map(len, key)), precision, sum(map(len, response))


def phi_m(key_cluster, response_cluster):
    """Sections 5.3 and 5.6: mentions of the key cluster whose span occurs in the response cluster."""
    return sum(1 for span in key_cluster if span in response_cluster)


def phi_e(key_cluster, response_cluster):
    """2 |K ∩ R| / (|K| + |R|) (Luo, 2005)."""
    size = len(key_cluster) + len(response_cluster)
    return 2 * phi_m(key_cluster, response_cluster) / size


def best_sum(key, response, phi):
    """The largest sum of phi over one-to-one pairings."""
    if not key or not response:
        return 0
    table = [[phi(k, r) for r in response] for k in key]
    if max(len(key), len(response)) > TRIED_PAIRINGS:
        rows, columns = linear_sum_assignment(table, maximize=True)
        return sum(table[k][r] for k, r in zip(rows, columns, strict=True))
    if len(key) > len(response):
        table = [list(column) for column in zip(*table, strict=True)]
    return max(
        sum(row[column] for row, column in zip(table, columns, strict=True))
        for columns in permutations(range(len(table[0])), len(table))
    )


def ceaf_m(key, response):
    """Pairings by shared mentions (Luo, 2005)."""
    response, _ = matched(key, response)
    best = best_sum(key, response, phi_m)
    return best, sum(map(len, key)), best, sum(map(len, response))


def ceaf_e(key, response):
    """Pairings by `phi_e`, over numbers of entities (Luo, 2005)."""
    response, _ = matched(key, response)
    best = best_sum(key, response, phi_e)
    return best, len(key), best, len(response)


def links(clusters):
    """Sections 5.4 and 5.6: pairs of spans inside a cluster, and of two different clusters.

    A link of a span with itself is the frozenset of that one span.
    """
    inside = {frozenset(pair) for cluster in clusters for pair in combinations(cluster, 2)}
    between = {
        frozenset((a, b)) for one, other in combinations(clusters, 2) for a in one for b in other
    }
    return inside, between


def blanc(key, response):
    """Sets of links (Luo et al., 2014): eight counts."""
    response, _ = matched(key, response)
    key_inside, key_between = links(key)
    response_inside, response_between = links(response)
    inside, between = len(key_inside & response_inside), len(key_between & response_between)
    return (
        *(inside, len(key_inside), inside, len(response_inside)),
        *(between, len(key_between), between, len(response_between)),
    )


def resolved(clusters, others):
    """The sum of |K| res(K), where `others` is the other side.

    A pair of mentions is found if the last clusters of their spans are one and the same.
    """
    total = 0
    for cluster in clusters:
        homes = [last_cluster(span, others) for span in cluster]
        if len(cluster) == 1:
            total += homes[0] is not None and len(others[homes[0]]) == 1
        else:
            pairs = list(combinations(homes, 2))
            found = sum(1 for one, other in pairs if one is not None and one == other)
            total += len(cluster) * found / len(pairs)
    return total


def lea(key, response):
    """Entities weighted by size, resolved by their links (Moosavi and Strube, 2016)."""
    response, _ = matched(key, response)
    recall, precision = resolved(key, response), resolved(response, key)
    return recall, sum(map(len, key)), precision, sum(map(len, response))


METRICS = {
    "muc": muc,
    "b_cubed": b_cubed,
    "ceaf_m": ceaf_m,
    "ceaf_e": ceaf_e,
    "blanc": blanc,
    "lea": lea,
    "mentions": mentions,
}


def totals(metric, documents):
    """The counts of all documents, each a pair of key and response, added up."""
    counts = [METRICS[metric](key, response) for key, response in documents]
    return tuple(sum(column) for column in zip(*counts, strict=True))


def share(part, whole):
    """A quotient, 0 where the denominator is 0."""
    return part / whole if whole else 0


def f1(recall, precision):
    """F1, 0 where the sum is 0."""
    return share((2 * precision) * recall, precision + recall)


def scores(metric, counts):
    """Sections 6 and 5.5: recall, precision and F1 from the totals."""
    if metric == "blanc":
        return blanc_scores(counts)
    recall, precision = share(*counts[:2]), share(*counts[2:])
    return recall, precision, f1(recall, precision)


def blanc_scores(counts):
    """The mean of the kinds of links that the key has; the choice looks only at the key's totals."""
    coreferent, others = scores("inside", counts[:4]), scores("between", counts[4:])
    key_inside, key_between = counts[1], counts[5]
    if key_inside == 0 and key_between == 0:
        return 0, 0, 0
    if key_inside == 0:
        return others
    if key_between == 0:
        return coreferent
    return tuple((c + n) / 2 for c, n in zip(coreferent, others, strict=True))
