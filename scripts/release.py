"""Checks a release before and after its files are built; `make release` runs it twice.

    python scripts/release.py            # clean tree, final version, CITATION and CHANGELOG agree
    python scripts/release.py --built    # dist/ has all wheels and source distributions

Each thing that is wrong is one line; the exit code is 1.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FINAL = re.compile(r"\d+\.\d+\.\d+")


def stated_version(root: Path) -> str:
    """The version in `core/version.py`, which is the only place that decides it."""
    text = (root / "src/corelax/core/version.py").read_text(encoding="utf-8")
    return re.findall(r'^VERSION = "(.+)"$', text, re.M)[0]


def projects(root: Path) -> list[Path]:
    """The folders that are published: corelax and its models."""
    return [root, *sorted(path.parent for path in root.glob("models/*/pyproject.toml"))]


def problems_before(root: Path, today: date) -> Iterator[str]:
    """What keeps the tree from being released."""
    version = stated_version(root)
    changed = _git(root, "status", "--porcelain").splitlines()
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        yield f"{changed[0][3:]}{more}: not committed; commit or stash first"
    if not FINAL.fullmatch(version):
        yield f"src/corelax/core/version.py: {version} is not a final version such as 1.2.3"
    if f"v{version}" in _git(root, "tag").split():
        yield f"v{version}: this tag exists; raise the version in src/corelax/core/version.py"
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    if f"version: {version}" not in citation.splitlines():
        yield f"CITATION.cff: must have the line 'version: {version}'"
    yield from _changelog_problems(root / "CHANGELOG.md", version, today)


def _changelog_problems(path: Path, version: str, today: date) -> Iterator[str]:
    heading = rf"^## \[?{re.escape(version)}\]? - (\S+)$"
    dates = re.findall(heading, path.read_text(encoding="utf-8"), re.M)
    if len(dates) != 1:
        yield f"CHANGELOG.md: needs one heading '## [{version}] - {today}', has {len(dates)}"
        return
    try:
        released = date.fromisoformat(dates[0])
    except ValueError:
        yield f"CHANGELOG.md: {dates[0]} is not a date; write it as {today}"
        return
    if released > today:
        yield f"CHANGELOG.md: {released} is in the future"


def problems_built(root: Path) -> Iterator[str]:
    """What is missing from dist/, or should not be there."""
    version = stated_version(root)
    expected = set()
    for project in projects(root):
        text = (project / "pyproject.toml").read_text(encoding="utf-8")
        name = re.findall(r'^name = "(.+)"$', text, re.M)[0].replace("-", "_")
        expected |= {f"{name}-{version}-py3-none-any.whl", f"{name}-{version}.tar.gz"}
    if (root / "kernels").is_dir():  # compiled where they are installed
        expected.add(f"corelax_kernels-{version}.tar.gz")
    built = {path.name for path in (root / "dist").glob("*")}
    yield from (f"dist/{name}: was not built" for name in sorted(expected - built))
    yield from (f"dist/{name}: does not belong there" for name in sorted(built - expected))


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout


def main() -> None:
    """Prints what is wrong, or what is left to do."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--built", action="store_true", help="check the files in dist/")
    built = parser.parse_args().built
    problems = list(problems_built(ROOT) if built else problems_before(ROOT, date.today()))
    if problems:
        sys.exit("\n".join(problems))
    if built:
        tag = f"v{stated_version(ROOT)}"
        print(
            f"dist/ is ready. Left to do: git tag -s {tag} && git push origin {tag}; twine upload dist/*"
        )


if __name__ == "__main__":
    main()
