from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch
import torch.distributed
import torch.multiprocessing

from corelax import CorelaxError
from corelax.metrics import Tally, evaluate

DOCUMENTS = [
    {"gold": [[1, 2, 3], [4]], "system": [[1, 2], [3, 4]]},
    {"gold": [["a", "b"]], "system": [["a"], ["b", "c"]]},
]
NAME = "corelax.integrations.torchmetrics"


@pytest.fixture(params=["with torchmetrics", "without torchmetrics"])
def module(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    if request.param == "without torchmetrics":
        monkeypatch.setitem(sys.modules, "torchmetrics", None)
    monkeypatch.delitem(sys.modules, NAME, raising=False)
    yield importlib.import_module(NAME)
    sys.modules.pop(NAME, None)


def expected() -> dict[str, tuple[float, ...]]:
    tally = Tally()
    for document in DOCUMENTS:
        tally.add(**document)
    return {name: tuple(counts.scores()) for name, counts in tally.counts().items()}


def test_updates_add_up_to_the_corpus_score(module: ModuleType) -> None:
    metric = module.CoreferenceScore()
    for document in DOCUMENTS:
        metric.update(**document)
    values = metric.compute()
    for name, scores in expected().items():
        found = [float(values[f"{name}_{part}"]) for part in ("recall", "precision", "f1")]
        assert found == pytest.approx(scores)


def test_reset_forgets_everything(module: ModuleType) -> None:
    metric = module.CoreferenceScore(metrics=["lea"])
    metric.update(**DOCUMENTS[0])
    metric.reset()
    metric.update(**DOCUMENTS[1])
    assert metric.compute()["lea_f1"] == evaluate(**DOCUMENTS[1])["lea"].f1


def test_singletons_can_be_dropped(module: ModuleType) -> None:
    metric = module.CoreferenceScore(metrics=["mentions"], singletons="drop")
    metric.update(gold=[[1, 2], [3]], system=[[1, 2], [4]])
    assert metric.compute()["mentions_f1"] == 1


def test_f_of_another_beta_has_another_name_and_there_is_no_conll(module: ModuleType) -> None:
    metric = module.CoreferenceScore(beta=2)
    metric.update(**DOCUMENTS[0])
    values = metric.compute()
    assert values["lea_f"] == evaluate(**DOCUMENTS[0], beta=2)["lea"].f
    assert not [name for name in values if name.endswith("f1") or name == "conll"]


def test_wrong_arguments_are_named(module: ModuleType) -> None:
    with pytest.raises(CorelaxError, match="unknown metric 'bleu'"):
        module.CoreferenceScore(metrics=["bleu"])
    with pytest.raises(CorelaxError, match="singletons must be"):
        module.CoreferenceScore(singletons="some")


def test_it_is_a_torchmetrics_metric_when_there_is_one() -> None:
    torchmetrics = pytest.importorskip("torchmetrics")
    module = importlib.import_module(NAME)
    collection = torchmetrics.MetricCollection([module.CoreferenceScore(metrics=["muc"])])
    collection.update(**DOCUMENTS[0])
    assert collection.compute()["muc_recall"] == evaluate(**DOCUMENTS[0])["muc"].recall


def _score_in_process(rank: int, folder: str, with_torchmetrics: bool) -> None:
    if not with_torchmetrics:
        sys.modules["torchmetrics"] = None  # type: ignore[assignment]
    from corelax.integrations.torchmetrics import CoreferenceScore

    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2
    )
    metric = CoreferenceScore()
    metric.update(**DOCUMENTS[rank])
    values = {name: float(value) for name, value in metric.compute().items()}
    Path(folder, f"{rank}.json").write_text(json.dumps(values))
    torch.distributed.destroy_process_group()


@pytest.mark.parametrize("with_torchmetrics", [pytest.param(True, marks=pytest.mark.slow), False])
def test_processes_that_see_different_documents_agree_on_the_sum(
    tmp_path: Path, with_torchmetrics: bool
) -> None:
    torch.multiprocessing.spawn(
        _score_in_process, args=(str(tmp_path), with_torchmetrics), nprocs=2
    )
    for rank in (0, 1):
        values = json.loads((tmp_path / f"{rank}.json").read_text())
        for name, scores in expected().items():
            found = [values[f"{name}_{part}"] for part in ("recall", "precision", "f1")]
            assert found == pytest.approx(scores)
