"""Writes docs/api.md: every public name with the first line of its documentation.

`python scripts/api_page.py`; tests/test_public_names.py keeps the page current.
"""

from __future__ import annotations

import inspect
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

from corelax.core.options import described

PAGE = Path(__file__).parents[1] / "docs" / "api.md"
PACKAGES = """
corelax corelax.document corelax.io corelax.text corelax.render corelax.metrics corelax.relax corelax.losses
corelax.decode corelax.rankers corelax.rankers.sparse corelax.rankers.sparse.mentions
corelax.rankers.sparse.features corelax.rankers.encoder corelax.resolve corelax.scale corelax.synthetic
corelax.train corelax.train.sparse corelax.train.encoder corelax.analysis corelax.study corelax.challenges
corelax.integrations.datasets corelax.integrations.spacy corelax.integrations.torchmetrics
""".split()
HEAD = """# Public names

Made by `python scripts/api_page.py` from the `__all__` of each package.

- **Stable**: the commands with their options and JSON, and every name on this page. Other names are private
  and may change at any time.
- **Retired names** work for one more minor version with a `DeprecationWarning` that says what replaced them;
  commands and options print one line of advice instead. `CHANGELOG.md` lists them under *Deprecated*.
- **Model folders** carry a format number. A newer version reads the folders of older ones.
- **Files**: readers and writers follow the formats themselves ([formats.md](formats.md)).
"""


def first_line(thing: object) -> str:
    """What a name is, in one sentence."""
    if isinstance(thing, ModuleType | type) or callable(thing):
        return (inspect.getdoc(thing) or "").split("\n", 1)[0]
    return f"A constant ({type(thing).__name__})."


def kind(thing: object) -> str:
    """How a name is written: functions with brackets."""
    return "()" if inspect.isroutine(thing) else ""


def options(thing: object) -> list[str]:
    """The fields of an options class, which are keyword arguments of functions and options of commands."""
    if not (isinstance(thing, type) and is_dataclass(thing)) or not list(described(thing)):
        return []
    rows = [f"| `{name}` | {text} |" for name, text in described(thing)]
    return [f"### {thing.__name__}", "", "| option | |", "|---|---|", *rows, ""]


def page() -> str:
    """The whole page."""
    lines = [HEAD]
    for name in PACKAGES:
        module = import_module(name)
        lines += [f"## {name}", "", first_line(module), "", "| name | |", "|---|---|"]
        for public in sorted(module.__all__, key=str.lower):
            thing = getattr(module, public)
            text = first_line(thing).replace("|", "\\|")
            lines.append(f"| `{public}{kind(thing)}` | {text} |")
        lines.append("")
        for public in sorted(module.__all__, key=str.lower):
            lines += options(getattr(module, public))
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
