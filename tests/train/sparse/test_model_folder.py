"""Model folders: what can be wrong with them, in one line that names the file."""

import json
import os
import pickle
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from corelax import CorelaxError
from corelax.core.folders import record_digest
from corelax.train import load_model
from corelax.train.sparse.config import saved_config
from tests.train.sparse.training_runs import documents, make_data, run


@pytest.fixture(scope="module")
def models(tmp_path_factory, one_thread):  # noqa: ARG001
    """Two models, the second of other documents."""
    out = tmp_path_factory.mktemp("models")
    for name, seed in (("one", 0), ("other", 5)):
        data = make_data(documents(3, seed=seed), documents(2, seed=9))
        run("anaphoricity", out / name, data, epochs=1)
    return {name: out / name / "anaphoricity" for name in ("one", "other")}


@pytest.fixture
def folder(models, tmp_path):
    return shutil.copytree(models["one"], tmp_path / "model")


def complaint(folder, read=load_model):
    with pytest.raises(CorelaxError) as caught:
        read(folder)
    message = str(caught.value)
    assert "\n" not in message
    return message


def edited(path, change):
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def test_a_folder_that_is_whole_loads_from_anywhere(models, folder):
    one, copy = load_model(models["one"]), load_model(str(folder))
    assert one.settings == copy.settings
    assert saved_config(models["one"]) == saved_config(folder)
    assert one.vocabulary.to_json() == copy.vocabulary.to_json()
    for name, tensor in one.ranker.state_dict().items():
        assert tensor.equal(copy.ranker.state_dict()[name])


def test_a_folder_that_is_none_is_named(tmp_path):
    assert complaint(tmp_path / "nowhere").startswith(f"{tmp_path / 'nowhere'}: no such folder")
    (tmp_path / "file").write_text("")
    assert complaint(tmp_path / "file").startswith(f"{tmp_path / 'file'}: ")


@pytest.mark.parametrize("file", ["config.json", "vocabulary.json", "model.safetensors"])
def test_a_missing_file_is_named(folder, file):
    (folder / file).unlink()
    assert complaint(folder).startswith(f"{folder / file}: no such file")


@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 0.99])
@pytest.mark.parametrize("file", ["config.json", "vocabulary.json", "model.safetensors"])
def test_a_file_that_was_cut_off_is_named(folder, file, share):
    content = (folder / file).read_bytes()
    (folder / file).write_bytes(content[: int(len(content) * share)])
    assert complaint(folder).startswith(f"{folder / file}: ")


@pytest.mark.parametrize("file", ["config.json", "vocabulary.json", "model.safetensors"])
def test_a_file_of_noise_is_named(folder, file):
    (folder / file).write_bytes(bytes(range(256)) * 20)
    assert complaint(folder).startswith(f"{folder / file}: ")


@pytest.mark.parametrize("text", ["[]", "3", "null", '"text"', "{}"])
@pytest.mark.parametrize("file", ["config.json", "vocabulary.json"])
def test_other_json_is_named(folder, file, text):
    (folder / file).write_text(text)
    assert complaint(folder).startswith(f"{folder / file}: ")


@pytest.mark.parametrize("more", [1, 100, 10**6])
def test_bytes_at_the_end_of_the_weights_are_noticed(folder, more):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes() + b"\0" * more)
    assert complaint(folder).startswith(f"{path}: ")


def test_a_tensor_of_another_shape_is_named_with_both_shapes(folder):
    path = folder / "model.safetensors"
    weights = load_file(path)
    rows, columns = weights["pair_table"].shape
    weights["pair_table"] = weights["pair_table"][:-1].contiguous()
    save_file(weights, path)
    message = complaint(folder)
    assert message.startswith(f"{path}: pair_table is [{rows - 1}, {columns}]")
    assert f"[{rows}, {columns}]" in message


def test_a_missing_tensor_is_named(folder):
    path = folder / "model.safetensors"
    weights = load_file(path)
    del weights["link_bias"]
    save_file(weights, path)
    assert complaint(folder) == f"{path}: link_bias is missing"


def test_another_format_is_named(folder):
    path = folder / "config.json"
    edited(path, lambda content: content.update(format="corelax sparse ranker 3"))
    message = complaint(folder)
    assert message.startswith(f"{path}: ")
    assert "'corelax sparse ranker 3'" in message


@pytest.mark.parametrize(
    "change",
    [
        {"learning_speed": 3},
        {"objective": "happiness"},
        {"epochs": -1},
        {"epochs": "many"},
        {"costs": 3},
        {"costs": [1, 2]},
        {"features": {"colour": 1}},
        {"features": 3},
        {"feature_set": "w15"},
        {"feature_set": ["w16"]},
    ],
)
def test_settings_that_are_none_are_named_with_their_file(folder, change):
    path = folder / "config.json"
    edited(path, lambda content: content["training"]["config"].update(change))
    assert complaint(folder, saved_config).startswith(f"{path}: ")


