"""Processes that are forked from one that has loaded a model, as by gunicorn's `--preload`."""

import multiprocessing
import os
import pickle
import subprocess
import sys

import pytest
import torch

from corelax.core.errors import CorelaxError
from corelax.rankers.encoder import new_ranker, save_ranker
from corelax.resolve import Resolver
from tests.rankers.encoder.encoder_models import SETTINGS, tiny_model, write_encoder

# The parent computes with two threads; the child, which has one, computes the same.
FORKING = """
import multiprocessing, os, signal, sys, time
import torch
from corelax.resolve import Resolver

torch.set_num_threads(2)
resolver = Resolver.from_pretrained(sys.argv[1], device="cpu")
large = torch.ones(2000, 2000)
text = "Ann saw the old man. She said it barked."

def compute(_=None):
    return str((large @ large).relu().sum().item()), str(resolver.resolve(text))

wanted = compute()
if sys.argv[2] == "fork":
    child = os.fork()
    if not child:
        os._exit(0 if compute() == wanted else 1)
    for _ in range(400):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            sys.exit(os.waitstatus_to_exitcode(status))
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    sys.exit("the child hangs")
pool = multiprocessing.get_context("fork").Pool(2)
results = pool.map_async(compute, range(4)).get(timeout=20)
pool.terminate()
sys.exit(0 if results == [wanted] * 4 else "other results")
"""


def check_quiet(*arguments, **environment):
    """Python ends well and says nothing."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "TOKENIZERS_PARALLELISM": "false", **environment},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.parametrize("how", ["fork", "pool"])
def test_a_process_that_is_forked_after_loading_resolves_as_its_parent(tmp_path, how):
    torch.manual_seed(0)
    save_ranker(tmp_path / "model", new_ranker(write_encoder(tmp_path / "encoder"), SETTINGS))
    check_quiet("-c", FORKING, str(tmp_path / "model"), how, OMP_NUM_THREADS="2")


SENT = """
import multiprocessing, sys
from corelax.resolve import Resolver

TEXTS = ["Marie Curie moved to Paris. She studied there."] * 5

if __name__ == "__main__":
    resolver = Resolver.from_pretrained("small", device="cpu", runtime=sys.argv[2], threads=1)
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        results = pool.map(resolver.resolve, TEXTS)
    assert results == [resolver.resolve(text) for text in TEXTS]
    assert len(results[0]) == 2
"""


@pytest.mark.slow
@pytest.mark.parametrize("runtime", ["onnx", "int8", "torch"])
@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_a_pool_resolves_texts_by_a_resolver_of_its_parent(tmp_path, start, runtime):
    if start not in multiprocessing.get_all_start_methods():
        pytest.skip("there are no forks here")
    (tmp_path / "sent.py").write_text(SENT)
    check_quiet(str(tmp_path / "sent.py"), start, runtime)


def test_a_resolver_that_is_sent_again_and_again_is_loaded_once(tmp_path):
    torch.manual_seed(0)
    save_ranker(tmp_path / "model", new_ranker(write_encoder(tmp_path / "encoder"), SETTINGS))
    resolver = Resolver.from_pretrained(tmp_path / "model", device="cpu")
    sent = pickle.dumps(resolver)
    assert len(sent) < 1000
    there = pickle.loads(sent)
    assert pickle.loads(sent) is there
    text = "Ann saw the old man. She said it barked."
    assert there.resolve(text) == resolver.resolve(text)


def test_a_resolver_of_a_model_without_a_folder_says_how_it_can_be_sent(tmp_path):
    resolver = Resolver(tiny_model(write_encoder(tmp_path), seed=3))
    for send in (lambda: pickle.dumps(resolver), lambda: list(resolver.pipe(["Ann"], jobs=2))):
        with pytest.raises(CorelaxError, match=r"write the model with .*save_ranker and load"):
            send()


LIGHT = """
import multiprocessing, sys
from corelax.resolve import Resolver

resolver = Resolver.from_pretrained("small", runtime=sys.argv[2], threads=2)
text = "Marie Curie moved to Paris. She studied there. " * 120

def compute(_=None):
    return str(resolver.resolve(text))

wanted = compute()
pool = multiprocessing.get_context(sys.argv[1]).Pool(2)
results = pool.map_async(compute, range(4)).get(timeout=60)
pool.terminate()
sys.exit(0 if results == [wanted] * 4 and compute() == wanted else "other results")
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.parametrize("runtime", ["onnx", "int8"])
def test_a_fork_makes_its_own_threads_of_onnxruntime(runtime):
    check_quiet("-c", LIGHT, "fork", runtime)
