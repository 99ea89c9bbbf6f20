"""The workflow, .ci/run and pre-commit run commands of the Makefile: a clone can do what they do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.environments import PYTHONS

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([\w-]+):(?!=)", MAKEFILE, re.M))
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
JOBS: dict[str, Any] = WORKFLOW["jobs"]
COMMANDS = [step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_workflow_runs_targets_that_exist(command: str) -> None:
    program, target = command.split()
    assert program == "make"
    assert target in TARGETS


def test_the_workflow_does_what_the_other_runner_does() -> None:
    own = (ROOT / ".ci/run").read_text(encoding="utf-8")
    commands = re.findall(r"^make .*$", own, re.M)
    assert commands
    assert set(commands) <= set(COMMANDS)


def test_every_supported_python_is_tested() -> None:
    assert tuple(JOBS["test"]["strategy"]["matrix"]["python"]) == PYTHONS
    [step] = [step for step in JOBS["wheels"]["steps"] if "setup-python" in step.get("uses", "")]
    assert set(step["with"]["python-version"].split()) == set(PYTHONS)


def test_lint_tests_demo_wheels_documentation_and_slow_tests_are_run() -> None:
    wanted = "lint test demo test-all wheel install-test docs"
    assert {f"make {target}" for target in wanted.split()} <= set(COMMANDS)


def test_pre_commit_checks_what_lint_checks() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    [local] = config["repos"]
    hooks = [" ".join(hook["entry"].split()[:2]) for hook in local["hooks"]]
    recipe = re.findall(r"^lint: .*\n((?:\t.*\n)+)", MAKEFILE, re.M)[0].replace(
        "$(BIN)", ".venv/bin"
    )
    linted = [" ".join(line.split()[:2]) for line in recipe.splitlines()]
    assert hooks == linted


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml")), ids=str
)
def test_issue_forms_have_what_the_host_asks_for(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= set(form)
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert len({field["id"] for field in fields}) == len(fields)
    assert all(field["attributes"]["label"] for field in fields)
    assert any(field.get("validations", {}).get("required") for field in fields)
