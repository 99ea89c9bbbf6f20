"""An encoder ranker as a folder: weights of one byte each if wanted, the tokenizer, nothing that is run.

config.json          what is in the folder, settings, how it was trained, calibration of probabilities
model.safetensors    weights; a matrix in bytes has its scales beside it
encoder/             the encoder's own settings and its tokenizer, as Hugging Face writes them
README.md            a card, of a finished model
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.core.files import write_bytes, write_text
from corelax.core.settings import Migration, migrate
from corelax.core.weights import set_weights
from corelax.document import Document
from corelax.rankers.encoder.attention import fuse_attention
from corelax.rankers.encoder.calibration import UNCALIBRATED, Calibration
from corelax.rankers.encoder.inputs import TextWindow, WordPieces, encoder_input
from corelax.rankers.encoder.ranker import EncoderRanker
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.upgrade import config_from_1, upgraded

CONFIG, WEIGHTS, ENCODER = "config.json", "model.safetensors", "encoder"
FORMAT = "corelax encoder ranker 2"
# From older formats, each to the next. A setting that gets another name gets a new format and an entry here.
MIGRATIONS: Mapping[str, Migration] = {"corelax encoder ranker 1": config_from_1}
PRECISIONS = ("int8", "half", "full")
SCALE = ".scale"
INSTALL = "transformers is not installed; pip install 'corelax[encoders]'"


class EncoderModel(NamedTuple):
    """What a folder holds.

    Attributes:
        ranker: The network, ready to resolve.
        tokenizer: The pieces of words, by the tokenizer of its encoder.
        training: What it was trained on, and its scores.
        calibrations: The calibration of each scheme that has one.
    """

    ranker: EncoderRanker
    tokenizer: WordPieces
    training: Mapping[str, Any]
    calibrations: Mapping[str, Calibration] = MappingProxyType({})

    def windows(self, document: Document) -> tuple[TextWindow, ...]:
        """What the encoder reads of a document."""
        return encoder_input(document, self.tokenizer, self.ranker.settings.window)

    def calibration(self, scheme: int) -> Calibration:
        """The calibration of a scheme, by its number."""
        return self.calibrations.get(self.ranker.settings.schemes[scheme], UNCALIBRATED)


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
        line = _first_line(error)
        raise CorelaxError(f"{encoder}: not an encoder that can be loaded ({line})") from None
    for mark in ("cls_token_id", "sep_token_id", "unk_token_id"):
        if getattr(tokenizer, mark, None) is None:
            raise CorelaxError(
                f"{encoder}: its tokenizer has no {mark.removesuffix('_id')}; choose another"
            )
    longest = _longest(model)
    if longest is not None and settings.window > longest:
        raise CorelaxError(
            f"window must be at most {longest} for this encoder, not {settings.window}"
        )
    return EncoderModel(_ranker(model, tokenizer, settings), WordPieces(tokenizer), {})


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
    """Writes the encoder's own settings and its tokenizer, which training does not change."""
    (folder / ENCODER).mkdir(parents=True, exist_ok=True)
    model.ranker.encoder.config.save_pretrained(folder / ENCODER)
    tokenizer: Any = model.tokenizer.tokenizer
    tokenizer.save_pretrained(folder / ENCODER)


def write_weights(folder: Path, model: EncoderModel, *, precision: str = "full") -> None:
    """Writes `model.safetensors` alone, as a whole."""
    write_bytes(folder / WEIGHTS, save(packed(model.ranker.state_dict(), precision)))


def write_config(folder: Path, model: EncoderModel, *, precision: str = "full") -> None:
    """Writes `config.json` alone, as a whole: what is known of the training has changed, not the weights."""
    content = {
        "format": FORMAT,
        "settings": asdict(model.ranker.settings),
        "precision": precision,
        "training": model.training,
    }
    _write_content(folder / CONFIG, content, model.calibrations)


def calibrate_config(
    source: Path, calibrations: Mapping[str, Calibration], target: Path | None = None
) -> None:
    """Writes the `config.json` of a model folder with other calibrations; the weights stay as they are.

    Args:
        source: The model folder.
        calibrations: The calibration of each scheme.
        target: The folder to write to, if it is another one.
    """
    _write_content((target or source) / CONFIG, read_config(source), calibrations)


