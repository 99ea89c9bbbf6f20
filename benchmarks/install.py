"""What an installation costs: bytes to download, bytes on disk, time to the first result.

    python benchmarks/install.py [--only NAME …] [--peers] [--first-result]

Each row is installed by pip into an empty folder, without compiled files. The download is the sum of the
files that pip takes (`pip install --dry-run --report`), the size on disk that of the folder. corelax and its
models come from wheels that are built from this clone, everything else from the package index; torch in the
version of constraints.txt. `--peers` adds fastcoref, maverick-coref, stanza and spaCy; none brings
its weights along. `--first-result` measures `python -m venv`, `pip install "corelax[resolve]"` and the first
`corelax resolve`, with an empty and with a filled cache of pip.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = ("", "resolve", "serve", "plots", "spacy", "torch", "encoders", "ray", "all")
PEERS = ("spacy", "stanza", "fastcoref==2.1.6", "maverick-coref==1.0.7")
TEXT = "Ann met her brother. She thanked him."
MB = 1e6


class Row(NamedTuple):
    """The cost of an installation.

    Attributes:
        name: What was asked for.
        packages: How many distributions that is.
        download: Bytes.
        installed: Bytes.
        torch: The version of torch that came along; empty if none did.
    """

    name: str
    packages: int
    download: int
    installed: int
    torch: str


def build(folder: Path) -> None:
    """Wheels of corelax and of all models."""
    for project in (ROOT, *(path.parent for path in ROOT.glob("models/*/pyproject.toml"))):
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
        subprocess.run(command, cwd=project, check=True, capture_output=True)


def requirement(wheels: Path, extra: str) -> str:
    """The wheel of corelax, with an extra."""
    [wheel] = wheels.glob("corelax-*.whl")
    return f"{wheel}[{extra}]" if extra else str(wheel)


def measure(name: str, wanted: str, wheels: Path, work: Path) -> Row:
    """Installs into an empty folder, and removes it."""
    pins = work / "torch.txt"
    pins.write_text(_torch_pin())
    options = ["--find-links", str(wheels), "--constraint", str(pins), "--ignore-installed"]
    report = work / "report.json"
    _pip("install", "--dry-run", "--report", str(report), *options, wanted)
    parts = json.loads(report.read_text())["install"]
    sizes = [_download_size(part["download_info"]["url"]) for part in parts]
    versions = {part["metadata"]["name"].lower(): part["metadata"]["version"] for part in parts}
    target = work / "target"
    _pip("install", "--no-compile", "--target", str(target), *options, wanted)
    installed = sum(path.lstat().st_size for path in target.rglob("*") if path.is_file())
    shutil.rmtree(target)
    return Row(name, len(parts), sum(sizes), installed, versions.get("torch", ""))


def first_result(wheels: Path, work: Path) -> Iterator[tuple[str, float, float]]:
    """Steps from nothing to entities: seconds, and seconds of processor time, which others do not disturb."""
    folder, cache = work / "environment", work / "cache"
    python = folder / "bin/python"
    find = ("--cache-dir", str(cache), "--find-links", str(wheels))
    corelax = [str(folder / "bin/corelax"), "resolve", "--text", TEXT]
    for label in ("empty", "filled"):
        yield _timed("python -m venv", [sys.executable, "-m", "venv", str(folder)])
        install = [str(python), "-m", "pip", "install", "-q", *find, requirement(wheels, "resolve")]
        yield _timed(f"pip install, {label} cache", install)
        yield _timed("first corelax resolve", corelax)
        yield _timed("second corelax resolve", corelax)
        shutil.rmtree(folder)


def _timed(label: str, command: list[str]) -> tuple[str, float, float]:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=_environment())
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return label, seconds, busy


def _torch_pin() -> str:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return "".join(f"{line}\n" for line in lines if line.startswith("torch=="))


def _download_size(url: str) -> int:
    """Bytes of a file that pip would take, from the disk or from the server's answer."""
    url = url.partition("#")[0]
    if url.startswith("file:"):
        return Path(urllib.request.url2pathname(url.removeprefix("file://"))).stat().st_size
    with urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=60) as answer:
        return int(answer.headers["Content-Length"])


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=_environment())
    if done.returncode:
        sys.exit(f"pip {' '.join(arguments)}:\n{done.stderr[-3000:]}")


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def _check_extras() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    if unknown := {*EXTRAS} - {"", *project["optional-dependencies"]}:
        sys.exit(f"pyproject.toml has no extra {sorted(unknown)[0]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", metavar="NAME", help="these extras; '' is none")
    parser.add_argument("--peers", nargs="*", metavar="NAME", help="beside these; else all four")
    parser.add_argument("--first-result", action="store_true", help="seconds to the first result")
    options = parser.parse_args()
    _check_extras()
    peers = PEERS if options.peers == [] else options.peers or ()
    extras = EXTRAS if options.only is None else options.only
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        wheels = work / "wheels"
        build(wheels)
        print("| | packages | download | on disk | torch |\n|---|--:|--:|--:|---|")
        wanted = [(f"corelax[{e}]" if e else "corelax", requirement(wheels, e)) for e in extras]
        for name, what in [*wanted, *((peer, peer) for peer in peers)]:
            row = measure(name, what, wheels, work)
            sizes = f"{row.download / MB:,.0f} MB | {row.installed / MB:,.0f} MB"
            print(f"| `{row.name}` | {row.packages} | {sizes} | {row.torch or '—'} |", flush=True)
        if options.first_result:
            print("\n| step | time | processor time |\n|---|--:|--:|")
            for label, seconds, busy in first_result(wheels, work):
                print(f"| {label} | {seconds:.1f} s | {busy:.1f} s |", flush=True)


if __name__ == "__main__":
    main()
