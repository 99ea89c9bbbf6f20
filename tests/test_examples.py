"""What README and docs show is what happens."""

from __future__ import annotations

import ast
import json
import re
import runpy
import sys
from pathlib import Path

import pytest

from tests.command_server import server

ROOT = Path(__file__).parents[1]
CARDS = sorted(path.parents[2] / "README.md" for path in ROOT.glob("models/*/src/*/config.json"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *CARDS]


def blocks(language: str, page: Path) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.M | re.S)


def commands() -> list[tuple[str, list[str]]]:
    """Each `$ command` with the lines shown below it."""
    pairs: list[tuple[str, list[str]]] = []
    for block in (block for page in PAGES for block in blocks("console", page)):
        for line in block.splitlines():
            if line.startswith("$ "):
                pairs.append((line[2:], []))
            elif line.strip():
                pairs[-1][1].append(line.rstrip())
    return pairs


@pytest.fixture
def playground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CORELAX_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.usefixtures("playground")
def test_commands_print_what_the_pages_show() -> None:
    for command, shown in commands():
        program, *arguments = command.split()
        assert program == "corelax"
        done = server().run(*arguments)
        assert done.code == 0, done.err
        lines = [line.rstrip() for line in (done.out + done.err).splitlines()]
        assert [line for line in lines if line] == shown


@pytest.mark.usefixtures("playground")
@pytest.mark.parametrize(
    "page", [p for p in PAGES if blocks("python", p)], ids=lambda p: str(p.relative_to(ROOT))
)
def test_python_snippets_of_a_page_run_from_top_to_bottom(page: Path) -> None:
    names: dict[str, object] = {}
    for code in blocks("python", page):
        exec(compile(code, page.name, "exec"), names)


SCRIPTS = [
    pytest.param(path, id=path.name, marks=[pytest.mark.slow] if "finetune" in path.name else [])
    for path in sorted((ROOT / "examples").glob("*.py"))
]


@pytest.mark.usefixtures("playground")
@pytest.mark.parametrize("script", SCRIPTS)
def test_examples_run(
    script: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [str(script)])
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out


@pytest.mark.usefixtures("playground")
@pytest.mark.parametrize(
    "notebook", sorted((ROOT / "examples").glob("*.ipynb")), ids=lambda p: p.name
)
def test_notebooks_run_and_hold_no_output(notebook: Path) -> None:
    content = json.loads(notebook.read_text(encoding="utf-8"))
    assert content["nbformat"] == 4
    names: dict[str, object] = {}
    displayed = []
    for cell in content["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == []
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, notebook.name, "exec"), names)
        if isinstance(last, ast.Expr):
            displayed.append(
                eval(compile(ast.Expression(last.value), notebook.name, "eval"), names)
            )
    assert any(hasattr(value, "_repr_html_") for value in displayed)


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
