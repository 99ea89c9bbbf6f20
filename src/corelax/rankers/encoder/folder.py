"""An encoder ranker as a folder: weights of one byte each if wanted, the tokenizer, nothing that is run.

config.json          what is in the folder, settings, how it was trained, calibration of probabilities
model.safetensors    weights; a matrix in bytes has its scales beside it
encoder/             the encoder's own settings and its tokenizer, as Hugging Face writes them
README.md            a card, of a finished model
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import torch
from torch import Tensor

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
from corelax.decode.scored import Scored
from corelax.document import Document
from corelax.rankers.encoder.attention import fuse_attention
from corelax.rankers.encoder.batches import Scoring, score_documents
from corelax.rankers.encoder.folder_checks import (
    CALL,
    check_files,
    check_layers,
    check_tokenizer,
    check_window,
)
from corelax.rankers.encoder.folder_config import (
    ENCODER,
    FORMAT,
    calibrations_of,
    read_config,
    settings_of,
    write_content,
)
from corelax.rankers.encoder.inputs import TextWindow, WordPieces
from corelax.rankers.encoder.items import LEAST_LOGIT, Item
from corelax.rankers.encoder.memory import PIECES, memory_bound
from corelax.rankers.encoder.model import try_out
from corelax.rankers.encoder.packing import PRECISIONS, read_weights, write_packed
from corelax.rankers.encoder.ranker import EncoderRanker
from corelax.rankers.encoder.reader import Reader
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.upgrade import (
    SHAPE,
    SPEAKER,
    WHO,
    shape_table,
    upgraded_shapes,
    who_table,
)

NO_LIMITS: Mapping[str, int] = MappingProxyType({})
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

    @property
    def settings(self) -> EncoderSettings:
        """Sizes and limits of the ranker."""
        return self.ranker.settings

    @property
    def runtime(self) -> str:
        """What computes, and where."""
        return f"torch on {self.ranker.device}"

    def score(self, items: Sequence[Item], *, least: float = LEAST_LOGIT) -> list[Scored]:
        """Spans and antecedents of documents, see `score_documents`."""
        return [
            scored._replace(calibration=self.calibration(item.scheme))
            for item, scored in zip(
                items, score_documents(self.ranker, items, least=least), strict=True
            )
        ]

    def begin(self, items: Sequence[Item]) -> Scoring | None:
        """The same in steps, if a GPU computes."""
        return Scoring(self.ranker, items) if self.ranker.device.type == "cuda" else None

    def memory_bound(self, words: int) -> int:
        """The most bytes that a text of so many words takes, without the weights."""
        config = self.ranker.encoder.config
        return memory_bound(
            self.settings,
            size=int(config.hidden_size),
            heads=int(config.num_attention_heads),
            pieces=PIECES[self.ranker.device.type],
            words=words,
        )

    @property
    def reader(self) -> Reader:
        """All of it but the network."""
        return Reader(self.settings, self.tokenizer, dict(self.calibrations))

    def windows(self, document: Document) -> tuple[TextWindow, ...]:
        """What the encoder reads of a document."""
        return self.reader.windows(document)

    def calibration(self, scheme: int) -> Calibration:
        """The calibration of a scheme, by its number."""
        return self.reader.calibration(scheme)


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
    if any(weight.dtype == torch.bfloat16 for weight in model.ranker.parameters()):
        raise CorelaxError(
            "the weights of a model that resolves on a GPU are rounded; load it with device='cpu' to save it"
        )
    write_packed(folder / WEIGHTS, model.ranker.state_dict(), precision)


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
    """Writes the `config.json` of a model folder with other calibrations; the weights stay as they are.

    Args:
        source: The model folder.
        calibrations: The calibration of each scheme.
        target: The folder to write to, if it is another one.
    """
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
        shapes = upgraded_shapes(stored_shapes(folder / WEIGHTS))
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
        weights = _upgraded(read_weights(folder / WEIGHTS, content.get(DIGEST)))
        set_weights(ranker, weights, folder / WEIGHTS)
        model = EncoderModel(ranker.eval(), WordPieces(tokenizer), training, calibrations)
        try_out(model)
        ranker.to(device)
    return model


def _upgraded(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights of an older format as those of today, others as they are."""
    weights = dict(weights)
    if SPEAKER in weights:
        size = weights["spans.start.weight"].shape[1]
        weights[WHO] = torch.from_numpy(who_table(weights.pop(SPEAKER).numpy()))
        weights[SHAPE] = torch.from_numpy(shape_table(size))
    return weights


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
