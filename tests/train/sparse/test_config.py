"""Settings: typed, checked, changed by text; mistakes are one line that says what to do."""

import json
import math
from dataclasses import asdict, fields
from itertools import pairwise

import pytest

from corelax import CorelaxError
from corelax.train import Config
from corelax.train.settings import StageSettings

PLAIN = Config(stage="s")


def complaint(settings):
    with pytest.raises(CorelaxError) as caught:
        PLAIN.changed(settings)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("epochs", "3", 3),
        ("epochs", 3, 3),
        ("learning_rate", "0.5", 0.5),
        ("learning_rate", "1e-3", 0.001),
        ("learning_rate", 1, 1.0),
        ("like_original", "true", True),
        ("like_original", "False", False),
        ("like_original", True, True),
        ("costs", "0.5,1.2,1", (0.5, 1.2, 1.0)),
        ("costs", "0.5, 1.2, 1", (0.5, 1.2, 1.0)),
        ("costs", [1, 2, 3], (1.0, 2.0, 3.0)),
        ("start", "baseline", ("baseline",)),
        ("start", "", ()),
        ("keep", "last", "last"),
        ("metric", "lea", "lea"),
    ],
)
def test_text_is_read_as_what_the_key_takes(key, text, value):
    found = getattr(PLAIN.changed({key: text}), key)
    assert found == value
    assert type(found) is type(value)


def test_switches_of_features_add_up():
    changed = PLAIN.changed({"features.lexical_cutoff": "5"}).changed({"features.genre": "prefix"})
    assert changed.features == {"lexical_cutoff": 5, "genre": "prefix"}
    settings = changed.feature_settings
    assert (settings.lexical_cutoff, settings.genre) == (5, "prefix")
    assert PLAIN.features == {}


def test_switches_change_the_feature_set_that_is_named():
    settings = PLAIN.changed(
        {"feature_set": "w16", "features.lexical_cutoff": "2"}
    ).feature_settings
    assert (settings.lexical_cutoff, settings.unknown) == (2, "global")


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("epoch", "did you mean 'epochs'?"),
        ("learning-rate", "did you mean 'learning_rate'?"),
        ("features.lexical_cutof", "did you mean 'features.lexical_cutoff'?"),
        ("xyzzy", "there are start, objective"),
        ("stage", "unknown setting 'stage'"),
        ("features", "unknown setting 'features'"),
    ],
)
def test_an_unknown_key_gets_a_hint(key, hint):
    message = complaint({key: "1"})
    assert message.startswith(f"unknown setting {key!r}; ")
    assert hint in message


@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [
        ("epochs", "three", "a whole number"),
        ("epochs", "2.5", "a whole number"),
        ("epochs", "", "a whole number"),
        ("epochs", True, "a whole number"),
        ("learning_rate", "fast", "a number"),
        ("learning_rate", True, "a number"),
        ("learning_rate", [1], "a number"),
        ("like_original", "yes", "true or false"),
        ("like_original", 1, "true or false"),
        ("costs", "a,b,c", "numbers"),
        ("costs", 5, "numbers"),
        ("features.lexical_cutoff", "few", "a whole number"),
        ("features.third_person", "maybe", "true or false"),
    ],
)
def test_a_value_of_another_type_is_named_with_what_is_wanted(key, value, wanted):
    message = complaint({key: value})
    assert message.startswith(f"{key} must be {wanted}")
    assert repr(value) in message


@pytest.mark.parametrize(
    ("key", "value", "names"),
    [
        ("objective", "likelihood", "'ranking'"),
        ("family", "both", "'pairwise'"),
        ("keep", "first", "'last'"),
        ("singletons", "some", "'drop'"),
        ("decoding", "beam", "'entities'"),
        ("feature_set", "w15", "'w16'"),
        ("initialisation", "zeros", "'sparse'"),
        ("metric", "bleu", "b_cubed"),
        ("features.genre", "suffix", "'prefix'"),
    ],
)
def test_a_word_that_is_no_choice_gets_the_choices(key, value, names):
    message = complaint({key: value})
    assert repr(value) in message
    assert names in message


@pytest.mark.parametrize("value", ["-1", "nan", "inf"])
@pytest.mark.parametrize(
    "key",
    [
        "learning_rate",
        "output_learning_rate",
        "accumulator",
        "l1",
        "clip",
        "margin",
        "anaphoric_weight",
    ],
)
def test_amounts_are_finite_and_not_negative(key, value):
    assert complaint({key: value}).startswith(f"{key} must be")


@pytest.mark.parametrize(
    "settings",
    [{"epochs": 2.5}, {"epochs": True}, {"hidden_pair": 2.0}, {"seed": "1"}, {"like_original": 1}],
)
def test_whole_numbers_and_truth_values_are_taken_literally(settings):
    with pytest.raises(CorelaxError, match=r"must be (a whole number|true or false)"):
        Config(stage="s", **settings)


def test_the_original_metric_losses_do_not_go_with_singletons():
    message = complaint({"like_original": "true", "singletons": "keep"})
    assert "like_original" in message
    assert "set like_original=false" in message


@pytest.mark.parametrize(
    "settings",
    [
        {"objective": "metric", "like_original": "true", "metric": "muc"},
        {"objective": "metric", "like_original": "true", "family": "pairwise"},
        {"objective": "reinforce", "metric": "blanc"},
        {"objective": "rescale", "metric": "conll"},
    ],
)
def test_settings_that_do_not_go_together_are_found_before_training(settings):
    complaint(settings)


def test_the_temperature_falls_by_the_same_factor_every_epoch():
    annealed = Config(stage="s", temperature=1.0, temperature_end=0.1, epochs=5)
    temperatures = [annealed.temperature_at(epoch) for epoch in range(1, 6)]
    assert temperatures[0] == 1.0
    assert temperatures[-1] == pytest.approx(0.1)
    for one, other in pairwise(temperatures):
        assert other / one == pytest.approx(0.1**0.25)


def test_settings_survive_json():
    config = PLAIN.changed({"costs": "1,2,3", "features.genre": "prefix", "start": "a,b"})
    again = json.loads(json.dumps(asdict(config)))
    again["costs"], again["start"] = tuple(again["costs"]), tuple(again["start"])
    assert Config(**again) == config


def test_every_setting_is_explained():
    documented = StageSettings.__doc__ + Config.__doc__
    for field in fields(Config):
        assert field.name in documented


def test_defaults_are_the_published_ones_of_the_main_stage():
    assert (PLAIN.learning_rate, PLAIN.output_learning_rate, PLAIN.accumulator) == (
        0.05,
        0.002,
        0.1,
    )
    assert (PLAIN.hidden_mention, PLAIN.hidden_pair, PLAIN.max_mentions) == (200, 700, 350)
    assert (PLAIN.dropout, PLAIN.l1, PLAIN.clip, PLAIN.temperature) == (0, 0, 0, 1)
    assert math.isclose(PLAIN.beta_squared, 1)
