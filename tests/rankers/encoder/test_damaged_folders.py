"""Model folders that are damaged or hostile: refused in one line before anything is resolved with them."""

import json
import os
import shutil
from functools import partial

import pytest
import torch
from safetensors.torch import load_file, save_file

from corelax.core.errors import CorelaxError
from corelax.core.folders import MOST_CONFIG, record_digest
from corelax.rankers.encoder.folder import load_ranker, new_ranker, save_ranker
from corelax.resolve import Resolver
from tests.rankers.encoder.encoder_models import SETTINGS, write_encoder

TEXT = "Ann saw the old man. She said it barked at the cat."
FILES = ["config.json", "model.safetensors", "encoder/config.json", "encoder/tokenizer.json"]
MARKS = ["cls_token", "sep_token", "unk_token"]


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


def refused(folder):
    """The error of a folder: one line that names it."""
    with pytest.raises(CorelaxError) as caught:
        load_ranker(folder)
    message = str(caught.value)
    assert message.startswith(str(folder))
    assert "\n" not in message
    return message


def change_json(folder, file, **changes):
    content = json.loads((folder / file).read_bytes())
    (folder / file).write_text(json.dumps(content | changes))


def change_settings(folder, **changes):
    settings = json.loads((folder / "config.json").read_bytes())["settings"]
    change_json(folder, "config.json", settings=settings | changes)


def change_weights(folder, change):
    """Changes weights and, as somebody would who means it, the digest."""
    path = folder / "model.safetensors"
    weights = load_file(path)
    change(weights)
    save_file(weights, path)
    record_digest(folder)


# Files.


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize(
    "content", [b"", b"[]", b"null", b"\xff\xfe\0", b'{"a": 1}', b"[" * 200_000]
)
def test_a_file_with_something_else_is_refused(folder, file, content):
    (folder / file).write_bytes(content)
    refused(folder)


@pytest.mark.parametrize("file", FILES)
def test_a_pipe_is_refused_and_not_waited_for(folder, file):
    (folder / file).unlink()
    refused(folder)
    os.mkfifo(folder / file)
    assert "must be a regular file" in refused(folder)


def test_a_config_of_gigabytes_is_refused_by_its_size(folder):
    os.truncate(folder / "config.json", 1 << 40)
    assert f"at most {MOST_CONFIG:,}" in refused(folder)


def test_no_folder_and_no_model_are_told(tmp_path):
    assert "no model there" in refused(tmp_path / "nowhere")
    assert "no model there" in refused(tmp_path)


# Settings of the encoder and of the ranker.


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"format": "something 2"}, "something 2"),
        ({"settings": {"window": 40.5}}, "window"),
        ({"settings": {"window": "40"}}, "window"),
        ({"settings": {"wide": 3}}, "wide"),
        ({"settings": []}, "not a whole model"),
    ],
)
def test_settings_that_make_no_sense_are_told(folder, changes, told):
    change_json(folder, "config.json", **changes)
    assert told in refused(folder)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("max_width", 7, "width.weight is [4, 12], but the model needs [7, 12]"),
        ("max_width", 10**9, "but the model needs [1000000000, 12]"),  # would be a terabyte
        ("span_ratio", 1e9, "span_ratio"),
        ("span_ratio", float("nan"), "span_ratio"),
        ("window", 10**12, "window"),
        ("window", 129, "window"),
    ],
)
def test_sizes_that_do_not_fit_the_weights_or_any_text_are_refused(folder, name, value, told):
    change_settings(folder, **{name: value})
    assert told in refused(folder)


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
    change_json(folder, "encoder/config.json", **changes)
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
    change_json(folder, "encoder/config.json", **changes)
    refused(folder)


