"""Empty environments with installed wheels, for tests that use corelax as somebody does who has no clone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13")


class Environment(NamedTuple):
    """A virtual environment.

    Attributes:
        folder: Where it lies; nothing of the clone is on its path.
    """

    folder: Path

    def run(
        self, program: str, *arguments: object, expect: int = 0
    ) -> subprocess.CompletedProcess[str]:
        """Runs a program of the environment in its own folder."""
        done = subprocess.run(
            [self.folder / "bin" / program, *map(str, arguments)],
            cwd=self.folder,
            env=_clean_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == expect, f"{program} {arguments}: {done.stderr[-2000:]}"
        return done

    def packages(self) -> set[str]:
        """The names of what is installed, besides pip itself."""
        code = "from importlib.metadata import distributions as d; print(*{x.name for x in d()})"
        names = self.run("python", "-c", code).stdout.lower().replace("_", "-").split()
        return set(names) - {"pip", "setuptools", "wheel"}


def new_environment(
    folder: Path, wheels: Path, extra: str | None, *, python: str, constraints: Path
) -> Environment:
    """An environment with corelax from wheels, and its dependencies from the package index."""
    subprocess.run([python, "-m", "venv", folder], check=True, env=_clean_environment())
    environment = Environment(folder)
    [wheel] = wheels.glob("corelax-*.whl")
    wanted = wheel if extra is None else f"{wheel}[{extra}]"
    options = ["--quiet", "--disable-pip-version-check", "--find-links", wheels]
    environment.run("pip", "install", *options, "--constraint", constraints, wanted)
    return environment


def build_wheels(out: Path) -> None:
    """The wheels of corelax and of every model, as `make wheel` builds them."""
    for project in (ROOT, *(path.parent for path in ROOT.glob("models/*/pyproject.toml"))):
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", out],
            cwd=project,
            check=True,
            capture_output=True,
        )


def find_python(version: str) -> str | None:
    """An interpreter of a version such as "3.12": this one, one on the path, or one of pyenv."""
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    candidates = [shutil.which(f"python{version}")]
    candidates += map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    return next((path for path in candidates if path and _works(path, version)), None)


def _works(python: str, version: str) -> bool:
    """Whether it starts, with the version; commands of pyenv exist for versions that are switched off."""
    code = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == version


def index_is_reachable(folder: Path) -> bool:
    """Whether pip finds packages: asked for a small one that corelax needs."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
    done = subprocess.run(
        [*command, "--timeout", "10", "--retries", "0", "click"], capture_output=True, check=False
    )
    return done.returncode == 0


def _clean_environment() -> dict[str, str]:
    """The environment without what would put the clone on the path."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if name not in hidden}
