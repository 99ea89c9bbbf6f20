from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
import torch.distributed
import torch.multiprocessing

from corelax import CorelaxError
from corelax.metrics import Tally, evaluate

torchmetrics = pytest.importorskip("torchmetrics")

from corelax.integrations.torchmetrics import CoreferenceScore  # noqa: E402

DOCUMENTS = [
    {"gold": [[1, 2, 3], [4]], "system": [[1, 2], [3, 4]]},
    {"gold": [["a", "b"]], "system": [["a"], ["b", "c"]]},
]


def expected() -> dict[str, tuple[float, ...]]:
    tally = Tally()
    for document in DOCUMENTS:
        tally.add(**document)
    return {name: tuple(counts.scores()) for name, counts in tally.counts().items()}


def test_updates_add_up_to_the_corpus_score() -> None:
    metric = CoreferenceScore()
    for document in DOCUMENTS:
        metric.update(**document)
    values = metric.compute()
    for name, scores in expected().items():
        found = [float(values[f"{name}_{part}"]) for part in ("recall", "precision", "f1")]
        assert found == pytest.approx(scores)


def test_reset_forgets_everything() -> None:
    metric = CoreferenceScore(metrics=["lea"])
    metric.update(**DOCUMENTS[0])
    metric.reset()
    metric.update(**DOCUMENTS[1])
    assert metric.compute()["lea_f1"] == evaluate(**DOCUMENTS[1])["lea"].f1


def test_singletons_can_be_dropped() -> None:
    metric = CoreferenceScore(metrics=["mentions"], singletons="drop")
    metric.update(gold=[[1, 2], [3]], system=[[1, 2], [4]])
    assert metric.compute()["mentions_f1"] == 1


def test_f_of_another_beta_has_another_name_and_there_is_no_conll() -> None:
    metric = CoreferenceScore(beta=2)
    metric.update(**DOCUMENTS[0])
    values = metric.compute()
    assert values["lea_f"] == evaluate(**DOCUMENTS[0], beta=2)["lea"].f
    assert not [name for name in values if name.endswith("f1") or name == "conll"]


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(CorelaxError, match="unknown metric 'bleu'"):
        CoreferenceScore(metrics=["bleu"])
    with pytest.raises(CorelaxError, match="singletons must be"):
        CoreferenceScore(singletons="some")


def test_it_is_a_torchmetrics_metric() -> None:
    collection = torchmetrics.MetricCollection([CoreferenceScore(metrics=["muc"])])
    collection.update(**DOCUMENTS[0])
    assert collection.compute()["muc_recall"] == evaluate(**DOCUMENTS[0])["muc"].recall


def _score_in_process(rank: int, folder: str) -> None:
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2
    )
    metric = CoreferenceScore()
    metric.update(**DOCUMENTS[rank])
    values = {name: float(value) for name, value in metric.compute().items()}
    Path(folder, f"{rank}.json").write_text(json.dumps(values))
    torch.distributed.destroy_process_group()


@pytest.mark.slow
def test_processes_that_see_different_documents_agree_on_the_sum(tmp_path: Path) -> None:
    torch.multiprocessing.spawn(_score_in_process, args=(str(tmp_path),), nprocs=2)
    for rank in (0, 1):
        values = json.loads((tmp_path / f"{rank}.json").read_text())
        for name, scores in expected().items():
            found = [values[f"{name}_{part}"] for part in ("recall", "precision", "f1")]
            assert found == pytest.approx(scores)
