"""Which library runs a model: onnxruntime on a CPU where it can, torch otherwise."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

from corelax.core.checks import check_choice, check_number
from corelax.core.device import available_threads, check_device, may_have_gpu
from corelax.core.errors import CorelaxError
from corelax.core.lazy import require
from corelax.core.threads import spin_briefly
from corelax.rankers.encoder.config import read_config
from corelax.rankers.encoder.light import has_graphs, load_light
from corelax.rankers.encoder.model import EncoderModel
from corelax.resolve.hub import fetched
from corelax.resolve.models import model_folder

RUNTIMES = ("auto", "onnx", "int8", "torch")
LIGHT = ("onnx", "int8")
MOST_THREADS = 512


def load_model(
    folder: Path, *, device: str = "auto", runtime: str = "auto", threads: int | None = None
) -> EncoderModel:
    """A trained encoder ranker, ready to score documents; `load_ranker` loads one to be trained or saved.

    Args:
        folder: A model folder.
        device: "auto", "cpu", "cuda", "cuda:1" and so on, or "mps". "auto" is a GPU if torch is installed and
            has one.
        runtime: "onnx", "torch", or "auto": onnxruntime on a CPU if it is installed and the folder has
            graphs. "int8" multiplies bytes, by corelax-kernels if that is installed and the processor can run
            it, else by onnxruntime: faster, and not always the same entities.
        threads: How many threads compute on a CPU; None is as many as there are cores.
    """
    check_device(device)
    check_choice("runtime", runtime, RUNTIMES)
    if threads is not None:
        check_number("threads", threads, at_least=1, integer=True)
        if threads > MOST_THREADS:
            raise CorelaxError(f"threads must be at most {MOST_THREADS}, not {threads}")
    if runtime in LIGHT and device not in ("auto", "cpu"):
        raise CorelaxError(
            f"device {device}: onnxruntime computes on the CPU; leave out one of both"
        )
    if runtime in LIGHT or (runtime == "auto" and not _torch_has_gpu(device)):
        int8 = runtime == "int8"
        why_not = _why_not_light(folder, int8)
        if why_not is None:
            return load_light(folder, threads=threads or available_threads(), int8=int8)
        if runtime in LIGHT or find_spec("torch") is None:
            raise CorelaxError(why_not)
    return _load_torch(folder, device, threads)


def check_model(model: str | None) -> None:
    """That there is such a model, without loading it.

    >>> check_model("small")
    >>> check_model("./runs/lea")
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: runs/lea: no model there; a model is a folder with config.json
    """
    read_config(model_folder(fetched(model)))


def _torch_has_gpu(device: str) -> bool:
    if device != "auto":
        return device != "cpu"
    if not may_have_gpu() or find_spec("torch") is None:
        return False
    from corelax.core.device import choose_device

    return choose_device("auto") != "cpu"


def _why_not_light(folder: Path, int8: bool) -> str | None:
    """What keeps onnxruntime from running a model; None if nothing does."""
    if find_spec("onnxruntime") is None or find_spec("tokenizers") is None:
        return "onnxruntime is not installed; pip install 'corelax[resolve]'"
    if not has_graphs(folder):
        return f"{folder}: has no graphs for onnxruntime; corelax export {folder} makes them"
    if int8 and not has_graphs(folder, int8=True):
        return (
            f"{folder}: has no graph for bytes; corelax export {folder} makes one if its weights are stored "
            "in bytes"
        )
    return None


def _load_torch(folder: Path, device: str, threads: int | None) -> EncoderModel:
    require("encoders", "torch", "transformers")
    if "torch" not in sys.modules:
        spin_briefly()
    import torch

    from corelax.core.device import choose_device
    from corelax.rankers.encoder.folder import load_ranker
    from corelax.rankers.encoder.torch_network import store_as_computed

    if threads is not None:
        torch.set_num_threads(threads)
    model = load_ranker(folder, choose_device(device))
    if model.ranker.device.type == "cuda":
        store_as_computed(model.ranker)
    return model
