"""What is public is listed, exists, and is documented."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
from scripts.api_page import PACKAGES, PAGE, page
from scripts.import_graph import DRAWING, SOURCE, current_drawing

ROOT = Path(__file__).parents[1]


def packages() -> list[str]:
    folders = [path.parent.relative_to(SOURCE.parent) for path in SOURCE.rglob("__init__.py")]
    return sorted(".".join(folder.parts) for folder in folders)


@pytest.mark.parametrize("name", packages())
def test_a_package_says_what_it_is_and_what_is_public(name):
    module = import_module(name)
    assert module.__doc__
    assert all(hasattr(module, public) for public in module.__all__)


@pytest.mark.parametrize("name", PACKAGES)
def test_public_functions_and_classes_are_documented(name):
    module = import_module(name)
    for public in module.__all__:
        thing = getattr(module, public)
        if inspect.isroutine(thing) or inspect.isclass(thing):
            assert inspect.getdoc(thing), public


@pytest.mark.parametrize(
    "path", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=str
)
def test_documentation_imports_only_what_is_public(path):
    lines = re.findall(r"^(?:>>> )?from (corelax[\w.]*) import ([\w, ]+)", path.read_text(), re.M)
    for module, names in lines:
        assert module in PACKAGES, f"{module} is private"
        assert {name.split(" as ")[0].strip() for name in names.split(",")} <= set(
            import_module(module).__all__
        )


def test_the_page_of_public_names_is_current():
    assert page() == PAGE.read_text(), "python scripts/api_page.py"


def test_the_drawing_of_imports_is_current():
    assert current_drawing() == DRAWING.read_text(), "python scripts/import_graph.py"
