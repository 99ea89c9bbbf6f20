"""`corelax serve`: entities over HTTP, and a page to work in.

Names are imported when they are first used: what a request may hold needs no web framework.
"""

from __future__ import annotations

from corelax.core.lazy import lazy_imports

with lazy_imports(__name__):
    from corelax.serve.application import application
    from corelax.serve.options import ServeOptions
    from corelax.serve.server import serve

__all__ = ["ServeOptions", "application", "serve"]
