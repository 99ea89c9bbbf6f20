"""Recipes: what a file may say, what is trained in which order, and that nothing is trained twice."""

from __future__ import annotations

import json

import pytest
import torch

from corelax import CorelaxError
from corelax.core.folders import WEIGHTS
from corelax.io import write
from corelax.rankers.encoder.folder import load_ranker
from corelax.train.encoder import RecipeRun, changed_recipe, own_recipe, read_recipe
from corelax.train.stage import RunOptions
from tests.train.encoder.tiny_encoder import RECIPE, Listener, made, save_encoder

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    write(made(3, mentions=12), folder / "a.conll")
    write(made(2, seed=5, mentions=12), folder / "b.conll")
    write(made(2, seed=9, mentions=12), folder / "dev.conll")
    save_encoder(folder / "encoder", [*made(3, mentions=12), *made(2, seed=5, mentions=12)])
    return folder


@pytest.fixture
def recipe(tmp_path):
    def read(*changes):
        text = RECIPE
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "mine.toml").write_text(text)
        return read_recipe(tmp_path / "mine.toml")

    return read


def run(recipe, out, data, stages=(), seed=1, **more):
    encoder = data / "encoder"
    made_run = RecipeRun(recipe=recipe, encoder=encoder, data=data, out=out, seed=seed)
    return made_run.train(stages, RunOptions(**more))


def test_every_stage_is_trained_once_and_others_start_from_it(recipe, data, tmp_path):
    listener, notes = Listener(), []
    model = run(recipe(), tmp_path, data, progress=listener, note=notes.append)
    assert listener.epochs == [("first", 1), ("second", 1), ("second", 2), ("metric", 1)]
    assert [note.split(":")[0] for note in notes] == ["first", "second", "metric"]
    assert sorted(model.training["scores"]) == ["a", "b"]
    weights = {name: (tmp_path / name / WEIGHTS).read_bytes() for name in ("first", "metric")}
    again = Listener()
    run(recipe(), tmp_path, data, progress=again)
    assert again.documents == []
    assert weights == {name: (tmp_path / name / WEIGHTS).read_bytes() for name in weights}


def test_a_corpus_may_come_several_times(recipe, data, tmp_path):
    listener = Listener()
    run(recipe(), tmp_path, data, stages=["first"], progress=listener)
    assert listener.documents[-1] == (1, 2 * 3 + 2, 2 * 3 + 2)


@pytest.mark.parametrize("name", ["base", "small"])
def test_the_model_of_a_shipped_recipe_is_that_of_its_metric_stage(name):
    plan = read_recipe(name)
    assert plan.order()[-1] == "metric"
    metric, continued = plan.stages["metric"], plan.stages["continued"]
    for setting in (
        "start",
        "corpora",
        "epochs",
        "batch",
        "learning_rate",
        "encoder_learning_rate",
    ):
        assert getattr(metric, setting) == getattr(continued, setting)


def test_a_stage_gives_soft_targets_for_documents_that_it_learnt_without(recipe, data, tmp_path):
    of_first, second = "[corpora.a]", '[stages.second]\nstart = ["first"]\ncorpora = ["taught"]'
    plan = recipe(
        (of_first, f'{of_first}\nsoft = "first"'),
        (second, '[stages.second]\ncorpora = ["a"]\nsoft = 1.0'),
    )
    assert plan.order(["first"]) == ["first"]
    assert plan.order(["second"]) == ["first", "second"]
    model = run(plan, tmp_path, data, stages=["second"])
    assert list(model.training["start"]) == ["first"]
    first = json.loads((tmp_path / "first" / "config.json").read_text())
    assert first["training"]["start"] == {}


def test_the_entities_of_a_taught_corpus_are_those_of_its_teacher(recipe, data, tmp_path):
    # A teacher without a start: it is trained for its labels only.
    plan = recipe(('[stages.second]\nstart = ["first"]', "[stages.second]"))
    run(plan, tmp_path / "one", data, stages=["second"])
    run(plan, tmp_path / "two", data, stages=["second"], seed=2)
    untaught = recipe(
        ('[stages.second]\nstart = ["first"]', "[stages.second]"), ('teacher = "first"\n', "")
    )
    run(untaught, tmp_path / "three", data, stages=["second"])
    weights = [
        (tmp_path / name / "second/model.safetensors").read_bytes()
        for name in ("one", "two", "three")
    ]
    assert len(set(weights)) == 3
    training = json.loads((tmp_path / "one/second/config.json").read_text())["training"]
    assert list(training["start"]) == ["first"]  # other weights of the teacher are another training
    assert not (tmp_path / "three/first").exists()


