"""The packages of corelax in the order in which data flows, and which imports which.

`python scripts/import_graph.py` draws docs/figures/imports.svg. tests/test_layers.py keeps the order, and the
drawing current.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "corelax"
DRAWING = ROOT / "docs" / "figures" / "imports.svg"
# A package imports only from those before it.
LAYERS = """
core document io text english render metrics relax losses decode rankers resolve scale synthetic challenges
train analysis study integrations serve cli
""".split()

WIDTH, STEP, BOX = 760, 44, 150  # pixels


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


def against_the_order(found: Iterable[Import]) -> list[Import]:
    """Imports of a package from one that comes after it."""
    place = {name: number for number, name in enumerate(LAYERS)}
    return [
        edge
        for edge in found
        if layer(edge.importer)
        and place.get(layer(edge.imported), len(LAYERS)) > place[layer(edge.importer)]
    ]


def package_edges(found: Iterable[Import]) -> Counter[tuple[str, str]]:
    """How many imports lead from one package to another."""
    edges = ((layer(edge.importer), layer(edge.imported)) for edge in found)
    return Counter((a, b) for a, b in edges if a and b and a != b)


def drawing(edges: Mapping[tuple[str, str], int], order: Sequence[str], title: str) -> str:
    """An arc for each pair of packages: right, grey: from those above; left, red: against the order."""
    place = {name: number for number, name in enumerate(order)}
    height = STEP * len(order) + 70
    middle = WIDTH / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{title}</title>",
        "<style>text{font:14px sans-serif;fill:#222;text-anchor:middle}path{fill:none;stroke:#667}"
        ".against{stroke:#c22}.box{fill:#eef1f6;stroke:#9ab}rect{fill:#fff}"
        "@media(prefers-color-scheme:dark){text{fill:#eee}rect{fill:#16181d}"
        ".box{fill:#2a2f3a;stroke:#567}path{stroke:#99a}.against{stroke:#f66}}</style>",
        f'<rect width="{WIDTH}" height="{height}"/>',
        f'<text x="{middle:g}" y="24">{title}</text>',
    ]
    for (importer, imported), number in sorted(edges.items()):
        above, below = sorted((place[importer], place[imported]))
        is_against = place[imported] > place[importer]
        side = -1 if is_against else 1
        x = middle + side * BOX / 2
        reach = side * (26 + 15 * (below - above))
        y1, y2 = (60 + STEP * k for k in (above, below))
        thick = number.bit_length()  # 1, 2–3, 4–7, … imports: the picture outlives small changes
        kind = ' class="against"' if is_against else ""
        parts.append(
            f'<path{kind} stroke-width="{thick:g}" d="M{x:g} {y1}C{x + reach:g} {y1} '
            f'{x + reach:g} {y2} {x:g} {y2}"><title>{importer} → {imported}</title></path>'
        )
    for name, number in place.items():
        y = 60 + STEP * number
        parts += [
            f'<rect class="box" x="{middle - BOX / 2:g}" y="{y - 13}" width="{BOX}" height="26" rx="6"/>',
            f'<text x="{middle:g}" y="{y + 5}">{name}</text>',
        ]
    return "\n".join([*parts, "</svg>\n"])


def current_drawing() -> str:
    """The picture in docs/architecture.md."""
    return drawing(package_edges(imports()), LAYERS, "Who imports whom")


if __name__ == "__main__":
    for edge in against_the_order(imports()):
        print(edge)
    DRAWING.write_text(current_drawing(), encoding="utf-8")
