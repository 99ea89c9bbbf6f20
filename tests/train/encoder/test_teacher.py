"""What a teacher passes on: entities, probabilities; and how they are learnt."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from corelax.relax import link_probs
from corelax.train.encoder.config import EncoderConfig
from corelax.train.encoder.corpora import TrainingCorpus
from corelax.train.encoder.objective import WORDS, batch_objective
from corelax.train.encoder.teacher import LEAST_LINK, taught
from tests.train.encoder.tiny_encoder import bounds_of, examples, made, save_encoder, tiny_model

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A teacher and one that learns from it, with different windows."""
    folder = save_encoder(tmp_path_factory.mktemp("encoder"), made(3))
    settings = {"schemes": ("one", "two"), "span_ratio": 0.6}
    pair = [tiny_model(folder, seed, window=w, **settings) for seed, w in ((1, 40), (2, 60))]
    for model in pair:
        model.ranker.eval()
    return pair


def learn_from(models, docs, **options):
    teacher, pupil = models
    corpus = TrainingCorpus(name="c", scheme="two", **options)
    some = examples(pupil, docs, scheme="two")
    return taught(some, corpus, {"t": teacher}, pupil.ranker.settings)


def bounds(example, where):
    return [
        (example.windows[w].first + s, example.windows[w].first + s + n + 1)
        for w, s, n in where.tolist()
    ]


@torch.no_grad()
def link_table(model, example):
    """{(span, antecedent): probability} of a document, "new" as the span itself; the logits of spans."""
    windows = model.windows(example.document)
    scored = model.ranker([windows], [1])
    spans = bounds_of(windows, scored)
    probs = link_probs(scored.antecedent_scores[0])
    links = {
        (spans[i], spans[j]): float(probs[i, j])
        for i in range(len(spans))
        for j in range(i + 1)
        if probs[i, j] > 0
    }
    return links, dict(zip(spans, scored.mention[0].tolist(), strict=True))


def test_likely_links_are_passed_on_and_entities_stay(models):
    docs = made(2)
    for example, document in zip(learn_from(models, docs, soft="t"), docs, strict=True):
        assert example.document.clusters == document.clusters
        soft = example.soft
        got = dict(
            zip(
                zip(bounds(example, soft.anaphor), bounds(example, soft.antecedent), strict=True),
                soft.link.tolist(),
                strict=True,
            )
        )
        links, logits = link_table(models[0], example)
        likely = {pair: p for pair, p in links.items() if p > LEAST_LINK + 1e-4}
        mentions = dict(zip(bounds(example, soft.where), soft.mention.tolist(), strict=True))
        for pair, p in likely.items():  # those that the pupil can look at
            if pair[0] in mentions and pair[1] in mentions:
                assert got[pair] == pytest.approx(p, abs=1e-3)
        assert all(links[pair] > LEAST_LINK - 1e-4 for pair in got)
        for span, p in mentions.items():
            assert p == pytest.approx(1 / (1 + math.exp(-logits[span])), abs=1e-3)


def test_the_soft_loss_is_a_cross_entropy_over_spans_that_both_keep(models):
    [example] = learn_from(models, made(1), soft="t")
    pupil = models[1]
    nothing = {"mention": 0, "type": 0, "head": 0, "likelihood": 0}
    one, two = (
        batch_objective(EncoderConfig(stage="s", soft=soft, **nothing), 1)(pupil.ranker, [example])
        for soft in (0.0, 2.0)
    )
    links, _ = link_table(pupil, example)
    soft = example.soft
    pairs = zip(bounds(example, soft.anaphor), bounds(example, soft.antecedent), strict=True)
    wanted = -sum(
        q * math.log(links[pair])
        for pair, q in zip(pairs, soft.link.tolist(), strict=True)
        if pair in links
    )
    assert wanted > 0
    assert (two - one).item() == pytest.approx(2 * WORDS * wanted / example.words, rel=1e-3)


def test_a_mention_is_half_what_the_teacher_believes(models):
    [example] = learn_from(models, made(1), soft="t")
    pupil = models[1]
    config = EncoderConfig(stage="s", mention=1, type=0, head=0, likelihood=0)
    objective = batch_objective(config, 1)
    plain, soft = (
        objective(pupil.ranker, [each]).item() for each in (example._replace(soft=None), example)
    )
    with torch.no_grad():
        found = pupil.ranker([example.windows], [example.scheme])
    gold = np.zeros(len(found.logits))
    gold[found.table.numbers(example.markables.where)] = 1
    believed = np.zeros(len(found.logits))
    believed[found.table.numbers(example.soft.where)] = example.soft.mention
    # BCE is linear in its target: the difference is Σ (target − gold) · (−logit).
    wanted = ((believed - gold) / 2 * -found.logits.numpy()).sum()
    assert soft - plain == pytest.approx(WORDS * wanted / example.words, rel=1e-3)


def test_twins_are_asked_about_on_their_own(models):
    [example] = learn_from(models, made(1), soft="t")
    other = examples(models[1], made(2), scheme="two")[1]
    corpus = TrainingCorpus(name="c", scheme="two", soft="t")
    pair = example._replace(twin=other, soft=None)
    [found] = taught([pair], corpus, {"t": models[0]}, models[1].ranker.settings)
    np.testing.assert_array_equal(found.soft.link, example.soft.link)
    [alone] = taught([other], corpus, {"t": models[0]}, models[1].ranker.settings)
    np.testing.assert_array_equal(found.twin.soft.link, alone.soft.link)
