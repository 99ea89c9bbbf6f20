"""The one Jinja environment of all pages: text is escaped, unknown names are errors."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from corelax.render.markup import marked_html


def template(name: str) -> Template:
    """A file of `render/templates`, ready to be filled in.

    >>> "<h1>a &lt; b</h1>" in template("resolution.html").render(title="a < b", texts=[], resolutions=[])
    True
    """
    environment = Environment(
        loader=PackageLoader("corelax.render"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["marked"] = marked_html
    return environment.get_template(name)
