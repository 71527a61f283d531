"""From a matplotlib figure to SVG for an HTML page."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_MORE_DECIMALS = re.compile(r"(\.\d\d)\d+")
_TRANSLATION = re.compile(r"translate\([^)]*\)")


@dataclass(frozen=True, slots=True)
class FigureTheme:
    """Colours that depend on the page of a figure.

    Attributes:
        ink: Lines and text.
        muted: Grid.
        paper: Behind everything.
        bad: Shade of what failed.
        replaced: What each of them becomes in the finished SVG.
    """

    ink: str
    muted: str
    paper: str
    bad: str
    replaced: tuple[tuple[str, str], ...] = ()


PAGE = FigureTheme(
    "#010203",
    "#040506",
    "#070809",
    "#0a0b0c",
    (("#010203", "var(--ink)"), ("#040506", "var(--line)"), ("#070809", "var(--paper)"), ("#0a0b0c", "var(--bad)")),
)
"""Inside the HTML page, whose style sheet knows light and dark; the placeholders occur nowhere else."""

PRINT = FigureTheme("#1a1a1a", "#d0d0d0", "#ffffff", "#a8321a")
"""On white paper."""


def to_svg(figure: Figure, *, name: str, description: str, theme: FigureTheme) -> str:
    """Return a figure as an SVG element. Must be called within `app.reports.drawing.settings`.

    Args:
        name: Letters; begins every id in it, so that one page can have several figures.
        description: What the figure shows, for people who do not see it.

    Returns:
        An `svg` element with a viewBox and without a fixed size, text as text.
    """
    buffer = io.BytesIO()
    root = ET.fromstring(_written(figure, buffer, name))  # noqa: S314 - written by matplotlib a moment ago
    _drop_page_wide(root)
    _rename_ids(root, name)
    _round(root)
    for size in ("width", "height", "version"):
        root.attrib.pop(size, None)
    root.set("role", "img")
    root.set("aria-label", description)
    root.set("class", "figure")
    for prefix, uri in (("", _SVG), ("xlink", _XLINK)):
        ET.register_namespace(prefix, uri)
    text = ET.tostring(root, encoding="unicode", short_empty_elements=False)
    for placeholder, colour in theme.replaced:
        text = text.replace(placeholder, colour)
    return text.replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif")


def _written(figure: Figure, buffer: io.BytesIO, name: str) -> bytes:
    import matplotlib as mpl

    mpl.rcParams["svg.hashsalt"] = name
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def _drop_page_wide(root: ET.Element) -> None:
    """Remove metadata, and the style sheet, which would hold for the whole page; put its rules on the figure itself."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
    root.set("stroke-linejoin", "round")
    root.set("stroke-linecap", "butt")


def _round(root: ET.Element) -> None:
    """Write places with two decimals, a hundredth of a point: with six, curves of many points make pages large."""
    for element in root.iter():
        for key in ("d", "x", "y"):
            if key in element.attrib:
                element.set(key, _MORE_DECIMALS.sub(r"\1", element.attrib[key]))
        if "transform" in element.attrib:  # not its scales, which may be small
            shorter = _TRANSLATION.sub(lambda found: _MORE_DECIMALS.sub(r"\1", found[0]), element.attrib["transform"])
            element.set("transform", shorter)


def _rename_ids(root: ET.Element, name: str) -> None:
    """Begin every id with the figure's name, and turn xlink:href into href."""
    for element in root.iter():
        for key, value in list(element.attrib.items()):
            if key == "id":
                element.set("id", f"{name}-{value}")
            elif key in ("href", f"{{{_XLINK}}}href"):
                del element.attrib[key]
                element.set("href", value.replace("#", f"#{name}-", 1))
            elif "url(#" in value:
                element.set(key, re.sub(r"url\(#", f"url(#{name}-", value))
