"""Hooks of mkdocs: what pages link to outside of docs/ becomes a page of the site, and so does the reference.

The same Markdown serves readers of the repository and of the site. There a link such as
`../src/corelax/metrics/muc.py` shows the file; here it leads to a page with its source. Nothing leads away
from the site but addresses of the web.
"""

from __future__ import annotations

import ast
import json
import posixpath
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
if str(ROOT) not in sys.path:  # mkdocs takes this back when the hooks are loaded
    sys.path.append(str(ROOT))
from scripts.api_page import PACKAGES  # noqa: E402

LINK = re.compile(r'(\]\(\s*|\b(?:src|srcset|href)=")([^)\s"]+)')
LANGUAGES = {".py": "python", ".toml": "toml", ".cff": "yaml", ".html": "html"}
SHIM, WORKER = "https://unpkg.com/iframe-worker/shim", "site_worker.js"
HIDDEN = "---\nsearch:\n  exclude: true\n---\n\n"


def site_uri(path: Path) -> str:
    """Where a file of the repository is on the site.

    >>> site_uri(DOCS / "scoring.md"), site_uri(ROOT / "src/corelax/metrics/muc.py")
    ('scoring.md', 'source/src/corelax/metrics/muc.py.md')
    """
    if path.is_relative_to(DOCS):
        uri = path.relative_to(DOCS).as_posix()
        return uri.replace("report.md", "report.html")  # the same report; only one of both fits
    name = path.relative_to(ROOT).as_posix()
    return f"source/{name}" if name.endswith(".md") else f"source/{name}.md"


def targets(markdown: str, origin: Path) -> dict[str, Path]:
    """The links of a page to files of the repository, as written."""
    links = {link for _, link in LINK.findall(_without_code(markdown))}
    local = {link for link in links if not re.match(r"[a-z]+:|#", link)}
    return {link: (origin.parent / link.partition("#")[0]).resolve() for link in local}


def with_site_links(markdown: str, origin: Path, uri: str) -> str:
    """The text of a page with links that hold on the site.

    Args:
        markdown: The text.
        origin: The file it comes from.
        uri: Where it is on the site.
    """
    known = targets(markdown, origin)

    def changed(match: re.Match[str]) -> str:
        before, link = match.groups()
        if link not in known or not known[link].exists():
            return match[0]
        _, mark, anchor = link.partition("#")
        there = posixpath.relpath(site_uri(known[link]), posixpath.dirname(uri) or ".")
        return f"{before}{there}{mark}{anchor}"

    return LINK.sub(changed, markdown)


def source_page(path: Path) -> str:
    """A file outside of docs/ as a page."""
    name = path.relative_to(ROOT).as_posix()
    if path.is_dir():
        files = sorted(each.name for each in path.iterdir() if not each.name.startswith(("_", ".")))
        return f"{HIDDEN}# {name}\n\n" + "".join(f"- `{each}`\n" for each in files)
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        text = re.sub(
            r"\A---\n.*?^---\n", "", text, flags=re.M | re.S
        )  # the header of a model card
        return with_site_links(text, path, site_uri(path))
    if path.suffix == ".ipynb":
        return f"# {name}\n\n{_notebook(text)}"
    return f"{HIDDEN}# {name}\n\n````{LANGUAGES.get(path.suffix, 'text')}\n{text}````\n"


def linked_sources() -> dict[str, Path]:
    """Everything outside of docs/ that pages lead to, directly or through such a page."""
    found: dict[str, Path] = {}
    waiting = sorted(DOCS.rglob("*.md"))
    while waiting:
        page = waiting.pop()
        for path in targets(page.read_text(encoding="utf-8"), page).values():
            if path.exists() and not path.is_relative_to(DOCS) and site_uri(path) not in found:
                found[site_uri(path)] = path
                waiting += [path] if path.suffix == ".md" else []
    return found


def reference_pages() -> dict[str, str]:
    """A page for each public package, from the documentation in the code."""
    pages = {}
    for name in PACKAGES:
        members = _members(name)
        options = f"    options:\n      members: {json.dumps(members)}\n"
        pages[f"reference/{name}.md"] = f"# {name}\n\n::: {name}\n{options}"
    return pages


def on_config(config: Any) -> Any:
    """Adds the reference to the navigation."""
    [reference] = [item["Reference"] for item in config.nav if "Reference" in item]
    reference += [
        {Path(uri).stem: uri} for uri in reference_pages() if {Path(uri).stem: uri} not in reference
    ]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages that are not in docs/."""
    from mkdocs.structure.files import File

    pages = {uri: source_page(path) for uri, path in linked_sources().items()}
    for uri, content in {**pages, **reference_pages()}.items():
        files.append(File.generated(config, uri, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Mends the links of pages in docs/."""
    uri = page.file.src_uri
    if uri.startswith(("source/", "reference/")):
        return markdown
    return with_site_links(markdown, DOCS / uri, uri)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Takes the part of the search that works from files from the site instead of the web."""
    return _with_own_worker(output, posixpath.dirname(page.url))


def on_post_template(output_content: str, **_: Any) -> str:
    """The same for pages that are not written in Markdown."""
    return _with_own_worker(output_content, "")


def _with_own_worker(html: str, folder: str) -> str:
    return html.replace(SHIM, posixpath.relpath(WORKER, folder or "."))


def _members(package: str) -> list[str]:
    """The public names of a package, read without importing it."""
    path = ROOT.joinpath("src", *package.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
        if isinstance(node, ast.Assign | ast.AnnAssign) and ast.unparse(targets[0]) == "__all__":
            return sorted(ast.literal_eval(node.value), key=str.lower)
    raise ValueError(f"{package} has no __all__")


def _without_code(markdown: str) -> str:
    return re.sub(r"^```.*?^```", "", markdown, flags=re.M | re.S)


def _notebook(text: str) -> str:
    parts: Iterable[dict[str, Any]] = json.loads(text)["cells"]
    return "\n".join(
        f"```python\n{''.join(part['source'])}\n```\n"
        if part["cell_type"] == "code"
        else "".join(part["source"]) + "\n"
        for part in parts
    )