def _write_content(
    path: Path, content: Mapping[str, Any], calibrations: Mapping[str, Calibration]
) -> None:
    plain = {name: calibration.as_dict() for name, calibration in calibrations.items()}
    content = {**content, "calibration": plain} if plain else content
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def load_ranker(folder: str | Path, device: torch.device | str = "cpu") -> EncoderModel:
    """Reads a model folder. Nothing in it is ever run."""
    folder = Path(folder)
    content = read_config(folder)
    library = _transformers()
    # A folder could name code to be run, in itself or elsewhere: without this the user would be asked.
    safely = {"local_files_only": True, "trust_remote_code": False}
    try:
        settings = settings_of(content["settings"])
        calibrations = _calibrations(content.get("calibration", {}), settings)
        config = library.AutoConfig.from_pretrained(folder / ENCODER, **safely)
        tokenizer = library.AutoTokenizer.from_pretrained(folder / ENCODER, **safely)
        _check_vocabulary(folder / ENCODER, tokenizer)
        encoder = library.AutoModel.from_config(
            config, dtype=torch.float32, attn_implementation=None, trust_remote_code=False
        )
        ranker = _ranker(encoder, tokenizer, settings)
    except Exception as error:  # the libraries that read the files raise any kind, also plain ones
        raise CorelaxError(
            f"{folder}: not a whole model ({_first_line(error)}); copy or train it again"
        ) from None
    set_weights(ranker, upgraded(read_weights(folder / WEIGHTS)), folder / WEIGHTS)
    training = content.get("training", {})
    return EncoderModel(ranker.to(device).eval(), WordPieces(tokenizer), training, calibrations)


def read_config(folder: Path) -> dict[str, Any]:
    """The contents of `config.json`, if the folder is one of an encoder ranker.

    >>> read_config(Path("nowhere"))
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: nowhere: no model there; a model is a folder with config.json
    """
    try:
        content = json.loads((folder / CONFIG).read_bytes())
        return migrate(content, FORMAT, MIGRATIONS)
    except FileNotFoundError:
        raise CorelaxError(f"{folder}: no model there; a model is a folder with {CONFIG}") from None
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise CorelaxError(f"{folder / CONFIG}: not the settings of a model ({error})") from None


def packed(weights: Mapping[str, Tensor], precision: str) -> dict[str, Tensor]:
    """Weights as they are stored.

    In bytes, each row of a matrix has a scale s, its largest weight / 127, and a weight is s times a whole
    number; what is no matrix is stored in two bytes.

    >>> small = packed({"w": torch.tensor([[1.27, -0.01], [0.0, 0.5]])}, "int8")
    >>> small["w"].tolist(), [round(s, 3) for s in small["w.scale"].tolist()]
    ([[127, -1], [0, 127]], [0.01, 0.004])
    """
    result: dict[str, Tensor] = {}
    for name, tensor in weights.items():
        weight = tensor.detach().float().cpu().contiguous()
        if precision == "int8" and weight.ndim == 2:
            scale = weight.abs().amax(1).clamp(min=1e-12) / 127
            result[name] = (weight / scale[:, None]).round().to(torch.int8)
            result[name + SCALE] = scale
        else:
            result[name] = weight if precision == "full" else weight.half()
    return result


def unpacked(stored: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights as the network takes them.

    >>> weights = {"w": torch.randn(4, 8), "b": torch.randn(4)}
    >>> back = unpacked(packed(weights, "int8"))
    >>> bool((back["w"] - weights["w"]).abs().max() < weights["w"].abs().max() / 250)
    True
    """
    weights = {name: tensor.float() for name, tensor in stored.items() if not name.endswith(SCALE)}
    for name, scale in stored.items():
        if name.endswith(SCALE):
            weights[name.removesuffix(SCALE)] *= scale[:, None]
    return weights


def read_weights(path: Path) -> dict[str, Tensor]:
    """The weights in a file, as the network takes them.

    >>> read_weights(Path("nowhere"))
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: nowhere: no such file; a model folder has it
    """
    try:
        return unpacked(load(path.read_bytes()))
    except FileNotFoundError:
        raise CorelaxError(f"{path}: no such file; a model folder has it") from None
    except (SafetensorError, OSError, KeyError, IndexError, RuntimeError) as error:
        raise CorelaxError(f"{path}: not whole ({error}); copy or train it again") from None


def settings_of(given: Mapping[str, Any]) -> EncoderSettings:
    """Settings from JSON, where tuples are lists."""
    options: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
    }
    return EncoderSettings(**options)


def _calibrations(
    given: Mapping[str, Mapping[str, Any]], settings: EncoderSettings
) -> dict[str, Calibration]:
    """Calibrations from JSON; folders of before have none."""
    return {
        check_choice("calibration", scheme, settings.schemes): Calibration.from_dict(content)
        for scheme, content in given.items()
    }


def _check_vocabulary(folder: Path, tokenizer: Any) -> None:
    """Without its file a tokenizer may be made all the same, one that knows no word."""
    names = sorted(set(tokenizer.vocab_files_names.values()))
    if not any((folder / name).is_file() for name in names):
        raise FileNotFoundError(f"{ENCODER} has no {' or '.join(names)}")


def _first_line(error: Exception) -> str:
    """What an error says, or at least its kind."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return f"{lines[0]} is missing" if isinstance(error, KeyError) else lines[0]


def _longest(encoder: Any) -> int | None:
    """How many pieces an encoder can read, if it numbers them; some begin after the number of the padding."""
    positions = getattr(getattr(encoder, "embeddings", None), "position_embeddings", None)
    if not isinstance(positions, torch.nn.Embedding):
        return None
    return positions.num_embeddings - (
        0 if positions.padding_idx is None else positions.padding_idx + 1
    )


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
