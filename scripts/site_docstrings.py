"""Extension of griffe, which reads docstrings for the site: doctests are code."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension

DOCTEST = re.compile(r"^[ ]*>>> .*(?:\n[ ]*\S.*)*", re.M)


class Doctests(Extension):
    """Puts doctests into fences; without them Markdown takes them for quotations."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        """Changes the docstring of a function, class or module."""
        if obj.docstring:
            obj.docstring.value = DOCTEST.sub(_fenced, obj.docstring.value)


def _fenced(match: re.Match[str]) -> str:
    indent = re.match(" *", match[0])
    blank = indent[0] if indent else ""
    return f"{blank}```pycon\n{match[0]}\n{blank}```"
