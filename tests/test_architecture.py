"""docs/architecture.md names packages in their order, and functions that exist."""

from __future__ import annotations

import ast
import re

import pytest
from scripts.import_graph import LAYERS, ROOT, SOURCE
from scripts.walks import JOBS

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
STEPS = sorted(set(re.findall(r"^ *- `(.*?\.py)` `([\w.]+)` \(\d+\)$", PAGE, re.M)))


@pytest.mark.parametrize(("file", "name"), STEPS)
def test_each_function_of_a_job_is_where_the_page_says(file, name):
    tree = ast.parse((SOURCE / file).read_text(encoding="utf-8"))
    defined = {
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    assert defined.issuperset(name.split(".")), "python scripts/walks.py"


def test_every_job_that_is_recorded_is_on_the_page():
    assert [title for title, *_ in JOBS] == re.findall(r"^### (.*)$", PAGE, re.M)
    assert STEPS


def test_the_packages_stand_in_their_order():
    table = PAGE.split("## Packages")[1].split("\n\n!")[0]
    rows = re.findall(r"^\| (`.*?`) \|", table, re.M)
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row)] == LAYERS