def test_an_encoder_that_cannot_be_loaded_is_one_clear_line(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(CorelaxError, match="not an encoder that can be loaded") as caught:
        new_ranker(tmp_path, SETTINGS)
    assert "\n" not in str(caught.value)


# Weights.


def fill(name, value, weights):
    weights[name].view(-1)[0] = value


def convert(name, dtype, weights):
    weights[name] = weights[name].to(dtype)


def replace(name, value, weights):
    weights[name] = value


def drop(name, weights):
    del weights[name]


SCALE = "spans.start.weight.scale"
NOT_FINITE = "holds values that are not finite"


@pytest.mark.parametrize(
    ("precision", "change", "told"),
    [
        ("full", partial(fill, "spans.out.weight", torch.nan), f"spans.out.weight {NOT_FINITE}"),
        ("full", partial(fill, "spans.out.weight", -torch.inf), f"spans.out.weight {NOT_FINITE}"),
        ("int8", partial(fill, SCALE, torch.inf), f"spans.start.weight {NOT_FINITE}"),
        ("full", partial(drop, "spans.out.bias"), "spans.out.bias is missing"),
        ("full", partial(convert, "spans.start.weight", torch.int32), "spans.start.weight"),
        ("full", partial(convert, "spans.start.weight", torch.bool), "spans.start.weight"),
        ("int8", partial(drop, SCALE), "spans.start.weight is in bytes, without its scales"),
        ("int8", partial(replace, SCALE, torch.ones(())), f"{SCALE} does not fit"),
        ("int8", partial(replace, SCALE, torch.ones(5)), f"{SCALE} does not fit"),
        ("int8", partial(replace, SCALE, torch.ones(12, 1)), f"{SCALE} does not fit"),
        ("full", partial(replace, SCALE, torch.ones(12)), "has the unsupported type"),
        ("full", partial(replace, "nothing.scale", torch.ones(3)), "nothing.scale"),
    ],
)
def test_weights_that_are_not_whole_are_refused_by_name(models, tmp_path, precision, change, told):
    folder = shutil.copytree(models / precision, tmp_path / "model")
    change_weights(folder, change)
    assert told in refused(folder)


def test_other_weights_of_the_right_shapes_are_refused(folder):
    path = folder / "model.safetensors"
    weights = load_file(path)
    weights["spans.out.weight"] *= 1.5
    save_file(weights, path)
    assert "not the weights that config.json was written for" in refused(folder)
    record_digest(folder)
    load_ranker(folder)


def test_weights_of_a_training_that_goes_on_may_change(models, tmp_path):
    """An epoch replaces the weights and leaves config.json, which then has no digest, as it is."""
    model = load_ranker(models / "full")._replace(training={"finished": False})
    save_ranker(tmp_path, model)
    with torch.no_grad():
        model.ranker.spans.out.weight.mul_(1.5)
    save_file(model.ranker.state_dict(), tmp_path / "model.safetensors")
    load_ranker(tmp_path)


# Tokenizers that do not fit the encoder.


def test_pieces_beyond_the_embeddings_are_refused(folder):
    content = json.loads((folder / "encoder/tokenizer.json").read_bytes())
    content["model"]["vocab"]["ann"] = 5000
    (folder / "encoder/tokenizer.json").write_text(json.dumps(content))
    assert "its tokenizer numbers 'ann' 5000, but the encoder knows" in refused(folder)


def test_an_empty_vocabulary_is_refused(folder):
    model = json.loads((folder / "encoder/tokenizer.json").read_bytes())["model"]
    model["vocab"] = {}
    change_json(folder, "encoder/tokenizer.json", model=model, added_tokens=[])
    refused(folder)


@pytest.mark.parametrize("mark", MARKS)
def test_marks_that_the_vocabulary_does_not_have_are_refused(folder, mark):
    change_json(folder, "encoder/tokenizer_config.json", **{mark: "<other>"})
    assert "<other>" in refused(folder)


@pytest.mark.parametrize("mark", MARKS)
def test_a_folder_whose_marks_are_null_works_or_is_refused(folder, mark):
    change_json(folder, "encoder/tokenizer_config.json", **{mark: None})
    try:
        model = load_ranker(folder)
    except CorelaxError:
        refused(folder)
    else:
        Resolver(model).resolve(TEXT)
