"""The wheels, installed into empty environments, do their main job far from the clone.

Dependencies come from the package index; without one these tests are skipped. `make install-test` runs them
all, `make test-all` those with this Python that do not download torch.
"""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.command_server import Done
from tests.environments import (
    PYTHONS,
    ROOT,
    Environment,
    build_wheels,
    find_python,
    index_is_reachable,
    new_environment,
)

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NEWEST, OLDEST = ROOT / "constraints.txt", ROOT / "constraints-oldest.txt"
VERSION = re.findall(r'VERSION = "(.+)"', (ROOT / "src/corelax/core/version.py").read_text())[0]
THIS = PYTHONS[0]
# Every Python with the extras that are small; the others only where they are asked for.
EVERY = [pytest.param(v, marks=() if v == THIS else pytest.mark.environments) for v in PYTHONS]
STORY = "Marie Curie moved to Paris. She studied there, and it became her home."

Command = Callable[..., Done]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    if not index_is_reachable(folder / "probe"):
        pytest.skip("there is no package index to install dependencies from")
    build_wheels(folder)
    return folder


@pytest.fixture
def install(wheels: Path, tmp_path: Path) -> Iterator[Callable[..., Environment]]:
    """Makes an environment; it is removed after the test, since torch is large."""
    folder = tmp_path / "environment"

    def make(extra: str | None, version: str = THIS, constraints: Path = NEWEST) -> Environment:
        python = find_python(version)
        if python is None:
            pytest.skip(f"there is no Python {version}")
        return new_environment(folder, wheels, extra, python=python, constraints=constraints)

    yield make
    shutil.rmtree(folder, ignore_errors=True)


def check_scoring(environment: Environment, corelax: Command) -> None:
    """Scores, converts and validates; the figures are those of the clone."""
    for name in ("gold", "system"):
        shutil.copy(ROOT / f"examples/data/{name}.conll", environment.folder)
    scored = json.loads(
        environment.run("corelax", "score", "gold.conll", "system.conll", "--json").stdout
    )
    files = (environment.folder / f"{name}.conll" for name in ("gold", "system"))
    assert scored == json.loads(corelax("score", *files, "--json").out)
    environment.run("corelax", "convert", "gold.conll", "gold.jsonlines")
    environment.run("corelax", "validate", "gold.jsonlines")
    same = environment.run("corelax", "score", "gold.conll", "gold.jsonlines", "--json").stdout
    assert json.loads(same)["conll"] == 1
    assert "SYSTEM" in environment.run("corelax", "score", "--help").stdout
    assert "Missing argument 'OUT'" in environment.run("corelax", "convert", "a", expect=2).stderr


def check_resolving(environment: Environment) -> None:
    """Resolves a text with the model that came along."""
    told = environment.run("corelax", "resolve", "--text", STORY, "--json").stdout
    entities = [
        {mention["text"] for mention in entity["mentions"]}
        for entity in json.loads(told)["entities"]
    ]
    assert {"Marie Curie", "her", "She"} in entities
    environment.run("corelax", "resolve", "--text", STORY, "--out", "page.html")
    assert "studied" in (environment.folder / "page.html").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("version", EVERY)
def test_without_extras_it_scores(install, corelax: Command, version: str) -> None:
    environment = install(None, version)
    assert not {"torch", "scipy", "onnxruntime", "corelax-small"} & environment.packages()
    check_scoring(environment, corelax)
    refused = environment.run("corelax", "resolve", "--text", STORY, expect=1)
    assert "pip install 'corelax[resolve]'" in refused.stderr
    assert environment.run("corelax", "--version").stdout.split()[-1] == VERSION


@pytest.mark.slow
@pytest.mark.parametrize("version", EVERY)
def test_with_resolve_it_resolves(install, corelax: Command, version: str) -> None:
    environment = install("resolve", version)
    assert not {"torch", "transformers", "scipy"} & environment.packages()
    check_resolving(environment)
    check_scoring(environment, corelax)


@pytest.mark.slow
@pytest.mark.environments
def test_with_torch_it_trains(install) -> None:
    environment = install("torch")
    assert not {"transformers", "onnxruntime"} & environment.packages()
    shutil.copytree(ROOT / "examples/data", environment.folder / "data")
    shutil.copy(ROOT / "examples/03_own_ranker.py", environment.folder)
    epochs = environment.run("python", "03_own_ranker.py").stdout.splitlines()
    assert float(epochs[-1].split()[-1]) > 0.9  # LEA on the documents that it was trained on
    environment.run("corelax", "synth", "made.conll", "--documents", 2, "--mentions", 20)
    files = ("--train", "made.conll", "--dev", "made.conll")
    environment.run("corelax", "train", *files, "--set", "epochs=1", "--out", "run")
    environment.run(
        "corelax", "resolve", "made.conll", "--model", "run/lea", "--out", "predicted.conll"
    )
    environment.run("corelax", "score", "made.conll", "predicted.conll")


@pytest.mark.slow
@pytest.mark.environments
def test_the_oldest_versions_without_extras_score(install, corelax: Command) -> None:
    check_scoring(install(None, constraints=OLDEST), corelax)


@pytest.mark.slow
@pytest.mark.environments
def test_the_oldest_versions_with_resolve_resolve(install) -> None:
    check_resolving(install("resolve", constraints=OLDEST))


def lower_bounds() -> dict[str, Version]:
    """The oldest version that each requirement of users allows."""
    extras = PROJECT["optional-dependencies"]
    groups = [
        PROJECT["dependencies"],
        *(
            group
            for name, group in extras.items()
            if name not in ("dev", "bench", "docs", "release")
        ),
    ]
    bounds = {}
    for requirement in (Requirement(text) for group in groups for text in group):
        if requirement.name.startswith("corelax"):
            continue
        [bound] = requirement.specifier
        assert bound.operator == ">=", requirement
        assert bounds.setdefault(requirement.name, Version(bound.version)) == Version(bound.version)
    return bounds


def pins(path: Path) -> dict[str, Version]:
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {name: Version(version) for name, version in pairs}


def test_the_oldest_versions_are_the_lower_bounds() -> None:
    assert pins(OLDEST) == lower_bounds()


def test_pinned_versions_are_allowed() -> None:
    bounds = lower_bounds()
    newest = pins(NEWEST)
    assert {"numpy", "torch"} <= set(newest) & set(bounds)
    assert not {name for name in set(newest) & set(bounds) if newest[name] < bounds[name]}


def test_the_classifiers_are_the_tested_pythons() -> None:
    named = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    assert tuple(named) == PYTHONS
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
