"""Runs fastcoref and maverick-coref for `resolve.py --peers`: their environments, weights and limits.

What is real about them and what is random is said in `peer_models.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from corelax.core.threads import spin_briefly
from corelax.resolve.models import model_folder

PROGRAM = Path(__file__).with_name("peer_models.py")
TORCH = "torch==2.13.0"
# What pip installs for each environment. fastcoref 2.1.6 cannot be built with transformers 5.
INSTALLED = {
    "fastcoref": ("fastcoref==2.1.6", "transformers<5"),
    "maverick": ("maverick-coref==1.0.7",),
}
ENVIRONMENT = {"fcoref": "fastcoref", "lingmess": "fastcoref", "maverick": "maverick"}
PEERS = tuple(ENVIRONMENT)


def prepare(folder: Path, kinds: Sequence[str], text: list[list[str]]) -> None:
    """Environments and weights below a folder, unless they are there already."""
    for name in sorted({ENVIRONMENT[kind] for kind in kinds}):
        environment, wanted = folder / name, INSTALLED[name]
        if (environment / "ready").exists():
            continue
        print(f"installing {' '.join(wanted)}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        install = ["-m", "pip", "install", "--quiet", TORCH, *wanted]
        subprocess.run([_python(folder, name), *install], check=True, env=_variables())
        (environment / "ready").touch()
    tokenizer = model_folder("small") / "encoder/tokenizer.json"
    for kind in kinds:
        weights = _weights(folder, kind)
        if (weights / "ready").exists():
            continue
        print(f"making random weights of {kind}", file=sys.stderr)
        weights.mkdir(parents=True, exist_ok=True)
        _run(folder, "make", kind, {"tokenizer": str(tokenizer), "text": text})
        (weights / "ready").touch()


def measure(
    folder: Path, kind: str, job: dict[str, Any], cases: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """The figures of each case, or `why` there are none; a process that is ended is followed by another."""
    done = 0
    while done < len(cases):
        command = _command(folder, "measure", kind)
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=_variables(),
        ) as process:
            if process.stdin is None or process.stdout is None:
                raise RuntimeError("no pipes")
            json.dump({**job, "cases": cases[done:]}, process.stdin)
            process.stdin.close()
            for line in process.stdout:
                if line.startswith("{"):
                    yield json.loads(line)
                    done += 1
        if process.returncode > 0:
            sys.exit(f"{' '.join(command)} failed")
        if process.returncode < 0:
            yield {"why": f"more than {job['limit']:.0f} s of processor time"}
            done += 1


def first_result(folder: Path, kind: str) -> float:
    """Resolves one line in a new process; its peak memory in MB."""
    return float(_run(folder, "first", kind, {})["memory"])


def _run(folder: Path, task: str, kind: str, job: dict[str, Any]) -> dict[str, Any]:
    command = _command(folder, task, kind)
    done = subprocess.run(
        command, input=json.dumps(job), capture_output=True, text=True, env=_variables()
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)}:\n{done.stderr[-3000:]}")
    return dict(json.loads(done.stdout.splitlines()[-1])) if task == "first" else {}


def _command(folder: Path, task: str, kind: str) -> list[str]:
    python = _python(folder, ENVIRONMENT[kind])
    return [python, str(PROGRAM), task, kind, str(_weights(folder, kind))]


def _python(folder: Path, environment: str) -> str:
    return str((folder / environment / "bin/python").absolute())


def _weights(folder: Path, kind: str) -> Path:
    return (folder / "weights" / kind).absolute()


def _variables() -> dict[str, str]:
    """No corelax from this clone, no attempt to reach a hub; threads wait as those of corelax do."""
    spin_briefly()
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return kept | {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
