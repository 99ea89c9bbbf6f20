"""Presets against the table of section 15, and how files and `--set` change a chain of stages."""

import pytest

from corelax import CorelaxError
from corelax.train import PRESETS, stage_chain

PRETRAINING = ["anaphoricity", "antecedent"]
# Sections 15 and 3.3, and 7.3 for Clark & Manning; whatever is not said there is not looked at.
MAIN = {
    "learning_rate": 0.05, "output_learning_rate": 0.002, "accumulator": 0.1, "clip": 0,
    "l1": 0, "dropout": 0, "max_mentions": 350, "epochs": 14, "keep": "best",
}  # fmt: skip
PRETRAINED = {
    "learning_rate": 0.1, "output_learning_rate": 0.1, "accumulator": 0.1, "clip": 100,
    "keep": "best", "start": (),
}  # fmt: skip
WISEMAN = {"accumulator": 0, "l1": 0, "clip": 0, "initialisation": "sparse", "learning_rate": 0.1}
METRIC = {**MAIN, "start": ("baseline",), "objective": "metric", "temperature": 1}
# Sections 7.1 and 7.2.
DEEP = {
    "network": "deep", "optimizer": "rmsprop", "dropout": 0.5, "l2": 1e-5, "word_size": 50,
    "hidden_deep": 1000, "hidden_above": 500,
}  # fmt: skip
RANKED = {**DEEP, "epochs": 100, "start": ("deep_top_pairs",)}
EXPECTED = {
    "anaphoricity": {
        **PRETRAINED, "objective": "anaphoricity", "anaphoric_weight": 1.35, "max_mentions": 1000,
        "epochs": 10, "dropout": 0,
    },
    "antecedent": {
        **PRETRAINED, "objective": "antecedent", "dropout": 0.4, "max_mentions": 350, "epochs": 20,
    },
    "baseline": {
        **MAIN, "objective": "ranking", "costs": (0.1, 3, 1), "start": ("anaphoricity", "antecedent"),
    },
    "continued": {**MAIN, "objective": "ranking", "costs": (0.1, 3, 1), "start": ("baseline",)},
    "entity_ce": {**MAIN, "objective": "entity", "costs": (0.1, 3, 1), "start": ("baseline",)},
    "b3": {
        **METRIC, "metric": "b_cubed", "beta_squared": 1.4, "temperature_end": 0,
        "like_original": True, "family": "entity",
    },
    "lea": {
        **METRIC, "metric": "lea", "beta_squared": 1.8, "temperature_end": 0,
        "like_original": True, "family": "entity",
    },
    "annealed": {**METRIC, "temperature_end": 0.1, "family": "entity", "like_original": False},
    "conll": {**METRIC, "metric": "conll", "family": "entity", "like_original": False},
    "pairwise_b3": {**METRIC, "metric": "b_cubed", "family": "pairwise", "like_original": False},
    "pairwise_lea": {**METRIC, "metric": "lea", "family": "pairwise", "like_original": False},
    "anaphoricity2015": {
        **WISEMAN, "objective": "anaphoricity", "anaphoric_weight": 1.35, "epochs": 9,
        "keep": "last", "output_learning_rate": 0.1, "dropout": 0, "start": (),
    },
    "antecedent2015": {
        **WISEMAN, "objective": "antecedent_margin", "margin": 1, "dropout": 0.5, "epochs": 20,
        "keep": "last", "output_learning_rate": 0.1, "start": (),
    },
    "margin2015": {
        **WISEMAN, "objective": "margin", "margin": 1, "costs": (0.5, 1.2, 1), "dropout": 0.4,
        "epochs": 5, "output_learning_rate": 0.002,
        "start": ("anaphoricity2015", "antecedent2015"),
    },
    "margin2015_g2": {
        **WISEMAN, "network": "local2", "objective": "margin", "margin": 1, "costs": (0.5, 1.2, 1),
        "dropout": 0, "epochs": 6, "output_learning_rate": 0.001, "damped": True, "l1": 1e-4,
        "hidden_outer": 128, "start": ("anaphoricity2015", "antecedent2015"),
    },
    "global2016": {
        **WISEMAN, "network": "global", "objective": "margin", "margin": 1, "costs": (0.5, 1.2, 1),
        "dropout": 0.4, "state_dropout": 0.3, "epochs": 5, "output_learning_rate": 0.002,
        "cluster_learning_rate": 0.01, "clamp": 10,
        "start": ("anaphoricity2015", "antecedent2015"),
    },
    "global_baseline": {
        **MAIN, "network": "global", "objective": "ranking", "costs": (0.1, 3, 1), "clamp": 10,
        "start": ("anaphoricity2015", "antecedent2015"),
    },
    "global_b3": {
        **METRIC, "network": "global", "metric": "b_cubed", "beta_squared": 1.4,
        "like_original": True, "start": ("global_baseline",),
    },
    "global_lea": {
        **METRIC, "network": "global", "metric": "lea", "beta_squared": 1.8,
        "like_original": True, "start": ("global_baseline",),
    },
    "cm_heuristic": {"objective": "margin", "margin": 3, "costs": (0.4, 0.8, 1)},
    "cm_reinforce": {"objective": "reinforce", "metric": "b_cubed", "start": ("baseline",)},
    "cm_rescale": {
        "objective": "rescale", "metric": "b_cubed", "margin": 3, "start": ("baseline",),
    },
    "deep_all_pairs": {
        **DEEP, "objective": "all_pairs", "learning_rate": 0.002, "l2": 1e-6, "epochs": 150, "start": (),
    },
    "deep_top_pairs": {
        **DEEP, "objective": "top_pairs", "learning_rate": 0.0002, "epochs": 50,
        "start": ("deep_all_pairs",),
    },
    "deep_heuristic": {
        **RANKED, "objective": "margin", "margin": 3, "costs": (0.4, 0.8, 1), "learning_rate": 2e-6,
    },
    "deep_reinforce": {
        **RANKED, "objective": "reinforce", "metric": "b_cubed", "learning_rate": 2e-6,
    },
    "deep_rescale": {
        **RANKED, "objective": "rescale", "metric": "b_cubed", "margin": 3, "learning_rate": 2e-5,
    },
    "deep_b3": {**RANKED, "objective": "metric", "metric": "b_cubed", "beta_squared": 1.4},
    "deep_lea": {**RANKED, "objective": "metric", "metric": "lea", "beta_squared": 1.8},
}  # fmt: skip


