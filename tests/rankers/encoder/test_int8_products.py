"""Products of bytes: what a literal version in torch gives, whatever the processor, batch or folder."""

import json
import shutil
from functools import partial

import numpy as np
import pytest
import torch
from torch import nn

from corelax.core.errors import CorelaxError
from corelax.core.folders import DIGEST
from corelax.io import read
from corelax.metrics import score
from corelax.rankers.encoder import exported, onnx_network
from corelax.rankers.encoder.batches import Item
from corelax.rankers.encoder.exported import write_graphs
from corelax.rankers.encoder.folder import load_ranker, save_ranker
from corelax.rankers.encoder.light import load_light
from corelax.rankers.encoder.quantise import Range, input_ranges
from corelax.resolve import Resolver
from tests.rankers.encoder.encoder_models import STORY, a_document, tiny_folder
from tests.shared_corpora import DATA

pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.slow]  # exporting takes a while
DOCUMENTS = [a_document(STORY), a_document(["Ann saw it ."]), a_document(STORY[::-1] * 5)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tiny_folder(tmp_path_factory.mktemp("int8"))
    model = load_ranker(folder)
    with torch.no_grad():  # numbers like those of real encoders, of which a few are far larger
        for layer in model.ranker.encoder.encoder.layer:
            layer.attention.output.LayerNorm.weight[3] *= 6
    save_ranker(folder, model, precision="int8")
    differences = write_graphs(folder)
    assert max(differences.logits, differences.scores) < 1e-3
    assert differences.int8 is not None
    assert 0 < differences.int8 < 0.2
    return folder


def in_bytes(layer: nn.Linear, known: Range, x: torch.Tensor) -> torch.Tensor:
    """W x + b with whole numbers from 0 to 255 for x, and for each share of what lies outside their range."""
    step = (known.high - known.low) / 255
    zero = round(-known.low / step)

    def rounded(values: torch.Tensor) -> torch.Tensor:
        return ((values / step).round() + zero).clamp(0, 255).sub(zero) * step

    result = nn.functional.linear(rounded(x), layer.weight, layer.bias)
    for column in known.beyond:
        outside = x[..., column] - x[..., column].clamp(known.low, known.high)
        share = rounded(outside / known.beyond.count(column))
        result = result + share[..., None] * layer.weight[:, column]
    return result


@pytest.mark.parametrize("cuts_off", [True, False])
def test_scores_are_those_of_a_literal_version(folder, monkeypatch, cuts_off):
    if not cuts_off and onnx_network._may_cut_off():
        pytest.skip("without VNNI sums are exact only if that is asked for")
    monkeypatch.setattr(onnx_network, "_may_cut_off", lambda: cuts_off)
    light, model = load_light(folder, threads=1, int8=True), load_ranker(folder)
    items = [Item(model.windows(document), 0, [(0, 1), (1, 2), (2, 4)]) for document in DOCUMENTS]
    exact = model.score(items)
    ranges = input_ranges(model)
    assert any(known.beyond for known in ranges.values())
    for name, layer in model.ranker.encoder.named_modules():
        if isinstance(layer, nn.Linear):
            known = ranges[f"encoder.{name}.weight"]
            monkeypatch.setattr(layer, "forward", partial(in_bytes, layer, known))
    for ours, theirs, other in zip(light.score(items), model.score(items), exact, strict=True):
        far = abs(other.logit - theirs.logit).max()
        # Values between two whole numbers are rounded one way or the other: what is left is far smaller.
        assert abs(ours.logit - theirs.logit).max() < far / 5
        np.testing.assert_allclose(ours.logit, theirs.logit, atol=2e-3)
        np.testing.assert_allclose(ours.scores, theirs.scores, atol=2e-3)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_document_does_not_depend_on_those_read_with_it(folder, threads):
    light = load_light(folder, threads=threads, int8=True)
    items = [Item(light.windows(document), n % 2) for n, document in enumerate(DOCUMENTS)]
    for pieces in (1, 10_000):
        for ours, item in zip(light.score(items, pieces=pieces), items, strict=True):
            [alone] = light.score([item])
            assert ours.bounds == alone.bounds
            np.testing.assert_allclose(ours.scores, alone.scores, atol=1e-3)


def test_weights_that_are_not_stored_in_bytes_have_no_such_graph(folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "copy")
    save_ranker(tmp_path / "half", load_ranker(folder), precision="half")
    shutil.copy(tmp_path / "half" / "model.safetensors", copy)
    shutil.copy(tmp_path / "half" / "config.json", copy)
    assert write_graphs(copy).int8 is None
    with pytest.raises(CorelaxError, match=r"no graph for bytes; corelax export .* in bytes"):
        Resolver.from_pretrained(copy, runtime="int8")
    assert Resolver.from_pretrained(copy, runtime="onnx").model.runtime == "onnxruntime"


def test_a_network_that_does_not_bear_bytes_has_the_other_graphs_only(
    folder, tmp_path, monkeypatch
):
    copy = shutil.copytree(folder, tmp_path / "copy")
    monkeypatch.setattr(exported, "MOST_ERROR", 0.0)
    assert write_graphs(copy).int8 > 0
    assert not (copy / "words.int8.onnx").exists()
    assert load_light(copy, threads=1).runtime == "onnxruntime"


def test_a_graph_for_bytes_and_weights_that_are_none_are_one_line(folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "copy")
    config = json.loads((copy / "config.json").read_bytes())
    save_ranker(tmp_path / "half", load_ranker(folder), precision="half")
    shutil.copy(tmp_path / "half" / "model.safetensors", copy)
    del config[DIGEST]
    (copy / "config.json").write_text(json.dumps(config))
    with pytest.raises(CorelaxError, match="is not in bytes; export the graphs again"):
        load_light(copy, threads=1, int8=True)


@pytest.mark.shared_data
def test_small_is_as_good_in_bytes():
    gold = read(DATA / "ontogum" / "dev.gold_conll.gz")
    by_four, by_one = (
        [each.document for each in Resolver.from_pretrained(runtime=runtime).pipe(gold)]
        for runtime in ("onnx", "int8")
    )
    assert by_one != by_four  # it is another computation, indeed
    cost = score(gold=gold, system=by_four).conll - score(gold=gold, system=by_one).conll
    assert cost < 0.003
