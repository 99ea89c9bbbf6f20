"""Models that ship with the package, each in a folder of its name."""

from __future__ import annotations

from pathlib import Path

DEFAULT = "small"
_SHIPPED = Path(__file__).parents[1] / "models"


def model_folder(name_or_folder: str | Path | None = None) -> Path:
    """The folder of a model that ships with the package, or the folder that was named.

    A model folder in the working directory goes before a model of the package with the same name.

    >>> model_folder("small") == model_folder(), model_folder("runs/lea").parts
    (True, ('runs', 'lea'))
    """
    folder = Path(DEFAULT if name_or_folder is None else name_or_folder)
    shipped = _SHIPPED / folder.name
    is_name = len(folder.parts) == 1 and not (name_or_folder and (folder / "config.json").exists())
    return shipped if is_name and shipped.is_dir() else folder
