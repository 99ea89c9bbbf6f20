"""One schema of TOML files for both rankers: names, tables, and files that extend others."""

import pytest

from corelax import CorelaxError
from corelax.train import stage_chain
from corelax.train.configuration import order_stages, read_configuration
from corelax.train.encoder import read_recipe


@pytest.fixture
def toml(tmp_path):
    def write(text, name="mine.toml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def complaint(path):
    with pytest.raises(CorelaxError) as caught:
        stage_chain(path, {})
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("name", "kind", "wanted"),
    [("lea", "sparse", ("lea",)), ("own", "encoder", ()), ("small", "encoder", ())],
)
def test_the_package_has_configurations_of_both_kinds(name, kind, wanted):
    configuration = read_configuration(name)
    assert (configuration.kind, configuration.wanted) == (kind, wanted)


def test_a_file_may_hold_all_of_a_training_of_the_sparse_ranker(toml):
    path = toml(
        '[ranker]\nkind = "sparse"\nhidden_pair = 20\nmentions = "gold"\n'
        "[ranker.features]\nlexical_cutoff = 5\n"
        '[corpora.litbank]\ntrain = ["t.conll"]\ndev = ["d.conll"]\nsingletons = "keep"\n'
        '[stages.first]\nobjective = "anaphoricity"\nepochs = 2\n'
        '[stages.second]\nstart = ["first"]\nepochs = 3\n'
    )
    first, second = stage_chain(path, {})
    assert (first.stage, first.objective, first.epochs) == ("first", "anaphoricity", 2)
    assert (second.stage, second.start, second.epochs) == ("second", ("first",), 3)
    for config in (first, second):
        assert (config.hidden_pair, config.mentions, config.singletons) == (20, "gold", "keep")
        assert config.feature_settings.lexical_cutoff == 5


def test_a_file_may_extend_a_preset(toml):
    path = toml(
        'extends = "lea"\n[ranker]\nhidden_pair = 20\n[stages.baseline]\nepochs = 2\n'
        "[stages.lea]\nbeta_squared = 2.25\n"
    )
    chain = {config.stage: config for config in stage_chain(path, {})}
    assert list(chain) == ["anaphoricity", "antecedent", "baseline", "lea"]
    assert (chain["baseline"].epochs, chain["lea"].epochs) == (2, 14)
    assert (chain["lea"].beta_squared, chain["lea"].metric) == (2.25, "lea")
    assert {config.hidden_pair for config in chain.values()} == {20}


def test_a_stage_may_be_like_another_one(toml):
    path = toml('extends = "lea"\n[stages.mine]\nlike = "lea"\ntemperature = 0.5\n')
    *before, mine = stage_chain(path, {})
    assert [config.stage for config in before] == ["anaphoricity", "antecedent", "baseline"]
    assert (mine.stage, mine.metric, mine.temperature) == ("mine", "lea", 0.5)


def test_some_stages_of_a_file_can_be_asked_for(toml):
    path = toml(
        'extends = "lea"\n[stages.a]\nlike = "baseline"\n[stages.b]\nstart = ["a"]\nlike = "lea"\n'
    )
    names = [config.stage for config in stage_chain(path, {}, stages=["a"])]
    assert names == ["anaphoricity", "antecedent", "a"]
    assert [config.stage for config in stage_chain(path, {})][-2:] == ["a", "b"]


def test_a_recipe_may_extend_the_one_of_the_package(toml):
    path = toml('extends = "small"\n[ranker]\nspan_size = 64\n[stages.metric]\nepochs = 1\n')
    recipe, small = read_recipe(path), read_recipe("small")
    assert recipe.ranker.span_size == 64
    assert recipe.stages["metric"].epochs == 1
    assert recipe.stages["taught"] == small.stages["taught"]
    assert recipe.order() == small.order(["metric"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('extends = "lee"', "lee: no such configuration; did you mean 'lea'?"),
        ("extends = 3", "extends must be a name"),
        ('preset = "lea"', "unknown setting 'preset'"),
        ('extends = "lea"\n[ranker]\nkind = "encoder"', "kind must be 'sparse'"),
        ('[ranker]\nkind = "dense"\n[stages.a]', "kind must be 'sparse' or 'encoder'"),
        ('extends = "lea"\n[ranker]\nepochs = 3', "unknown setting 'epochs'"),
        ('extends = "lea"\n[ranker]\nhidden_pare = 3', "did you mean 'hidden_pair'?"),
        ('extends = "lea"\n[stages.mine]\nlike = "leaa"', "did you mean 'lea'?"),
        ('extends = "lea"\n[stages.lea]\nepoch = 3', "did you mean 'epochs'?"),
        ('extends = "lea"\n[stages.lea]\nseed = 3', "seed holds for all stages"),
        ('extends = "lea"\n[stages.baseline]\nstart = ["lea"]', "baseline needs lea"),
        ('[ranker]\nkind = "sparse"', "there are no stages"),
        ('extends = "own"', "is for an encoder ranker"),
    ],
)
def test_mistakes_are_one_line_that_names_the_file(toml, text, message):
    path = toml(text)
    found = complaint(path)
    assert message in found
    assert str(path) in found


def test_the_sparse_ranker_cannot_train_a_recipe_of_the_encoder():
    with pytest.raises(CorelaxError, match="small: is for an encoder ranker"):
        stage_chain("small", {})
    with pytest.raises(CorelaxError, match="lea: is for a sparse ranker"):
        read_recipe("lea")


def test_stages_that_need_each_other_are_named():
    needs = {"a": ["b"], "b": ["c"], "c": ["a"]}
    with pytest.raises(CorelaxError, match="a needs b needs c needs a"):
        order_stages(["a"], needs.__getitem__)


@pytest.mark.parametrize("name", ["../x", "/tmp/x", "a/b", ".."])
@pytest.mark.parametrize("kind", ["sparse", "encoder"])
def test_a_stage_is_a_folder_in_out_and_nowhere_else(toml, name, kind):
    path = toml(
        f'[ranker]\nkind = "{kind}"\n[corpora.a]\ntrain = ["a.conll"]\ndev = ["a.conll"]\n'
        f'[stages."{name}"]\n' + ('corpora = ["a"]\n' if kind == "encoder" else "epochs = 2\n")
    )
    with pytest.raises(CorelaxError, match="a name that becomes a folder"):
        stage_chain(path, {}) if kind == "sparse" else read_recipe(path)


@pytest.mark.parametrize("key", ["train", "dev", "markables", "documents"])
@pytest.mark.parametrize("file", ["../secret.conll", "/etc/passwd", "news/../../secret.conll"])
def test_the_files_of_a_corpus_are_below_the_folder_of_data(toml, key, file):
    value = f'"{file}"' if key == "documents" else f'["{file}"]'
    path = toml(f"[corpora.a]\n{key} = {value}\n[stages.first]\ncorpora = ['a']\n")
    with pytest.raises(
        CorelaxError, match=f"corpus a: {key}: .* is not below the folder of --data"
    ):
        read_configuration(path)


@pytest.mark.parametrize("times", ["1001", "1000000000", "9" * 5000])
def test_a_corpus_comes_a_bounded_number_of_times(toml, times):
    path = toml(f"[corpora.a]\ntrain = ['a.conll']\n[stages.first]\ncorpora = ['{times}*a']\n")
    with pytest.raises(CorelaxError, match=r"a number up to 1000 \* a name"):
        read_recipe(path)
