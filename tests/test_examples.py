"""What README and docs show is what happens."""

from __future__ import annotations

import ast
import json
import re
import runpy
import shlex
import sys
from pathlib import Path

import pytest
from click import Context

from corelax.cli.app import app
from tests.command_server import server

ROOT = Path(__file__).parents[1]
CARDS = sorted(path.parents[2] / "README.md" for path in ROOT.glob("models/*/src/*/config.json"))
TUTORIAL = ROOT / "docs" / "tutorial.md"
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.name != "report.md"),
    *CARDS,
]


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
    "page",
    [page for page in PAGES if page != TUTORIAL and blocks("python", page)],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_python_snippets_of_a_page_run_from_top_to_bottom(page: Path) -> None:
    names: dict[str, object] = {}
    for code in blocks("python", page):
        exec(compile(code, page.name, "exec"), names)


@pytest.mark.usefixtures("playground")
def test_the_tutorial_runs_from_top_to_bottom() -> None:
    names: dict[str, object] = {}
    steps = re.findall(r"^```(sh|python)\n(.*?)^```", TUTORIAL.read_text(), re.M | re.S)
    for language, code in steps:
        if language == "python":
            exec(compile(code, TUTORIAL.name, "exec"), names)
            continue
        for line in code.replace("\\\n", "").splitlines():
            program, *arguments = shlex.split(line)
            assert program == "corelax"
            done = server().run(*arguments)
            assert done.code == 0, done.err
    assert Path("curie.html").stat().st_size > 50_000
    assert {"baseline", "lea"} <= {stage.name for stage in Path("runs").iterdir()}


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


def named_commands(page: Path) -> list[list[str]]:
    """The `corelax` commands of a page that are not run, in blocks and in sentences."""
    text = page.read_text(encoding="utf-8")
    lines = "\n".join(blocks("sh", page)).replace("\\\n", " ").splitlines()
    sentences = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    lines += [code.replace("\n", " ") for code in re.findall(r"`(corelax [a-z][^`]*)`", sentences)]
    words = [shlex.split(re.split(r" [|>#&] ?|\)", line)[0]) for line in lines]
    return [command for command in words if command[:1] == ["corelax"]]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if named_commands(page)], ids=lambda p: str(p.relative_to(ROOT))
)
def test_commands_in_pages_have_verbs_and_options_that_exist(page: Path) -> None:
    for _, verb, *arguments in named_commands(page):
        if not verb.isupper():  # `corelax COMMAND --help`
            command = app.get_command(Context(app), verb)
            assert command, f"corelax {verb}"
            names = [(*option.opts, *option.secondary_opts) for option in command.params]  # --no-…
            known = {name for of_option in names for name in of_option} | {"--help"}
            used = {word.split("=")[0] for word in arguments if re.match(r"--?[a-z]", word)}
            assert used <= known, f"corelax {verb}"


def test_lines_of_the_readme_wrap() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("|")]  # tables cannot
    assert [line for line in lines if len(line) > 100] == []


def anchors(page: Path) -> set[str]:
    """What links into a page may name: its headings, as GitHub and the site call them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    links = re.findall(r"\]\(\s*([^)\s]+)\s*\)", text) + re.findall(
        r'(?:src|srcset)="([^"]+)"', text
    )
    for link in links:
        if re.match(r"https?:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link