def by_stage(preset, **settings):
    return {config.stage: config for config in stage_chain(preset, settings)}


def complaint(preset, settings=()):
    with pytest.raises(CorelaxError) as caught:
        stage_chain(str(preset), dict(settings))
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.fixture
def toml(tmp_path):
    def write(text, name="mine.toml"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_those_of_the_specification(preset):
    config = stage_chain(preset, {})[-1]
    expected = EXPECTED[preset]
    assert {name: getattr(config, name) for name in expected} == expected


def test_all_presets_are_expected():
    assert list(EXPECTED) == list(PRESETS)


@pytest.mark.parametrize(
    ("preset", "stages"),
    [
        ("anaphoricity", ["anaphoricity"]),
        ("baseline", [*PRETRAINING, "baseline"]),
        ("lea", [*PRETRAINING, "baseline", "lea"]),
        ("margin2015", ["anaphoricity2015", "antecedent2015", "margin2015"]),
        ("cm_heuristic", [*PRETRAINING, "cm_heuristic"]),
        ("cm_rescale", [*PRETRAINING, "baseline", "cm_rescale"]),
    ],
)
def test_a_preset_brings_the_stages_that_it_starts_from(preset, stages):
    assert list(by_stage(preset)) == stages


def test_a_setting_is_for_the_stage_that_was_asked_for():
    chain = by_stage("lea", epochs="3")
    assert [config.epochs for config in chain.values()] == [10, 20, 14, 3]


def test_a_prefix_names_a_stage_before():
    chain = stage_chain("lea", {"baseline.epochs": "3", "antecedent.dropout": "0"})
    assert [config.epochs for config in chain] == [10, 20, 3, 14]
    assert [config.dropout for config in chain] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("seed", "7", 7),
        ("hidden_mention", "8", 8),
        ("hidden_pair", "12", 12),
        ("initialisation", "sparse", "sparse"),
        ("max_antecedents", "50", 50),
        ("feature_set", "w16", "w16"),
        ("mentions", "gold", "gold"),
        ("decoding", "entities", "entities"),
    ],
)
def test_what_stages_share_reaches_all_of_them(key, text, value):
    assert {getattr(config, key) for config in stage_chain("lea", {key: text})} == {value}


