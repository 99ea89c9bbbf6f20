"""Documents that are decided together, against each alone; probabilities that are computed later."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax.decode.calibration import UNCALIBRATED, Calibration, LogisticMap
from corelax.decode.scored import Scored
from corelax.document import Document
from corelax.rankers.encoder import together
from corelax.rankers.encoder.decisions import decided
from corelax.rankers.encoder.together import decided_together

enough = settings(deadline=None, max_examples=150)
WORDS = "he she I you Ann Lee James Mr. Li Wu went **".split()
CALIBRATED = Calibration(link_temperature=0.7, entity=LogisticMap(scale=1.5, bias=0.2))
REACH = 8  # spans; some documents have more


def a_document(size, seed):
    """Overlapping spans of one to three random words, linked at random.

    Every fifth has other candidates than the rest, or speakers, or another calibration.
    """
    random = np.random.default_rng(seed)
    start = random.integers(0, 3, size).cumsum()
    end = start + random.integers(1, 4, size)
    bounds = sorted({*zip(start.tolist(), end.tolist(), strict=True)})
    start, end = np.array(bounds, np.int64).reshape(-1, 2).T
    size, width = len(bounds), 3 if seed % 5 == 1 else 2
    antecedents = np.zeros((size, width), np.int64)
    scores = np.full((size, 1 + width), -np.inf, np.float32)
    scores[:, 0] = 0.0
    for i in range(size):
        near = random.permutation(np.arange(max(0, i - REACH), i))[:width]
        antecedents[i, : len(near)] = near
        scores[i, 1 : 1 + len(near)] = 3 * random.standard_normal(len(near))
    logit = random.standard_normal(size).astype(np.float32)
    words = tuple(random.choice(WORDS, max([0, *end.tolist()])).tolist())
    speakers = tuple(random.choice(["Ann", "Bo"], len(words)).tolist())
    layers = {"speaker": speakers} if seed % 5 == 2 else {}
    doc = Document(id="d", words=words, sentence_starts=(0,) if words else (), layers=layers)
    scored = Scored(start, end, start, logit, scores, antecedents, 2000)
    return scored, doc, CALIBRATED if seed % 5 == 3 else UNCALIBRATED


SIZES = st.sampled_from([0, 2, 5, 7, 9, 12])
BATCHES = st.lists(st.builds(a_document, SIZES, st.integers(0, 999)), min_size=2, max_size=6)


@given(
    batch=BATCHES,
    singletons=st.sampled_from(["drop", "keep", "all"]),
    most=st.sampled_from([15, 100]),
    has_words=st.booleans(),
)
@enough
def test_documents_that_are_decided_together_are_decided_as_each_alone(
    batch, singletons, most, has_words
):
    given = [
        (scored, doc if has_words else None, calibration) for scored, doc, calibration in batch
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(together, "MOST_SPANS", most)
        results = list(decided_together(given, singletons=singletons, reach=REACH))
    alone = [
        decided(
            scored, singletons=singletons, reach=REACH, calibration=calibration, document=document
        )
        for scored, document, calibration in given
    ]
    assert [result.decisions() for result in results] == [each.decisions() for each in alone]


def a_pair():
    """Two spans of which the second is linked to the first."""
    scores = np.array([[0.0, -np.inf], [0.0, 1.0]], np.float32)
    place = np.array([0, 2])
    antecedents = np.zeros((2, 1), np.int64)
    return Scored(place, place + 1, place, np.ones(2), scores, antecedents, 2000)


def test_entity_probabilities_are_computed_when_they_are_asked_for():
    doc = Document(id="d", words=("Ann", "saw", "her"))
    for result in decided_together([(a_pair(), doc, UNCALIBRATED)] * 2, singletons="drop", reach=9):
        assert callable(result.entity_probability)
        complete = result.complete()
        linked = 1 / (1 + np.exp(-1.0))
        assert complete.entity_probability.tolist() == pytest.approx([1.0, linked])
        assert complete.complete() is complete
        assert pickle.loads(pickle.dumps(complete)).decisions() == result.decisions()


def test_a_result_keeps_nothing_of_the_documents_it_was_scored_with():
    """A ranker gives parts of one large table."""
    table = np.concatenate([a_pair().scores] * 500)
    scored = a_pair()._replace(scores=table[:2])
    for number in (1, 2):
        for result in decided_together(
            [(scored, None, UNCALIBRATED)] * number, singletons="all", reach=9
        ):
            owned = [result.start, result.likely, result.entity_probability.scores]
            assert all(array.base is None for array in owned)


def unlinked(bounds):
    """Spans that the ranker links to nothing."""
    start, end = np.array(bounds).T
    scores = np.full((len(bounds), 2), -np.inf, np.float32)
    scores[:, 0] = 0.0
    antecedents = np.zeros((len(bounds), 1), np.int64)
    return Scored(start, end, start, np.ones(len(bounds)), scores, antecedents, 2000)


def mentions_of_two(bounds, document):
    """The mentions of a document that is given twice."""
    given = [(unlinked(bounds), document, UNCALIBRATED)] * 2
    results = decided_together(given, singletons="drop", reach=REACH)
    return [[d.span.bounds for d in result.decisions()] for result in results]


def test_speakers_are_known_in_each_of_several_documents():
    doc = Document(id="d", words=("I", "am", "Ann"), layers={"speaker": ("Ann",) * 3})
    assert mentions_of_two([(0, 1), (2, 3)], doc) == [[(0, 1), (2, 3)]] * 2


def test_names_beyond_reach_are_linked_in_each_of_several_documents():
    doc = Document(id="d", words=("Ann", "Lee", *["it"] * REACH, "Ann", "Lee"))
    first, last = (0, 2), (REACH + 2, REACH + 4)
    others = [(at, at + 1) for at in range(2, REACH + 2)]
    assert mentions_of_two([first, *others, last], doc) == [[first, last]] * 2
