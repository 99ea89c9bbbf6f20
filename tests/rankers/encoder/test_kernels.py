"""A model folder whose network is computed by kernels: near torch, and by onnxruntime where they cannot."""

import hashlib
import json
import os
import shutil

import numpy as np
import pytest

from corelax.core.errors import CorelaxError
from corelax.decode.arrays import dense_scores
from corelax.rankers.encoder.batches import Item
from corelax.rankers.encoder.exported import write_graphs
from corelax.rankers.encoder.folder import load_ranker
from corelax.rankers.encoder.kernels import SWITCH
from corelax.rankers.encoder.light import load_light
from corelax.rankers.encoder.onnx_network import CANDIDATES, LINKS, MENTIONS, SPANS
from corelax.resolve import Resolver
from tests.kernels.small_networks import needs_kernels
from tests.rankers.encoder.encoder_models import STORY, a_document, tiny_folder

# Exporting takes a while.
pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.slow, needs_kernels]
DOCUMENTS = [
    a_document(STORY),
    a_document([]),
    a_document(["Ann saw it ."]),
    a_document(STORY[::-1] * 5),
]
GIVEN = [(0, 1), (1, 2), (2, 4)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    sizes = {"hidden_size": 64, "intermediate_size": 128}
    folder = tiny_folder(
        tmp_path_factory.mktemp("kernels"), sizes, span_size=32, hidden_size=64, antecedents=7
    )
    assert write_graphs(folder).int8 is not None
    return folder


@pytest.fixture
def copy(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "copy")


def items_of(model, given=None):
    return [
        Item(model.windows(document), n % 2, given and given[: len(document.words)])
        for n, document in enumerate(DOCUMENTS)
    ]


@pytest.mark.parametrize("threads", [1, 2])
def test_scores_are_near_those_of_torch(folder, threads):
    light, model = load_light(folder, threads=threads, int8=True), load_ranker(folder)
    assert light.runtime == "kernels in int8"
    by_one = load_light(folder, threads=threads, int8=True, kernels=False)
    assert by_one.runtime == "onnxruntime in int8"
    exact = model.score(items_of(model, GIVEN))
    errors = []
    for each in (light, by_one):
        found = each.score(items_of(model, GIVEN))
        assert [ours.bounds for ours in found] == [theirs.bounds for theirs in exact]
        wanted = numbers_of(exact)
        errors.append(np.linalg.norm(numbers_of(found) - wanted) / np.linalg.norm(wanted))
    # A row has steps of its own: no farther away than with steps for all rows.
    assert 0 < errors[0] < 1.2 * errors[1] < 0.2


def numbers_of(documents):
    """All logits, and all scores of antecedents."""
    squares = [dense_scores(one.scores, one.antecedents) for one in documents]
    return np.concatenate(
        [*(one.logit for one in documents), *(square[square > -np.inf] for square in squares)]
    )


def test_they_can_be_switched_off(folder, monkeypatch):
    assert "kernels in int8" in repr(Resolver.from_pretrained(folder, runtime="int8"))
    monkeypatch.setenv(SWITCH, "0")
    assert "onnxruntime in int8" in repr(Resolver.from_pretrained(folder, runtime="int8"))


def test_a_forked_process_resolves(folder):
    resolver = Resolver.from_pretrained(folder, runtime="int8", threads=2)
    text = " ".join(STORY)
    clusters = resolver.resolve(text).clusters
    child = os.fork()
    if not child:
        os._exit(0 if resolver.resolve(text).clusters == clusters else 1)
    assert os.waitpid(child, 0)[1] == 0


def rewrite_record(folder, change):
    config = json.loads((folder / "config.json").read_text())
    change(config["graphs"])
    (folder / "config.json").write_text(json.dumps(config))


def test_a_folder_of_an_earlier_version_is_computed_by_onnxruntime(copy):
    (copy / MENTIONS).unlink()
    rewrite_record(copy, lambda record: record.pop(MENTIONS))
    assert load_light(copy, threads=1, int8=True).runtime == "onnxruntime in int8"


@pytest.mark.parametrize("int8", [True, False])
def test_graphs_that_reach_farther_than_the_settings_are_one_line(copy, int8):
    config = json.loads((copy / "config.json").read_text())
    config["settings"]["reach"] = 1
    (copy / "config.json").write_text(json.dumps(config))
    light = load_light(copy, threads=1, int8=int8)
    items = [Item(light.windows(document), 0) for document in DOCUMENTS[::2]]
    with pytest.raises(CorelaxError, match="reach farther than"):
        light.score(items, least=-np.inf)


@pytest.mark.parametrize(("name", "other"), [(MENTIONS, SPANS), (CANDIDATES, LINKS)])
def test_a_graph_that_gives_something_else_is_one_line(copy, name, other):
    shutil.copy(copy / other, copy / name)

    def change(record):
        digest = hashlib.sha256((copy / name).read_bytes()).hexdigest()
        record[name] = {**record[other], "sha256": digest}

    rewrite_record(copy, change)
    with pytest.raises(CorelaxError) as caught:
        load_light(copy, threads=1, int8=True)
    assert str(caught.value).startswith(str(copy))
    assert "\n" not in str(caught.value)
