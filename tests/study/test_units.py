"""The stages of units, and the study as a table of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from corelax import CorelaxError
from corelax.cli.reproduce import reproduce
from corelax.study.plan import Unit, full_study, quick_study, unit_chain
from corelax.study.systems import (
    BEST_BETA_SQUARED,
    CONLL_2012_TEST,
    SYSTEMS,
    System,
    chosen_systems,
    left_out,
)
from corelax.train.sparse.presets import PRESETS, stage_chain

VECTORS = any(system.vectors for system in SYSTEMS)
STUDIES = {
    "quick": quick_study(),
    "full": full_study(vectors=VECTORS),
    "soft": full_study(like_original=False, vectors=VECTORS),
    "fixed": full_study(tune=False, vectors=VECTORS),
}
each_study = pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
PRETRAINED = {"anaphoricity", "antecedent", "anaphoricity2015", "antecedent2015"}


def by_stage(chain):
    return {config.stage: config for config in chain}


# Chains


def test_common_settings_hold_for_all_stages_but_pretraining():
    chain = by_stage(unit_chain(Unit("u", "lea"), 1, {"epochs": 3, "dropout": 0.25}))
    assert list(chain) == ["anaphoricity", "antecedent", "baseline", "u"]
    plain = by_stage(stage_chain("lea", {}, name="u"))
    for stage in ("baseline", "u"):
        assert (chain[stage].epochs, chain[stage].dropout) == (3, 0.25)
    for stage in ("anaphoricity", "antecedent"):
        assert chain[stage] == plain[stage]


@pytest.mark.parametrize("preset", ["baseline", "lea", "margin2015", "antecedent"])
def test_settings_of_sizes_features_and_mentions_hold_for_every_stage(preset):
    common = {"hidden_pair": 9, "features.lexical_cutoff": 3, "mentions": "gold"}
    for config in unit_chain(Unit("u", preset), 4, common):
        assert (config.hidden_pair, config.features, config.mentions) == (
            9,
            {"lexical_cutoff": 3},
            "gold",
        )
        assert config.seed == 4


def test_a_setting_of_a_stage_holds_where_there_is_such_a_stage():
    common = {"antecedent.epochs": 3, "baseline.epochs": 4, "lea.epochs": 5}
    plain = {config.stage: config.epochs for config in stage_chain("lea", {})}
    epochs = {config.stage: config.epochs for config in unit_chain(Unit("lea", "lea"), 1, common)}
    assert epochs == {**plain, "antecedent": 3, "baseline": 4, "lea": 5}
    chain = unit_chain(Unit("margin2015", "margin2015"), 1, common)
    assert chain == stage_chain("margin2015", {})


@pytest.mark.parametrize(
    "common",
    [
        {"epochs": 3},
        {"lea.epochs": 3},
        {"epochs": 2, "lea.epochs": 3},
        {"lea.epochs": 3, "epochs": 2},
        {"seed": 3},
    ],
)
def test_settings_of_the_unit_come_before_those_of_all(common):
    unit = Unit("u", "lea", {"epochs": 7, "beta_squared": 4})
    chain = unit_chain(unit, 5, common)
    assert (chain[-1].epochs, chain[-1].beta_squared, chain[-1].seed) == (7, 4.0, 5)


@pytest.mark.parametrize(
    "common",
    [
        {"epochs": 3, "baseline.epochs": 4, "keep": "last", "hidden_pair": 9},
        {"antecedent.dropout": 0.5, "baseline.costs": "0.1,3,1", "learning_rate": 0.5},
        {"lea.epochs": 5, "beta_squared": 2.25, "mentions": "gold", "features.lexical_cutoff": 0},
        {"seed": 7, "decoding": "entities", "margin2015.epochs": 2, "anaphoricity.keep": "last"},
    ],
)
def test_units_share_the_stages_of_the_same_name(common):
    folders = {}
    for preset in {unit.preset for unit in STUDIES["full"].units}:
        for config in unit_chain(Unit(f"of_{preset}", preset), 2, common)[:-1]:
            assert folders.setdefault(config.stage, config) == config
    for preset in ("anaphoricity", "antecedent", "baseline"):
        assert unit_chain(Unit(preset, preset), 2, common)[-1] == folders[preset]


@pytest.mark.parametrize(
    "key", ["epohcs", "nowhere.epochs", "features.lexical_cutof", "baseline.epohcs", "stage"]
)
@pytest.mark.parametrize("preset", ["baseline", "lea"])
def test_an_unknown_setting_is_an_error(key, preset):
    with pytest.raises(CorelaxError, match=re.escape(key.rpartition(".")[2])):
        unit_chain(Unit("u", preset), 1, {key: 3})
    with pytest.raises(CorelaxError):
        unit_chain(Unit("u", preset, {key: 3}), 1, {})


# The study


@each_study
def test_names_are_unique_and_can_be_folders(study):
    names = [unit.name for unit in study.units]
    names += [f"{one}_rates_{a:g}_{b:g}" for one in study.tuned for a, b in study.learning_rates]
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*[A-Za-z0-9]", name)
        assert name not in PRETRAINED
    rows = [row.name for row in study.rows]
    assert len(set(rows)) == len(rows)
    assert len({row.title for row in study.rows}) == len(rows)


@each_study
def test_every_unit_that_is_named_exists(study):
    units = {unit.name: unit for unit in study.units}
    for row in study.rows:
        assert row.units
        assert set(row.units) <= set(units)
        for name, value in zip(row.units, row.values, strict=bool(row.values)):
            assert study.grid(row.name) is row
            assert value in units[name].settings.values()
    assert set(study.tuned) <= set(units)
    if study.tuned:
        assert {unit.rates for unit in study.units} - {""} == set(study.tuned)
    for name in study.tuned:
        assert units[name].rates == name


@each_study
def test_what_is_trained_is_shown(study):
    shown = {name for row in study.rows for name in row.units}
    assert shown == {unit.name for unit in study.units}


@pytest.mark.parametrize("name", ["b3", "lea"])
def test_the_grid_of_the_paper(name):
    study = full_study()
    row = study.grid(f"{name}_beta")
    assert set(row.values) == {0.8, 1, 1.2, 1.4, 1.6, 1.8, 2.25, 4} | {8, 16}  # and beyond it
    metric = {"b3": "b_cubed", "lea": "lea"}[name]
    for unit in [unit for unit in study.units if unit.name in row.units]:
        config = unit_chain(unit, 1, {})[-1]
        assert (config.objective, config.metric, config.family) == ("metric", metric, "entity")
        assert config.like_original


@each_study
def test_every_unit_can_be_trained_on_detected_mentions(study):
    for unit in study.units:
        chain = unit_chain(unit, 1, {"singletons": "drop", "mentions": "detect"})
        assert chain[-1].stage == unit.name
        assert chain[-1].like_original == (
            PRESETS[unit.preset].get("like_original", False)
            and unit.settings.get("like_original", True)
        )


def test_every_unit_can_be_trained_with_singletons():
    for unit in full_study(like_original=False).units:
        for config in unit_chain(unit, 1, {"singletons": "keep", "mentions": "gold"}):
            assert (config.singletons, config.mentions) == ("keep", "gold")
            assert not config.like_original


def test_the_hard_filter_knows_no_singletons():
    [unit] = [unit for unit in full_study().units if unit.name == "lea_1"]
    with pytest.raises(CorelaxError, match="like_original"):
        unit_chain(unit, 1, {"singletons": "keep"})


# Le & Titov (2017), table 1; Wiseman et al. (2015, 2016); Clark & Manning (2016), whose figures stand beside
# their objectives on this ranker (cm_…) or beside their network (deep_…).
PUBLISHED = {
    "baseline": 64.13, "entity_ce": 64.25, "b3": 64.51, "b3_beta": 64.61, "lea": 64.39,
    "lea_beta": 64.66, "margin2015": 63.39, "margin2015_g2": 63.39, "global2016": 64.21,
    "cm_heuristic": 65.36, "cm_reinforce": 65.41, "cm_rescale": 65.73,
    "deep_heuristic": 65.36, "deep_reinforce": 65.41, "deep_rescale": 65.73,
}  # fmt: skip


def test_the_published_figures():
    assert CONLL_2012_TEST.items() <= PUBLISHED.items()
    assert {"baseline", "entity_ce", "b3", "b3_beta", "lea", "lea_beta"} < set(CONLL_2012_TEST)
    for objective in ("heuristic", "reinforce", "rescale"):  # a figure stands in one row
        assert (f"cm_{objective}" in CONLL_2012_TEST) != (f"deep_{objective}" in CONLL_2012_TEST)
    assert BEST_BETA_SQUARED == {"b3_beta": 1.4, "lea_beta": 1.8}


def test_the_quick_study_has_the_beta_of_the_paper():
    units = {unit.name: unit_chain(unit, 1, {})[-1] for unit in quick_study().units}
    assert list(units) == ["baseline", "entity_ce", "b3", "lea"]
    assert (units["b3"].beta_squared, units["lea"].beta_squared) == (1.4, 1.8)
    assert set(units) <= set(PRESETS)


# Systems that the losses are compared with


@each_study
def test_every_system_of_the_list_has_a_stage_a_unit_and_a_row(study):
    if study is not STUDIES["quick"]:
        names = {unit.name for unit in study.units}
        rows = {row.name: row for row in study.rows}
        for system in SYSTEMS:
            assert system.name in PRESETS
            assert system.name in names
            assert rows[system.name].title == system.title


def test_a_system_whose_stage_is_missing_is_an_error_not_a_row_less():
    missing = [System("continued", "Known"), System("global2030", "To come")]
    with pytest.raises(CorelaxError, match="global2030: is a system of the study, but"):
        chosen_systems(vectors=False, systems=missing)


def test_systems_that_need_vectors_wait_for_them():
    systems = [System("continued", "Plain"), System("lea", "Deep", vectors=True)]
    assert chosen_systems(vectors=False, systems=systems) == systems[:1]
    assert left_out(["continued"], systems) == ["Deep"]
    assert chosen_systems(vectors=True, systems=systems) == systems
    assert left_out(["lea"], systems) == []


@pytest.mark.parametrize(("vectors", "resolvers", "runs"), [(False, 29, 177), (True, 32, 192)])
def test_pages_and_help_say_how_much_a_study_is(vectors, resolvers, runs):
    study = full_study(vectors=vectors)
    tried = len(study.tuned) * len(study.learning_rates)
    assert (len(study.units), 5 * len(study.units) + tried) == (resolvers, runs)
    page = (Path(__file__).parents[2] / "docs" / "reproduction.md").read_text()
    assert re.search(rf"\b{resolvers}\b", page)
    assert re.search(rf"\b{runs}\b", reproduce.__doc__)


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_of_some_rows_has_what_these_rows_need(name):
    study = STUDIES[name]
    for row in study.rows:
        part = study.only([row.name])
        assert {one.name for one in part.rows} == {"baseline", row.name}
        units = {unit.name for unit in part.units}
        assert units >= {"baseline", *row.units}
        assert units <= {"baseline", *row.units, *part.tuned}
        for unit in part.units:
            assert unit.rates not in study.tuned or unit.rates in part.tuned
    every = study.only([row.name for row in study.rows])
    assert (every.units, every.rows, every.tuned) == (study.units, study.rows, study.tuned)


def test_a_row_that_there_is_not_is_named():
    with pytest.raises(CorelaxError, match=r"--row must be 'baseline' or .*, not 'leaa'"):
        full_study().only(["leaa"])
