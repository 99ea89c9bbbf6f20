"""Models by name: the model `small` is the package `corelax_small`, which `pip install corelax-small` brings.

Anybody can publish a model in this way: a package with `config.json`, the weights and `encoder/` beside its
`__init__.py`. The package is looked up and never imported, so that nothing in it is run.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, metadata
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from types import NoneType
from typing import NamedTuple

from corelax.core.errors import CorelaxError
from corelax.core.folders import CONFIG

DEFAULT = "small"
SHIPPED = {DEFAULT: "'corelax[resolve]'", "base": "'corelax[resolve]' corelax-base"}  # to install
_PREFIX = "corelax_"
_ENGLISH = re.compile(r"\A---\n(?:.*\n)*?language: *(?:\[ *)?[\"']?en[\"']?(?: *\])? *\n", re.I)
_MOST = 1 << 14  # characters of a card that are looked at


class InstalledModel(NamedTuple):
    """A model that `Resolver.from_pretrained(name)` loads.

    Attributes:
        name: Its name.
        version: The version of its distribution; empty if it is on the path without being installed.
        folder: Where it lies.
        licence: The licence of its weights as the distribution states it, perhaps empty.
    """

    name: str
    version: str
    folder: Path
    licence: str


def model_folder(name_or_folder: str | Path | None = None) -> Path:
    """The folder of an installed model, or the folder that was named.

    A model folder in the working directory goes before an installed model with the same name.

    Args:
        name_or_folder: A name such as "small", or a folder. None is the installed model "small".

    >>> model_folder("small") == model_folder(), model_folder("runs/lea").parts
    (True, ('runs', 'lea'))
    >>> model_folder("smal")
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: no folder and no installed model is called 'smal'; installed: ...small
    """
    if not isinstance(name_or_folder, (str, os.PathLike, NoneType)):
        raise CorelaxError(f"a model is a name or a folder, not {name_or_folder!r}")
    folder = Path(DEFAULT if name_or_folder is None else name_or_folder)
    name = str(folder)
    if (
        len(folder.parts) != 1
        or folder.anchor
        or (name_or_folder is not None and (folder / CONFIG).exists())
    ):
        return folder
    installed = _installed_folder(name)
    if installed is not None:
        return installed
    if name in SHIPPED:
        raise CorelaxError(
            f"model {name!r} is not installed; pip install {SHIPPED[name]} "
            f'(in a clone: pip install ".[resolve]" ./models/{name})'
        )
    if folder.exists():
        return folder  # whoever reads it says what is missing there
    names = ", ".join(model.name for model in installed_models()) or "none"
    raise CorelaxError(f"no folder and no installed model is called {name!r}; installed: {names}")


def model_files(name_or_folder: str | Path | None = None) -> list[Path]:
    """The files of a model; none if there is no such model.

    >>> "config.json" in [path.name for path in model_files("small")]
    True
    """
    try:
        folder = model_folder(name_or_folder)
    except CorelaxError:  # whoever loads it says so
        return []
    return [*folder.glob("*"), *folder.glob("encoder/*")]


def is_for_english(model: str | Path | None = None) -> bool:
    """Whether a model is `small`, or has a card (README.md) that names English alone as its language.

    >>> is_for_english("small"), is_for_english("runs/lea")
    (True, False)
    """
    if model is None or str(model) == DEFAULT:
        return True
    try:
        with (model_folder(model) / "README.md").open(encoding="utf-8") as card:
            return _ENGLISH.match(card.read(_MOST)) is not None
    except (OSError, CorelaxError, UnicodeDecodeError):  # no card says nothing
        return False


def installed_models() -> list[InstalledModel]:
    """The models that can be loaded by name, in the order of their names.

    >>> "small" in [model.name for model in installed_models()]
    True
    """
    models = []
    for package in {each.name for each in iter_modules() if each.name.startswith(_PREFIX)}:
        name = package.removeprefix(_PREFIX).replace("_", "-")
        folder = _installed_folder(name)
        if folder is None:
            continue
        version = licence = ""
        with suppress(PackageNotFoundError):
            facts = metadata(f"corelax-{name}")
            version = facts["Version"]
            licence = " ".join(facts.get_all("License-Expression", []))
        models.append(InstalledModel(name, version, folder, licence))
    return sorted(models)


def _installed_folder(name: str) -> Path | None:
    """Where the package of a model lies. Looking up a name without dots imports nothing."""
    if not re.fullmatch(r"\w+(-\w+)*", name):
        return None
    spec = find_spec(_PREFIX + name.replace("-", "_"))
    places = spec.submodule_search_locations if spec is not None else None
    folders = [Path(place) for place in places or ()]
    return next((folder for folder in folders if (folder / CONFIG).is_file()), None)
