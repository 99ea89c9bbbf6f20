"""What lacks an extra says so in one line that can be pasted: `pip install 'corelax[extra]'`."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from corelax.core.lazy import EXTRAS
from corelax.resolve.models import model_folder

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
GOLD = ROOT / "examples/data/gold.conll"
STORY = ROOT / "examples/data/curie.txt"
MODEL = model_folder()
FOR_DEVELOPERS = ("dev", "bench", "docs", "release")
EVERYTHING = (*EXTRAS, "corelax_small")

# None in sys.modules is how Python is told that a module cannot be imported.
HEADER = "import sys; sys.modules.update(dict.fromkeys({absent!r}))\n"
COMMAND = HEADER + "from corelax.cli import main; sys.argv[0] = 'corelax'; main()"


def python(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("extra", "absent", "arguments"),
    [
        ("resolve", EVERYTHING, ("resolve", STORY)),
        ("resolve", EVERYTHING, ("resolve", STORY, "--model", MODEL)),
        ("resolve", ("torch", "tokenizers"), ("resolve", STORY, "--model", MODEL)),
        ("encoders", ("torch",), ("resolve", STORY, "--model", MODEL, "--device", "cuda")),
        ("encoders", ("transformers",), ("resolve", STORY, "--runtime", "torch")),
        ("hub", EVERYTHING, ("resolve", STORY, "--model", "somebody/model")),
        ("serve", EVERYTHING, ("serve",)),
        ("serve", ("starlette",), ("serve",)),
        ("torch", EVERYTHING, ("train", "--train", GOLD, "--dev", GOLD, "--out", "{out}")),
        ("torch", EVERYTHING, ("reproduce", "--quick", "--out", "{out}")),
        ("export", EVERYTHING, ("export", MODEL)),
        ("export", ("onnxscript",), ("export", MODEL)),
    ],
    ids=str,
)
def test_a_command_names_the_extra_and_writes_nothing(
    extra: str, absent: tuple[str, ...], arguments: tuple[object, ...], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = python(COMMAND.format(absent=absent), *(str(a).format(out=out) for a in arguments))
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert f"pip install 'corelax[{extra}]'" in line
    assert done.stdout == ""
    assert not out.exists()


@pytest.mark.parametrize(
    ("extra", "code"),
    [
        ("torch", "from corelax.losses import metric_loss"),
        ("torch", "import corelax; corelax.losses.metric_loss"),
        ("torch", "from corelax.relax import evaluate"),
        ("torch", "from corelax.rankers import SparseRanker"),
        ("torchmetrics", "from corelax.integrations.torchmetrics import CoreferenceScore"),
        ("resolve", "import corelax; corelax.Resolver.from_pretrained()"),
        ("spacy", "import corelax.integrations.spacy as s; s.CoreferenceComponent()"),
        ("datasets", "import corelax.integrations.datasets as d; d.dataset_from_documents([])"),
    ],
    ids=str,
)
def test_python_names_the_extra(extra: str, code: str) -> None:
    done = python(HEADER.format(absent=EVERYTHING) + code)
    assert done.returncode == 1
    assert f"pip install 'corelax[{extra}]'" in done.stderr.splitlines()[-1]


def test_scoring_converting_and_validating_need_no_extra(tmp_path: Path) -> None:
    converted = tmp_path / "gold.jsonlines"
    for arguments in (
        ("score", GOLD, GOLD.with_name("system.conll")),
        ("convert", GOLD, converted),
        ("validate", converted),
    ):
        done = python(COMMAND.format(absent=EVERYTHING), *arguments)
        assert done.returncode == 0, done.stderr


def test_every_extra_that_is_named_anywhere_exists() -> None:
    texts = [path for folder in ("src", "docs") for path in (ROOT / folder).rglob("*.[pm][yd]")]
    named = {
        extra.strip()
        for path in (*texts, ROOT / "README.md", ROOT / "CONTRIBUTING.md")
        for extras in re.findall(r"corelax\[([\w, ]+)\]", path.read_text(encoding="utf-8"))
        for extra in extras.split(",")
    }
    named |= set(EXTRAS.values())
    assert "resolve" in named
    assert named <= set(PROJECT["optional-dependencies"])


def test_every_library_of_an_extra_is_known() -> None:
    extras = {
        re.split(r"[><=\[]", requirement)[0]
        for name, requirements in PROJECT["optional-dependencies"].items()
        if name not in FOR_DEVELOPERS
        for requirement in requirements
    }
    assert extras - {"corelax", "corelax-small", "corelax-base"} == set(EXTRAS)


def test_all_has_every_extra_for_users() -> None:
    extras = PROJECT["optional-dependencies"]
    [everything] = extras["all"]
    names = set(everything.removeprefix("corelax[").removesuffix("]").split(","))
    assert names == set(extras) - {"all", *FOR_DEVELOPERS}
