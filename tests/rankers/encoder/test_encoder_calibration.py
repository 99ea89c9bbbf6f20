"""Calibration changes probabilities as it says, never decisions, and travels with the model folder."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax.core.errors import CorelaxError
from corelax.decode.calibration import Calibration, LogisticMap
from corelax.rankers.encoder.folder import calibrate_config, load_ranker, save_ranker
from corelax.relax import entity_probs, link_probs
from corelax.resolve import Resolver
from tests.decode.test_decide import DOCUMENTS, decide, dense
from tests.rankers.encoder.encoder_models import STORY, a_document, tiny_model, write_encoder

pytestmark = pytest.mark.usefixtures("one_thread")
enough = settings(deadline=None, max_examples=40)

maps = st.builds(LogisticMap, scale=st.floats(0.05, 4), bias=st.floats(-3, 3))
calibrations = st.builds(
    Calibration,
    mention=maps,
    link_temperature=st.floats(0.1, 10),
    link=maps,
    new=maps,
    entity=maps,
)


def mapped(logistic, probability):
    """Written anew: odds to the power of the scale, times e^bias."""
    odds = (probability / (1 - probability)) ** logistic.scale * np.e**logistic.bias
    return odds / (1 + odds)


@given(scored=DOCUMENTS, calibration=calibrations, singletons=st.sampled_from(["drop", "keep"]))
@enough
def test_a_calibration_never_changes_what_is_decided(scored, calibration, singletons):
    before = decide(scored, singletons=singletons, reach=20)
    after = decide(scored, singletons=singletons, reach=20, calibration=calibration)
    assert [(d.span, d.entity, d.antecedent) for d in after] == [
        (d.span, d.entity, d.antecedent) for d in before
    ]
    for decision in after:
        assert 0 <= decision.probability <= 1
        assert 0 <= decision.link_probability <= 1
        assert 0 <= decision.entity_probability <= 1


@given(scored=DOCUMENTS, calibration=calibrations)
@enough
def test_probabilities_are_those_of_the_dense_table_at_the_temperature_then_mapped(
    scored, calibration
):
    links = link_probs(dense(scored).double() / calibration.link_temperature)
    belongs = entity_probs(links)
    first = {}
    decisions = decide(scored, singletons="all", reach=20, calibration=calibration)
    for i, decision in enumerate(decisions):
        first.setdefault(decision.entity, i)
        column = i if decision.antecedent is None else decision.antecedent
        logistic = calibration.new if decision.antecedent is None else calibration.link
        link, entity = links[i, column].item(), belongs[i, first[decision.entity]].item()
        if 1e-6 < link < 1 - 1e-6:
            assert decision.link_probability == pytest.approx(mapped(logistic, link), abs=1e-6)
        if 1e-6 < entity < 1 - 1e-6:
            expected = mapped(calibration.entity, entity)
            assert decision.entity_probability == pytest.approx(expected, abs=1e-6)
        mention = 1 / (1 + np.exp(-scored.logit[i]))
        expected = mapped(calibration.mention, mention)
        assert decision.probability == pytest.approx(expected, abs=1e-5)


def test_certain_probabilities_stay_certain_enough_to_be_numbers():
    result = LogisticMap(scale=0.5, bias=1.0).of_probs(np.array([0.0, 1.0]))
    assert np.isfinite(result).all()
    assert result[0] < 0.001
    assert result[1] > 0.999


# In a model folder.

GIVEN = Calibration(link_temperature=2.0, link=LogisticMap(scale=0.5, bias=0.25))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tiny_model(write_encoder(tmp_path_factory.mktemp("encoder")))


@pytest.fixture
def folder(model, tmp_path):
    save_ranker(tmp_path / "model", model)
    return tmp_path / "model"


def test_a_folder_without_calibration_has_none(folder):
    assert "calibration" not in json.loads((folder / "config.json").read_text())
    back = load_ranker(folder)
    assert back.calibrations == {}


def test_calibrations_come_back_with_the_scheme_that_they_are_of(model, tmp_path):
    save_ranker(tmp_path, model._replace(calibrations={"two": GIVEN}), precision="int8")
    back = load_ranker(tmp_path)
    document = a_document(STORY)
    calibrations = [back.scored([document], scheme=s)[0].calibration for s in ("one", "two")]
    assert calibrations == [Calibration(), GIVEN]


def test_a_folder_can_be_calibrated_later_and_again(folder, tmp_path):
    before = json.loads((folder / "config.json").read_text())
    weights = (folder / "model.safetensors").read_bytes()
    calibrate_config(folder, {"one": Calibration(link_temperature=3.0)})
    calibrate_config(folder, {"one": GIVEN})
    after = json.loads((folder / "config.json").read_text())
    assert load_ranker(folder).calibrations == {"one": GIVEN}
    assert {name: after[name] for name in before} == before
    assert (folder / "model.safetensors").read_bytes() == weights
    calibrate_config(folder, {"one": Calibration(link_temperature=4.0)}, tmp_path)
    assert json.loads((tmp_path / "config.json").read_text())["calibration"]["one"]
    assert load_ranker(folder).calibrations == {"one": GIVEN}


@pytest.mark.parametrize(
    ("calibration", "message"),
    [
        ({"three": GIVEN.as_dict()}, "calibration must be 'one' or 'two', not 'three'"),
        ({"one": {**GIVEN.as_dict(), "link_temperature": 0}}, "temperature must be"),
        ({"one": {**GIVEN.as_dict(), "heat": 1}}, "heat"),
        ({"one": {}}, "'mention' is missing"),
        ({"one": {**GIVEN.as_dict(), "link": {"scale": "1"}}}, "scale must be"),
    ],
)
def test_a_broken_calibration_is_one_clear_line(folder, calibration, message):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "calibration": calibration}))
    with pytest.raises(CorelaxError, match=message) as error:
        load_ranker(folder)
    assert str(folder) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_resolver_uses_the_calibration_of_the_scheme(model):
    plain = Resolver(model)
    calibrated = Resolver(model._replace(calibrations={"two": GIVEN}))
    document = a_document(STORY)
    for scheme in ("one", "two"):
        before = plain.resolve(document, scheme=scheme)
        after = calibrated.resolve(document, scheme=scheme)
        assert after.clusters == before.clusters
        assert before.mentions
        changed = [
            a.link_probability != b.link_probability
            for a, b in zip(after.mentions, before.mentions, strict=True)
        ]
        assert any(changed) == (scheme == "two")
