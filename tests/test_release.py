"""`make release` refuses what should not be published, in one line each."""

from __future__ import annotations

import subprocess
from datetime import date
from pathlib import Path

import pytest
from scripts.release import ROOT, problems_before, problems_built, projects, stated_version

from corelax import __version__

TODAY = date(2030, 1, 31)
CHANGELOG = "# Changelog\n\n## Unreleased\n\n## [1.2.3] - 2030-01-31\n\n### Added\n"


def git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


def write(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text, encoding="utf-8")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A committed project and one model, ready to be released as 1.2.3."""
    root = tmp_path / "project"
    write(root, "src/corelax/core/version.py", 'VERSION = "1.2.3"\n')
    write(root, "CITATION.cff", "title: corelax\nversion: 1.2.3\n")
    write(root, "CHANGELOG.md", CHANGELOG)
    write(root, "pyproject.toml", '[project]\nname = "corelax"\n')
    write(root, "models/tiny/pyproject.toml", '[project]\nname = "corelax-tiny"\n')
    git(root, "init", "-q")
    commit(root)
    return root


def commit(root: Path) -> None:
    git(root, "add", ".")
    git(root, "commit", "-qm", "Change")


def test_a_clean_tree_in_which_all_agree_is_fit(tree: Path) -> None:
    assert list(problems_before(tree, TODAY)) == []


def test_what_is_not_committed_is_refused(tree: Path) -> None:
    write(tree, "notes.txt", "")
    assert list(problems_before(tree, TODAY)) == ["notes.txt: not committed; commit or stash first"]
    write(tree, "other.txt", "")
    [line] = problems_before(tree, TODAY)
    assert line.startswith("notes.txt and 1 more: ")


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("CITATION.cff", "version: 1.2.2\n", "CITATION.cff: must have the line 'version: 1.2.3'"),
        (
            "CHANGELOG.md",
            "## Unreleased\n",
            "CHANGELOG.md: needs one heading '## [1.2.3] - 2030-01-31', has 0",
        ),
        (
            "CHANGELOG.md",
            "## [1.2.3]\n",
            "CHANGELOG.md: needs one heading '## [1.2.3] - 2030-01-31', has 0",
        ),
        (
            "CHANGELOG.md",
            "## [1.2.3] - soon\n",
            "CHANGELOG.md: soon is not a date; write it as 2030-01-31",
        ),
        ("CHANGELOG.md", "## 1.2.3 - 2030-02-01\n", "CHANGELOG.md: 2030-02-01 is in the future"),
    ],
)
def test_versions_that_disagree_are_refused(tree: Path, file: str, text: str, said: str) -> None:
    write(tree, file, text)
    commit(tree)
    assert list(problems_before(tree, TODAY)) == [said]


def test_a_version_under_development_is_refused(tree: Path) -> None:
    for file in ("src/corelax/core/version.py", "CITATION.cff", "CHANGELOG.md"):
        write(tree, file, (tree / file).read_text().replace("1.2.3", "1.3.0.dev0"))
    commit(tree)
    [line] = problems_before(tree, TODAY)
    assert "1.3.0.dev0 is not a final version" in line


def test_a_version_that_was_released_is_refused(tree: Path) -> None:
    git(tree, "tag", "v1.2.3")
    [line] = problems_before(tree, TODAY)
    assert line.startswith("v1.2.3: this tag exists")


def test_built_files_are_all_there_and_alone(tree: Path) -> None:
    assert len(list(problems_built(tree))) == 4
    for name in ("corelax", "corelax_tiny"):
        write(tree, f"dist/{name}-1.2.3-py3-none-any.whl", "")
        write(tree, f"dist/{name}-1.2.3.tar.gz", "")
    assert list(problems_built(tree)) == []
    write(tree, "dist/corelax-1.2.2.tar.gz", "")
    assert list(problems_built(tree)) == ["dist/corelax-1.2.2.tar.gz: does not belong there"]


def test_one_file_states_the_version() -> None:
    assert stated_version(ROOT) == __version__
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {__version__}" in citation.splitlines()
    for project in projects(ROOT):
        text = (project / "pyproject.toml").read_text(encoding="utf-8")
        assert 'dynamic = ["version"]' in text
        assert "core/version.py" in text
