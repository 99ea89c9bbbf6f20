"""Adding a metric is adding one file: everything that works with metrics works with it."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from corelax import CorelaxError, relax, score
from corelax.decode import best_links
from corelax.io import read
from corelax.losses import metric_loss
from corelax.metrics import METRICS, Counts, Metric, evaluate, register

FILE = '''
"""The share of coreference links that both sides have."""

from corelax.metrics import Counts, Metric, Overlap, register


def links(overlap: Overlap) -> Counts:
    shared = overlap.total(overlap.links)
    gold, system = overlap.total(overlap.gold.links), overlap.total(overlap.system.links)
    return Counts(shared, gold, shared, system)


LINKS = register(Metric("links", "Links", links, pairwise=True))
'''
GOLD, SYSTEM = [["a", "b", "c"], ["d", "e"]], [["a", "b"], ["c", "d", "e"]]
SHARED, OF_GOLD, OF_SYSTEM = 2, 4, 4  # links: ab, ac, bc, de and ab, cd, ce, de


@pytest.fixture(autouse=True)
def links(tmp_path: Path) -> Iterator[Metric]:
    path = tmp_path / "links.py"
    path.write_text(FILE)
    spec = importlib.util.spec_from_file_location("links", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module.LINKS
    del METRICS["links"]


def test_clusters_are_scored_with_it() -> None:
    found = evaluate(gold=GOLD, system=SYSTEM)
    assert found["links"] == (SHARED / OF_GOLD, SHARED / OF_SYSTEM, 0.5)
    assert list(found)[-1] == "links"


def test_the_command_scores_with_it(corelax, examples: Path) -> None:
    files = examples / "data" / "gold.conll", examples / "data" / "system.conll"
    expected = score(gold=read(files[0]), system=read(files[1]))["links"]
    done = corelax("score", *files, "--json", "--metric", "links")
    assert json.loads(done.out) == {"links": expected.as_dict()}
    table = corelax("score", *files, "--per-document").out
    assert [line for line in table.splitlines() if line.startswith("Links ")]


@pytest.mark.parametrize("family", ["entity", "pairwise"])
def test_it_is_relaxed_and_tends_to_the_exact_score(family: str) -> None:
    scores = torch.randn(6, 6, generator=torch.Generator().manual_seed(1))
    gold = torch.tensor([0, 1, 0, 1, 0, -1])
    report = relax.evaluate(
        scores, gold, family=family, temperature=1e-3, temperature_on="link", singletons="keep"
    )
    clusters = [[0, 2, 4], [1, 3]]
    exact = evaluate(gold=clusters, system=best_links(scores, singletons="keep"))["links"]
    assert [float(value) for value in report["links"]] == pytest.approx(list(exact), abs=1e-6)


@pytest.mark.parametrize("family", ["entity", "pairwise"])
def test_it_is_trained_on(family: str) -> None:
    scores = torch.zeros(3, 3, requires_grad=True)
    metric_loss(scores, torch.tensor([0, 0, -1]), "links", family=family).backward()
    assert scores.grad[1, 0] < 0 < scores.grad[2, 0]  # towards the gold link, away from another


@pytest.mark.parametrize("name", ["links", "lea", "conll", "no name", ""])
def test_names_that_are_taken_or_unusable_are_refused(name: str) -> None:
    with pytest.raises(CorelaxError, match="a new metric cannot be called"):
        register(Metric(name, "Title", lambda _: Counts()))
