"""Model folders: what is written comes back, what is broken is one clear line, nothing is run."""

import json
import pickle
from contextlib import suppress
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from corelax.core.errors import CorelaxError
from corelax.rankers.encoder.folder import load_ranker, new_ranker, save_ranker
from corelax.rankers.encoder.inputs import encoder_input
from corelax.rankers.encoder.model import EncoderModel
from tests.rankers.encoder.encoder_models import (
    SETTINGS,
    STORY,
    a_document,
    tiny_model,
    transformers,
    write_encoder,
)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return write_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="module")
def model(encoder):
    return tiny_model(encoder)._replace(training={"data": "späte Briefe", "f1": 0.5})


@pytest.fixture
def folder(model, tmp_path):
    save_ranker(tmp_path / "model", model)
    return tmp_path / "model"


@torch.no_grad()
def scores(model):
    windows = encoder_input(a_document(STORY), model.tokenizer, model.ranker.settings.window)
    return model.ranker([windows], [0]).antecedent_scores


# There and back.


def test_a_model_in_full_precision_comes_back_exactly(model, folder):
    back = load_ranker(folder)
    assert back.ranker.settings == model.ranker.settings
    assert back.training == model.training
    assert not back.ranker.training
    weights, loaded = model.ranker.state_dict(), back.ranker.state_dict()
    assert weights.keys() == loaded.keys()
    assert all(weights[name].equal(loaded[name]) for name in weights)
    assert scores(back).equal(scores(model))


@pytest.mark.parametrize("precision", ["half", "int8"])
def test_a_smaller_model_is_as_close_as_its_precision(model, tmp_path, precision):
    save_ranker(tmp_path, model, precision=precision)
    loaded = load_ranker(tmp_path).ranker.state_dict()
    for name, weight in model.ranker.state_dict().items():
        assert loaded[name].dtype == torch.float32
        if precision == "int8" and weight.ndim == 2:
            bound = 0.501 * weight.abs().amax(1, keepdim=True) / 127  # half a step
        else:
            bound = weight.abs() * 2**-11 + 2**-25
        assert ((loaded[name] - weight).abs() <= bound).all()


def test_smaller_models_are_smaller(model, tmp_path):
    sizes = {}
    for precision in ("full", "half", "int8"):
        save_ranker(tmp_path / precision, model, precision=precision)
        sizes[precision] = (tmp_path / precision / "model.safetensors").stat().st_size
    assert sizes["int8"] < 0.75 * sizes["half"] < 0.5 * sizes["full"]


def test_a_folder_can_be_written_again(model, folder):
    save_ranker(folder, model, precision="int8")
    assert json.loads((folder / "config.json").read_bytes())["precision"] == "int8"
    load_ranker(folder)


def test_a_new_ranker_reads_as_its_encoder_does(encoder):
    model = new_ranker(encoder, SETTINGS)
    stored = load_file(encoder / "model.safetensors")
    weight = model.ranker.encoder.embeddings.word_embeddings.weight
    assert weight.equal(stored["embeddings.word_embeddings.weight"])
    assert isinstance(model, EncoderModel)
    assert not any("pooler" in name for name in model.ranker.state_dict())


def test_an_unknown_precision_is_an_error(model, tmp_path):
    with pytest.raises(CorelaxError, match="precision must be 'int8' or 'half' or 'full'"):
        save_ranker(tmp_path, model, precision="int4")


# What is broken is in `test_damaged_folders.py`.


def broken(folder):
    with pytest.raises(CorelaxError) as caught:
        load_ranker(folder)
    return str(caught.value)


def change(path, **changes):
    content = json.loads(path.read_bytes())
    path.write_text(json.dumps(content | changes))


# Nothing is run.

CODE = """
from pathlib import Path
Path({marker!r}).touch()
from transformers import BertConfig, BertModel, BertTokenizerFast
class Config(BertConfig):
    model_type = "mine"
class Model(BertModel):
    config_class = Config
class Tokenizer(BertTokenizerFast):
    pass
"""
NAMED = {
    "AutoConfig": "code.Config",
    "AutoModel": "code.Model",
    "AutoTokenizer": [None, "code.Tokenizer"],
}


@pytest.fixture
def marker(folder, tmp_path, monkeypatch):
    """A file that is there as soon as the code in the folder ran; whoever is asked says yes."""
    monkeypatch.setattr("builtins.input", lambda *_: "y")
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path / "modules"))
    marker = tmp_path / "it ran"
    (folder / "encoder" / "code.py").write_text(CODE.format(marker=str(marker)))
    return marker


def test_code_beside_a_known_encoder_is_ignored(model, folder, marker):
    for file in ("config.json", "tokenizer_config.json"):
        change(folder / "encoder" / file, auto_map=NAMED)
    assert scores(load_ranker(folder)).equal(scores(model))
    assert not marker.exists()


@pytest.mark.parametrize("kind", ["mine", None])
def test_an_encoder_that_needs_its_own_code_is_an_error(folder, marker, kind):
    change(folder / "encoder" / "config.json", auto_map=NAMED, model_type=kind)
    broken(folder)
    assert not marker.exists()


def test_a_tokenizer_that_needs_its_own_code_is_not_run(folder, marker):
    change(
        folder / "encoder" / "tokenizer_config.json", auto_map=NAMED, tokenizer_class="Tokenizer"
    )
    with suppress(CorelaxError):  # if another tokenizer takes its place, that is fine as well
        load_ranker(folder)
    assert not marker.exists()


class Touch:
    """Pickled, it touches a file when it is read."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_weights_that_are_pickled_are_an_error_and_not_run(folder, marker):
    (folder / "model.safetensors").write_bytes(pickle.dumps(Touch(marker)))
    assert "not whole" in broken(folder)
    assert not marker.exists()


def test_attention_of_another_place_is_not_fetched(model, folder):
    """The encoder's settings may name a kernel that would be downloaded and run."""
    change(folder / "encoder" / "config.json", attn_implementation="somebody/kernel")
    assert scores(load_ranker(folder)).equal(scores(model))


def test_an_encoder_stored_in_another_precision_is_read_in_full(model, folder):
    change(folder / "encoder" / "config.json", dtype="bfloat16")
    assert scores(load_ranker(folder)).equal(scores(model))


def test_loading_is_silent_and_progress_bars_of_transformers_stay_on(folder, tmp_path, capfd):
    transformers.utils.logging.enable_progress_bar()  # whatever other tests have done
    write_encoder(tmp_path / "pretrained")
    capfd.readouterr()
    tiny_model(tmp_path / "pretrained")
    load_ranker(folder)
    assert capfd.readouterr() == ("", "")
    assert transformers.utils.logging.is_progress_bar_enabled()