def test_switches_of_features_reach_all_stages():
    for config in stage_chain("lea", {"features.lexical_cutoff": "3"}):
        assert config.features == {"lexical_cutoff": 3}
        assert config.feature_settings.lexical_cutoff == 3


@pytest.mark.parametrize("key", ["baseline.hidden_pair", "antecedent.hidden_mention"])
def test_what_stages_share_cannot_differ_for_one_of_them(key):
    assert key.partition(".")[2] in complaint("lea", {key: "5"})


def test_a_prefix_that_is_no_stage_of_the_chain_is_named():
    message = complaint("baseline", {"lea.epochs": "3"})
    assert message.startswith("lea.epochs: lea is no stage of baseline")
    assert "anaphoricity, antecedent, baseline" in message


def test_an_unknown_key_of_an_earlier_stage_gets_a_hint():
    assert "did you mean 'epochs'?" in complaint("lea", {"baseline.epoch": "3"})


def test_singletons_with_the_original_losses_say_what_to_do():
    assert "set like_original=false" in complaint("lea", {"singletons": "keep"})
    stage_chain("lea", {"singletons": "keep", "like_original": "false"})


def test_a_start_that_is_no_stage_of_the_chain_is_an_error():
    assert "foo" in complaint("lea", {"start": "foo"})


def test_an_unknown_preset_gets_a_hint():
    assert "did you mean 'baseline'?" in complaint("basline")
    message = complaint("xyzzy")
    assert "there are anaphoricity, antecedent, baseline" in message
    assert ".toml" in message


def test_a_file_names_a_preset_and_what_differs(toml):
    path = toml(
        'extends = "lea"\n[ranker]\nseed = 3\nfeatures = { lexical_cutoff = 7 }\n'
        "[stages.baseline]\nepochs = 2\nlearning_rate = 0.5\n"
        '[stages.mine]\nlike = "lea"\nepochs = 4\ncosts = [0.5, 1, 2]\nlike_original = false\n'
    )
    chain = stage_chain(path, {})
    assert [config.stage for config in chain] == [*PRETRAINING, "baseline", "mine"]
    assert [config.epochs for config in chain] == [10, 20, 2, 4]
    assert chain[2].learning_rate == 0.5
    assert chain[3].costs == (0.5, 1.0, 2.0)
    assert chain[3].start == ("baseline",)
    assert chain[3].like_original is False
    assert {config.seed for config in chain} == {3}
    assert {config.feature_settings.lexical_cutoff for config in chain} == {7}


def test_the_command_line_beats_the_file(toml):
    path = toml(
        'extends = "lea"\n[ranker]\nseed = 3\n[stages.baseline]\nepochs = 2\n[stages.lea]\nepochs = 4\n'
    )
    chain = stage_chain(path, {"epochs": "5", "baseline.epochs": "6", "seed": "4"})
    assert [config.epochs for config in chain] == [10, 20, 6, 5]
    assert {config.seed for config in chain} == {4}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "epochs = 3",
        'preset = "lea"',
        "extends = ",
        'extends = "lea"\n[stages.lea]\nepoch = 3',
        'extends = "lea"\n[bogus]\nepochs = 3',
        'extends = "lea"\n[stages.lea]\nepochs = "many"',
        'extends = "lea"\n[stages.lea]\nepochs = [3]',
        'extends = "lea"\n[stages.lea]\nepochs = 3.5',
        'extends = "lea"\n[stages.lea]\nstage = "other"',
        'extends = "lea"\n[ranker]\nfeatures = 3',
        'extends = "lea"\n[stages.baseline.features]\ngenre = "prefix"',
    ],
)
def test_a_file_with_a_mistake_is_one_line(toml, text):
    complaint(toml(text))


def test_files_that_cannot_be_read_are_named(tmp_path):
    missing = tmp_path / "missing.toml"
    assert complaint(missing).startswith(f"{missing}: ")
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    assert complaint(binary).startswith(f"{binary}: ")
