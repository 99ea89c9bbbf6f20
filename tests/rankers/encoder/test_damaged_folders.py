"""Model folders that are damaged or hostile: refused in one line before anything is resolved with them."""

import json
import os
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from corelax.core.errors import CorelaxError
from corelax.core.folders import MOST_CONFIG, record_digest
from corelax.rankers.encoder.folder import load_ranker, new_ranker, save_ranker
from corelax.resolve import Resolver
from tests.rankers.encoder.encoder_models import SETTINGS, write_encoder

TEXT = "Ann saw the old man. She said it barked at the cat."


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A model in full precision and one in bytes."""
    place = tmp_path_factory.mktemp("models")
    torch.manual_seed(0)
    model = new_ranker(write_encoder(place / "encoder"), SETTINGS)
    for precision in ("full", "int8"):
        save_ranker(place / precision, model, precision=precision)
    return place


@pytest.fixture
def folder(models, tmp_path):
    return shutil.copytree(models / "full", tmp_path / "model")


@pytest.fixture
def in_bytes(models, tmp_path):
    return shutil.copytree(models / "int8", tmp_path / "model")


def refused(folder):
    """The error of a folder: one line that names it."""
    with pytest.raises(CorelaxError) as caught:
        load_ranker(folder)
    message = str(caught.value)
    assert message.startswith(str(folder))
    assert "\n" not in message
    return message


def change_json(path, **changes):
    path.write_text(json.dumps(json.loads(path.read_bytes()) | changes))


def change_settings(folder, **changes):
    config = json.loads((folder / "config.json").read_bytes())
    change_json(folder / "config.json", settings=config["settings"] | changes)


def change_weights(folder, change):
    """Changes weights and, as somebody would who means it, the digest."""
    path = folder / "model.safetensors"
    weights = load_file(path)
    change(weights)
    save_file(weights, path)
    record_digest(folder)


# Weights.


@pytest.mark.parametrize("value", [torch.nan, torch.inf, -torch.inf])
def test_weights_that_are_not_finite_are_refused_by_name(folder, value):
    change_weights(folder, lambda weights: weights["spans.out.weight"][0].fill_(value))
    assert "spans.out.weight holds values that are not finite" in refused(folder)


def test_a_matrix_in_bytes_needs_its_scales(in_bytes):
    change_weights(in_bytes, lambda weights: weights.pop("spans.start.weight.scale"))
    assert "spans.start.weight is in bytes, without its scales" in refused(in_bytes)


@pytest.mark.parametrize("shape", [(), (1,), (5,), (12, 1)])
def test_there_is_one_scale_for_each_row(in_bytes, shape):
    changed = {"spans.start.weight.scale": torch.ones(shape)}
    change_weights(in_bytes, lambda weights: weights.update(changed))
    assert "spans.start.weight.scale does not fit" in refused(in_bytes)


@pytest.mark.parametrize("dtype", [torch.int32, torch.uint8, torch.bool])
def test_weights_of_another_kind_are_refused(folder, dtype):
    def convert(weights):
        weights["spans.start.weight"] = weights["spans.start.weight"].to(dtype)

    change_weights(folder, convert)
    assert "spans.start.weight" in refused(folder)


def test_settings_cannot_ask_for_memory_that_the_weights_do_not_have(folder):
    """A table of 10^9 widths would be a terabyte."""
    change_settings(folder, max_width=10**9)
    assert "width.weight is [4, 12], but the model needs [1000000000, 12]" in refused(folder)


# The digest.


def test_other_weights_of_the_right_shapes_are_refused(folder):
    path = folder / "model.safetensors"
    weights = load_file(path)
    weights["spans.out.weight"] *= 1.5
    save_file(weights, path)
    assert "not the weights that config.json was written for" in refused(folder)
    record_digest(folder)
    load_ranker(folder)


def test_a_folder_without_digest_still_loads(folder):
    config = json.loads((folder / "config.json").read_bytes())
    del config["weights_sha256"]
    (folder / "config.json").write_text(json.dumps(config))
    load_ranker(folder)


def test_weights_of_a_training_that_goes_on_may_change(models, tmp_path):
    """An epoch replaces the weights and leaves config.json as it is."""
    model = load_ranker(models / "full")._replace(training={"finished": False})
    save_ranker(tmp_path, model)
    with torch.no_grad():
        model.ranker.spans.out.weight.mul_(1.5)
    save_file(model.ranker.state_dict(), tmp_path / "model.safetensors")
    load_ranker(tmp_path)


# Tokenizers that do not fit the encoder.


def tokenizer(folder):
    return folder / "encoder" / "tokenizer.json"


def test_pieces_beyond_the_embeddings_are_refused(folder):
    content = json.loads(tokenizer(folder).read_bytes())
    content["model"]["vocab"]["ann"] = 5000
    tokenizer(folder).write_text(json.dumps(content))
    assert "its tokenizer numbers 'ann' 5000, but the encoder knows" in refused(folder)


@pytest.mark.parametrize("mark", ["cls_token", "sep_token", "unk_token"])
def test_marks_that_the_vocabulary_does_not_have_are_refused(folder, mark):
    change_json(folder / "encoder" / "tokenizer_config.json", **{mark: "<other>"})
    assert "<other>" in refused(folder)


@pytest.mark.parametrize("mark", ["cls_token", "sep_token", "unk_token"])
def test_a_folder_whose_marks_are_null_works_or_is_refused(folder, mark):
    change_json(folder / "encoder" / "tokenizer_config.json", **{mark: None})
    works_or_is_refused(folder)


def works_or_is_refused(folder):
    try:
        model = load_ranker(folder)
    except CorelaxError:
        refused(folder)
    else:
        Resolver(model).resolve(TEXT)


# Settings of the encoder and of the ranker.


@pytest.mark.parametrize(
    "changes",
    [
        {"return_dict": False},
        {"chunk_size_feed_forward": 3},
        {"output_hidden_states": True, "output_attentions": True},
        {"is_decoder": True},
    ],
)
def test_settings_that_only_say_how_to_call_the_encoder_change_nothing(models, folder, changes):
    change_json(folder / "encoder" / "config.json", **changes)
    wanted, given = (Resolver.from_pretrained(place) for place in (models / "full", folder))
    assert str(given.resolve(TEXT)) == str(wanted.resolve(TEXT))


@pytest.mark.parametrize(
    "changes",
    [
        {"num_hidden_layers": 10**9},
        {"hidden_size": 10**9},
        {"vocab_size": 10**9},
        {"max_position_embeddings": 10},
        {"num_attention_heads": 0},
        {"hidden_act": "__import__('os')"},
        {"layer_norm_eps": -1e9},
    ],
)
def test_an_encoder_that_does_not_fit_its_weights_is_refused(folder, changes):
    change_json(folder / "encoder" / "config.json", **changes)
    refused(folder)


@pytest.mark.parametrize(
    "changes",
    [{"span_ratio": 1e9}, {"window": 10**12}, {"window": 129}, {"span_ratio": float("nan")}],
)
def test_sizes_that_no_text_needs_are_refused(folder, changes):
    change_settings(folder, **changes)
    assert next(iter(changes)) in refused(folder)


# Files.


@pytest.mark.parametrize("file", ["config.json", "encoder/config.json", "encoder/tokenizer.json"])
@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_nesting_without_end_is_refused(folder, file, opening):
    (folder / file).write_text(opening * 200_000)
    refused(folder)


@pytest.mark.parametrize(
    "file",
    ["config.json", "model.safetensors", "encoder/config.json", "encoder/tokenizer.json"],
)
def test_a_pipe_is_refused_and_not_waited_for(folder, file):
    (folder / file).unlink()
    os.mkfifo(folder / file)
    assert "must be a regular file" in refused(folder)


def test_a_config_of_gigabytes_is_refused_by_its_size(folder):
    os.truncate(folder / "config.json", 1 << 40)
    assert f"at most {MOST_CONFIG:,}" in refused(folder)
