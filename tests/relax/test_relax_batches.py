"""Batches of padded documents: each as if it were alone, or all counted together."""

import pytest
import torch

from corelax import relax
from corelax.metrics import METRICS
from tests.relax.relax_documents import plain, random_doc

each_family = pytest.mark.parametrize("family", ["entity", "pairwise"])
DOCUMENTS = [random_doc(n, seed=n, entities=3) for n in (6, 1, 4, 0)]
SIZE = 7  # one row more than the longest document has


def padded(documents=DOCUMENTS, junk=torch.nan):
    """Scores, gold and the rest of a batch; padding is full of junk."""
    scores = torch.full((len(documents), SIZE, SIZE), junk, dtype=torch.float64)
    gold = torch.full((len(documents), SIZE), -1)
    for row, doc in enumerate(documents):
        n = len(doc.gold)
        scores[row, :n, :n] = doc.scores
        gold[row, :n] = torch.tensor(doc.gold, dtype=torch.long)
    sizes = torch.tensor([doc.sizes for doc in documents])
    lengths = torch.tensor([len(doc.gold) for doc in documents])
    return scores, gold, {"gold_sizes": sizes, "lengths": lengths}


def mus(documents=DOCUMENTS):
    """A μ for each mention, and padded with ones."""
    alone = [torch.linspace(0.1, 0.9, len(doc.gold), dtype=torch.float64) for doc in documents]
    batch = torch.ones(len(documents), SIZE, dtype=torch.float64)
    for row, mu in enumerate(alone):
        batch[row, : len(mu)] = mu
    return alone, batch


def in_document(counts, row):
    return {name: tuple(float(x[row]) for x in c.as_tuple()) for name, c in counts.items()}


def same(counts):
    return {name: pytest.approx(numbers, abs=1e-9) for name, numbers in counts.items()}


@each_family
@pytest.mark.parametrize("singletons", ["drop", "keep", "mu"])
@pytest.mark.parametrize("temperature", [1.0, 0.3])
def test_each_document_of_a_padded_batch_is_scored_as_if_it_were_alone(
    family, singletons, temperature
):
    scores, gold, options = padded()
    alone, together = mus()
    options |= {"family": family, "temperature": temperature}
    batch = relax.evaluate(
        scores, gold, singletons=together if singletons == "mu" else singletons, **options
    )
    for row, doc in enumerate(DOCUMENTS):
        one = doc.evaluate(
            family=family,
            temperature=temperature,
            singletons=alone[row] if singletons == "mu" else singletons,
        )
        assert in_document(batch.counts, row) == same(plain(one.counts))
        for name in METRICS:
            found = [float(x[row]) for x in batch[name]]
            assert found == pytest.approx([float(x) for x in one[name]], abs=1e-9)


@pytest.mark.parametrize("metric", ["b_cubed", "lea"])
def test_the_hard_filter_does_not_see_padding(metric):
    scores, gold, options = padded()
    batch = relax.evaluate(scores, gold, like_original=True, metrics=[metric], **options)
    for row, doc in enumerate(DOCUMENTS):
        one = doc.evaluate(like_original=True, metrics=[metric])
        assert in_document(batch.counts, row) == same(plain(one.counts))


@each_family
def test_padding_gets_no_gradient_and_spoils_none(family):
    scores, gold, options = padded()
    scores.requires_grad_()
    batch = relax.evaluate(scores, gold, family=family, singletons="keep", **options)
    sum(batch[name].f1.sum() for name in batch).backward()
    for row, doc in enumerate(DOCUMENTS):
        n = len(doc.gold)
        own = doc.scores.clone().requires_grad_()
        one = relax.evaluate(
            own,
            torch.tensor(doc.gold, dtype=torch.long),
            gold_sizes=torch.tensor(doc.sizes),
            family=family,
            singletons="keep",
        )
        sum(one[name].f1 for name in one).backward()
        torch.testing.assert_close(scores.grad[row, :n, :n], own.grad)
        assert scores.grad[row, n:].count_nonzero() == 0
        assert scores.grad[row, :, n:].count_nonzero() == 0


@each_family
@pytest.mark.parametrize("singletons", ["drop", "keep"])
def test_a_pooled_batch_divides_the_sums_of_counts(family, singletons):
    scores, gold, options = padded()
    options |= {"family": family, "singletons": singletons}
    pooled = relax.evaluate(scores, gold, pool="batch", **options)
    alone = [plain(doc.evaluate(family=family, singletons=singletons).counts) for doc in DOCUMENTS]
    for name in METRICS:
        sums = [sum(column) for column in zip(*(counts[name] for counts in alone), strict=True)]
        assert plain(pooled.counts)[name] == pytest.approx(sums, abs=1e-9)
        recall, precision, f1 = (float(x) for x in pooled[name])
        if name != "blanc":
            assert recall == pytest.approx(sums[0] / sums[1])
            assert precision == pytest.approx(sums[2] / sums[3])
            assert f1 == pytest.approx(2 * precision * recall / (precision + recall))
        else:
            kinds = [2 * sums[k] / (sums[k + 1] + sums[k + 3]) for k in (0, 4)]
            assert f1 == pytest.approx(sum(kinds) / 2)


def test_scores_have_the_shape_of_the_batch():
    scores, gold, options = padded()
    options = {name: value.unflatten(0, (2, 2)) for name, value in options.items()}
    square = relax.evaluate(scores.unflatten(0, (2, 2)), gold.unflatten(0, (2, 2)), **options)
    scores, gold, options = padded()
    row = relax.evaluate(scores, gold, **options)
    for name in METRICS:
        assert square[name].f1.shape == (2, 2)
        torch.testing.assert_close(square[name].f1.flatten(), row[name].f1)


@each_family
def test_documents_of_a_batch_may_use_the_same_entity_numbers_without_sizes(family):
    scores, gold, options = padded()
    batch = relax.evaluate(scores, gold, lengths=options["lengths"], family=family)
    for row, doc in enumerate(DOCUMENTS):
        own = torch.tensor(doc.gold, dtype=torch.long)
        one = relax.evaluate(doc.scores, own, family=family)
        assert in_document(batch.counts, row) == same(plain(one.counts))


def test_an_empty_batch_has_no_scores():
    report = relax.evaluate(
        torch.zeros(0, 3, 3),
        torch.zeros(0, 3, dtype=torch.long),
        lengths=torch.zeros(0, dtype=torch.long),
    )
    assert report["b_cubed"].f1.shape == (0,)
