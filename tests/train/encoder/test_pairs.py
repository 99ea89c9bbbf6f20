"""Learning from pairs: GAP's pronoun and two names."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from corelax.challenges import read_gap
from corelax.io.gap import COLUMNS
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.relax import coreference_probs, link_probs
from corelax.train.encoder.config import EncoderConfig
from corelax.train.encoder.corpora import TrainingCorpus, training_examples
from corelax.train.encoder.objective import WORDS, batch_objective
from corelax.train.encoder.variation import grouped
from tests.train.encoder.tiny_encoder import (
    LETTERS,
    bounds_of,
    examples,
    made,
    save_encoder,
    tiny_model,
)

pytestmark = pytest.mark.usefixtures("one_thread")
ROWS = [
    ["1", "Ann saw Bea when she left.", "she", "17", "Ann", "0", "TRUE", "Bea", "8", "FALSE"],
    ["2", "She saw Ann and Bea.", "She", "0", "Ann", "8", "FALSE", "Bea", "16", "FALSE"],
    ["3", "Annabel saw Bea when she left.", "she", "21", "Anna", "0", "TRUE", "Bea", "12", "FALSE"],
]


@pytest.fixture
def folder(tmp_path):
    text = "\n".join("\t".join(row) for row in (COLUMNS, *ROWS))
    (tmp_path / "gap.tsv").write_text(text + "\n", encoding="utf-8")
    assert len(read_gap(tmp_path / "gap.tsv")) == 3
    return tmp_path


def gap(folder, tokenizer, settings):
    corpus = TrainingCorpus(name="gap", scheme="ontonotes", format="gap", train=("gap.tsv",))
    return training_examples(corpus, folder, tokenizer, settings)


def test_an_item_is_two_pairs_and_nothing_else(folder):
    settings = EncoderSettings(schemes=("gum", "ontonotes"), window=60)
    first, second = gap(folder, LETTERS, settings)  # the third cuts a word
    assert first.document.words == ("Ann", "saw", "Bea", "when", "she", "left", ".")
    assert first.scheme == 1
    assert len(first.document.clusters) == 0
    assert first.known.later.tolist() == [[0, 4, 0], [0, 4, 0]]
    assert first.known.earlier.tolist() == [[0, 0, 0], [0, 2, 0]]
    assert first.known.same.tolist() == [1, 0]
    assert first.markables.where.tolist() == [[0, 0, 0], [0, 4, 0]]
    assert second.known.later.tolist() == [[0, 2, 0], [0, 4, 0]]  # the pronoun comes first
    assert second.known.earlier.tolist() == [[0, 0, 0], [0, 0, 0]]
    assert second.known.same.tolist() == [0, 0]
    assert len(second.markables.where) == 0


def test_paragraphs_with_pairs_are_drawn_together(folder):
    some = gap(folder, LETTERS, EncoderSettings(window=60))
    groups = grouped([some[0]] * 20)
    assert sum(map(len, groups)) == 20
    assert len(groups) < 5


@pytest.fixture
def model(folder):
    docs = made(2)
    model = tiny_model(save_encoder(folder / "encoder", docs), span_ratio=3.0)
    model.ranker.eval()
    return model


def loss(model, some, **settings):
    nothing = {"mention": 0, "type": 0, "head": 0, "likelihood": 0, "known": 0}
    config = EncoderConfig(stage="s", **{**nothing, **settings})
    return batch_objective(config, 1)(model.ranker, some).item()


@torch.no_grad()
def probability(model, example, number):
    """The chance that the two spans of a pair corefer, from the scores of the document alone."""
    scored = model.ranker([example.windows], [example.scheme])
    spans = bounds_of(example.windows, scored)
    table = coreference_probs(link_probs(scored.antecedent_scores[0]))
    later, earlier = (
        spans.index((int(p[number, 1]), int(p[number, 1] + p[number, 2] + 1)))
        for p in example.known[:2]
    )
    return float(table[later, earlier])


def test_the_loss_is_that_of_what_is_known_of_the_pairs(model, folder):
    first, second = gap(folder, model.tokenizer, model.ranker.settings)
    [whole] = examples(model, made(1))
    p = [probability(model, example, number) for example in (first, second) for number in (0, 1)]
    wanted = -math.log(p[0]) - sum(math.log(1 - other) for other in p[1:])
    words = first.words + second.words
    assert loss(model, [first, second], known=1) == pytest.approx(WORDS * wanted / words, rel=1e-4)
    together = loss(model, [first, whole, second], known=1) - loss(model, [first, whole, second])
    assert together == pytest.approx(WORDS * wanted / (words + whole.words), rel=1e-3)


def test_what_is_not_known_is_not_learnt(model, folder):
    first, _ = gap(folder, model.tokenizer, model.ranker.settings)
    [whole] = examples(model, made(1))
    assert loss(model, [first]) == 0  # no entities are annotated: no likelihood
    assert loss(model, [first, whole]) == pytest.approx(loss(model, [whole]), rel=1e-4)
    with torch.no_grad():
        found = model.ranker([first.windows], [first.scheme])
    logits = found.logits[found.table.numbers(np.array([[0, 0, 0], [0, 4, 0]]))]
    wanted = torch.nn.functional.softplus(-logits).sum().item()  # the two that corefer are mentions
    assert loss(model, [first], mention=1) == pytest.approx(WORDS * wanted / first.words, rel=1e-4)
