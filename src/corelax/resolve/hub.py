"""Models on the Hugging Face hub: `user/model` in, a folder on this machine out, and back.

Only files of known names travel: weights as safetensors, settings and words as JSON and text. Nothing that
could be run is downloaded. Without a network what was downloaded before is used; if there is nothing, that is
an error at once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.core.folders import CONFIG, WEIGHTS, first_line
from corelax.rankers.encoder.onnx_network import GRAPHS, WORDS_INT8

INSTALL = "pip install 'corelax[hub]'"
SECONDS = 10.0  # to wait for an answer
# A name, and perhaps a branch, tag or commit: user/model@v2.
_NAME = re.compile(r"(?P<repo>\w[\w.-]*/[\w.-]+)(?:@(?P<revision>[\w./-]+))?")
_ENCODER = "config tokenizer tokenizer_config special_tokens_map added_tokens vocab".split()
SAFE = (
    CONFIG,
    WEIGHTS,
    *GRAPHS,
    WORDS_INT8,
    "vocabulary.json",
    "README.md",
    "LICENSE",
    *(f"encoder/{name}.json" for name in _ENCODER),
    "encoder/vocab.txt",
    "encoder/merges.txt",
)


def fetched(name_or_folder: str | Path | None) -> str | Path | None:
    """The folder of a model of the hub; anything else is returned as it is.

    A name such as "user/model" is one of the hub if there is no folder "user" here.

    Args:
        name_or_folder: What the user calls the model.

    >>> fetched("small"), fetched("./runs/lea"), fetched(None)
    ('small', './runs/lea', None)
    """
    if not isinstance(name_or_folder, str):
        return name_or_folder
    match = _NAME.fullmatch(name_or_folder)
    if match is None or Path(name_or_folder).parts[0] in {".", ".."}:
        return name_or_folder
    if Path(name_or_folder).parent.exists():
        return name_or_folder
    return _downloaded(name_or_folder, match["repo"], match["revision"])


def push_folder(
    folder: str | Path, name: str, *, private: bool = False, message: str = "Upload model"
) -> str:
    """Uploads a model folder to the hub; returns its address there.

    Args:
        folder: The folder; files that are not of a model stay here.
        name: Such as "user/model". It is created if it is not there.
        private: Whether only you see it, if it is new.
        message: Of the commit.
    """
    hub = _library()
    folder = Path(folder)
    if not (folder / CONFIG).is_file():
        raise CorelaxError(f"{folder}: no model there; a model is a folder with {CONFIG}")
    if _NAME.fullmatch(name) is None or "@" in name:
        raise CorelaxError(f"{name!r} is not a name on the hub; needed is user/model")
    api = hub.HfApi(endpoint=_endpoint())
    with _one_line(name):
        address = api.create_repo(name, private=private, exist_ok=True)
        api.upload_folder(
            repo_id=name, folder_path=folder, allow_patterns=list(SAFE), commit_message=message
        )
    return str(address)


def _downloaded(shown: str, repo: str, revision: str | None) -> Path:
    try:
        hub = _library()
    except CorelaxError as error:
        raise CorelaxError(f"{shown}: no model there; {error}") from None
    options: dict[str, Any] = {
        "allow_patterns": list(SAFE),
        "endpoint": _endpoint(),
        "revision": revision,
    }
    try:
        info = hub.HfApi(endpoint=_endpoint()).model_info(repo, revision=revision, timeout=SECONDS)
    except hub.errors.HfHubHTTPError as error:
        raise CorelaxError(f"{shown}: {_reason(hub, error)}") from None
    except Exception as error:  # no network, in whatever kind the library has for it
        try:
            return Path(hub.snapshot_download(repo, local_files_only=True, **options))
        except Exception:
            raise CorelaxError(
                f"{shown}: no model there; a model is a folder with {CONFIG}, or a name on the Hugging Face "
                f"hub, which cannot be reached ({first_line(error)})"
            ) from None
    names = {file.rfilename for file in info.siblings or ()}
    if missing := {CONFIG, WEIGHTS} - names:
        raise CorelaxError(f"{shown}: not a corelax model; it has no {sorted(missing)[0]}")
    with _one_line(shown):
        return Path(hub.snapshot_download(repo, **options))


@contextmanager
def _one_line(name: str) -> Iterator[None]:
    """Errors of the hub and of the network as one line that names the model."""
    try:
        yield
    except Exception as error:
        raise CorelaxError(f"{name}: {_reason(_library(), error)}") from None


def _reason(hub: Any, error: Exception) -> str:
    if isinstance(error, hub.errors.RevisionNotFoundError):
        return "the hub has the model, but not this version"
    status = getattr(getattr(error, "response", None), "status_code", None)
    if isinstance(error, hub.errors.GatedRepoError) or status in {401, 403}:
        return "the hub has no such model, or wants to know who you are (hf auth login)"
    if isinstance(error, hub.errors.RepositoryNotFoundError) or status == 404:
        return "neither a folder nor a model on the hub"
    return f"the hub says: {first_line(error)}"


def _endpoint() -> str | None:
    return os.environ.get("HF_ENDPOINT") or None


def _library() -> Any:
    try:
        import huggingface_hub
        import huggingface_hub.errors
    except ImportError:
        raise CorelaxError(f"models of the Hugging Face hub need {INSTALL}") from None
    return huggingface_hub
