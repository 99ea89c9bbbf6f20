"""docs/architecture.md names files and functions that exist, in chains of at most eight."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from scripts.import_graph import LAYERS, ROOT, SOURCE

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
JOBS = dict(re.findall(r"### (.*?)\n(.*?)(?=\n##|\Z)", PAGE, re.S))
STEPS = [
    (job, *step)
    for job, table in JOBS.items()
    for step in re.findall(r"^\| `(.*?\.py)` \| `(\w+)` \|", table, re.M)
]


def defined(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


@pytest.mark.parametrize(("job", "file", "name"), STEPS)
def test_each_step_of_a_job_is_where_the_page_says(job, file, name):  # noqa: ARG001
    assert name in defined(SOURCE / file)


@pytest.mark.parametrize("job", JOBS)
def test_a_job_is_a_chain_of_at_most_eight_files(job):
    assert 3 <= sum(step[0] == job for step in STEPS) <= 8


def test_the_packages_stand_in_their_order():
    table = PAGE.split("## Packages")[1].split("\n\nBefore")[0]
    rows = re.findall(r"^\| (`.*?`) \|", table, re.M)
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row)] == LAYERS
