"""Importing the adapters loads no ranker; importing mentions or features loads neither network nor torch."""

from __future__ import annotations

import subprocess
import sys

import pytest


def loaded(code: str) -> set[str]:
    """The modules that a fresh interpreter has after running a line of code."""
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_the_adapters_load_neither_ranker() -> None:
    modules = loaded("from corelax.rankers import from_pruned")
    assert not {
        m for m in modules if m.startswith(("corelax.rankers.sparse", "corelax.rankers.encoder"))
    }


@pytest.mark.parametrize("package", ["mentions", "features"])
def test_mentions_and_features_do_not_load_torch(package: str) -> None:
    modules = loaded(f"import corelax.rankers.sparse.{package}")
    assert not {"corelax.rankers.sparse.network", "torch"} & modules


def test_public_names_are_found_when_they_are_asked_for() -> None:
    import corelax.rankers
    import corelax.rankers.sparse

    for package in (corelax.rankers, corelax.rankers.sparse):
        assert {name for name in package.__all__ if getattr(package, name) is not None} == set(
            package.__all__
        )
        assert set(package.__all__) <= set(dir(package))
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            package.nothing  # noqa: B018
