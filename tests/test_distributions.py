"""What is in the files that are published: code in one, weights in the others."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]
MODELS = sorted(config.parent for config in ROOT.glob("models/*/src/corelax_*/config.json"))


def wheel(project: Path, out: Path) -> ZipFile:
    options = (
        "--quiet --no-deps --no-build-isolation --no-index --disable-pip-version-check".split()
    )
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", out, project], check=True
    )
    [path] = out.glob("*.whl")
    return ZipFile(path)


def names_in_sdist(project: Path, out: Path) -> set[str]:
    """The files of a source distribution, without its own folder."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", out],
        cwd=project,
        check=True,
        capture_output=True,
    )
    [path] = out.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def test_there_is_a_model_to_look_at() -> None:
    assert "corelax_small" in [folder.name for folder in MODELS]


LEGAL = ("LICENSE", "NOTICE")


@pytest.mark.parametrize("folder", MODELS, ids=lambda folder: folder.name)
def test_a_model_is_published_as_data_with_card_and_licence(folder: Path, tmp_path: Path) -> None:
    project = folder.parents[1]
    files = {path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    with wheel(project, tmp_path) as archive:
        names = set(archive.namelist())
        assert {name for name in names if name.endswith(".py")} == {f"{folder.name}/__init__.py"}
        assert {name for name in names if name.startswith(f"{folder.name}/")} == {
            path.relative_to(folder.parent).as_posix() for path in files
        }
        weights = archive.read(f"{folder.name}/model.safetensors")
        assert weights == (folder / "model.safetensors").read_bytes()
        [facts] = [name for name in names if name.endswith(".dist-info/METADATA")]
        assert (project / "README.md").read_text() in archive.read(facts).decode()
        for file in (path.name for path in project.iterdir() if path.name in LEGAL):
            [published] = [name for name in names if name.endswith(f"/licenses/{file}")]
            assert archive.read(published) == (project / file).read_bytes()
    assert names_in_sdist(project, tmp_path) >= {
        path.relative_to(project).as_posix() for path in files
    }


@pytest.mark.parametrize("project", [ROOT, *(folder.parents[1] for folder in MODELS)], ids=str)
def test_a_source_distribution_makes_the_same_wheel(project: Path, tmp_path: Path) -> None:
    """Without the clone around it, too: the version of a model is stated outside of the model's folder."""
    names_in_sdist(project, tmp_path)
    [source] = tmp_path.glob("*.tar.gz")
    with wheel(project, tmp_path / "clone") as expected, wheel(source, tmp_path / "source") as made:
        assert Path(str(made.filename)).name == Path(str(expected.filename)).name
        assert set(made.namelist()) == set(expected.namelist())
        assert all(made.read(name) == expected.read(name) for name in made.namelist())


def test_kernels_are_published_as_sources_and_compiled_where_they_are_installed(
    tmp_path: Path,
) -> None:
    folder = ROOT / "kernels" / "src" / "corelax_kernels"
    names = names_in_sdist(ROOT / "kernels", tmp_path)
    assert not [name for name in names if name.endswith(".so")]
    assert {f"src/corelax_kernels/{path.name}" for path in folder.glob("*.[ch]")} <= names
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    [source] = tmp_path.glob("*.tar.gz")
    with wheel(source, tmp_path / "source") as made:
        assert "corelax_kernels/kernels.so" in made.namelist()
        assert "-py3-none-any" not in str(made.filename)


def test_the_package_has_no_weights(tmp_path: Path) -> None:
    with wheel(ROOT, tmp_path) as archive:
        names = set(archive.namelist()) | names_in_sdist(ROOT, tmp_path)
    assert "corelax/resolve/models.py" in names
    weights = [name for name in names if name.endswith(".safetensors")]
    assert not [name for name in weights if not name.startswith("tests/data/")]  # tiny, of tests


def test_licences_of_the_word_tables_are_named_and_their_notices_are_there(tmp_path: Path) -> None:
    with wheel(ROOT, tmp_path) as archive:
        names = archive.namelist()
        [facts] = [name for name in names if name.endswith(".dist-info/METADATA")]
        lines = archive.read(facts).decode().splitlines()
        [expression] = [line for line in lines if line.startswith("License-Expression: ")]
        assert {"Apache-2.0", "CC-BY-3.0", "MIT", "LicenseRef-WordNet-3.0"} <= set(
            expression.split()
        )
        notices = [archive.read(name).decode() for name in names if "/licenses/" in name]
        assert any("Princeton" in notice and "Bamman" in notice for notice in notices)


def test_every_package_that_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    declared = {re.split(r"[><=\[]", name)[0] for group in groups for name in group}
    imported = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module.partition(".")[0])
    known = {"corelax", "corelax_kernels", "triton"}  # which comes with torch for GPUs
    assert imported - set(sys.stdlib_module_names) - known <= declared
