"""The runtime without torch: the same entities, the same errors, and really without it."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

from corelax.core.errors import CorelaxError
from corelax.decode.arrays import dense_scores
from corelax.document import Document
from corelax.io import read
from corelax.rankers.encoder.batches import Item
from corelax.rankers.encoder.exported import write_graphs
from corelax.rankers.encoder.folder import load_ranker
from corelax.rankers.encoder.light import has_graphs, load_light
from corelax.resolve import Resolver, model_folder
from tests.rankers.encoder.encoder_models import STORY, a_document, tiny_folder
from tests.shared_corpora import DATA

pytestmark = pytest.mark.usefixtures("one_thread")
exported = pytest.mark.slow  # exporting takes a while
DOCUMENTS = [
    a_document(STORY, ["Bo", None, "Cy", "Bo", "Bo", None]),
    Document(id="empty", words=()),
    a_document(["Ann saw it ."]),
    a_document(STORY[::-1] * 5),
    a_document(["\0"]),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tiny model with graphs."""
    folder = tiny_folder(tmp_path_factory.mktemp("light"))
    assert not has_graphs(folder)
    differences = write_graphs(folder)
    assert max(differences.logits, differences.scores) < 1e-3
    return folder


@pytest.fixture
def copy(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "copy")


def assert_same(ours, theirs):
    assert ours.bounds == theirs.bounds
    assert np.array_equal(ours.head, theirs.head)
    np.testing.assert_allclose(ours.logit, theirs.logit, atol=1e-3)
    square, other = (dense_scores(each.scores, each.antecedents) for each in (ours, theirs))
    np.testing.assert_allclose(square, other, atol=1e-3)


@exported
@pytest.mark.parametrize("pieces", [1, 30, 10_000])
@pytest.mark.parametrize("schemes", [1, 2])  # documents of one scheme are linked together
def test_documents_are_scored_as_torch_does(folder, pieces, schemes):
    light, model = load_light(folder, threads=1), load_ranker(folder)
    items = [Item(model.windows(document), n % schemes) for n, document in enumerate(DOCUMENTS)]
    expected = model.score(items, least=-np.inf)
    for ours, theirs in zip(
        light.score(items, least=-np.inf, pieces=pieces), expected, strict=True
    ):
        assert_same(ours, theirs)


@exported
def test_given_mentions_are_scored_as_torch_does(folder):
    light, model = load_light(folder, threads=1), load_ranker(folder)
    for given in ([(0, 1), (4, 5), (4, 7), (20, 22)], []):
        items = [Item(model.windows(DOCUMENTS[3]), 0, given)]
        [ours], [theirs] = light.score(items), model.score(items)
        assert ours.bounds == given
        assert_same(ours, theirs)


@exported
def test_the_runtime_is_onnxruntime_where_there_are_graphs(folder, copy):
    assert Resolver.from_pretrained(folder, device="cpu").model.runtime == "onnxruntime"
    torch_model = Resolver.from_pretrained(folder, device="cpu", runtime="torch").model
    assert torch_model.runtime == "torch on cpu"
    (copy / "links.onnx").unlink()
    assert Resolver.from_pretrained(copy, device="cpu").model.runtime == "torch on cpu"
    with pytest.raises(CorelaxError, match="has no graphs for onnxruntime; corelax export"):
        Resolver.from_pretrained(copy, runtime="onnx")
    with pytest.raises(CorelaxError, match="onnxruntime computes on the CPU"):
        Resolver.from_pretrained(folder, runtime="onnx", device="cuda")


# Folders that are damaged.


def change(path, **values):
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, **values}))


@exported
def test_a_graph_that_is_not_the_one_that_was_written_is_refused(copy):
    (copy / "words.onnx").write_bytes(b"other")
    with pytest.raises(
        CorelaxError, match=r"words\.onnx: not the graph that config\.json was written"
    ):
        load_light(copy, threads=1)


@exported
@pytest.mark.parametrize("record", [{}, {"lookup": "nothing"}, [], "x"])
def test_a_wrong_record_of_graphs_is_one_line(copy, record):
    change(copy / "config.json", graphs=record)
    with pytest.raises(CorelaxError) as caught:
        load_light(copy, threads=1)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(copy))


@exported
def test_a_window_longer_than_the_encoder_reads_is_one_line(copy):
    content = json.loads((copy / "config.json").read_text())
    change(copy / "config.json", settings={**content["settings"], "window": 4000})
    model = load_light(copy, threads=1)
    with pytest.raises(CorelaxError, match=r"words.onnx cannot be run .*export it again"):
        Resolver(model).resolve("Ann saw it " * 400)


# The shipped model.

WITHOUT = """
import sys
sys.modules.update(dict.fromkeys(("torch", "transformers", "scipy"), None))
from corelax.resolve import Resolver
resolver = Resolver.from_pretrained("small", threads=2)
print(resolver.resolve("Marie Curie moved to Paris. She studied there."))
print(resolver.resolve("Ann left. She ran.", mentions=[(0, 3), (10, 13)], must_link=[(0, 1)]))
"""


def test_small_resolves_without_torch_transformers_and_scipy():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False, timeout=100
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "Marie Curie: Marie Curie [0:11], She [28:31]",
        "Paris: Paris [21:26], there [40:45]",
        "Ann: Ann [0:3], She [10:13]",
    ]


@pytest.mark.slow
@pytest.mark.shared_data
def test_small_finds_the_same_entities_by_both_runtimes():
    folder = model_folder("small")
    light, by_torch = (
        Resolver.from_pretrained(folder, device="cpu", runtime=name) for name in ("onnx", "torch")
    )
    documents = read(DATA / "ontogum" / "dev.gold_conll.gz")[:6]
    for ours, theirs in zip(light.pipe(documents), by_torch.pipe(documents), strict=True):
        assert ours.document.clusters == theirs.document.clusters


@exported
def test_a_model_can_be_given_shorter_windows_and_fewer_antecedents(folder, copy):
    write_graphs(copy, {"window": 12, "antecedents": 2})
    light, model = load_light(copy, threads=1), load_ranker(copy)
    for each in (light, model):
        assert (each.settings.window, each.settings.antecedents) == (12, 2)
    document = a_document(STORY)
    assert len(light.windows(document)) > len(load_light(folder, threads=1).windows(document))
    [ours], [theirs] = (each.score([Item(each.windows(document), 0)]) for each in (light, model))
    assert ours.antecedents.shape[1] == 2
    assert_same(ours, theirs)
    with pytest.raises(CorelaxError, match="window must be finite and at least 3"):
        write_graphs(copy, {"window": 2})
