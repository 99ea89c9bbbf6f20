"""An encoder ranker as a folder: weights of one byte each if wanted, the tokenizer, nothing that is run.

config.json          what is in the folder, settings, how it was trained, calibration of probabilities
model.safetensors    weights; a matrix in bytes has its scales beside it
encoder/             the encoder's own settings and its tokenizer, as Hugging Face writes them
README.md            a card, of a finished model
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.core.folders import (
    CONFIG,
    DIGEST,
    WEIGHTS,
    blaming,
    check_shapes,
    check_training,
    first_line,
    set_weights,
    stored_shapes,
    with_digest,
)
from corelax.core.threads import survive_forks
from corelax.decode.calibration import Calibration
from corelax.rankers.encoder.attention import fuse_attention
from corelax.rankers.encoder.config import (
    CALL,
    ENCODER,
    FORMAT,
    calibrations_of,
    check_files,
    check_layers,
    check_tokenizer,
    check_window,
    read_config,
    settings_of,
    write_content,
)
from corelax.rankers.encoder.model import EncoderModel, try_out
from corelax.rankers.encoder.ranker import EncoderRanker
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.tokenizer import WordPieces
from corelax.rankers.encoder.torch_network import TorchNetwork
from corelax.rankers.encoder.weights import PRECISIONS, StoredWeights, write_packed

NO_LIMITS: Mapping[str, int] = MappingProxyType({})
INSTALL = "transformers is not installed; pip install 'corelax[encoders]'"


def new_ranker(encoder: str | Path, settings: EncoderSettings) -> EncoderModel:
    """A ranker with fresh weights on top of a pretrained encoder.

    Args:
        encoder: A folder, or a name that Hugging Face knows (which needs a network the first time).
        settings: Sizes and limits.
    """
    library = _transformers()
    try:
        # Tokenizers that care about blanks are told that each word comes after one.
        tokenizer = library.AutoTokenizer.from_pretrained(
            encoder, add_prefix_space=True, trust_remote_code=False
        )
        with _without_progress_bars(library):
            model = library.AutoModel.from_pretrained(
                encoder, dtype=torch.float32, trust_remote_code=False
            )
    except Exception as error:  # as in `load_ranker`
        line = first_line(error)
        raise CorelaxError(f"{encoder}: not an encoder that can be loaded ({line})") from None
    try:
        check_tokenizer(tokenizer, model)
    except ValueError as error:
        raise CorelaxError(f"{encoder}: {error}; choose another") from None
    check_window(settings.window, model)
    ranker = _ranker(model, tokenizer, settings)
    return EncoderModel(TorchNetwork(ranker), WordPieces(tokenizer), {})


def save_ranker(folder: str | Path, model: EncoderModel, *, precision: str = "full") -> None:
    """Writes a model folder.

    Args:
        folder: Where to.
        model: What.
        precision: "int8", one byte a weight; "half", two; "full", four.
    """
    check_choice("precision", precision, PRECISIONS)
    folder = Path(folder)
    write_encoder(folder, model)
    write_weights(folder, model, precision=precision)
    write_config(folder, model, precision=precision)


def write_encoder(folder: Path, model: EncoderModel) -> None:
    (folder / ENCODER).mkdir(parents=True, exist_ok=True)
    model.ranker.encoder.config.save_pretrained(folder / ENCODER)
    tokenizer: Any = model.tokenizer.tokenizer
    tokenizer.save_pretrained(folder / ENCODER)


def write_weights(folder: Path, model: EncoderModel, *, precision: str = "full") -> None:
    if any(weight.dtype == torch.bfloat16 for weight in model.ranker.parameters()):
        raise CorelaxError(
            "the weights of a model that resolves on a GPU are rounded; load it with device='cpu' to save it"
        )
    weights = {
        name: weight.detach().float().cpu().contiguous().numpy()
        for name, weight in model.ranker.state_dict().items()
    }
    write_packed(folder / WEIGHTS, weights, precision)


def write_config(folder: Path, model: EncoderModel, *, precision: str = "full") -> None:
    """Writes `config.json` alone, as a whole: what is known of the training has changed, not the weights.

    That of a finished model has the digest of the weights that lie in the folder.
    """
    content = {
        "format": FORMAT,
        "settings": asdict(model.ranker.settings),
        "precision": precision,
        "training": model.training,
    }
    write_content(folder / CONFIG, with_digest(folder, content), model.calibrations)


def calibrate_config(
    source: Path, calibrations: Mapping[str, Calibration], target: Path | None = None
) -> None:
    """Writes the `config.json` of a model folder, perhaps to another, with new calibrations of schemes."""
    write_content((target or source) / CONFIG, read_config(source), calibrations)


def load_ranker(
    folder: str | Path, device: torch.device | str = "cpu", *, limits: Mapping[str, int] = NO_LIMITS
) -> EncoderModel:
    """Reads a model folder. Nothing in it is ever run.

    The folder is checked as a whole before a network is built of it, and the network resolves a line of text
    before it is returned: a folder that loads can be used.

    Args:
        folder: The model folder.
        device: Where it computes.
        limits: Values of `window` and `antecedents` to take instead of the folder's; weights fit any.
    """
    folder = Path(folder)
    content = read_config(folder)
    library = _transformers()
    survive_forks()
    # A folder could name code to be run, in itself or elsewhere: without this the user would be asked.
    safely = {"local_files_only": True, "trust_remote_code": False}
    with blaming(folder):
        settings = settings_of({**content["settings"], **limits})
        calibrations = calibrations_of(content.get("calibration", {}), settings)
        training = check_training(content.get("training", {}))
        check_files(folder / ENCODER)
        config = library.AutoConfig.from_pretrained(folder / ENCODER, **safely, **CALL)
        tokenizer = library.AutoTokenizer.from_pretrained(folder / ENCODER, **safely)
        _check_vocabulary(folder / ENCODER, tokenizer)
        shapes = stored_shapes(folder / WEIGHTS)
        check_layers(config, shapes)

        def build() -> EncoderRanker:
            encoder = library.AutoModel.from_config(
                config, dtype=torch.float32, attn_implementation=None, trust_remote_code=False
            )
            return _ranker(encoder, tokenizer, settings)

        with torch.device("meta"):  # without memory, whatever the settings ask for
            without_memory = build()
        check_tokenizer(tokenizer, without_memory.encoder)
        check_window(settings.window, without_memory.encoder)
        check_shapes(without_memory, shapes, folder / WEIGHTS)
        ranker = build()
        stored = StoredWeights(folder / WEIGHTS, content.get(DIGEST))
        weights = {name: torch.from_numpy(stored(name)) for name in stored.names}
        set_weights(ranker, weights, folder / WEIGHTS)
        network = TorchNetwork(ranker.eval())
        model = EncoderModel(network, WordPieces(tokenizer), training, calibrations)
        try_out(model)
        ranker.to(device)
    return model


def _check_vocabulary(folder: Path, tokenizer: Any) -> None:
    """Without its file a tokenizer may be made all the same, one that knows no word."""
    names = sorted(set(tokenizer.vocab_files_names.values()))
    if not any((folder / name).is_file() for name in names):
        raise FileNotFoundError(f"{ENCODER} has no {' or '.join(names)}")


def _ranker(encoder: Any, tokenizer: Any, settings: EncoderSettings) -> EncoderRanker:
    if getattr(encoder, "pooler", None) is not None:
        encoder.pooler = None  # would be trained for nothing
    fuse_attention(encoder)
    return EncoderRanker(encoder, settings, tokenizer.pad_token_id or 0)


@contextmanager
def _without_progress_bars(library: Any) -> Iterator[None]:
    """Loads weights silently, and leaves the bars of transformers as they were."""
    logging = library.utils.logging
    were_enabled = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if were_enabled:
            logging.enable_progress_bar()


def _transformers() -> Any:
    try:
        import transformers
    except ImportError:
        raise CorelaxError(INSTALL) from None
    return transformers
