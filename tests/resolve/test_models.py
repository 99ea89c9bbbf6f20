"""Models are found by the names of installed packages, which are never imported."""

import re
import subprocess
import sys
from importlib import invalidate_caches
from pathlib import Path

import pytest

from corelax.core.errors import CorelaxError
from corelax.resolve import InstalledModel, Resolver, installed_models, model_folder


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder on the path. Here, and not in the working directory, packages are installed."""
    site = tmp_path / "site"
    working = tmp_path / "working"
    site.mkdir()
    working.mkdir()
    monkeypatch.chdir(working)
    monkeypatch.syspath_prepend(site)
    return site


@pytest.fixture
def only_site(site, monkeypatch):
    """The same, and nothing else is installed."""
    monkeypatch.setattr(sys, "path", [str(site)])
    return site


def install(site: Path, package: str, *, config: bool = True) -> Path:
    """A package that fails if it is imported."""
    folder = site / package
    folder.mkdir()
    (folder / "__init__.py").write_text("raise RuntimeError('imported')\n")
    if config:
        (folder / "config.json").write_text("{}\n")
    invalidate_caches()
    return folder


@pytest.mark.parametrize(
    ("package", "name"),
    [("corelax_tiny", "tiny"), ("corelax_my_own", "my-own"), ("corelax_my_own", "my_own")],
)
def test_a_model_has_the_name_of_its_package_which_is_not_imported(site, package, name):
    folder = install(site, package)
    assert model_folder(name) == folder


def test_the_default_is_small(only_site):
    folder = install(only_site, "corelax_small")
    install(only_site, "corelax_base")
    assert model_folder() == model_folder("small") == folder


def test_a_model_folder_in_the_working_directory_goes_first(site):
    installed = install(site, "corelax_tiny")
    Path("tiny").mkdir()
    assert model_folder("tiny") == installed  # that folder holds no model
    Path("tiny/config.json").write_text("{}")
    assert model_folder("tiny") == Path("tiny")


def test_the_default_is_never_a_folder_of_the_working_directory(only_site):
    installed = install(only_site, "corelax_small")
    Path("small").mkdir()
    Path("small/config.json").write_text("{}")
    assert model_folder() == installed


@pytest.mark.parametrize("name", [None, "small", "base"])
@pytest.mark.parametrize("is_half_there", [False, True])
def test_our_models_if_missing_say_how_to_install_them(only_site, name, is_half_there):
    called = name or "small"
    if is_half_there:
        install(only_site, f"corelax_{called}", config=False)
    with pytest.raises(CorelaxError) as error:
        Resolver.from_pretrained(name)
    wanted = "'corelax[resolve]' corelax-base" if name == "base" else "'corelax[resolve]'"
    assert str(error.value) == (
        f"model '{called}' is not installed; pip install {wanted} "
        f'(in a clone: pip install ".[resolve]" ./models/{called})'
    )


def test_an_unknown_name_gets_the_installed_ones(only_site):
    with pytest.raises(CorelaxError, match=r"called 'smal'; installed: none$"):
        model_folder("smal")
    for package in ("corelax_small", "corelax_my_own"):
        install(only_site, package)
    install(only_site, "corelax_tools", config=False)
    with pytest.raises(CorelaxError, match=r"called 'smal'; installed: my-own, small$"):
        model_folder("smal")


@pytest.mark.parametrize("name", ["tiny.part", "tiny.", ".tiny", "tiny part", "..tiny", "tiny-"])
def test_a_name_that_is_no_name_imports_nothing(site, name):
    (install(site, "corelax_tiny") / "part.py").write_text("")
    with pytest.raises(CorelaxError, match="no installed model is called"):
        model_folder(name)


def test_installed_models_are_listed_with_version_and_licence(only_site):
    folder = install(only_site, "corelax_tiny")
    unknown = install(only_site, "corelax_unpacked")
    facts = only_site / "corelax_tiny-1.2.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(
        "Metadata-Version: 2.4\nName: corelax-tiny\nVersion: 1.2\nLicense-Expression: CC0-1.0\n"
    )
    assert installed_models() == [
        InstalledModel("tiny", "1.2", folder, "CC0-1.0"),
        InstalledModel("unpacked", "", unknown, ""),
    ]


def test_a_typo_is_one_line_on_the_command_line(site, corelax):
    Path("a.txt").write_text("Ann said she left.")
    done = corelax(*"resolve a.txt --model smal --out b.conll".split())
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert "no folder and no installed model is called 'smal'; installed: " in done.err
    assert not Path("b.conll").exists()
    assert list(site.iterdir()) == []


def test_models_are_listed_without_torch():
    script = (
        "import sys; from corelax.resolve import installed_models; installed_models();"
        "sys.exit('torch' in sys.modules or 'corelax_small' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("folder", ["/", "."])
def test_a_folder_that_is_no_model_is_named_as_it_was_given(folder):
    with pytest.raises(CorelaxError, match=rf"^{re.escape(folder)}: no model there"):
        Resolver.from_pretrained(folder)
