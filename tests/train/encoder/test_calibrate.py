"""Calibration is fitted to what is right: cases by hand, known maps found again, honest halves."""

import numpy as np
import pytest
from benchmarks.calibrate import cross_fitted

from corelax.core.errors import CorelaxError
from corelax.decode.calibration import UNCALIBRATED, Calibration
from corelax.decode.scored import Scored
from corelax.document import Clustering, Document, Span
from corelax.train.encoder.calibrate import (
    Observed,
    fit_calibration,
    fit_logistic,
    fit_temperature,
    joined,
    observed,
)
from tests.rankers.encoder.encoder_models import STORY, a_document, tiny_model, write_encoder

pytestmark = pytest.mark.usefixtures("one_thread")
INF = np.inf


def by_hand(scores, antecedents, gold, singletons="keep"):
    """One-word mentions at words 0, 1, 2, …, all of them likely, and gold entities of such mentions."""
    size = len(scores)
    start = np.arange(size)
    scored = Scored(
        start, start + 1, start, np.full(size, 2.0), np.array(scores), np.array(antecedents), 10
    )
    entities = {}
    for at, entity in gold.items():
        entities.setdefault(entity, []).append((at, at + 1))
    words = [f"w{at}" for at in range(size)]
    document = Document.from_sentences("d", [words], clusters=entities.values())
    return Observed(document, scored, singletons)


# Mention 1 links to 0, 2 to 1, 3 starts an entity, 4 links to 3.
SCORES = [[0.0, -INF, -INF], [0.0, 2.0, -INF], [0.0, 1.0, 3.0], [0.0, -1.0, -1.0], [0.0, 1.0, 2.0]]
ANTECEDENTS = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 3]]


def test_what_is_right_worked_by_hand():
    # Gold: {0, 2, 3}, {1}; mention 4 is not in gold.
    document = by_hand(SCORES, ANTECEDENTS, {0: 0, 1: 1, 2: 0, 3: 0})
    judged = document.judged(UNCALIBRATED)
    assert judged.is_new.tolist() == [True, False, False, True, False]
    assert judged.right.T.tolist() == [
        [1, 1, 1, 1, 0],  # is it a gold mention?
        [
            1,
            0,
            0,
            0,
            0,
        ],  # 2 → 1 is wrong though 0 is in the entity; 3 has earlier mentions; 4 is none
        [1, 0, 1, 1, 0],  # with the first mention of its predicted entity: 0, 0, 0, 3, 3
    ]


def test_starting_an_entity_is_right_for_what_gold_does_not_have_and_for_first_mentions():
    new = [[0.0, -INF], [0.0, -5.0], [0.0, -5.0]]
    judged = by_hand(new, [[0], [0], [0]], {1: 0, 2: 0}).judged(UNCALIBRATED)
    assert judged.right[:, 1].tolist() == [1, 1, 0]


def test_right_antecedents_are_those_of_the_gold_entity_or_else_a_new_one():
    document = by_hand(SCORES, ANTECEDENTS, {0: 0, 1: 1, 2: 0, 3: 0})
    assert [right.tolist() for _, right in document.links()] == [
        [True, False, False],
        [True, False, False],
        [False, True, False],
        [False, True, True],
        [True, False, False],
    ]


# Fitting.


def draw(generator, probability):
    return (generator.random(len(probability)) < probability).astype(float)


def test_a_known_map_of_logits_is_found_again():
    generator = np.random.default_rng(1)
    logits = 2 * generator.standard_normal(40_000)
    right = draw(generator, 1 / (1 + np.exp(-(0.5 * logits + 0.75))))
    found = fit_logistic(logits, right)
    assert found.scale == pytest.approx(0.5, abs=0.03)  # over 3 standard errors
    assert found.bias == pytest.approx(0.75, abs=0.05)


def test_a_known_temperature_is_found_again_though_several_antecedents_are_right():
    generator = np.random.default_rng(2)
    links = []
    for _ in range(4000):
        scores = 3 * generator.standard_normal(5)
        probs = np.exp(scores / 2.5)
        entity = np.array(
            [0, 1, 1, 2, 2]
        )  # candidates 1 and 2, and 3 and 4, are of one entity each
        drawn = entity[generator.choice(5, p=probs / probs.sum())]
        links.append((scores, entity == drawn))
    assert fit_temperature(links) == pytest.approx(2.5, rel=0.1)


# With a model.


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tiny_model(write_encoder(tmp_path_factory.mktemp("encoder")))


@pytest.fixture(scope="module")
def documents():
    """The sentences of the story in various orders; entities are words that are alike."""
    generator = np.random.default_rng(0)
    result = []
    for _ in range(6):
        document = a_document([STORY[at] for at in generator.permutation(len(STORY))])
        alike = {}
        for at, word in enumerate(document.words):
            alike.setdefault(word.lower(), []).append(Span(at, at + 1))
        result.append(document.with_clusters(Clustering(alike.values())))
    return result


def likelihood(judged, column):
    probability = np.clip(judged.probability[:, column], 1e-9, 1 - 1e-9)
    return np.mean(np.log(np.where(judged.right[:, column] > 0, probability, 1 - probability)))


def test_the_fit_makes_what_is_right_likelier(model, documents):
    fitted = fit_calibration(model, {"one": documents}, singletons={"one": "keep"})
    scored = observed(model, "one", documents, "keep")
    before = joined(document.judged(UNCALIBRATED) for document in scored)
    after = joined(document.judged(fitted["one"]) for document in scored)
    assert (before.right == after.right).all()
    for column in range(3):
        assert 0 < before.right[:, column].mean() < 1  # else there would be little to fit
        assert likelihood(after, column) > likelihood(before, column)


def test_a_half_is_calibrated_by_the_other_one(model, documents):
    """Changing the gold of documents 1, 3, 5 changes what is predicted for 0, 2, 4, and nothing else."""
    blank = [
        document.with_clusters(Clustering()) if at % 2 else document
        for at, document in enumerate(documents)
    ]
    before, plain = cross_fitted(model, "one", documents)
    again, changed = cross_fitted(model, "one", blank)
    assert (before.probability == again.probability).all()
    size = sum(
        len(each.decisions(UNCALIBRATED)) for each in observed(model, "one", documents[::2], "drop")
    )
    assert 0 < size < len(plain.probability)
    assert (plain.probability[:size] != changed.probability[:size]).any()
    assert (plain.probability[size:] == changed.probability[size:]).all()


def test_documents_without_mentions_leave_probabilities_as_they_are(model):
    empty = [Document(id="d", words=())]
    assert fit_calibration(model, {"one": []}) == {"one": Calibration()}
    assert fit_calibration(model, {"one": empty}) == {"one": Calibration()}


def test_a_scheme_that_the_model_does_not_have_is_an_error(model, documents):
    with pytest.raises(CorelaxError, match="scheme must be 'one' or 'two', not 'craft'"):
        fit_calibration(model, {"craft": documents})
