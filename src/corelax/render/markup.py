"""Plain text in HTML and in Markdown, and the two marks that paragraphs may use: **bold** and `code`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from markupsafe import Markup

from corelax.core.errors import CorelaxError

if TYPE_CHECKING:
    from jinja2 import Template

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_MARKED = re.compile(r"\*\*(?P<bold>.+?)\*\*|`(?P<code>[^`]+)`", re.DOTALL)
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~])")
_ENTITY = re.compile(r"&(?=#?\w+;)")  # any other & is just that
_STARTS_BLOCK = re.compile(r"^(\s*)([#+>=-]|\d+[.)])")


def template(name: str) -> Template:
    """A file of `render/templates`, ready to be filled in: text is escaped, unknown names are errors.

    >>> "<h1>a &lt; b</h1>" in template("resolution.html").render(title="a < b", texts=[], resolutions=[])
    True
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined  # slow, and only pages need it

    environment = Environment(
        loader=PackageLoader("corelax.render"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["marked"] = marked_html
    return environment.get_template(name)


def check_key(key: str) -> None:
    """An error if a key of a table or figure cannot name a file."""
    if not _KEY.fullmatch(key):
        raise CorelaxError(f"{key!r} cannot name a file; use letters, digits, - and _")


def marked_html(text: str) -> Markup:
    """A paragraph as HTML.

    >>> marked_html("**LEA** for T < `0.5`")
    Markup('<strong>LEA</strong> for T &lt; <code>0.5</code>')
    """
    tags = {"bold": Markup("<strong>{}</strong>"), "code": Markup("<code>{}</code>")}
    return Markup("").join(
        tags[kind].format(piece) if kind else piece for kind, piece in _pieces(text)
    )


def marked_markdown(text: str) -> str:
    r"""A paragraph as Markdown: the marks stay, all else is escaped.

    >>> print(marked_markdown("**LEA** for `a_b`, not a_b"))
    **LEA** for `a_b`, not a\_b
    """
    marks = {"bold": "**", "code": "`"}
    joined = ""
    for kind, piece in _pieces(text):
        mark = marks.get(kind, "")
        joined += mark + (piece if kind == "code" else escaped_markdown(piece)) + mark
    return _without_block(joined)


def escaped_markdown(text: str) -> str:
    r"""Plain text on one line, for a cell or inside a sentence.

    >>> print(escaped_markdown("a|b <c> & &lt;"))
    a\|b \<c\> & &amp;lt;
    """
    return _SPECIAL.sub(r"\\\1", _ENTITY.sub("&amp;", re.sub(r"\s+", " ", text)))


def line_markdown(text: str) -> str:
    r"""Plain text as a line of its own, which must not turn into a heading or a list.

    >>> print(line_markdown("1. not a list"))
    1\. not a list
    """
    return _without_block(escaped_markdown(text))


def _without_block(line: str) -> str:
    return _STARTS_BLOCK.sub(lambda m: m[1] + m[2][:-1] + "\\" + m[2][-1], line)


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """The text cut at its marks: ("", plain), ("bold", text), ("code", text)."""
    end = 0
    for match in _MARKED.finditer(text):
        yield "", text[end : match.start()]
        kind = match.lastgroup or ""
        yield kind, match[kind]
        end = match.end()
    yield "", text[end:]
