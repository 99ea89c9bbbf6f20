"""Dockerfile and compose.yaml name what is there. (They are built by whoever has Docker.)"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from corelax.cli.serve import TOKEN
from corelax.serve.options import ServeOptions

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = (ROOT / "compose.yaml").read_text(encoding="utf-8")


def test_every_file_that_is_copied_exists_and_is_not_ignored():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    sources = [
        name for line in re.findall(r"^COPY (.+)$", DOCKERFILE, re.M) for name in line.split()[:-1]
    ]
    assert "src" in sources
    for name in sources:
        assert (ROOT / name).exists(), name
        assert name.partition("/")[0] not in ignored


def test_what_the_build_needs_is_copied():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    copied = " ".join(re.findall(r"^COPY (.+)$", DOCKERFILE, re.M)).split()
    for name in (project["readme"], *project["license-files"]):
        assert name in copied or name.partition("/")[0] in copied, name


def test_the_extra_exists_and_has_no_torch():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    [extra] = re.findall(r'"\.\[(\w+)\]"', DOCKERFILE)
    wanted = [*extras[extra], *extras["resolve"]]
    assert "corelax[resolve]" in wanted
    assert not [name for name in wanted if name.startswith(("torch", "transformers"))]


def test_it_runs_as_nobody_special_and_listens_where_the_port_is():
    assert DOCKERFILE.index("USER corelax") < DOCKERFILE.index("ENTRYPOINT")
    assert "EXPOSE 8000" in DOCKERFILE
    assert '"--port", "8000"' in DOCKERFILE
    assert '"127.0.0.1:8000:8000"' in COMPOSE


def test_a_stop_has_time_for_what_was_accepted_and_the_token_is_read():
    [seconds] = re.findall(r"stop_grace_period: (\d+)s", COMPOSE)
    assert int(seconds) > ServeOptions().timeout + 5
    assert f"{TOKEN}:" in COMPOSE