def test_the_seed_makes_the_weights(recipe, data, tmp_path):
    for name, seed in [("a", 1), ("b", 1), ("c", 2)]:
        run(recipe(), tmp_path / name, data, stages=["first"], seed=seed)
    a, b, c = ((tmp_path / name / "first" / WEIGHTS).read_bytes() for name in "abc")
    assert a == b != c


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[ranker]", "[rankers]", "unknown setting 'rankers'; did you mean 'ranker'"),
        ("window = 40", "windows = 40", "ranker: unknown setting 'windows'; did you mean 'window'"),
        ("window = 40", "window = 'wide'", "window must be a whole number, not 'wide'"),
        ("window = 40", "window = 0", "window must be finite and at least"),
        ('scheme = "two"', 'scheme = "three"', "scheme must be 'one' or 'two', not 'three'"),
        ('singletons = "keep"', 'singletons = "some"', "corpus b: singletons must be"),
        ('train = ["b.conll"]', "train = 3", "b: train must be"),
        ('train = ["b.conll"]', 'trains = ["b.conll"]', "b: unknown setting 'trains'"),
        ("epochs = 2", "epoch = 2", "second: unknown setting 'epoch'; did you mean 'epochs'"),
        ("epochs = 2", "epochs = 'two'", "second: epochs must be a whole number"),
        ('start = ["first"]', 'start = ["fist"]', "start: there is no 'fist'; did you mean 'first'"),
        ('"2*a"', '"2*c"', "stage first: corpora: there is no 'c'; there are a, b, taught"),
        ('"2*a"', '"two*a"', "'two*a' must be a name, or a number"),
        ('corpora = ["taught"]', "corpora = []", "stage second: corpora must name"),
        ('teacher = "first"', 'teacher = "second"', "second needs second"),
        ('corpora = ["2*a"', 'start = ["metric"]\ncorpora = ["2*a"', "first needs metric needs first"),
        (RECIPE, "", "there are no stages"),
        (RECIPE, "stages = 3", "stages must be a table, not 3"),
        ("[ranker]", "[ranker", "line 2"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_recipe_is_one_clear_line(recipe, tmp_path, old, new, message):
    with pytest.raises(CorelaxError) as error:
        recipe((old, new))
    assert str(error.value).startswith(f"{tmp_path / 'mine.toml'}: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_unknown_recipes_and_stages_are_named(recipe, data, tmp_path):
    with pytest.raises(
        CorelaxError, match=r"huge: no such configuration; there are anaphoricity, .* small"
    ):
        read_recipe("huge")
    with pytest.raises(CorelaxError, match=r"nowhere\.toml: no such file"):
        read_recipe(tmp_path / "nowhere.toml")
    with pytest.raises(CorelaxError, match="there is no 'frist'; did you mean 'first'"):
        run(recipe(), tmp_path / "out", data, stages=["frist"])


@pytest.mark.parametrize("file", ["b.conll", "dev.conll"])
def test_a_missing_file_is_known_before_anything_is_trained(recipe, data, tmp_path, file):
    plan = recipe((f'"{file}"', '"nowhere.conll"'))
    with pytest.raises(CorelaxError, match=r"nowhere\.conll: "):
        run(plan, tmp_path / "out", data)
    assert not (tmp_path / "out").exists()


def test_a_stage_begins_with_the_mean_of_those_that_it_starts_from(recipe, data, tmp_path):
    more = """
[stages.other]
start = ["first"]
corpora = ["a"]
epochs = 1

[stages.mean]
start = ["metric", "other"]
corpora = ["a"]
epochs = 1
learning_rate = 0.0
encoder_learning_rate = 0.0
"""
    run(recipe((RECIPE, RECIPE + more)), tmp_path, data, stages=["mean"])
    one, other, mean = (
        load_ranker(tmp_path / name).ranker.state_dict() for name in ("metric", "other", "mean")
    )
    assert not all(one[name].equal(other[name]) for name in one)
    for name in one:
        torch.testing.assert_close(mean[name], (one[name] + other[name]) / 2)


def test_a_teacher_that_is_neither_a_stage_nor_a_model_is_named(recipe, data, tmp_path):
    asked = recipe(('teacher = "first"', 'teacher = "x"'))
    with pytest.raises(CorelaxError, match="corpus taught: teacher: no folder and no installed"):
        run(asked, tmp_path, data, stages=["second"])
    assert not (tmp_path / "first").exists()


def test_settings_are_changed_where_they_belong():
    recipe = changed_recipe(
        read_recipe("small"),
        {"epochs": "9", "taught.batch": "3", "window": "64", "span_ratio": "0.3"},
        stage="likelihood_1",
    )
    assert recipe.stages["likelihood_1"].epochs == 9
    assert recipe.stages["taught"].batch == 3
    assert recipe.stages["metric"] == read_recipe("small").stages["metric"]
    assert (recipe.ranker.window, recipe.ranker.span_ratio) == (64, 0.3)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("golden.epochs", "3", "golden is no stage of the recipe, which has taught, "),
        ("metric.epoch", "3", "unknown setting 'epoch'; did you mean 'epochs'"),
        ("epochs", "many", "epochs must be a whole number"),
        ("window", "wide", "window must be a whole number"),
        ("seed", "3", "use --seed"),
        ("metric.singletons", "keep", "each corpus of the recipe says"),
        ("metric.start", "nothing", "there is no 'nothing'"),
    ],
)
def test_settings_that_do_not_exist_are_errors(key, value, message):
    with pytest.raises(CorelaxError, match=message):
        changed_recipe(read_recipe("small"), {key: value})


def test_documents_of_ones_own_take_the_rates_of_the_package():
    own, small = own_recipe("t.conll", "d.conll"), read_recipe("small")
    assert list(own.stages) == ["likelihood", "metric"]
    same = (
        "objective", "metric", "family", "batch", "learning_rate",
        "encoder_learning_rate", "likelihood", "averaging",
    )  # fmt: skip
    for name in same:
        assert getattr(own.stages["metric"], name) == getattr(small.stages["metric"], name)
        mine, theirs = own.stages["likelihood"], small.stages["likelihood_1"]
        assert getattr(mine, name) == getattr(theirs, name)
    assert own.corpora["corpus"].train == ("t.conll",)
    assert own.corpora["corpus"].dev == ("d.conll",)
    with pytest.raises(CorelaxError, match="singletons must be"):
        own_recipe("t", "d", {"singletons": "some"})
