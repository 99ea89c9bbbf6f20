"""Grids as units, the stages that they share, and the rows that come of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest

from corelax import CorelaxError
from corelax.io import write
from corelax.render.tables import table_csv
from corelax.study.files import Files
from corelax.study.folder import StudyFolder, predicted_path, record_path
from corelax.study.grid import parse_grid, sweep_units, value_text
from corelax.study.plan import Unit, unit_chain
from corelax.study.records import Predicted, Record, save
from corelax.study.sweeps import Sweep, sweep, write_sweep
from corelax.synthetic import Shape, generate

TINY = {
    "hidden_mention": "8", "hidden_pair": "8", "anaphoricity.epochs": "1", "antecedent.epochs": "1",
    "baseline.epochs": "1", "epochs": "2",
}  # fmt: skip


def test_all_combinations_in_order() -> None:
    units = sweep_units("lea", {"beta_squared": ["1", "1.4"], "temperature": ["0.5", "1"]})
    assert [unit.name for unit in units] == [
        "lea_beta_squared=1_temperature=0.5",
        "lea_beta_squared=1_temperature=1",
        "lea_beta_squared=1.4_temperature=0.5",
        "lea_beta_squared=1.4_temperature=1",
    ]
    for unit in units:
        last = unit_chain(unit, 1, {})[-1]
        assert f"lea_beta_squared={value_text(last.beta_squared)}" in unit.name
        assert unit.name.endswith(f"temperature={value_text(last.temperature)}")


def test_a_file_of_settings_can_be_swept(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        'extends = "lea"\n[stages.mine]\nlike = "lea"\nepochs = 2\n[stages.baseline]\nepochs = 5\n'
    )
    first, second = sweep_units(str(file), {"beta_squared": ["1", "2"], "baseline.l1": ["0.1"]})
    assert first.name == "mine_beta_squared=1_baseline.l1=0.1"
    chain = unit_chain(second, 1, {})
    assert [config.epochs for config in chain[2:]] == [5, 2]
    assert (chain[-1].beta_squared, chain[-2].l1) == (2.0, 0.1)


def lineage(unit: Unit) -> dict[str, tuple[str, ...]]:
    """All that decides each stage: its settings and those of the stages before it."""
    found: dict[str, tuple[str, ...]] = {}
    for config in unit_chain(unit, 1, {}):
        before = (setting for start in config.start for setting in found[start])
        found[config.stage] = (*before, repr({**asdict(config), "stage": "", "start": ""}))
    return found


GRIDS = [
    {"beta_squared": "1 2", "temperature": "0.5 1"},
    {"baseline.learning_rate": "0.05 0.1", "beta_squared": "1 2"},
    {"antecedent.dropout": "0 0.5", "baseline.epochs": "3 4"},
    {"anaphoricity.epochs": "3 4", "antecedent.epochs": "3 4"},
    {"hidden_pair": "8 12", "epochs": "1 2"},
    {"features.lexical_cutoff": "5 9", "baseline.l1": "0 0.1"},
    {"like_original": "false", "singletons": "keep drop", "lea.epochs": "1 2"},
]


@pytest.mark.parametrize("grid", GRIDS, ids=lambda grid: "-".join(grid))
def test_units_share_a_stage_exactly_if_it_is_the_same_for_them(grid: dict[str, str]) -> None:
    units = sweep_units("lea", {key: values.split() for key, values in grid.items()})
    by_name: dict[str, set[tuple[str, ...]]] = {}
    for unit in units:
        for stage, settings in lineage(unit).items():
            by_name.setdefault(stage, set()).add(settings)
    assert all(len(settings) == 1 for settings in by_name.values())
    assert len({settings for [settings] in by_name.values()}) == len(by_name)


def test_names_are_fit_for_folders_and_all_different() -> None:
    values = parse_grid(["costs=0.1,3,1;0.4,0.8,1", "mentions=a/b,a b,a-b," + 300 * "x"])
    names = [unit.name for unit in sweep_units("baseline", values)]
    assert len({name.lower() for name in names}) == len(names) == 8
    for name in names:
        assert len(name) < 150
        assert not set(name) & set("/\\ :;")


@pytest.mark.parametrize(
    ("grid", "settings", "words"),
    [
        ([], {}, "--grid"),
        (["beta_squared="], {}, "--grid"),
        (["beta_squared"], {}, "--grid"),
        (["=1,2"], {}, "--grid"),
        (["beta_squared=1,,2"], {}, "--grid"),
        (["beta_squared=1", "beta_squared=2"], {}, "twice"),
        (["beta_squared=1", "lea.beta_squared=2"], {}, "beta_squared"),
        (["beta_squared=1,1.0"], {}, "1 and 1.0 are the same"),
        (["like_original=true,True"], {}, "same"),
        (["epochs=2,2"], {}, "epochs: 2 is in its grid twice"),
        (["beta_square=1,2"], {}, "did you mean 'beta_squared'"),
        (["beta_squared=1,much"], {}, "beta_squared must be a number, not 'much'"),
        (["beta_squared=1,-1"], {}, "not -1.0"),
        (["baseline.hidden_pair=8,9"], {}, "without baseline."),
        (["cm_rescale.epochs=1,2"], {}, "no stage of lea"),
        (["features.colour=1,2"], {}, "features.colour"),
        (["seed=1,2"], {}, "--seeds"),
        (["epochs=1,2"], {"seed": "3"}, "--seeds"),
        (["epochs=1,2"], {"epochs": "3"}, "--set"),
        (["epochs=1,2"], {"lea.epochs": "3"}, "--set"),
        (["epochs=1,2"], {"epoch": "3"}, "did you mean 'epochs'"),
        (["singletons=drop,keep"], {}, "like_original"),
        (["stage=a,b"], {}, "stage"),
    ],
)
def test_bad_grids_are_errors(grid: list[str], settings: dict[str, str], words: str) -> None:
    with pytest.raises(CorelaxError) as caught:
        sweep_units("lea", parse_grid(grid), settings)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def quiet_sweep(out: Path, *values: str, seeds: int = 2) -> Sweep:
    units = sweep_units("lea", {"beta_squared": values})
    return Sweep(units, ["beta_squared"], StudyFolder(out, Files("", ""), {}), range(1, seeds + 1))


def put(out: Path, value: str, seed: int, dev: float) -> None:
    """As if a unit had been trained."""
    unit = f"lea_beta_squared={value}"
    counts = {metric: [[1.0, 2.0, 1.0, 2.0]] for metric in ("muc", "b_cubed", "ceaf_e")}
    predicted = Predicted(digest="", documents=["d"], counts=counts, entities=[[]])
    save(predicted_path(out, unit, seed, "dev", "links"), predicted)
    record = Record(
        chain=[], data={}, epochs=[], epoch=seed, dev=dev, seconds=seed / 2, device="CPU"
    )
    save(record_path(out, unit, seed), record)


def test_the_first_seed_comes_first_with_every_unit(tmp_path: Path) -> None:
    sweep = quiet_sweep(tmp_path, "1", "2", seeds=3)
    names = ["lea_beta_squared=1", "lea_beta_squared=2"]
    wanted = [(seed, name) for seed in (1, 2, 3) for name in names]
    assert [run.key for run in sweep.runs()] == wanted


def test_best_first_then_in_the_order_of_the_grid_then_what_is_not_done(tmp_path: Path) -> None:
    sweep = quiet_sweep(tmp_path, "1", "2", "3", "4", "5")
    for value, scores in {"2": (0.5, 0.6), "3": (0.7,), "4": (0.6, 0.5)}.items():
        for seed, score in enumerate(scores, 1):
            put(tmp_path, value, seed, score)
    rows = sweep.rows()
    assert [row.settings["beta_squared"] for row in rows] == [3.0, 2.0, 4.0, 1.0, 5.0]
    assert [row.mean for row in rows] == [0.7, mean([0.5, 0.6]), mean([0.5, 0.6]), None, None]
    assert [row.sd for row in rows] == [None, stdev([0.5, 0.6]), stdev([0.6, 0.5]), None, None]
    assert [list(row.seeds) for row in rows] == [[1], [1, 2], [1, 2], [], []]


def test_the_table_has_gaps_where_nothing_is_done(tmp_path: Path) -> None:
    sweep = quiet_sweep(tmp_path, "1", "2")
    put(tmp_path, "2", 1, 0.5)
    write_sweep(sweep.table(), tmp_path)
    texts = [[cell.text for cell in row] for row in sweep.table().groups[0][1]]
    assert texts == [
        ["2", "50.00", "50.00", "50.00", "50.00", "1", "1", "0.5"],
        ["1", "–", "–", "–", "–", "–", "0", "–"],
    ]
    assert (tmp_path / "sweep.csv").read_text() == table_csv(sweep.table())
    done, undone = json.loads((tmp_path / "sweep.json").read_text())
    assert (done["beta_squared"], done["CoNLL F1"]) == (2.0, {"mean": 50.0})
    assert (undone["beta_squared"], undone["CoNLL F1"]) == (1.0, None)
    assert "**50.00**" in (tmp_path / "sweep.md").read_text()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Files]:
    folder = tmp_path_factory.mktemp("swept")
    shape = Shape.conll2012().scaled(15)
    write(list(generate(6, seed=1, shape=shape)), folder / "train.conll")
    write(list(generate(3, seed=9, shape=shape)), folder / "dev.conll")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CORELAX_CACHE", str(folder / "cache"))
        patch.setenv("CORELAX_LEXICONS", "none")
        yield Files(str(folder / "train.conll"), str(folder / "dev.conll"))


def parts(files: Files) -> dict[str, Any]:
    return {"train": files.train, "dev": files.dev, "workers": 1, "device": "cpu"}


def stages(out: Path, seed: int = 1) -> list[str]:
    return sorted(path.name for path in (out / "runs" / f"seed{seed}").iterdir())


def test_units_that_differ_in_the_last_stage_share_all_others(files: Files, tmp_path: Path) -> None:
    grid = {"beta_squared": ["1", "4"], "decoding": ["entities"]}
    swept = sweep(tmp_path, **parts(files), grid=grid, settings=TINY, seeds=2)
    assert swept.is_done
    ends = [f"{name}_decoding=entities" for name in ("anaphoricity", "antecedent", "baseline")]
    ends += [f"lea_beta_squared={value}_decoding=entities" for value in (1, 4)]
    assert stages(tmp_path, 1) == stages(tmp_path, 2) == sorted(ends)
    for row in swept.rows:
        for number, seed in enumerate((1, 2)):
            record = json.loads((tmp_path / f"results/seed{seed}/{row.unit}.json").read_text())
            assert row.dev[number] == record["dev"]
            assert (row.epochs[number], row.seconds[number]) == (record["epoch"], record["seconds"])
            assert mean(row.f1[number].values()) == pytest.approx(record["dev"], abs=1e-12)


def test_pretraining_and_features_can_be_swept(files: Files, tmp_path: Path) -> None:
    grid = {"features.lexical_cutoff": ["1", "20"]}
    settings = {"hidden_mention": "8", "hidden_pair": "8", "epochs": "1"}
    swept = sweep(tmp_path, **parts(files), config="anaphoricity", grid=grid, settings=settings)
    assert swept.is_done
    assert swept.table.columns[:2] == ["features.lexical_cutoff", "F1"]
    logs = [
        json.loads((tmp_path / f"runs/seed1/{r.unit}/log.jsonl").read_text()) for r in swept.rows
    ]
    assert [row.mean for row in swept.rows] == [log["dev"] for log in logs]


@pytest.mark.parametrize(
    ("config", "key", "values"),
    [
        ("baseline", "beta_squared", ["1", "2"]),
        ("entity_ce", "temperature", ["0.5", "0.7"]),
        ("lea", "baseline.family", ["entity", "pairwise"]),
        ("cm_heuristic", "metric", ["lea", "muc"]),
        ("lea", "costs", ["0.1,3,1", "0.2,3,1"]),
    ],
)
def test_a_key_that_makes_no_difference_is_an_error(
    config: str, key: str, values: list[str]
) -> None:
    with pytest.raises(CorelaxError, match=rf"^{re.escape(key)}: makes no difference to "):
        sweep_units(config, {key: values})
