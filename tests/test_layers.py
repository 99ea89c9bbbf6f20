"""Packages import only from those before them; see docs/architecture.md."""

from __future__ import annotations

import subprocess
import sys

import pytest
from scripts.import_graph import LAYERS, SOURCE, against_the_order, imports


def test_every_package_has_its_place_in_the_order():
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert packages == set(LAYERS)


def test_no_package_imports_from_one_that_comes_after_it():
    assert [str(edge) for edge in against_the_order(imports())] == []


def test_an_edge_against_the_order_is_noticed(tmp_path):
    (tmp_path / "metrics").mkdir()
    lines = "def f():\n    from corelax.train.sparse import loop\n    return loop\n"
    (tmp_path / "metrics" / "lea.py").write_text(lines)
    [edge] = against_the_order(imports(tmp_path))
    assert str(edge) == "metrics/lea.py:2 corelax.metrics.lea -> corelax.train.sparse"


@pytest.mark.parametrize(
    ("imported", "not_loaded"),
    [
        ("corelax.resolve", ("train", "study", "rankers.sparse", "analysis", "cli")),
        ("corelax.metrics", ("relax", "rankers", "io", "text", "render")),
        ("corelax.rankers", ("rankers.sparse", "rankers.encoder", "io", "metrics.report")),
        ("corelax.core.files", ("io", "document", "metrics")),
    ],
)
def test_importing_loads_only_what_is_needed(imported, not_loaded):
    code = f"import sys, {imported}; print(*[m for m in sys.modules if m.startswith('corelax.')])"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    for package in not_loaded:
        name = f"corelax.{package}"
        assert not [m for m in loaded if m == name or m.startswith(f"{name}.")]