@pytest.mark.parametrize(
    "change",
    [{"hidden_pair": 0}, {"hidden_pair": "many"}, {"hidden_pears": 3}, {"initialisation": "zeros"}],
)
def test_settings_of_no_ranker_are_named_with_their_file(folder, change):
    path = folder / "config.json"
    edited(path, lambda content: content["settings"].update(change))
    assert complaint(folder).startswith(f"{path}: ")


@pytest.mark.parametrize("key", ["format", "settings", "training"])
def test_a_part_that_is_missing_is_named(folder, key):
    path = folder / "config.json"
    edited(path, lambda content: content.pop(key))
    assert complaint(folder).startswith(f"{path}: ")


def test_the_vocabulary_of_another_model_is_noticed(folder, models):
    shutil.copy(models["other"] / "vocabulary.json", folder / "vocabulary.json")
    assert complaint(folder).startswith(str(folder))


def test_a_vocabulary_of_the_same_size_but_other_features_is_noticed(folder):
    def swap(content):
        content["mention"][0], content["mention"][-1] = (
            content["mention"][-1],
            content["mention"][0],
        )

    edited(folder / "vocabulary.json", swap)
    assert complaint(folder).startswith(str(folder))


class Trap:
    """Whoever unpickles it is caught."""

    def __reduce__(self):
        return (pytest.fail, ("something was unpickled",))


@pytest.mark.parametrize("file", ["config.json", "vocabulary.json", "model.safetensors"])
def test_nothing_is_ever_unpickled(folder, file):
    (folder / file).write_bytes(pickle.dumps(Trap()))
    assert complaint(folder).startswith(f"{folder / file}: ")


def change_weights(folder, change):
    """Changes weights and, as somebody would who means it, the digest."""
    path = folder / "model.safetensors"
    weights = load_file(path)
    change(weights)
    save_file(weights, path)
    record_digest(folder)


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_weights_that_are_not_finite_are_refused_by_name(folder, value):
    change_weights(folder, lambda weights: weights["pair_table"][0].fill_(value))
    assert "pair_table holds values that are not finite" in complaint(folder)


def test_weights_of_another_kind_are_refused(folder):
    def convert(weights):
        weights["pair_table"] = weights["pair_table"].to(torch.int8)

    change_weights(folder, convert)
    assert "pair_table is of torch.int8" in complaint(folder)


def test_a_finished_model_has_the_digest_of_its_weights(folder):
    path = folder / "model.safetensors"
    weights = load_file(path)
    weights["pair_table"] *= 1.5
    save_file(weights, path, {})
    assert "not the weights that config.json was written for" in complaint(folder)
    edited(folder / "config.json", lambda content: content.pop("weights_sha256"))
    load_model(folder)


@pytest.mark.parametrize("settings", [3, 1.5, [], None, "likelihood"])
def test_settings_of_the_training_are_a_table(folder, settings):
    edited(folder / "config.json", lambda content: content["training"].update(config=settings))
    assert "training is not a table of settings" in complaint(folder)


def test_a_size_that_no_number_holds_is_refused(folder):
    edited(folder / "config.json", lambda content: content["settings"].update(hidden_pair=10**30))
    assert complaint(folder).startswith(f"{folder}: not a whole model")


@pytest.mark.parametrize("initialisation", ["uniform", "sparse"])
def test_settings_cannot_ask_for_memory_that_the_weights_do_not_have(folder, initialisation):
    """A table of 10^12 units would be terabytes."""
    changes = {"hidden_pair": 10**12, "initialisation": initialisation}
    edited(folder / "config.json", lambda content: content["settings"].update(changes))
    assert "but the model needs" in complaint(folder)


@pytest.mark.parametrize("file", ["config.json", "vocabulary.json"])
def test_nesting_without_end_is_refused(folder, file):
    (folder / file).write_text("[" * 200_000)
    assert complaint(folder).startswith(f"{folder / file}: ")


@pytest.mark.parametrize("file", ["config.json", "vocabulary.json", "model.safetensors"])
def test_a_pipe_is_refused_and_not_waited_for(folder, file):
    (folder / file).unlink()
    os.mkfifo(folder / file)
    assert complaint(folder) == f"{folder / file}: must be a regular file"


@pytest.mark.parametrize("file", ["config.json", "vocabulary.json"])
def test_a_file_of_gigabytes_is_refused_by_its_size(folder, file):
    os.truncate(folder / file, 1 << 40)
    assert "bytes; at most" in complaint(folder)
