"""Damaged model folders of both rankers: refused in one line, or they resolve."""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from corelax import CorelaxError, Document
from corelax.core.folders import WEIGHTS, record_digest
from corelax.rankers.encoder.folder import new_ranker, save_ranker
from corelax.rankers.sparse.folder import (
    fresh_ranker,
    write_config,
    write_vocabulary,
    write_weights,
)
from corelax.rankers.sparse.settings import SparseSettings
from corelax.resolve import resolve_documents
from tests.fuzz.mutate import ODD_VALUES, damaged
from tests.fuzz.target import Target
from tests.fuzz.targets.readers import check_message
from tests.rankers.encoder.encoder_models import SETTINGS, STORY, a_document, write_encoder
from tests.train.sparse.training_runs import documents, make_data

KINDS = ["missing", "folder", "pipe", "link", "huge", "device"]
VALUES = [*ODD_VALUES[:-1], "mine", 1, 2, 7, 1e9, 10**9, 10**15, -1e9, False, ["x"], {"a": 1}]
DTYPES = ["float16", "bfloat16", "float64", "int8", "int64", "uint8", "bool"]
NUMBERS = ["nan", "inf", "-inf", "1e38", "0", "-1"]


@cache
def _whole(ranker: str) -> Path:
    """A folder that is whole."""
    torch.manual_seed(0)
    place = Path(tempfile.mkdtemp(prefix=f"corelax-fuzz-{ranker}-"))
    folder = place / "model"
    if ranker == "encoder":
        model = new_ranker(write_encoder(place / "pretrained"), SETTINGS)
        save_ranker(folder, model, precision="int8")
        return folder
    folder.mkdir()
    vocabulary = make_data(documents(2), documents(1)).train.vocabulary
    settings = SparseSettings(hidden_mention=8, hidden_pair=12)
    config = {"stage": "baseline", "objective": "ranking"}
    training = {"config": config, "data": {}, "start": {}, "finished": True}
    write_vocabulary(folder, vocabulary)
    write_weights(folder, fresh_ranker(vocabulary, settings), vocabulary)
    write_config(folder, settings, training)
    return folder


@cache
def _documents(ranker: str) -> list[Document]:
    return documents(1, mentions=10) if ranker == "sparse" else [a_document(STORY)]


def make(rng: random.Random, *, ranker: str) -> bytes:
    """One to three changes of files, values or weights, as JSON; the digest is mostly made right again."""
    folder = _whole(ranker)
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    changes = [_change(rng, folder, files) for _ in range(rng.randint(1, 3))]
    return json.dumps({"changes": changes, "digest": rng.random() < 0.8}).encode()


def _change(rng: random.Random, folder: Path, files: list[str]) -> list[Any]:
    draw = rng.random()
    file = rng.choice(files)
    if draw < 0.35:
        return _weight_change(rng, folder)
    if draw < 0.45:
        return ["kind", file, rng.choice(KINDS)]
    is_json = file.endswith(".json")
    if draw < 0.55 or not is_json:
        return ["content", file, damaged(rng, [(folder / file).read_bytes()]).decode("latin-1")]
    keys = _place(rng, json.loads((folder / file).read_bytes()))
    return ["value", file, keys, rng.choice(VALUES)]


def _weight_change(rng: random.Random, folder: Path) -> list[Any]:
    name = rng.choice(sorted(load_file(folder / WEIGHTS)))
    how = rng.choice(["fill", "drop", "type", "rename", "cut"])
    value = rng.choice(NUMBERS if how == "fill" else DTYPES)
    return ["weight", name, how, value]


def _place(rng: random.Random, content: Any) -> list[str | int]:
    """The keys that lead to a value somewhere in JSON."""
    keys: list[str | int] = []
    while isinstance(content, dict | list) and content and (not keys or rng.random() < 0.8):
        key = rng.choice(list(content) if isinstance(content, dict) else range(len(content)))
        keys.append(key)
        content = content[key]
    return keys


def check(case: bytes, folder: Path, *, ranker: str) -> None:
    """A folder that loads resolves a text, with probabilities that are numbers."""
    fields = json.loads(case)
    model = shutil.copytree(_whole(ranker), folder / "model")
    changes = fields.get("changes", [])
    for kind, name, *change in changes:
        if kind == "weight":
            _change_weight(model / WEIGHTS, name, *change)
        elif kind == "content":
            (model / name).write_bytes(change[0].encode("latin-1"))
        elif kind == "value":
            _change_value(model / name, *change)
    if fields.get("digest"):
        with suppress(CorelaxError, ValueError, AttributeError):  # nothing that could have one
            record_digest(model)
    for file, what in {
        name: change[0] for kind, name, *change in changes if kind == "kind"
    }.items():
        _change_kind(model / file, what)
    try:
        resolutions = list(resolve_documents(model, _documents(ranker), device="cpu"))
    except CorelaxError as error:
        check_message(error, str(model))
        return
    for resolution in resolutions:
        for mention in resolution.mentions:
            assert math.isfinite(mention.probability + mention.entity_probability)


def _change_kind(path: Path, kind: str) -> None:
    if kind == "huge":
        os.truncate(path, 1 << 40)
        return
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind in ("link", "device"):
        path.symlink_to("/dev/zero" if kind == "device" else "nowhere")


def _change_value(path: Path, keys: list[str | int], value: Any) -> None:
    try:
        content = json.loads(path.read_bytes())
        holder = content
        for key in keys[:-1]:
            holder = holder[key]
        holder[keys[-1]] = value
        path.write_text(json.dumps(content))
    except (ValueError, LookupError, TypeError, RecursionError):
        pass  # another change was here before


def _change_weight(path: Path, name: str, how: str, value: str) -> None:
    try:
        weights = load_file(path)
        tensor = weights.pop(name)
    except (SafetensorError, KeyError, OSError):
        return  # another change was here before
    if how == "fill":
        is_number = tensor.is_floating_point() or math.isfinite(float(value))
        largest = 127.0 if tensor.dtype == torch.int8 else math.inf
        filled = min(float(value), largest) if is_number else 1
        weights[name] = torch.full(tensor.shape, filled).to(tensor.dtype)
    elif how == "type":
        weights[name] = tensor.to(getattr(torch, value))
    elif how == "rename":
        weights[f"{name}.scale"] = tensor
    elif how == "cut" and tensor.ndim:
        weights[name] = tensor[:-1].clone()
    save_file(weights, path)


def smaller(case: bytes) -> Iterator[bytes]:
    """Without one of the changes."""
    fields = json.loads(case)
    changes = fields["changes"]
    for at in range(len(changes) if len(changes) > 1 else 0):
        yield json.dumps(fields | {"changes": changes[:at] + changes[at + 1 :]}).encode()


TARGETS = [
    Target(
        name=f"folder-{ranker}",
        suffix=".json",
        make=partial(make, ranker=ranker),
        check=partial(check, ranker=ranker),
        smaller=smaller,
    )
    for ranker in ("encoder", "sparse")
]
