"""The packages of corelax in the order in which data flows, and which imports which.

`python scripts/import_graph.py` draws docs/figures/imports.svg. tests/test_layers.py keeps the order, and the
drawing current.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "corelax"
DRAWING = ROOT / "docs" / "figures" / "imports.svg"
# A package imports only from those before it.
LAYERS = """
core document io text render metrics relax losses decode rankers resolve synthetic train analysis study
challenges integrations cli
""".split()


class Import(NamedTuple):
    """An import of one module of corelax in another, at the top of the file or inside a function."""

    file: str
    line: int
    importer: str
    imported: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.importer} -> {self.imported}"


def imports(source: Path = SOURCE) -> Iterator[Import]:
    """Every import inside the package, those of `TYPE_CHECKING` and of functions among them."""
    for path in sorted(source.rglob("*.py")):
        parts = ("corelax", *path.relative_to(source).with_suffix("").parts)
        importer = ".".join(parts).removesuffix(".__init__")
        file = str(path.relative_to(source))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for name in _imported(node):
                if name.split(".")[0] == "corelax":
                    yield Import(file, node.lineno, importer, name)  # type: ignore[attr-defined]


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        if node.level:
            raise ValueError("relative imports hide what is imported; write corelax. in full")
        if node.module == "corelax":
            return [f"corelax.{alias.name}" for alias in node.names]
        return [str(node.module)]
    if (  # import_module("corelax.x")
        isinstance(node, ast.Call)
        and getattr(node.func, "id", getattr(node.func, "attr", "")) == "import_module"
        and node.args
        and isinstance(node.args[0], ast.Constant)
    ):
        return [str(node.args[0].value)]
    return []


def layer(module: str) -> str:
    """The package that a module belongs to; empty for `corelax` itself and `corelax.__main__`.

    >>> layer("corelax.rankers.sparse.network"), layer("corelax")
    ('rankers', '')
    """
    name = module.split(".")[1] if "." in module else ""
    return "" if name.startswith("_") else name


def against_the_order(found: Iterator[Import]) -> list[Import]:
    """Imports of a package from one that comes after it."""
    place = {name: number for number, name in enumerate(LAYERS)}
    return [
        edge
        for edge in found
        if layer(edge.importer)
        and place.get(layer(edge.imported), len(LAYERS)) > place[layer(edge.importer)]
    ]


if __name__ == "__main__":
    for edge in against_the_order(imports()):
        print(edge)
    print(Counter((layer(e.importer), layer(e.imported)) for e in against_the_order(imports())))
