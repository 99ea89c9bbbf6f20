"""Drawings as SVG that follows the page around it: its text colour, its fonts, its width."""

from __future__ import annotations

import re
from xml.etree import ElementTree

_NAMESPACE = re.compile(r"\{.*\}")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_FONTS = re.compile(r"font-family:[^;]*")
_SANS = "font-family: system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
# What a drawing looks like on its own, outside of a page that says so.
_ALONE = """
svg { color: %s; stroke-linejoin: round }
@media (prefers-color-scheme: dark) { svg { color: #dfe3e8 } }
"""


def inline_svg(drawing: bytes, *, ink: str, prefix: str, label: str = "") -> str:
    """A drawing as an element of an HTML page.

    Args:
        drawing: An SVG file.
        ink: The colour of text and axes, which becomes that of the text around the drawing.
        prefix: Put before every id: two drawings on a page must not share one.
        label: What the drawing shows, for those who cannot see it; a mere ornament has none.

    >>> file = b'<svg xmlns="http://www.w3.org/2000/svg" width="9"><g id="a" style="fill: #123"/></svg>'
    >>> inline_svg(file, ink="#123", prefix="p-")
    '<svg aria-hidden="true"><g id="p-a" style="fill: currentColor" /></svg>'
    """
    root = _adapted(drawing, ink, prefix)
    for name in ("version", "width", "height"):
        root.attrib.pop(name, None)  # the page sets the size
    root.attrib.update({"role": "img", "aria-label": label} if label else {"aria-hidden": "true"})
    return ElementTree.tostring(root, encoding="unicode")


def alone_svg(drawing: bytes, *, ink: str, label: str) -> str:
    """A drawing as a file of its own, readable in light and in dark.

    >>> file = b'<svg xmlns="http://www.w3.org/2000/svg"><g style="fill: #123"/></svg>'
    >>> "fill: currentColor" in alone_svg(file, ink="#123", label="scores")
    True
    """
    root = _adapted(drawing, ink, "")
    root.attrib.update({"xmlns": "http://www.w3.org/2000/svg", "role": "img", "aria-label": label})
    style = ElementTree.Element("style")
    style.text = _ALONE % ink
    root.insert(0, style)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _adapted(drawing: bytes, ink: str, prefix: str) -> ElementTree.Element:
    root = ElementTree.fromstring(drawing)
    for element in root.iter():
        # Names without their namespaces are how SVG is written inside HTML.
        element.tag = _NAMESPACE.sub("", element.tag)
        attributes = {_NAMESPACE.sub("", name): value for name, value in element.attrib.items()}
        element.attrib.clear()
        for name, value in attributes.items():
            element.set(name, _attribute(name, value, ink, prefix))
        if element.tag != "text" and not (element.text or "").strip():
            element.text = None
        element.tail = None if not (element.tail or "").strip() else element.tail
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("metadata", "style"):  # styles would hold for the whole page
                parent.remove(child)
    return root


def _attribute(name: str, value: str, ink: str, prefix: str) -> str:
    if name == "id":
        return prefix + value
    if name == "href" and value.startswith("#"):
        return f"#{prefix}{value[1:]}"
    if name == "style":
        value = _FONTS.sub(_SANS, value.replace(ink, "currentColor"))
    if name == "d":
        value = " ".join(value.split())
    return _REFERENCE.sub(lambda match: f"url(#{prefix}{match[1]})", value)
